//! The interface that the server needs from the rest of the daemon.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use sdl_contract::{Cancel, Progress};
use sdl_proto::WireError;

use super::Peer;
use super::outbox::Outbox;

/// Answers requests.
pub trait Service: Send + Sync + 'static {
    /// Runs one request.
    ///
    /// The future is dropped when the caller cancels, the deadline passes or the connection breaks; just before that
    /// [`Call::cancel`] is set, for work that goes on in another thread. A panic becomes an `internal` error.
    fn call(
        &self,
        session: Arc<Peer>,
        call: Call,
        progress: ProgressFrames,
    ) -> impl Future<Output = Result<Vec<u8>, WireError>> + Send;

    /// A client has said hello. An error refuses the session.
    fn session_opened(&self, _session: &Arc<Peer>) -> Result<(), WireError> {
        Ok(())
    }

    /// The session is over and none of its futures runs any more. Called exactly once for each session that
    /// [`Service::session_opened`] accepted.
    fn session_closed(&self, _session: &Peer) {}
}

/// One request, as the service sees it.
#[derive(Debug)]
pub struct Call {
    /// The request's number on its connection.
    pub id: u64,
    /// The method.
    pub method: String,
    /// Its parameters, opaque here.
    pub params: Vec<u8>,
    /// Fires as soon as nobody wants the result any more. Knows the deadline.
    pub cancel: Cancel,
    /// When the request was read from the connection. It is kept because a barrier for this request must cover
    /// everything that happened before.
    pub received: Instant,
}

/// Sends signs of life of one request to its caller.
#[derive(Debug, Clone)]
pub struct ProgressFrames {
    id: u64,
    outbox: Option<Outbox>,
}

impl ProgressFrames {
    pub(super) fn new(id: u64, outbox: Option<Outbox>) -> Self {
        Self { id, outbox }
    }

    /// A progress that nobody listens to, for calls that don't come from a connection.
    pub fn none() -> Self {
        Self { id: 0, outbox: None }
    }

    /// Whether the caller asked for progress; if not, composing it is a waste.
    pub fn wanted(&self) -> bool {
        self.outbox.is_some()
    }

    /// Sends opaque details. Never waits: when the caller does not keep up, they are dropped.
    pub fn send(&self, bytes: Vec<u8>) {
        if let Some(outbox) = &self.outbox {
            outbox.progress(self.id, bytes);
        }
    }
}

/// As one JSON object a message, in MCP's words.
impl Progress for ProgressFrames {
    fn report(&self, done: u64, total: Option<u64>, message: &str) {
        if self.wanted() {
            let line = serde_json::json!({ "progress": done, "total": total, "message": message });
            self.send(line.to_string().into_bytes());
        }
    }

    fn forward(&self, report: &[u8]) {
        if self.wanted() {
            self.send(report.to_vec());
        }
    }
}
