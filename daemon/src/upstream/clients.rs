//! The clients of the daemon, as far as upstreams ask them something.

use std::sync::{Arc, Weak};

use dashmap::DashMap;
use sdl_tools::host::{Client, OpenQuestion, Reply};
use serde_json::{Map, Value};

use crate::server::Peer;

/// The open sessions.
#[derive(Default)]
pub struct Clients(DashMap<u64, Weak<Peer>>);

impl Clients {
    /// Adds a session.
    pub fn add(&self, peer: &Arc<Peer>) {
        self.0.insert(peer.id(), Arc::downgrade(peer));
    }

    /// Forgets a session.
    pub fn remove(&self, session: u64) {
        self.0.remove(&session);
    }

    /// Returns all sessions.
    pub fn all(&self) -> Vec<Arc<Peer>> {
        self.0.iter().filter_map(|peer| peer.upgrade()).collect()
    }

    /// Returns the way to the client of a session.
    pub fn find(&self, session: u64) -> Option<Asker> {
        let peer = self.0.get(&session)?.upgrade()?;
        Some(Asker { peer, request: None })
    }
}

/// The way to a client.
pub struct Asker {
    /// Its session.
    pub peer: Arc<Peer>,
    /// The request that the questions are about, if they are about one.
    pub request: Option<u64>,
}

impl Client for Asker {
    fn capabilities(&self) -> Option<Map<String, Value>> {
        serde_json::from_slice(&self.peer.identity()?.capabilities.0).ok()
    }

    fn ask(&self, method: &str, params: Vec<u8>, reply: Reply) -> OpenQuestion {
        match self.peer.ask(self.request, method, params, reply) {
            None => OpenQuestion::default(),
            Some(ask) => {
                let peer = Arc::downgrade(&self.peer);
                OpenQuestion::new(move || {
                    if let Some(peer) = peer.upgrade() {
                        peer.withdraw(ask);
                    }
                })
            }
        }
    }
}
