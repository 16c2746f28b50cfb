//! What the gate tells the daemon. Messages wait in one queue that is bounded in number and in bytes; who wants to add one
//! to a full queue waits in order of arrival, so no connection can crowd out another.

use std::sync::Arc;

use sdl_proto::gate::{FromGate, encode_from_gate};
use sdl_proto::{MAX_FRAME, Payload, WireError, code};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Messages that wait.
const MAX_WAITING: usize = 64;

/// Bytes that wait, in units of [`UNIT`].
const MAX_UNITS: u32 = 48 << 10;
const UNIT: usize = 1 << 10;

/// A written buffer that has grown beyond this is given back.
const KEEP_CAPACITY: usize = 256 << 10;

/// The sending end.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    queue: mpsc::Sender<(FromGate, OwnedSemaphorePermit)>,
    units: Arc<Semaphore>,
}

/// The receiving end.
pub(crate) type Outgoing = mpsc::Receiver<(FromGate, OwnedSemaphorePermit)>;

impl Outbox {
    pub(crate) fn new() -> (Self, Outgoing) {
        let (queue, outgoing) = mpsc::channel(MAX_WAITING);
        (Self { queue, units: Arc::new(Semaphore::new(MAX_UNITS as usize)) }, outgoing)
    }

    /// Queues a message. It is lost if the daemon is gone, which ends the gate.
    pub(crate) async fn send(&self, message: FromGate) {
        let units = (payload_size(&message) / UNIT + 1).min(MAX_UNITS as usize) as u32;
        let Ok(permit) = Arc::clone(&self.units).acquire_many_owned(units).await else { return };
        let _ = self.queue.send((message, permit)).await;
    }
}

fn payload_size(message: &FromGate) -> usize {
    match message {
        FromGate::Answer { result: Ok(Payload(bytes)), .. }
        | FromGate::Progress { bytes: Payload(bytes), .. }
        | FromGate::Ask { params: Payload(bytes), .. }
        | FromGate::Lists { lists: Payload(bytes), .. } => bytes.len(),
        FromGate::Answer { result: Err(error), .. } => error.message.len() + error.detail.len(),
        _ => 0,
    }
}

/// Writes messages until nobody can queue any more, or the daemon reads no more.
pub(crate) async fn write_outgoing(mut output: impl AsyncWrite + Unpin, mut outgoing: Outgoing) {
    let mut frame = Vec::new();
    while let Some((message, permit)) = outgoing.recv().await {
        frame.clear();
        if encode_from_gate(&message, MAX_FRAME, &mut frame).is_err() {
            // Only what an upstream said can be so large, and that is bounded. The caller must be answered all the same.
            let FromGate::Answer { id, .. } = message else { continue };
            let error = WireError::new(
                code::RESULT_TOO_LARGE,
                "the result is larger than a message to the daemon can be",
            );
            let answer = FromGate::Answer { id, result: Err(error) };
            if encode_from_gate(&answer, MAX_FRAME, &mut frame).is_err() {
                continue;
            }
        }
        if output.write_all(&frame).await.is_err() || output.flush().await.is_err() {
            return;
        }
        if frame.capacity() > KEEP_CAPACITY {
            frame = Vec::new();
        }
        drop(permit);
    }
}
