//! The messages that wait to be written to one client: bounded in every direction.

use std::sync::{Arc, Mutex, PoisonError};

use sdl_proto::{Payload, Progress, ServerMessage, WireError};
use tokio::sync::{Notify, OwnedSemaphorePermit, mpsc};

/// Distinct notifications that wait for one client at most.
const MAX_NOTES: usize = 256;

/// Answers, pongs and progress that wait for one client at most.
const QUEUE: usize = 128;

/// Queues messages for the connection's writer. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Outbox {
    queue: mpsc::Sender<Outgoing>,
    notes: Arc<Notes>,
}

/// A message, and the permit that is held until it is written.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) message: ServerMessage,
    /// The request's right to run; given back once its answer is on the way.
    _running: Option<OwnedSemaphorePermit>,
}

#[derive(Debug, Default)]
struct Notes {
    waiting: Mutex<Waiting>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    notes: Vec<(String, Vec<u8>)>,
    closed: bool,
}

/// The writer's end of an [`Outbox`].
pub(super) struct Outlet {
    queue: mpsc::Receiver<Outgoing>,
    notes: Arc<Notes>,
}

pub(super) fn outbox_channel() -> (Outbox, Outlet) {
    let (sender, receiver) = mpsc::channel(QUEUE);
    let notes = Arc::new(Notes::default());
    (Outbox { queue: sender, notes: Arc::clone(&notes) }, Outlet { queue: receiver, notes })
}

impl Outbox {
    /// Queues an answer; waits for room. An error means that the connection is gone and nobody cares.
    pub(super) async fn answer(
        &self,
        id: u64,
        result: Result<Vec<u8>, WireError>,
        running: Option<OwnedSemaphorePermit>,
    ) {
        let message = ServerMessage::Response { id, result: result.map(Payload) };
        let _ = self.queue.send(Outgoing { message, _running: running }).await;
    }

    /// Queues a message of the connection itself; waits for room. `false` means that the connection is gone.
    pub(super) async fn send(&self, message: ServerMessage) -> bool {
        self.queue.send(Outgoing { message, _running: None }).await.is_ok()
    }

    /// Queues a message if there is room for it.
    pub(super) fn try_send(&self, message: ServerMessage) -> bool {
        self.queue.try_send(Outgoing { message, _running: None }).is_ok()
    }

    pub(super) fn progress(&self, id: u64, bytes: Vec<u8>) {
        let message = ServerMessage::Progress(Progress { id, bytes });
        self.try_send(message);
    }

    pub(super) fn notify(&self, method: &str, params: &[u8]) -> bool {
        let mut waiting = self.notes.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.closed {
            return false;
        }
        let known = waiting.notes.iter().any(|(name, details)| name == method && details == params);
        if !known {
            if waiting.notes.len() >= MAX_NOTES {
                return false;
            }
            waiting.notes.push((method.to_owned(), params.to_vec()));
        }
        drop(waiting);
        self.notes.wake.notify_one();
        true
    }
}

impl Outlet {
    /// The next thing to write, answers first. Never `None` while a session holds its [`Outbox`].
    pub(super) async fn next(&mut self) -> Option<Outgoing> {
        loop {
            tokio::select! {
                biased;
                outgoing = self.queue.recv() => return outgoing,
                () = self.notes.wake.notified() => {
                    if let Some(outgoing) = self.note() {
                        return Some(outgoing);
                    }
                }
            }
        }
    }

    /// The next thing to write, if there is one now.
    pub(super) fn try_next(&mut self) -> Option<Outgoing> {
        self.queue.try_recv().ok().or_else(|| self.note())
    }

    fn note(&self) -> Option<Outgoing> {
        let mut waiting = self.notes.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.notes.is_empty() {
            return None;
        }
        let (method, params) = waiting.notes.remove(0);
        if !waiting.notes.is_empty() {
            self.notes.wake.notify_one();
        }
        Some(Outgoing { message: ServerMessage::Notify { method, params }, _running: None })
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        let mut waiting = self.notes.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.closed = true;
        waiting.notes = Vec::new();
    }
}
