//! One request to an upstream, from its sending to its answer.

use std::sync::Arc;
use std::time::Instant;

use sdl_proto::gate::ToGate;
use sdl_proto::{Payload, WireError, code};
use sdl_tools::host::{Event, Exchange, Reply};
use sdl_tools::{Cancel, Code, Explained as _, Progress, ToolError};
use tokio::sync::mpsc;

use super::manager::tool_error;
use super::pending::{Next, Unanswered, Waiting};
use super::report::Times;

/// See the module.
pub(super) struct GateExchange {
    pub(super) waiting: Waiting,
    /// To the gate that has the request. Another one would take its numbers for others.
    pub(super) line: mpsc::Sender<ToGate>,
    pub(super) key: String,
    pub(super) times: Arc<Times>,
    pub(super) began: Instant,
    /// When the answer is not waited for any more.
    pub(super) until: Instant,
    pub(super) is_over: bool,
}

impl GateExchange {
    fn finish(&mut self, failed: bool) {
        self.is_over = true;
        self.times.note(&self.key, self.began.elapsed(), failed);
    }
}

impl Exchange for GateExchange {
    fn next_event(&mut self, progress: &dyn Progress, cancel: &Cancel) -> Result<Event, ToolError> {
        match self.waiting.next(self.until, progress, cancel) {
            Ok(Next::Asked(question)) => Ok(Event::Asked(question)),
            Ok(Next::Withdrawn(question)) => Ok(Event::Withdrawn(question)),
            Ok(Next::Answer(answer)) => {
                self.finish(answer.is_err());
                answer.map(Event::Answered).map_err(tool_error)
            }
            // Dropping it tells the gate.
            Err(Unanswered::Cancelled) => Err(ToolError::new(Code::Cancelled, "the call was cancelled")),
            Err(Unanswered::TooLong) => {
                let message = "the call's time is over; whether it takes effect is unknown";
                Err(ToolError::new(Code::OutcomeUnknown, message))
            }
        }
    }

    fn reply_to(&self, question: u64) -> Reply {
        reply_by(self.line.clone(), question)
    }
}

impl Drop for GateExchange {
    fn drop(&mut self) {
        if !self.is_over {
            self.finish(true);
            let _ = self.line.try_send(ToGate::Cancel { id: self.waiting.id });
        }
    }
}

/// Sends the answer to a question to the gate that asked it.
pub(super) fn reply_by(line: mpsc::Sender<ToGate>, ask: u64) -> Reply {
    Box::new(move |answer| {
        let result = answer.map(Payload).map_err(|why| WireError::new(code::CANCELLED, why));
        // A gate that is gone needs no answer. One that takes none for now gives the question up by itself.
        let _ = line.try_send(ToGate::Answer { ask, result });
    })
}
