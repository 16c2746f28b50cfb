//! A connected client.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use sdl_contract::Session;
use sdl_proto::{Principal, SessionHello};

use super::outbox::Outbox;

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
        };
        Self {
            caller,
            surface: Mutex::new(Arc::from(hello.surface.as_str())),
            hello,
            token: Mutex::new(token),
            opened: Instant::now(),
            requests: AtomicU64::new(0),
            outbox,
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
