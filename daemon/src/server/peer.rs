//! A connected client.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use sdl_contract::{ClientRun, Session};
use sdl_proto::{ClientIdentity, Payload, Principal, ServerMessage, SessionHello};

use super::outbox::Outbox;
use super::questions::{Questions, Reply};

/// A client that is connected. Lives as long as its connection.
#[derive(Debug)]
pub struct Peer {
    /// The part of the client that handlers see.
    caller: Session,
    hello: SessionHello,
    surface: Mutex<Arc<str>>,
    token: Mutex<Option<String>>,
    opened: Instant,
    requests: AtomicU64,
    outbox: Option<Outbox>,
    questions: Questions,
}

impl Peer {
    pub(super) fn new(
        id: u64,
        mut hello: SessionHello,
        principal: Option<Principal>,
        outbox: Option<Outbox>,
    ) -> Self {
        let token = hello.token.take();
        let caller = Session {
            id,
            cwd: hello.repo.as_deref().or(hello.cwd.as_deref()).map(Into::into),
            client: hello.name.clone(),
            principal,
            run: ClientRun::default(),
        };
        Self {
            caller,
            surface: Mutex::new(Arc::from(hello.surface.as_str())),
            hello,
            token: Mutex::new(token),
            opened: Instant::now(),
            requests: AtomicU64::new(0),
            outbox,
            questions: Questions::default(),
        }
    }

    /// A session without a connection, for calls from within the daemon and for tests. Notifications go nowhere.
    pub fn detached(id: u64, hello: SessionHello) -> Arc<Self> {
        Arc::new(Self::new(id, hello, None, None))
    }

    /// Unique for as long as this daemon runs.
    pub fn id(&self) -> u64 {
        self.caller.id
    }

    /// The client as handlers know it.
    pub fn caller(&self) -> &Session {
        &self.caller
    }

    /// The client's description of itself. The token is taken out.
    pub fn hello(&self) -> &SessionHello {
        &self.hello
    }

    /// The tool surface in force; empty means the daemon's default.
    pub fn surface(&self) -> Arc<str> {
        Arc::clone(&self.surface.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the tool surface. Returns whether it differs from the one before; telling the client is up to the
    /// caller.
    pub fn set_surface(&self, surface: &str) -> bool {
        let mut held = self.surface.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = **held != *surface;
        if changed {
            *held = Arc::from(surface);
        }
        changed
    }

    /// When the session was opened.
    pub fn opened(&self) -> Instant {
        self.opened
    }

    /// How many requests it has made.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Tells the client that something happened. Never waits. Notifications that are equal and not sent yet are
    /// merged; `false` means that the client is gone or far too slow.
    pub fn notify(&self, method: &str, params: &[u8]) -> bool {
        self.outbox.as_ref().is_some_and(|outbox| outbox.notify(method, params))
    }

    /// Sends the client an event, in order and without merging equal ones. Waits for room; `false` means that the client is
    /// gone.
    pub async fn send_event(&self, method: &str, params: &[u8]) -> bool {
        let message = ServerMessage::Notify { method: method.to_owned(), params: params.to_vec() };
        match &self.outbox {
            Some(outbox) => outbox.send(message).await,
            None => false,
        }
    }

    /// What the program that the client serves can be asked, if it has said so.
    pub fn identity(&self) -> Option<ClientIdentity> {
        self.questions.identity()
    }

    /// Asks the program that the client serves something, about one of its requests or about none. Never waits: `reply` is called
    /// with the answer, or with the reason why there is none. Returns the question's number, unless it was answered at once.
    pub fn ask(&self, request: Option<u64>, method: &str, params: Vec<u8>, reply: Reply) -> Option<u64> {
        let ask = match self.questions.begin(reply) {
            Ok(ask) => ask,
            Err(reply) => {
                reply(Err("the client can't be asked now".to_owned()));
                return None;
            }
        };
        let message = ServerMessage::Ask { ask, request, method: method.to_owned(), params: Payload(params) };
        if self.outbox.as_ref().is_some_and(|outbox| outbox.try_send(message)) {
            return Some(ask);
        }
        if let Some(reply) = self.questions.end(ask) {
            reply(Err("the client does not read what it is sent".to_owned()));
        }
        None
    }

    /// Takes a question back. Its reply is not called any more.
    pub fn withdraw(&self, ask: u64) {
        if self.questions.end(ask).is_some()
            && let Some(outbox) = &self.outbox
        {
            outbox.try_send(ServerMessage::AskOver { ask });
        }
    }

    pub(super) fn questions(&self) -> &Questions {
        &self.questions
    }

    pub(super) fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn set_token(&self, token: Option<String>) {
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = token;
    }

    pub(super) fn with_token<T>(&self, look: impl FnOnce(Option<&str>) -> T) -> T {
        look(self.token.lock().unwrap_or_else(PoisonError::into_inner).as_deref())
    }
}
