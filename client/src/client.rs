//! One connection to the daemon, shared by any number of calls.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sdl_proto::{
    ClientIdentity, ClientMessage, Handshake, Principal, Request, SessionHello, Welcome, WireError,
    capability, encode_client,
};
use tokio::sync::{Notify, Semaphore, broadcast, mpsc, oneshot, watch};
use tokio::time::Instant;

use crate::call::{CallOptions, Running};
use crate::error::ClientError;
use crate::questions::{Asked, Questions};
use crate::wire::{self, End};
use crate::{connect, token};

/// Calls that may wait for an answer at once; further calls wait for their turn.
const MAX_IN_FLIGHT: usize = 2048;

/// Requests that wait to be written.
const QUEUE: usize = 64;

/// The number of notifications that a slow listener may lag before it misses some.
const EVENTS: usize = 128;

/// How much longer than the deadline the client waits. It is not 0, because the daemon's own error says more than a
/// timeout here.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// A connection to the daemon. Clones share it; when the last one is dropped it closes.
#[derive(Debug, Clone)]
pub struct Client {
    shared: Arc<Shared>,
    /// Dropped with the last clone, which ends the tasks that read and write.
    _open: Arc<watch::Sender<()>>,
}

/// A message from the daemon that no call asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A notification.
    Notify {
        /// The kind of event.
        method: String,
        /// Opaque details.
        params: Arc<[u8]>,
    },
    /// A session is open. From the second one on: the connection was lost meanwhile, and events with it.
    Connected {
        /// The daemon's build.
        build: String,
        /// Differs for each start of a daemon.
        instance: u64,
    },
    /// The connection is gone.
    Disconnected,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) calls: Mutex<Calls>,
    pub(crate) events: broadcast::Sender<Event>,
    pub(crate) questions: Questions,
    requests: mpsc::Sender<Queued>,
    /// Cancellations and pings. The channel needs no bound, because each call in flight sends at most a few.
    control: mpsc::UnboundedSender<ClientMessage>,
    slots: Arc<Semaphore>,
    last_id: AtomicU64,
    token: Mutex<Option<String>>,
    handshake: Handshake,
    welcome: Welcome,
    /// Notified when a call begins.
    pub(crate) begun: Notify,
    /// The time of the last message from the daemon.
    pub(crate) heard: Mutex<Instant>,
}

/// The calls without an answer.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) waiting: HashMap<u64, Waiting>,
    /// The reason, once the connection is gone.
    pub(crate) closed: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) answer: oneshot::Sender<Result<Vec<u8>, ClientError>>,
    pub(crate) progress: Option<mpsc::Sender<Vec<u8>>>,
    pub(crate) questions: Option<mpsc::Sender<Asked>>,
    pub(crate) sent: bool,
}

/// An encoded request on its way to the writer.
#[derive(Debug)]
pub(crate) struct Queued {
    pub(crate) id: u64,
    pub(crate) frame: Vec<u8>,
}

impl Client {
    /// Connects to a daemon that runs already.
    pub async fn connect(socket: &Path, hello: SessionHello) -> Result<Self, ClientError> {
        Self::connect_with(socket, hello, None, (broadcast::Sender::new(EVENTS), None)).await
    }

    pub(crate) async fn connect_with(
        socket: &Path,
        mut hello: SessionHello,
        principal: Option<Principal>,
        (events, questions): (broadcast::Sender<Event>, Option<mpsc::Sender<Asked>>),
    ) -> Result<Self, ClientError> {
        if hello.token.is_none() {
            hello.token = token::current_token();
        }
        let sent_token = hello.token.clone();
        let hello = match principal {
            Some(principal) => ClientMessage::HelloAs(hello, principal),
            None => ClientMessage::Hello(hello),
        };
        let opened = connect::open_session(socket, hello).await?;
        let (requests, request_queue) = mpsc::channel(QUEUE);
        let (control, control_queue) = mpsc::unbounded_channel();
        let (open, until) = watch::channel(());
        let shared = Arc::new(Shared {
            calls: Mutex::default(),
            events,
            questions: Questions::new(questions),
            requests,
            control,
            slots: Arc::new(Semaphore::new(MAX_IN_FLIGHT)),
            last_id: AtomicU64::new(0),
            token: Mutex::new(sent_token),
            handshake: opened.handshake,
            welcome: opened.welcome,
            begun: Notify::new(),
            heard: Mutex::new(Instant::now()),
        });
        let io = wire::Wire {
            stream: opened.stream,
            decoder: opened.decoder,
            request_queue,
            control_queue,
            until,
        };
        tokio::spawn(wire::run_connection(io, Arc::clone(&shared)));
        Ok(Self { shared, _open: Arc::new(open) })
    }

    /// Calls a method and waits for its result. Dropping the future cancels the request.
    pub async fn call(
        &self,
        method: &str,
        params: impl Into<Vec<u8>>,
        options: CallOptions,
    ) -> Result<Vec<u8>, ClientError> {
        self.start(method, params, options).await?.finish().await
    }

    /// Sends a request; the result is fetched with [`Running::finish`]. Waits while too many are in flight.
    pub async fn start(
        &self,
        method: &str,
        params: impl Into<Vec<u8>>,
        options: CallOptions,
    ) -> Result<Running, ClientError> {
        let shared = &self.shared;
        let slot = Arc::clone(&shared.slots).acquire_owned().await.map_err(|_| shared.lost(false))?;
        shared.renew_token();
        let id = shared.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let request = ClientMessage::Request(Request {
            id,
            method: method.to_owned(),
            params: params.into(),
            deadline_ms: options
                .deadline
                .map(|deadline| deadline.as_millis().min(u128::from(u64::MAX)) as u64),
            want_progress: options.progress.is_some(),
        });
        let mut frame = Vec::new();
        encode_client(&request, shared.welcome.max_frame as usize, &mut frame)
            .map_err(|error| ClientError::Unsendable(error.to_string()))?;
        drop(request);
        let (sender, answer) = oneshot::channel();
        {
            let mut calls = shared.calls.lock().unwrap_or_else(PoisonError::into_inner);
            if calls.closed.is_some() {
                drop(calls);
                return Err(shared.lost(false));
            }
            let CallOptions { progress, questions, .. } = options;
            calls.waiting.insert(id, Waiting { answer: sender, progress, questions, sent: false });
        }
        shared.begun.notify_one();
        let timeout = options.deadline.map(|deadline| deadline.saturating_add(GRACE));
        let running = Running::new(Arc::clone(shared), id, answer, slot, timeout);
        if shared.requests.send(Queued { id, frame }).await.is_err() {
            return Err(shared.lost(false));
        }
        Ok(running)
    }

    /// Subscribes to the daemon's unsolicited messages, from now on.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.shared.events.subscribe()
    }

    /// Tells the daemon what the program that this client serves can be asked. Does nothing if the daemon asks nobody.
    pub(crate) fn introduce(&self, identity: ClientIdentity) {
        if self.shared.handshake.has(capability::ASK) {
            self.shared.control(ClientMessage::Identity(identity));
        }
    }

    /// Names the run of the program that this client serves. Does nothing if the daemon does not ask for it.
    pub(crate) fn name_run(&self, run: u64) {
        if self.shared.handshake.has(capability::RUN) {
            self.shared.control(ClientMessage::Run { run });
        }
    }

    /// Whether the connection is still open, as far as known.
    pub fn is_open(&self) -> bool {
        self.shared.calls.lock().unwrap_or_else(PoisonError::into_inner).closed.is_none()
    }

    /// The daemon's handshake.
    pub fn daemon(&self) -> &Handshake {
        &self.shared.handshake
    }

    /// The daemon's answer to our hello.
    pub fn welcome(&self) -> &Welcome {
        &self.shared.welcome
    }
}

impl Shared {
    /// The error of a call on a connection that is gone.
    pub(crate) fn lost(&self, sent: bool) -> ClientError {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        ClientError::Closed { reason: calls.closed.clone(), sent }
    }

    /// The daemon's process.
    pub(crate) fn pid(&self) -> u32 {
        self.welcome.pid
    }

    /// Fails every call that waits, and all later ones.
    pub(crate) fn close(&self, end: &End) {
        let waiting = {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            calls.closed.get_or_insert_with(|| end.reason.clone());
            std::mem::take(&mut calls.waiting)
        };
        for call in waiting.into_values() {
            let sent = call.sent && !end.orderly;
            let error = match end.silent {
                Some(pid) if sent => ClientError::Unanswered { pid },
                _ => ClientError::Closed { reason: Some(end.reason.clone()), sent },
            };
            let _ = call.answer.send(Err(error));
        }
        let _ = self.events.send(Event::Disconnected);
    }

    /// Forgets a call that nobody waits for any more, and cancels it in the daemon.
    pub(crate) fn abandon(&self, id: u64) {
        let known = self.calls.lock().unwrap_or_else(PoisonError::into_inner).waiting.remove(&id);
        if known.is_some() && self.handshake.has(capability::CANCEL) {
            let _ = self.control.send(ClientMessage::Cancel { id });
        }
    }

    /// Hands an answer to whoever waits for it.
    pub(crate) fn answer(&self, id: u64, result: Result<Vec<u8>, WireError>) {
        let call = self.calls.lock().unwrap_or_else(PoisonError::into_inner).waiting.remove(&id);
        if let Some(call) = call {
            let _ = call.answer.send(result.map_err(ClientError::Answer));
        }
    }

    /// Sends the daemon a bearer token that has changed since it was last sent.
    fn renew_token(&self) {
        if !self.handshake.has(capability::TOKEN) {
            return;
        }
        let current = token::current_token();
        let mut known = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        if current.is_some() && *known != current {
            known.clone_from(&current);
            let _ = self.control.send(ClientMessage::Token { token: current });
        }
    }

    pub(crate) fn control(&self, message: ClientMessage) {
        let _ = self.control.send(message);
    }
}
