//! An MCP client over standard streams that keeps the bytes of each result, and adds nothing to the time of a call.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::Outcome;

/// The stateful revision.
pub(crate) const STATEFUL: &str = "2025-11-25";
/// The stateless revision.
pub(crate) const STATELESS: &str = "2026-07-28";

/// A server that runs, and the connection to it. Dropping it ends both.
pub(crate) struct LineClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
    /// Whether each request carries what the stateless revision wants.
    is_stateless: bool,
    /// Notifications since they were last taken.
    pub(crate) heard: Vec<Value>,
    line: String,
}

/// The answer to a request, its parts as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Result(String),
    Error(String),
}

impl Reply {
    /// The text of the result, if it is one.
    pub(crate) fn result(self) -> Outcome<String> {
        match self {
            Self::Result(text) => Ok(text),
            Self::Error(text) => Err(text.into()),
        }
    }
}

impl LineClient {
    /// Starts a server and makes the handshake of the revision.
    pub(crate) fn start(command: &mut Command, revision: &str) -> Outcome<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = BufReader::new(output.ok_or("the server has no output")?);
        let is_stateless = revision == STATELESS;
        let heard = Vec::new();
        let mut client = Self { child, input, output, next_id: 0, is_stateless, heard, line: String::new() };
        if is_stateless {
            client.request("server/discover", "{}")?.result()?;
        } else {
            let params = json!({
                "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "sdl-bench", "version": "0"},
            });
            client.request("initialize", &params.to_string())?.result()?;
            client.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        }
        Ok(client)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request whose params are this text, an object, and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: &str) -> Outcome<Reply> {
        let id = self.send(method, params)?;
        self.wait(id)
    }

    /// Sends a request without waiting.
    pub(crate) fn send(&mut self, method: &str, params: &str) -> Outcome<u64> {
        self.next_id += 1;
        let id = self.next_id;
        let params = if self.is_stateless { with_meta(params) } else { params.to_owned() };
        self.write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))?;
        Ok(id)
    }

    /// Calls a tool; the arguments are sent as they are written.
    pub(crate) fn call_tool(&mut self, tool: &str, arguments: &str) -> Outcome<Reply> {
        self.request("tools/call", &format!(r#"{{"name":{},"arguments":{arguments}}}"#, json!(tool)))
    }

    /// Sends a line.
    pub(crate) fn write(&mut self, line: &str) -> Outcome {
        let input = self.input.as_mut().ok_or("the connection is closed")?;
        input.write_all(format!("{line}\n").as_bytes())?;
        input.flush()?;
        Ok(())
    }

    /// Waits for the answer to a request. Requests of the server are refused meanwhile.
    pub(crate) fn wait(&mut self, id: u64) -> Outcome<Reply> {
        loop {
            self.line.clear();
            if self.output.read_line(&mut self.line)? == 0 {
                return Err("the server closed its output".into());
            }
            let Ok(parts) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(&self.line) else {
                // A line that is no message is skipped, as clients do.
                continue;
            };
            let own = parts.get("id").map(|own| own.get().to_owned());
            if parts.contains_key("method") {
                match own {
                    None => self.heard.push(serde_json::from_str(&self.line)?),
                    Some(own) => {
                        let refused = r#"{"code":-32601,"message":"not supported by this client"}"#;
                        self.write(&format!(r#"{{"jsonrpc":"2.0","id":{own},"error":{refused}}}"#))?;
                    }
                }
            } else if own.is_some_and(|own| own == id.to_string()) {
                let text = |name: &str| parts.get(name).map(|part| part.get().to_owned());
                return match (text("result"), text("error")) {
                    (Some(result), _) => Ok(Reply::Result(result)),
                    (None, error) => Ok(Reply::Error(error.unwrap_or_default())),
                };
            }
        }
    }
}

/// Puts what a request of the stateless revision has to carry in front of the other params.
fn with_meta(params: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": "sdl-bench", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let rest = params.trim_start().strip_prefix('{').unwrap_or("}").trim_start();
    let comma = if rest.starts_with('}') { "" } else { "," };
    format!(r#"{{"_meta":{meta}{comma}{rest}"#)
}

impl Drop for LineClient {
    fn drop(&mut self) {
        self.input = None;
        let (_sender, receiver) = std::sync::mpsc::channel::<()>();
        for _ in 0..30 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            let _ = receiver.recv_timeout(std::time::Duration::from_millis(100));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
