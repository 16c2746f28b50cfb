//! A small MCP client: line-delimited JSON-RPC over a child's standard streams. It adds nothing and hides nothing, so
//! that a test sees what a real client would.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The revision that [`McpClient::initialize`] asks for.
pub const REVISION: &str = "2025-11-25";

/// The reasons why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The server's streams failed.
    #[error("talking to the server failed: {0}")]
    Io(#[from] io::Error),
    /// The server closed its output.
    #[error("the server closed its output")]
    Closed,
    /// No answer in time.
    #[error("no answer to {method} within {waited:?}")]
    TimedOut {
        /// The method or tool.
        method: String,
        /// How long this waited.
        waited: Duration,
    },
    /// A JSON-RPC error: a fault of the protocol, not of a tool.
    #[error("{method}: error {code}: {message}")]
    Rpc {
        /// The method or tool.
        method: String,
        /// The error's code.
        code: i64,
        /// The error's message.
        message: String,
        /// The error's data.
        data: Box<Value>,
    },
    /// The server wrote a line that is not JSON.
    #[error("the server wrote a line that is not JSON: {0:?}")]
    NotJson(String),
}

/// A tool's answer.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// `structuredContent`, or null.
    pub data: Value,
    /// The text blocks of `content`, joined.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
    /// The whole result.
    pub raw: Value,
}

impl ToolResult {
    /// The structured answer of a call that has to succeed.
    ///
    /// # Panics
    /// If the tool failed.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(!self.is_error, "the tool failed: {}", self.raw);
        self.data
    }

    /// The structured error of a call that has to fail.
    ///
    /// # Panics
    /// If the tool succeeded.
    #[track_caller]
    pub fn err(self) -> Value {
        assert!(self.is_error, "the tool succeeded: {}", self.raw);
        self.data
    }
}

/// A connection to one server. Dropping it ends the server as a client that goes away does: end of input, then, if the
/// server stays, a kill.
pub struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    incoming: Receiver<(Instant, io::Result<String>)>,
    arrived: Instant,
    stray: VecDeque<Value>,
    next_id: i64,
    /// How long a call may take.
    pub timeout: Duration,
}

impl McpClient {
    /// Starts the server. Nothing is sent yet.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(|| io::Error::other("the child has no output"))?;
        let (lines, incoming) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                if lines.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            child,
            stdin,
            incoming,
            arrived: Instant::now(),
            stray: VecDeque::new(),
            next_id: 0,
            timeout: Duration::from_mins(1),
        })
    }

    /// When the last line of the latest answer was read. Parsing it comes after.
    pub fn arrived(&self) -> Instant {
        self.arrived
    }

    /// The server's process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The handshake of the `initialize` era.
    pub fn initialize(&mut self) -> Result<Value, McpError> {
        self.initialize_as("sdl-tests")
    }

    /// The handshake of a client that calls itself `name`.
    pub fn initialize_as(&mut self, name: &str) -> Result<Value, McpError> {
        let params = json!({
            "protocolVersion": REVISION,
            "capabilities": {},
            "clientInfo": {"name": name, "version": "0"},
        });
        let result = self.request("initialize", params)?;
        self.notify("notifications/initialized", json!({}))?;
        Ok(result)
    }

    /// Calls a method and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, McpError> {
        let id = self.send(method, params)?;
        self.wait(id, method)
    }

    /// Sends a request without waiting; its id is for [`Self::wait`].
    pub fn send(&mut self, method: &str, params: Value) -> Result<i64, McpError> {
        self.next_id += 1;
        let id = self.next_id;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string())?;
        Ok(id)
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) -> Result<(), McpError> {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
    }

    /// Sends a line byte for byte: for text that no serializer would write.
    pub fn write(&mut self, line: &str) -> Result<(), McpError> {
        let stdin = self.stdin.as_mut().ok_or(McpError::Closed)?;
        stdin.write_all(format!("{line}\n").as_bytes())?;
        stdin.flush()?;
        Ok(())
    }

    /// Waits for the answer to a request that was sent. Other answers and notifications are kept.
    pub fn wait(&mut self, id: i64, method: &str) -> Result<Value, McpError> {
        let mut message = self.receive(method, |message| {
            message["id"].as_i64() == Some(id) && message.get("method").is_none()
        })?;
        match message.get("error") {
            None => Ok(message["result"].take()),
            Some(error) => Err(McpError::Rpc {
                method: method.to_owned(),
                code: error["code"].as_i64().unwrap_or_default(),
                message: error["message"].as_str().unwrap_or_default().to_owned(),
                data: Box::new(error["data"].clone()),
            }),
        }
    }

    /// Waits for a notification; one that came before counts.
    pub fn notification(&mut self, method: &str) -> Result<Value, McpError> {
        self.receive(method, |message| message["method"] == method)
    }

    /// The notifications that came while something else was waited for. Each is returned once.
    pub fn take_notifications(&mut self) -> Vec<Value> {
        let (heard, kept): (VecDeque<Value>, _) =
            self.stray.drain(..).partition(|message| message.get("method").is_some());
        self.stray = kept;
        Vec::from(heard)
    }

    /// The first message, kept or to come, that `wanted` takes.
    fn receive(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value, McpError> {
        if let Some(at) = self.stray.iter().position(&wanted) {
            return Ok(self.stray.remove(at).unwrap_or_default());
        }
        let deadline = Instant::now() + self.timeout;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = match self.incoming.recv_timeout(left) {
                Ok((arrived, line)) => {
                    self.arrived = arrived;
                    line?
                }
                Err(RecvTimeoutError::Disconnected) => return Err(McpError::Closed),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(McpError::TimedOut { method: what.to_owned(), waited: self.timeout });
                }
            };
            let message: Value = serde_json::from_str(&line).map_err(|_| McpError::NotJson(line))?;
            if wanted(&message) {
                return Ok(message);
            }
            if message.get("method").is_some() && message.get("id").is_some() {
                self.answer(&message)?;
            } else {
                self.stray.push_back(message);
            }
        }
    }

    /// Answers the requests that a server may send to a client that has no capabilities.
    fn answer(&mut self, request: &Value) -> Result<(), McpError> {
        let id = &request["id"];
        let answer = if request["method"] == "ping" {
            json!({"jsonrpc": "2.0", "id": id, "result": {}})
        } else {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "not supported by this client"}})
        };
        self.write(&answer.to_string())
    }

    /// `tools/list`, all pages.
    pub fn list_tools(&mut self) -> Result<Vec<Value>, McpError> {
        let mut tools = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
            let mut page = self.request("tools/list", params)?;
            if let Some(listed) = page["tools"].as_array_mut() {
                tools.append(listed);
            }
            cursor = page["nextCursor"].take();
            if cursor.is_null() {
                return Ok(tools);
            }
        }
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<ToolResult, McpError> {
        let id = self.send_call(tool, arguments)?;
        self.wait_call(id)
    }

    /// Sends a tool call without waiting.
    pub fn send_call(&mut self, tool: &str, arguments: Value) -> Result<i64, McpError> {
        self.send("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Sends a tool call whose arguments are the JSON text as it is.
    pub fn send_written(&mut self, tool: &str, arguments: &str) -> Result<i64, McpError> {
        self.next_id += 1;
        let (id, name) = (self.next_id, json!(tool));
        self.write(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":{name},\"arguments\":{arguments}}}}}"
        ))?;
        Ok(id)
    }

    /// Waits for the answer to a tool call that was sent.
    pub fn wait_call(&mut self, id: i64) -> Result<ToolResult, McpError> {
        let raw = self.wait(id, "tools/call")?;
        let blocks = raw["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text = blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n");
        Ok(ToolResult { data: raw["structuredContent"].clone(), text, is_error: raw["isError"] == true, raw })
    }

    /// Ends the server's input and waits for it to exit, at most [`Self::timeout`].
    pub fn close(&mut self) -> io::Result<ExitStatus> {
        self.stdin = None;
        let deadline = Instant::now() + self.timeout;
        // The reader's end of the channel closes when the server's output does, which is when it exits.
        loop {
            match self.incoming.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return self.child.wait(),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "the server outlives its client's input",
                    ));
                }
            }
        }
    }

    /// Kills the server as a crash would.
    pub fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(|_| ())
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        self.timeout = self.timeout.min(Duration::from_secs(5));
        if self.close().is_err() {
            let _ = self.kill();
        }
    }
}
