//! One call.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use crate::client::Shared;
use crate::error::ClientError;
use crate::questions::Asked;

/// How a call is to be made.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// How long to wait; for ever without one.
    pub deadline: Option<Duration>,
    /// Receives progress. Messages for which it has no room are dropped.
    pub progress: Option<mpsc::Sender<Vec<u8>>>,
    /// Receives the daemon's questions about this call. Those for which it has no room are declined.
    pub questions: Option<mpsc::Sender<Asked>>,
    /// Whether a [`crate::ReconnectingClient`] may ask again when the connection breaks under the request.
    pub repeat: Repeat,
}

/// Whether a request may be sent again after its connection broke, when nobody knows whether it took effect.
#[derive(Debug, Clone, Copy, Default)]
pub enum Repeat {
    /// It only reads.
    Always,
    /// It may change something.
    #[default]
    Never,
    /// Ask the next daemon, because only a daemon knows whether a call such as `tools/call` reads. It gets the same
    /// parameters.
    Ask(Question),
}

/// How to ask whether a request only reads.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// The method.
    pub method: &'static str,
    /// How long to wait for the answer.
    pub deadline: Duration,
    /// Whether an answer says that it does.
    pub is_yes: fn(&[u8]) -> bool,
}

impl CallOptions {
    /// Options of a call that only reads, such as `tools/list`.
    pub fn read() -> Self {
        Self { repeat: Repeat::Always, ..Self::default() }
    }

    /// Options of a call that may change something.
    pub fn mutation() -> Self {
        Self::default()
    }

    /// The same with a deadline.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// The same with progress.
    #[must_use]
    pub fn progress(mut self, to: mpsc::Sender<Vec<u8>>) -> Self {
        self.progress = Some(to);
        self
    }
}

/// A call that has no result yet. Dropping it cancels the request.
#[derive(Debug)]
pub struct Running {
    shared: Arc<Shared>,
    id: u64,
    answer: oneshot::Receiver<Result<Vec<u8>, ClientError>>,
    timeout: Option<Duration>,
    _slot: OwnedSemaphorePermit,
}

impl Running {
    pub(crate) fn new(
        shared: Arc<Shared>,
        id: u64,
        answer: oneshot::Receiver<Result<Vec<u8>, ClientError>>,
        slot: OwnedSemaphorePermit,
        timeout: Option<Duration>,
    ) -> Self {
        Self { shared, id, answer, timeout, _slot: slot }
    }

    /// Waits for the result.
    pub async fn finish(mut self) -> Result<Vec<u8>, ClientError> {
        let answer = &mut self.answer;
        let answered = match self.timeout {
            None => answer.await,
            Some(timeout) => match tokio::time::timeout(timeout, answer).await {
                Ok(answered) => answered,
                Err(_) => return Err(ClientError::Timeout),
            },
        };
        answered.unwrap_or_else(|_| Err(self.shared.lost(true)))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Does nothing if the answer has come.
        self.shared.abandon(self.id);
    }
}
