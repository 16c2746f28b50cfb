//! A session that outlives daemons.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sdl_proto::{ClientIdentity, Principal, SessionHello};
use tokio::sync::{broadcast, mpsc};

use crate::call::{CallOptions, Repeat};
use crate::client::{Client, Event};
use crate::error::ClientError;
use crate::paths::Paths;
use crate::questions::Asked;
use crate::spawn::{self, Launch};
use crate::start::ensure_daemon;

/// Pauses before the second, third, … attempt of a call.
const BACKOFF: &[Duration] = &[
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_millis(1500),
];

/// For how long a failed start is not repeated. A burst of calls then fails at once instead of one call after the
/// other.
const FAILURE_HOLDS: Duration = Duration::from_secs(1);

/// How a [`ReconnectingClient`] behaves.
#[derive(Debug, Clone)]
pub struct ReconnectOptions {
    /// Where the daemon is.
    pub paths: Paths,
    /// Who we are; sent again with each connection.
    pub hello: SessionHello,
    /// Whether and how to start a daemon if none is running.
    pub launch: Launch,
}

/// Calls the daemon, whichever runs: connects when the first call comes, and again when the connection has broken.
///
/// A call that never reached the daemon is repeated, and so is one that only reads; once, if the daemon fell silent. Where only
/// the daemon knows whether it reads, the next one is asked ([`Repeat::Ask`]). Any other call that was under way when the
/// connection broke fails with [`ClientError::OutcomeUnknown`]. Clones share one session.
#[derive(Debug, Clone)]
pub struct ReconnectingClient {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    paths: Paths,
    launch: Launch,
    hello: Mutex<SessionHello>,
    principal: Option<Principal>,
    /// Tells this session from all others, over all its connections.
    run: u64,
    current: tokio::sync::Mutex<Current>,
    events: broadcast::Sender<Event>,
    asking: Mutex<Asking>,
}

/// Who is asked what the daemon wants to know.
#[derive(Debug, Default)]
struct Asking {
    /// Sent with each connection.
    identity: Option<ClientIdentity>,
    to: Option<mpsc::Sender<Asked>>,
}

#[derive(Debug, Default)]
struct Current {
    client: Option<Client>,
    failure: Option<(Instant, ClientError)>,
}

impl ReconnectingClient {
    /// A client that has not connected yet.
    pub fn new(options: ReconnectOptions) -> Self {
        Self::with_principal(options, None)
    }

    /// The same for a session that makes the calls of a principal.
    pub fn for_principal(options: ReconnectOptions, principal: Principal) -> Self {
        Self::with_principal(options, Some(principal))
    }

    fn with_principal(options: ReconnectOptions, principal: Option<Principal>) -> Self {
        Self {
            inner: Arc::new(Inner {
                paths: options.paths,
                launch: options.launch,
                hello: Mutex::new(options.hello),
                principal,
                // The standard library seeds its hashers from the system.
                run: RandomState::new().hash_one(std::process::id()),
                current: tokio::sync::Mutex::default(),
                events: broadcast::Sender::new(128),
                asking: Mutex::default(),
            }),
        }
    }

    /// Changes the hello of later connections.
    pub fn update_hello(&self, change: impl FnOnce(&mut SessionHello)) {
        change(&mut self.inner.hello.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Tells this daemon, and later ones, what the program that this client serves can be asked.
    pub async fn introduce(&self, identity: ClientIdentity) {
        self.asking().identity = Some(identity.clone());
        let current = self.inner.current.lock().await;
        if let Some(client) = current.client.as_ref().filter(|client| client.is_open()) {
            client.introduce(identity);
        }
    }

    /// Sends the daemon's questions on later connections to `to`. Those for which there is no room are declined.
    pub fn send_questions(&self, to: mpsc::Sender<Asked>) {
        self.asking().to = Some(to);
    }

    fn asking(&self) -> MutexGuard<'_, Asking> {
        self.inner.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes to notifications, and to connections coming and going, from now on.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.inner.events.subscribe()
    }

    /// The open connection, or a new one; starts the daemon if need be and allowed.
    pub async fn connected(&self) -> Result<Client, ClientError> {
        // One system call if this process has started a daemon, else none.
        spawn::reap_children();
        let mut current = self.inner.current.lock().await;
        if let Some(client) = current.client.as_ref().filter(|client| client.is_open()) {
            return Ok(client.clone());
        }
        if let Some((at, failure)) = &current.failure
            && at.elapsed() < FAILURE_HOLDS
        {
            return Err(failure.clone());
        }
        current.client = None;
        current.failure = None;
        match self.connect().await {
            Ok(client) => {
                current.client = Some(client.clone());
                let _ = self.inner.events.send(Event::Connected {
                    build: client.daemon().build.clone(),
                    instance: client.welcome().instance,
                });
                Ok(client)
            }
            Err(error) => {
                // A failure that did not reach the daemon is not remembered, because it may pass by itself and
                // another attempt at once is worth it.
                if !error.is_untouched() {
                    current.failure = Some((Instant::now(), error.clone()));
                }
                Err(error)
            }
        }
    }

    async fn connect(&self) -> Result<Client, ClientError> {
        if self.inner.launch != Launch::Never {
            ensure_daemon(&self.inner.paths, &self.inner.launch).await?;
        }
        let hello = self.inner.hello.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (identity, to) = {
            let asking = self.asking();
            (asking.identity.clone(), asking.to.clone())
        };
        let inner = &self.inner;
        let listeners = (inner.events.clone(), to);
        let client =
            Client::connect_with(inner.paths.socket(), hello, inner.principal.clone(), listeners).await?;
        client.name_run(self.inner.run);
        if let Some(identity) = identity {
            client.introduce(identity);
        }
        Ok(client)
    }

    /// Calls a method; see [`ReconnectingClient`] for what happens when the connection breaks.
    pub async fn call(
        &self,
        method: &str,
        params: &[u8],
        options: CallOptions,
    ) -> Result<Vec<u8>, ClientError> {
        let is_read = matches!(options.repeat, Repeat::Always);
        let result = self.repeat(method, params, &options, is_read).await;
        let (Repeat::Ask(question), Err(ClientError::OutcomeUnknown { .. })) = (options.repeat, &result)
        else {
            return result;
        };
        let asked = CallOptions::read().deadline(question.deadline);
        match self.repeat(question.method, params, &asked, true).await {
            Ok(answer) if (question.is_yes)(&answer) => self.repeat(method, params, &options, true).await,
            _ => result,
        }
    }

    /// Attempts a call until it is answered, has failed for good, or was tried often enough.
    async fn repeat(
        &self,
        method: &str,
        params: &[u8],
        options: &CallOptions,
        is_read: bool,
    ) -> Result<Vec<u8>, ClientError> {
        let deadline = options.deadline.map(|deadline| Instant::now() + deadline);
        let mut pauses = BACKOFF.iter();
        let mut patience = true;
        loop {
            let error = match self.attempt(method, params, options, deadline).await {
                Ok(result) => return Ok(result),
                Err(error) => error,
            };
            let mut repeat = error.is_untouched() || (is_read && error.is_broken_off());
            if matches!(error, ClientError::Unanswered { .. } | ClientError::Silent { .. }) {
                // Repeat only once after silence, because it took long to notice. Another daemon may answer by now.
                repeat &= std::mem::take(&mut patience);
            }
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            match pauses.next() {
                Some(pause) if repeat && !late => tokio::time::sleep(*pause).await,
                _ if error.is_broken_off() && !error.is_untouched() && !is_read => {
                    return Err(ClientError::OutcomeUnknown {
                        method: method.to_owned(),
                        cause: error.to_string(),
                    });
                }
                _ => return Err(error),
            }
        }
    }

    async fn attempt(
        &self,
        method: &str,
        params: &[u8],
        options: &CallOptions,
        deadline: Option<Instant>,
    ) -> Result<Vec<u8>, ClientError> {
        let client = self.connected().await?;
        let mut options = options.clone();
        options.deadline = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        client.call(method, params, options).await
    }
}
