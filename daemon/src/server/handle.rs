//! The rest of the daemon's handle to the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use dashmap::DashMap;
use tokio::sync::watch;

use super::places::Places;
use super::{Options, Peer, Service};

/// Makes a server that is not serving yet; see [`super::serve_listeners`].
pub fn make_server<S: Service>(service: Arc<S>, options: Options) -> ServerHandle<S> {
    ServerHandle { shared: Arc::new(Shared::new(service, options)) }
}

/// A server: who is connected, and how to stop it. Cheap to clone.
pub struct ServerHandle<S: Service> {
    pub(super) shared: Arc<Shared<S>>,
}

impl<S: Service> Clone for ServerHandle<S> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<S: Service> ServerHandle<S> {
    /// The sessions that are open now, in no particular order.
    pub fn sessions(&self) -> Vec<Arc<Peer>> {
        self.shared.sessions.iter().map(|session| Arc::clone(&session)).collect()
    }

    /// Sends a notification to every session; see [`Peer::notify`].
    pub fn broadcast(&self, method: &str, params: &[u8]) {
        for session in self.sessions() {
            session.notify(method, params);
        }
    }

    /// Accepts no new connections or requests, lets running requests finish for at most [`Options::drain`], then
    /// cancels them. Returns at once; [`super::serve_listeners`] returns when it is done.
    pub fn shutdown(&self) {
        self.shared.advance(Phase::Draining);
    }

    /// Whether [`ServerHandle::shutdown`] was called.
    pub fn is_stopping(&self) -> bool {
        self.shared.phase() != Phase::Running
    }
}

/// The phases of a server's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// All is well.
    Running,
    /// Running requests may finish; no new ones begin.
    Draining,
    /// Running requests are cancelled.
    Stopped,
}

/// The state that all connections of a server share.
pub(super) struct Shared<S: Service> {
    pub(super) service: Arc<S>,
    pub(super) options: Options,
    /// Differs from start to start.
    pub(super) instance: u64,
    pub(super) places: Arc<Places>,
    phase: watch::Sender<Phase>,
    sessions: DashMap<u64, Arc<Peer>>,
    last_session: AtomicU64,
}

impl<S: Service> Shared<S> {
    fn new(service: Arc<S>, options: Options) -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            service,
            instance: (since_epoch.as_nanos() as u64) ^ (u64::from(std::process::id()) << 40),
            places: Places::new(options.max_connections, options.spare_connections),
            options,
            phase: watch::Sender::new(Phase::Running),
            sessions: DashMap::new(),
            last_session: AtomicU64::new(0),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    /// Phases only go forward.
    pub(super) fn advance(&self, to: Phase) {
        self.phase.send_if_modified(|phase| {
            let moves = *phase < to;
            if moves {
                *phase = to;
            }
            moves
        });
    }

    pub(super) async fn reached(&self, wanted: Phase) {
        let mut phase = self.phase.subscribe();
        let _ = phase.wait_for(|phase| *phase >= wanted).await;
    }

    pub(super) fn next_session(&self) -> u64 {
        self.last_session.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Lists the session until the returned guard is dropped.
    pub(super) fn register(self: &Arc<Self>, session: &Arc<Peer>) -> Registered<S> {
        self.sessions.insert(session.id(), Arc::clone(session));
        Registered { shared: Arc::clone(self), id: session.id() }
    }
}

pub(super) struct Registered<S: Service> {
    shared: Arc<Shared<S>>,
    id: u64,
}

impl<S: Service> Drop for Registered<S> {
    fn drop(&mut self) {
        self.shared.sessions.remove(&self.id);
    }
}
