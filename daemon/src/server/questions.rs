//! Questions to the program that a client serves, and its answers.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sdl_proto::{ClientIdentity, Payload, WireError};

/// Questions to one client that wait for an answer at once.
const MOST_OPEN: usize = 64;

/// Takes an answer: the text of the protocol's `result`, or why there is none. Called once, and must not wait.
pub type Reply = Box<dyn FnOnce(Result<Vec<u8>, String>) + Send>;

/// The questions to one client.
#[derive(Default)]
pub(super) struct Questions(Mutex<State>);

#[derive(Default)]
struct State {
    identity: Option<ClientIdentity>,
    next: u64,
    open: HashMap<u64, Reply>,
    /// Whether the client is gone.
    is_closed: bool,
}

impl Questions {
    pub(super) fn set_identity(&self, identity: ClientIdentity) {
        self.lock().identity = Some(identity);
    }

    pub(super) fn identity(&self) -> Option<ClientIdentity> {
        self.lock().identity.clone()
    }

    /// Takes a question up and returns its number; gives the reply back if it can't be asked.
    pub(super) fn begin(&self, reply: Reply) -> Result<u64, Reply> {
        let mut state = self.lock();
        if state.is_closed || state.identity.is_none() || state.open.len() >= MOST_OPEN {
            return Err(reply);
        }
        state.next += 1;
        let ask = state.next;
        state.open.insert(ask, reply);
        Ok(ask)
    }

    /// Passes an answer on. One that nobody waits for is ignored.
    pub(super) fn answer(&self, ask: u64, result: Result<Payload, WireError>) {
        if let Some(reply) = self.end(ask) {
            reply(result.map(|payload| payload.0).map_err(|error| error.message));
        }
    }

    /// Forgets a question; returns what was to be done with its answer, if there was none yet.
    pub(super) fn end(&self, ask: u64) -> Option<Reply> {
        self.lock().open.remove(&ask)
    }

    /// Fails all questions: the client is gone.
    pub(super) fn close(&self) {
        let open = {
            let mut state = self.lock();
            state.is_closed = true;
            std::mem::take(&mut state.open)
        };
        for reply in open.into_values() {
            reply(Err("the client has gone".to_owned()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Questions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Questions").field("open", &self.lock().open.len()).finish_non_exhaustive()
    }
}
