//! The program of a session, which can be asked something.

use serde_json::{Map, Value};

/// Takes an answer: the text of the protocol's `result`, or why there is none. Called once, and never waits.
pub type Reply = Box<dyn FnOnce(Result<Vec<u8>, String>) + Send>;

/// The program of a session.
pub trait Client: Send + Sync {
    /// Returns the MCP capabilities that it declared for the whole session. None if it declared none, or declares them with
    /// each request.
    fn capabilities(&self) -> Option<Map<String, Value>>;

    /// Asks it something. Never waits: `reply` gets the answer, at once if it can't be asked.
    fn ask(&self, method: &str, params: Vec<u8>, reply: Reply) -> OpenQuestion;
}

/// A client that can't be asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClient;

impl Client for NoClient {
    fn capabilities(&self) -> Option<Map<String, Value>> {
        None
    }

    fn ask(&self, _method: &str, _params: Vec<u8>, reply: Reply) -> OpenQuestion {
        reply(Err("nobody can be asked".to_owned()));
        OpenQuestion::default()
    }
}

/// A question that may have no answer yet. Dropped before that, it is taken back.
#[derive(Default)]
pub struct OpenQuestion(Option<Box<dyn FnOnce() + Send>>);

impl OpenQuestion {
    /// A question that `take_back` takes back; that does nothing if it is answered.
    pub fn new(take_back: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(take_back)))
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        if let Some(take_back) = self.0.take() {
            take_back();
        }
    }
}
