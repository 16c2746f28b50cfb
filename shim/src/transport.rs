//! Lines of JSON in and out.
//!
//! rmcp decides what a message means, but it sees the arguments of a call neither on their way in nor on their way out:
//! it would parse them, keep only the last of two equal keys, and write numbers differently. So the transport keeps
//! each request's parameters aside as raw bytes, and writes a result that [`crate::compose`] has prepared unchanged.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ClientResult, CustomResult, GetExtensions, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use sdl_json::{Member, Outline};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::closing::Closing;
use crate::compose;
use crate::in_flight::{InFlight, Room};
use crate::skipped::Skipped;
use crate::stdio::{Input, Output};

/// The longest line that is accepted. The daemon accepts no longer ones either.
const MAX_LINE: usize = sdl_proto::MAX_FRAME - (64 << 10);

/// A line buffer that has grown beyond this is given back.
const KEEP_CAPACITY: usize = 64 << 10;

/// Messages that wait for standard output.
const QUEUE: usize = 64;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// A request's parameters as the client wrote them. Travels with the request through rmcp.
#[derive(Debug, Clone)]
pub(crate) struct RawParams {
    /// The JSON text; `{}` where there were none.
    pub(crate) json: Arc<str>,
    /// Why the parameters must not be used.
    pub(crate) ambiguous: Option<Arc<str>>,
}

/// The MCP client, at the other end of standard input and output.
pub(crate) struct Stdio {
    input: Input,
    buffer: Vec<u8>,
    /// The offset of the first byte that was not handed out.
    start: usize,
    /// There is no line feed before this offset.
    scanned: usize,
    /// An over-long line whose rest is being skipped.
    skipping: Option<Skipped>,
    /// Whether a request has come. Notifications before it mean nothing.
    started: bool,
    /// A reply of our own that was not queued yet.
    reply: Option<Vec<u8>>,
    /// A request that waits until there is room for it. Nothing is read meanwhile.
    waiting: Option<Waiting>,
    in_flight: InFlight,
    output: mpsc::Sender<Outgoing>,
    closing: Closing,
}

/// A request that was read and not handed on.
struct Waiting {
    message: Box<RxJsonRpcMessage<RoleServer>>,
    id: RequestId,
    size: usize,
}

/// A line to be written, and the room that its request occupies until it is written.
struct Outgoing {
    line: Vec<u8>,
    _room: Option<Room>,
}

impl Stdio {
    /// The transport, and the task that ends once the transport is gone and everything is written.
    pub(crate) fn new(input: Input, output: Output, closing: Closing) -> (Self, JoinHandle<()>) {
        Self::with_room(input, output, closing, InFlight::default())
    }

    fn with_room(
        input: Input,
        output: Output,
        closing: Closing,
        in_flight: InFlight,
    ) -> (Self, JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let stdio = Self {
            input,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            skipping: None,
            started: false,
            reply: None,
            waiting: None,
            in_flight,
            output: sender,
            closing,
        };
        (stdio, tokio::spawn(write_queue(output, receiver)))
    }

    /// The next line, without its end. `None` when there are no more.
    ///
    /// Safe to be dropped at any point: bytes that were read stay in the buffer.
    async fn line(&mut self) -> Option<Range<usize>> {
        loop {
            while let Some(at) = self.buffer.get(self.scanned..)?.iter().position(|&byte| byte == b'\n') {
                let line = self.start..self.scanned + at;
                self.start = line.end + 1;
                self.scanned = self.start;
                let Some(mut skipped) = self.skipping.take() else { return Some(line) };
                skipped.skip(self.buffer.get(line).unwrap_or_default());
                let text = format!("the message is longer than {MAX_LINE} bytes");
                self.reply = Some(refusal_line(skipped.id(), &text));
                self.flush_reply().await?;
            }
            self.scanned = self.buffer.len();
            if self.skipping.is_none() && self.buffer.len() - self.start > MAX_LINE {
                self.skipping = Some(Skipped::default());
            }
            if let Some(skipped) = &mut self.skipping {
                skipped.skip(self.buffer.get(self.start..).unwrap_or_default());
                self.start = self.buffer.len();
            }
            self.compact();
            self.flush_reply().await?;
            tokio::select! {
                read = self.input.read_buf(&mut self.buffer) => match read {
                    Ok(0) | Err(_) => return None,
                    Ok(_) => {}
                },
                // Nobody listens any more, so nobody will ask for anything either.
                () = self.output.closed() => return None,
            }
        }
    }

    /// Moves the bytes that were not handed out to the front, and frees the memory that one long line has taken.
    fn compact(&mut self) {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        if self.buffer.len() <= KEEP_CAPACITY && self.buffer.capacity() > KEEP_CAPACITY {
            self.buffer.shrink_to(KEEP_CAPACITY);
        }
    }

    /// Queues the reply that waits; safe to be dropped.
    async fn flush_reply(&mut self) -> Option<()> {
        if self.reply.is_some() {
            let slot = self.output.reserve().await.ok()?;
            if let Some(line) = self.reply.take() {
                slot.send(Outgoing { line, _room: None });
            }
        }
        Some(())
    }

    async fn next_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.flush_reply().await?;
            if let Some(size) = self.waiting.as_ref().map(|waiting| waiting.size) {
                let room = self.room(size).await?;
                if let Some(Waiting { message, id, .. }) = self.waiting.take() {
                    self.in_flight.begin(id, room);
                    return Some(*message);
                }
            }
            let line = self.line().await?;
            let size = line.len();
            let message = match read_line(self.buffer.get(line).unwrap_or_default(), &mut self.started) {
                Incoming::Message(message) => message,
                Incoming::Reply(reply) => {
                    self.reply = Some(reply);
                    continue;
                }
                Incoming::Nothing => continue,
            };
            match &*message {
                JsonRpcMessage::Request(request) if self.in_flight.has(&request.id) => {
                    self.reply = Some(taken_line(&request.id));
                }
                JsonRpcMessage::Request(request) => {
                    let id = request.id.clone();
                    self.waiting = Some(Waiting { message, id, size });
                }
                JsonRpcMessage::Notification(notification) => {
                    // rmcp drops the answer of a request that is cancelled.
                    if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.in_flight.end(id);
                    }
                    return Some(*message);
                }
                _ => return Some(*message),
            }
        }
    }

    /// Waits for room, unless nobody listens any more.
    fn room(&self, size: usize) -> impl Future<Output = Option<Room>> + use<> {
        let (in_flight, output) = (self.in_flight.clone(), self.output.clone());
        async move {
            tokio::select! {
                room = in_flight.room(size) => room,
                () = output.closed() => None,
            }
        }
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let output = self.output.clone();
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let room = answered.and_then(|id| self.in_flight.end(id));
        async move {
            let line = write_line(&item)?;
            drop(item);
            output
                .send(Outgoing { line, _room: room })
                .await
                .map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.next_message().await;
        if message.is_none() {
            self.closing.close();
        }
        message
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        // Whoever drops the last sender ends the writer.
        self.output = mpsc::channel(1).0;
        Ok(())
    }
}

/// Writes queued lines until nobody can queue any more, or nobody reads.
async fn write_queue(mut output: Output, mut queue: mpsc::Receiver<Outgoing>) {
    while let Some(outgoing) = queue.recv().await {
        if output.write_all(&outgoing.line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

fn write_line(message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    let mut line = match message {
        JsonRpcMessage::Response(response) => match compose::prepared_text(&response.result) {
            Some(result) => {
                let id = serde_json::to_string(&response.id)?;
                let mut line = Vec::with_capacity(result.len() + id.len() + 40);
                for part in [r#"{"jsonrpc":"2.0","id":"#, &id, r#","result":"#, result, "}"] {
                    line.extend_from_slice(part.as_bytes());
                }
                line
            }
            None => serde_json::to_vec(message)?,
        },
        _ => serde_json::to_vec(message)?,
    };
    line.push(b'\n');
    Ok(line)
}

/// How a line is to be handled.
pub(crate) enum Incoming {
    /// To be passed to rmcp.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// To be answered at once.
    Reply(Vec<u8>),
    /// Can't be answered.
    Nothing,
}

/// The outer shape of a message. Borrows everything.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

/// The parameters of a `tools/call` that rmcp needs.
#[derive(Deserialize)]
struct CallParams<'a> {
    #[serde(borrow)]
    name: &'a RawValue,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// Reads one message. `started` says whether a request has come before.
pub(crate) fn read_line(line: &[u8], started: &mut bool) -> Incoming {
    let unreadable = |what: &str| Incoming::Reply(error_line(None, PARSE_ERROR, what));
    let Ok(text) = std::str::from_utf8(line) else { return unreadable("the line is not UTF-8") };
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Incoming::Nothing;
    }
    let outline = sdl_json::outline(text, "params");
    if let Some(request) = outline.as_ref().ok().and_then(PlainRequest::find) {
        *started = true;
        return request.into_message(text);
    }
    // Not a request, or one with something odd about it. Serde reports the reason, in words that clients know.
    let envelope: Envelope<'_> = match serde_json::from_str(text) {
        Ok(envelope) => envelope,
        Err(error) if error.is_data() => {
            let what = if text.starts_with('[') {
                "batches are not supported".to_owned()
            } else {
                error.to_string()
            };
            return Incoming::Reply(error_line(None, INVALID_REQUEST, &what));
        }
        Err(error) => return unreadable(&format!("the line is not JSON: {error}")),
    };
    let (Some(method), Some(id)) = (&envelope.method, envelope.id) else {
        return match read_answer(&envelope).map_or_else(|| serde_json::from_str(text), Ok) {
            Ok(message) if *started => Incoming::Message(Box::new(message)),
            _ => Incoming::Nothing,
        };
    };
    *started = true;
    let ambiguous = match outline {
        Ok(outline) => outline.ambiguous,
        Err(bad) => Some(bad.to_string()),
    };
    let json = envelope.params.map_or("{}", RawValue::get);
    let call = match serde_json::from_str::<CallParams<'_>>(json) {
        _ if method.as_ref() != TOOLS_CALL => None,
        Ok(CallParams { name, meta }) => Some((name.get(), meta.map(RawValue::get))),
        Err(error) => {
            return Incoming::Reply(error_line(Some(id.get()), INVALID_PARAMS, &format!("params: {error}")));
        }
    };
    PlainRequest { id: id.get(), params: json, call, ambiguous }.into_message(text)
}

/// The client's answer to a question, with its result kept as the client wrote it.
fn read_answer(envelope: &Envelope<'_>) -> Option<RxJsonRpcMessage<RoleServer>> {
    let (id, result) = (envelope.id?, envelope.result?);
    let id = serde_json::from_str(id.get()).ok()?;
    let result = ClientResult::CustomResult(CustomResult(Value::String(result.get().to_owned())));
    Some(JsonRpcMessage::response(result, id))
}

/// The one method whose parameters are kept from rmcp.
const TOOLS_CALL: &str = "tools/call";

/// A request, in parts of its text.
struct PlainRequest<'t> {
    id: &'t str,
    params: &'t str,
    /// For a `tools/call`: the tool's name, and the parameters that rmcp has to know beside it.
    call: Option<(&'t str, Option<&'t str>)>,
    /// Why the parameters must not be used.
    ambiguous: Option<String>,
}

impl<'t> PlainRequest<'t> {
    /// The outlined request, if its outer parts are regular.
    fn find(outline: &Outline<'t>) -> Option<Self> {
        if outline.is_outside {
            return None;
        }
        let given = |members: &[Member<'t>], name: &str| {
            let found = members.iter().find(|(key, _)| key == name)?;
            (found.1 != "null").then_some(found.1)
        };
        let method: String = serde_json::from_str(given(&outline.members, "method")?).ok()?;
        let id = given(&outline.members, "id")?;
        let has_params = outline.members.iter().any(|(key, _)| key == "params");
        let params = if has_params { given(&outline.members, "params")? } else { "{}" };
        let call = if method == TOOLS_CALL {
            Some((given(&outline.inner, "name")?, given(&outline.inner, "_meta")))
        } else {
            None
        };
        Some(Self { id, params, call, ambiguous: outline.ambiguous.clone() })
    }

    /// The message for rmcp, with the parameters kept aside. Of a call it gets the name alone, so that arguments are
    /// not parsed.
    fn into_message(self, text: &str) -> Incoming {
        let Self { id, params, call, ambiguous } = self;
        let (mut for_rmcp, mut kept) = (Cow::Borrowed(text), None);
        if let Some((name, meta)) = call {
            kept = ambiguous.map(Arc::from);
            let meta = meta.map_or_else(String::new, |meta| format!(r#","_meta":{meta}"#));
            for_rmcp = Cow::Owned(format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"{TOOLS_CALL}","params":{{"name":{name}{meta}}}}}"#
            ));
        }
        match serde_json::from_str::<RxJsonRpcMessage<RoleServer>>(&for_rmcp) {
            Ok(JsonRpcMessage::Request(mut request)) => {
                let raw = RawParams { json: Arc::from(params), ambiguous: kept };
                request.request.extensions_mut().insert(raw);
                Incoming::Message(Box::new(JsonRpcMessage::Request(request)))
            }
            Ok(message) => Incoming::Message(Box::new(message)),
            Err(error) => Incoming::Reply(error_line(Some(id), INVALID_REQUEST, &error.to_string())),
        }
    }
}

/// An error as a line, without an id if there is none.
fn error_line(id: Option<&str>, code: i32, message: &str) -> Vec<u8> {
    let id = id
        .filter(|id| id.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit()))
        .map_or_else(String::new, |id| format!(r#""id":{id},"#));
    let message = serde_json::Value::from(message);
    format!("{{\"jsonrpc\":\"2.0\",{id}\"error\":{{\"code\":{code},\"message\":{message}}}}}\n").into_bytes()
}

/// An error answer to a message. If the message's id is not known, the client at least learns that one of its messages
/// was refused.
fn refusal_line(id: Option<&str>, message: &str) -> Vec<u8> {
    let message = serde_json::Value::from(message);
    let id = id.unwrap_or("null");
    let error = format!(r#"{{"code":{INVALID_REQUEST},"message":{message}}}"#);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n").into_bytes()
}

/// The answer to a request whose id is also the id of an unanswered request: the client could not tell the two answers
/// apart.
fn taken_line(id: &RequestId) -> Vec<u8> {
    let id = serde_json::to_string(id).unwrap_or_else(|_| "null".to_owned());
    refusal_line(
        Some(&id),
        "the id is taken by a request that has no answer yet; give each request an id of its own",
    )
}

#[cfg(test)]
#[path = "transport_tests.rs"]
mod tests;
