//! The two tasks of a connection: one reads, one writes.

use std::io;
use std::pin::pin;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use interprocess::local_socket::tokio::Stream;
use sdl_proto::{ClientMessage, FrameDecoder, MAX_FRAME, ServerMessage, code, decode_server, encode_client};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, watch};

use crate::alive;
use crate::client::{Event, Queued, Shared};

/// Requests that are ready together are written together, up to about this many bytes.
const WRITE_BATCH: usize = 64 << 10;

/// How long to listen to a daemon that does not read any more.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The state that the tasks share.
pub(crate) struct Wire {
    pub(crate) stream: Stream,
    pub(crate) decoder: FrameDecoder,
    pub(crate) request_queue: mpsc::Receiver<Queued>,
    pub(crate) control_queue: mpsc::UnboundedReceiver<ClientMessage>,
    /// Ends when the last [`crate::Client`] of this connection is dropped.
    pub(crate) until: watch::Receiver<()>,
}

/// Runs the connection until either side ends it.
pub(crate) async fn run_connection(wire: Wire, shared: Arc<Shared>) {
    let Wire { stream, decoder, request_queue, control_queue, mut until } = wire;
    let mut reading = pin!(read_messages(&stream, decoder, &shared));
    let end = tokio::select! {
        biased;
        end = &mut reading => end,
        error = write_queue(&stream, request_queue, control_queue, &shared) => match error {
            // Listen a little longer, because the daemon's last message, such as "the daemon is stopping", explains
            // more than the system's error.
            Some(error) => tokio::time::timeout(LAST_WORDS, reading).await.unwrap_or_else(|_| End::broken(error)),
            None => End::broken("the connection was closed"),
        },
        () = alive::lost_touch(&shared) => End::silent(shared.pid()),
        _ = until.changed() => End::broken("the client was dropped"),
    };
    shared.close(&end);
}

/// The reason why a connection is over.
pub(crate) struct End {
    pub(crate) reason: String,
    /// Whether the daemon has answered every request that it had begun, so that the others never happened.
    pub(crate) orderly: bool,
    /// The daemon's process, if it has fallen silent.
    pub(crate) silent: Option<u32>,
}

impl End {
    fn broken(reason: impl ToString) -> Self {
        Self { reason: reason.to_string(), orderly: false, silent: None }
    }

    fn silent(pid: u32) -> Self {
        Self { silent: Some(pid), ..Self::broken(format!("the daemon (process {pid}) does not answer")) }
    }
}

/// Passes on the daemon's messages; returns the reason why they ended.
async fn read_messages(stream: &Stream, mut decoder: FrameDecoder, shared: &Arc<Shared>) -> End {
    let mut io = stream;
    loop {
        loop {
            let message = match decoder.next_frame() {
                Ok(Some(payload)) => decode_server(payload),
                Ok(None) => break,
                Err(error) => Err(error.into()),
            };
            match message {
                Ok(ServerMessage::Closing(reason)) => {
                    let orderly = reason.code == code::STOPPING;
                    return End { orderly, ..End::broken(reason) };
                }
                Ok(message) => take_message(message, shared),
                Err(error) => return End::broken(format!("the daemon sent an invalid message: {error}")),
            }
        }
        match io.read_buf(decoder.space()).await {
            Ok(0) => {
                return decoder.finish().map_or_else(End::broken, |()| End::broken("the daemon closed it"));
            }
            Ok(_) => shared.hear(),
            Err(error) => return End::broken(error),
        }
    }
}

fn take_message(message: ServerMessage, shared: &Arc<Shared>) {
    match message {
        ServerMessage::Response { id, result } => shared.answer(id, result.map(|payload| payload.0)),
        ServerMessage::Progress(progress) => {
            let calls = shared.calls.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(to) = calls.waiting.get(&progress.id).and_then(|call| call.progress.as_ref()) {
                let _ = to.try_send(progress.bytes);
            }
        }
        ServerMessage::Notify { method, params } => {
            let _ = shared.events.send(Event::Notify { method, params: params.into() });
        }
        ServerMessage::Ask { ask, request, method, params } => {
            shared.questions.begin(shared, (ask, request), method, params.0);
        }
        ServerMessage::AskOver { ask } => shared.questions.withdraw(ask),
        ServerMessage::Ping { nonce } => shared.control(ClientMessage::Pong { nonce }),
        ServerMessage::Pong { .. } | ServerMessage::Welcome(_) | ServerMessage::Closing(_) => {}
    }
}

/// Writes queued messages. Control messages go first, because a cancellation should not wait in the queue after the
/// request that it cancels.
async fn write_queue(
    stream: &Stream,
    mut requests: mpsc::Receiver<Queued>,
    mut control: mpsc::UnboundedReceiver<ClientMessage>,
    shared: &Shared,
) -> Option<io::Error> {
    let mut io = stream;
    let mut bytes = Vec::new();
    loop {
        tokio::select! {
            biased;
            message = control.recv() => push_control(&message?, &mut bytes),
            queued = requests.recv() => push_request(queued?, shared, &mut bytes),
        }
        while bytes.len() < WRITE_BATCH {
            if let Ok(message) = control.try_recv() {
                push_control(&message, &mut bytes);
            } else if let Ok(queued) = requests.try_recv() {
                push_request(queued, shared, &mut bytes);
            } else {
                break;
            }
        }
        if let Err(error) = io.write_all(&bytes).await {
            return Some(error);
        }
        if bytes.capacity() > WRITE_BATCH {
            bytes = Vec::new();
        }
        bytes.clear();
    }
}

fn push_control(message: &ClientMessage, bytes: &mut Vec<u8>) {
    if let Err(error) = encode_client(message, MAX_FRAME, bytes) {
        tracing::warn!(%error, "a message could not be encoded");
    }
}

/// Marks the request as sent before its first byte goes out, because from then on it may have an effect.
fn push_request(queued: Queued, shared: &Shared, bytes: &mut Vec<u8>) {
    let mut calls = shared.calls.lock().unwrap_or_else(PoisonError::into_inner);
    // A request that was abandoned while it waited here is not sent at all.
    if let Some(call) = calls.waiting.get_mut(&queued.id) {
        call.sent = true;
        drop(calls);
        if bytes.is_empty() {
            *bytes = queued.frame;
        } else {
            bytes.extend_from_slice(&queued.frame);
        }
    }
}
