//! Questions of the daemon to the program that a client serves, such as an upstream's request for a word of the person.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use sdl_proto::{ClientMessage, Payload, WireError, code};
use tokio::sync::{Notify, mpsc};

use crate::client::Shared;

/// The questions of one connection.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    to: Option<mpsc::Sender<Asked>>,
    /// Those without an answer, each with the notice for when the daemon withdraws it.
    open: Mutex<HashMap<u64, Arc<Notify>>>,
}

/// A question of the daemon. Dropped without an answer, it counts as declined.
#[derive(Debug)]
pub struct Asked {
    /// MCP's method, such as `elicitation/create`.
    pub method: String,
    /// Its parameters as JSON text.
    pub params: Vec<u8>,
    ask: u64,
    connection: Weak<Shared>,
    withdrawn: Arc<Notify>,
}

impl Questions {
    pub(crate) fn new(to: Option<mpsc::Sender<Asked>>) -> Self {
        Self { to, open: Mutex::default() }
    }

    /// Passes a question on: to the caller of the request that it belongs to, else to whoever takes the others. One that
    /// nobody takes is answered with an error at once.
    pub(crate) fn begin(
        &self,
        shared: &Arc<Shared>,
        (ask, request): (u64, Option<u64>),
        method: String,
        params: Vec<u8>,
    ) {
        let withdrawn = Arc::new(Notify::new());
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(ask, Arc::clone(&withdrawn));
        let asked = Asked { method, params, ask, connection: Arc::downgrade(shared), withdrawn };
        let of_call = {
            let calls = shared.calls.lock().unwrap_or_else(PoisonError::into_inner);
            request.and_then(|id| calls.waiting.get(&id)?.questions.clone())
        };
        if let Some(to) = of_call.as_ref().or(self.to.as_ref()) {
            // Dropping a question answers it.
            let _ = to.try_send(asked);
        }
    }

    /// The daemon wants no answer any more.
    pub(crate) fn withdraw(&self, ask: u64) {
        if let Some(withdrawn) = self.end(ask) {
            withdrawn.notify_one();
        }
    }

    fn end(&self, ask: u64) -> Option<Arc<Notify>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&ask)
    }
}

impl Asked {
    /// Answers with the text of the protocol's `result`, or with the reason why there is none.
    pub fn answer(self, result: Result<Vec<u8>, WireError>) {
        self.send_answer(result);
    }

    /// Returns once the daemon wants no answer any more.
    pub fn withdrawn(&self) -> impl Future<Output = ()> + Send + use<> {
        let withdrawn = Arc::clone(&self.withdrawn);
        async move { withdrawn.notified().await }
    }

    fn send_answer(&self, result: Result<Vec<u8>, WireError>) {
        let Some(shared) = self.connection.upgrade() else { return };
        if shared.questions.end(self.ask).is_some() {
            shared.control(ClientMessage::Answer { ask: self.ask, result: result.map(Payload) });
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        // Does nothing if it was answered.
        self.send_answer(Err(WireError::new(code::DENIED, "the client did not answer the question")));
    }
}
