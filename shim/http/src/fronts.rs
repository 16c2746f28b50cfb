//! The transport and the daemon's connections of each principal. Two principals share nothing, because a session's id would
//! otherwise be enough to use it: a session of one does not exist for the other.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use sdl_client::Paths;
use sdl_proto::{Principal, SessionHello};

use crate::handler::{Handler, Shared};

/// Principals that are known at once. The one that was idle longest makes room.
const MOST: usize = 64;

/// Sessions of one principal at once.
const MOST_SESSIONS: usize = 64;

/// How long a session lives without a message. A client that comes later begins another one.
const IDLE: Duration = Duration::from_secs(60 * 60);

/// The transport of one principal.
pub(crate) type Mcp = StreamableHttpService<Handler, LocalSessionManager>;

/// All principals that have called lately.
pub(crate) struct Fronts {
    paths: Paths,
    hello: SessionHello,
    known: Mutex<HashMap<Principal, Arc<Front>>>,
    clock: AtomicU64,
}

/// One of them. Its sessions end with it.
pub(crate) struct Front {
    pub(crate) mcp: Mcp,
    sessions: Arc<LocalSessionManager>,
    used: AtomicU64,
}

impl Drop for Front {
    fn drop(&mut self) {
        self.mcp.config.cancellation_token.cancel();
    }
}

impl Front {
    fn new(paths: Paths, hello: SessionHello, principal: Principal) -> Self {
        let shared = Arc::new(Shared::new(paths, hello, principal));
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(IDLE);
        let sessions = Arc::new(sessions);
        // Names and pages were checked before anything else was looked at.
        let config = StreamableHttpServerConfig::default().disable_allowed_hosts().disable_allowed_origins();
        let make = move || Ok(Handler::new(Arc::clone(&shared)));
        let mcp = Mcp::new(make, Arc::clone(&sessions), config);
        Self { mcp, sessions, used: AtomicU64::new(0) }
    }

    /// Whether it has as many sessions as it may have.
    pub(crate) async fn is_full(&self) -> bool {
        self.sessions.sessions.read().await.len() >= MOST_SESSIONS
    }
}

impl Fronts {
    pub(crate) fn new(paths: Paths, hello: SessionHello) -> Self {
        Self { paths, hello, known: Mutex::default(), clock: AtomicU64::new(0) }
    }

    /// The front of a principal.
    pub(crate) fn of(&self, principal: &Principal) -> Arc<Front> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(principal) && known.len() >= MOST {
            let oldest = known.iter().min_by_key(|(_, front)| front.used.load(Ordering::Relaxed));
            if let Some(oldest) = oldest.map(|(principal, _)| principal.clone()) {
                known.remove(&oldest);
            }
        }
        let make = || Arc::new(Front::new(self.paths.clone(), self.hello.clone(), principal.clone()));
        let front = Arc::clone(known.entry(principal.clone()).or_insert_with(make));
        front.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        front
    }
}
