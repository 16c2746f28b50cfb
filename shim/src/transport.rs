//! Lines of JSON in and out.
//!
//! rmcp decides what a message means, but it sees the arguments of a call neither on their way in nor on their way
//! out: it would parse them, keep the last of two equal keys and write numbers anew. So the transport keeps each
//! request's parameters aside as the bytes they are, and writes a result that [`crate::compose`] has prepared as it is.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{GetExtensions, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::closing::Closing;
use crate::compose;
use crate::stdio::{Input, Output};
use crate::strict;

/// The longest line that is taken. What the daemon takes is no longer.
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
    /// Where the first byte lies that was not handed out.
    start: usize,
    /// Up to where there is no line feed.
    scanned: usize,
    /// Whether the rest of an over-long line is being skipped.
    skipping: bool,
    /// Whether a request has come. Notifications before it mean nothing.
    started: bool,
    /// A reply of our own that was not queued yet.
    reply: Option<Vec<u8>>,
    output: mpsc::Sender<Vec<u8>>,
    closing: Closing,
}

impl Stdio {
    /// The transport, and the task that ends once it is gone and all is written.
    pub(crate) fn new(input: Input, output: Output, closing: Closing) -> (Self, JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let stdio = Self {
            input,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            skipping: false,
            started: false,
            reply: None,
            output: sender,
            closing,
        };
        (stdio, tokio::spawn(write(output, receiver)))
    }

    /// The next line, without its end. `None` when there are no more.
    ///
    /// Safe to be dropped at any point: what was read stays in the buffer.
    async fn line(&mut self) -> Option<Range<usize>> {
        loop {
            while let Some(at) = self.buffer.get(self.scanned..)?.iter().position(|&byte| byte == b'\n') {
                let line = self.start..self.scanned + at;
                self.start = line.end + 1;
                self.scanned = self.start;
                if !std::mem::take(&mut self.skipping) {
                    return Some(line);
                }
            }
            self.scanned = self.buffer.len();
            if self.buffer.len() - self.start > MAX_LINE {
                self.skipping = true;
                let text = format!("the message is longer than {MAX_LINE} bytes");
                self.reply = Some(error_line(None, INVALID_REQUEST, &text));
            }
            if self.skipping {
                self.start = self.buffer.len();
            }
            self.compact();
            self.flush_reply().await?;
            tokio::select! {
                read = self.input.read_buf(&mut self.buffer) => match read {
                    Ok(0) | Err(_) => return None,
                    Ok(_) => {}
                },
                // Nobody listens any more, so nobody asks either.
                () = self.output.closed() => return None,
            }
        }
    }

    /// Moves what was not handed out to the front, and gives back what one long line has taken.
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
            if let Some(reply) = self.reply.take() {
                slot.send(reply);
            }
        }
        Some(())
    }

    async fn next_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.flush_reply().await?;
            let line = self.line().await?;
            match read_line(self.buffer.get(line).unwrap_or_default(), &mut self.started) {
                Incoming::Message(message) => return Some(*message),
                Incoming::Reply(reply) => self.reply = Some(reply),
                Incoming::Nothing => {}
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
        async move {
            output.send(write_line(&item)?).await.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
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

/// Writes what is queued until nobody can queue any more, or nobody reads.
async fn write(mut output: Output, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = queue.recv().await {
        if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

fn write_line(message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    let mut line = match message {
        JsonRpcMessage::Response(response) => match compose::prepared(&response.result) {
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

/// What a line turns out to be.
pub(crate) enum Incoming {
    /// Something for rmcp.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Something to answer at once.
    Reply(Vec<u8>),
    /// Nothing that could be answered.
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
}

/// What rmcp needs to know of the parameters of a `tools/call`.
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
        return match serde_json::from_str(text) {
            Ok(message) if *started => Incoming::Message(Box::new(message)),
            _ => Incoming::Nothing,
        };
    };
    *started = true;
    read_request(text, method, id, envelope.params)
}

fn read_request(text: &str, method: &str, id: &RawValue, params: Option<&RawValue>) -> Incoming {
    let json = params.map_or("{}", RawValue::get);
    let mut ambiguous = None;
    let mut for_rmcp = Cow::Borrowed(text);
    if method == "tools/call" {
        let call: CallParams<'_> = match serde_json::from_str(json) {
            Ok(call) => call,
            Err(error) => {
                return Incoming::Reply(error_line(Some(id), INVALID_PARAMS, &format!("params: {error}")));
            }
        };
        ambiguous = strict::check(text).err().map(Arc::from);
        let meta = call.meta.map_or_else(String::new, |meta| format!(r#","_meta":{meta}"#));
        for_rmcp = Cow::Owned(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{}{meta}}}}}"#,
            call.name
        ));
    }
    match serde_json::from_str::<RxJsonRpcMessage<RoleServer>>(&for_rmcp) {
        Ok(JsonRpcMessage::Request(mut request)) => {
            request.request.extensions_mut().insert(RawParams { json: Arc::from(json), ambiguous });
            Incoming::Message(Box::new(JsonRpcMessage::Request(request)))
        }
        Ok(message) => Incoming::Message(Box::new(message)),
        Err(error) => Incoming::Reply(error_line(Some(id), INVALID_REQUEST, &error.to_string())),
    }
}

/// An error as a line. The id is left out where it is none.
fn error_line(id: Option<&RawValue>, code: i32, message: &str) -> Vec<u8> {
    let id = id
        .map(RawValue::get)
        .filter(|id| id.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit()))
        .map_or_else(String::new, |id| format!(r#""id":{id},"#));
    let message = serde_json::Value::from(message);
    format!("{{\"jsonrpc\":\"2.0\",{id}\"error\":{{\"code\":{code},\"message\":{message}}}}}\n").into_bytes()
}

#[cfg(test)]
#[path = "transport_tests.rs"]
mod tests;
