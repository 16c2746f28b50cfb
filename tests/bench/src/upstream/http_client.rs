//! As much of HTTP as a call of a proxy on this machine takes: one connection that is kept, POSTs of JSON, answers as JSON or
//! as an event stream.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Outcome;

/// A server that hangs must not hang the run.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection that is kept.
pub(crate) struct HttpClient {
    stream: BufReader<TcpStream>,
    host: String,
}

/// An answer: its status, headers in small letters, and body.
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

impl HttpClient {
    pub(crate) fn connect(port: u16) -> Outcome<Self> {
        let host = format!("127.0.0.1:{port}");
        Ok(Self { stream: open_stream(&host)?, host })
    }

    /// Posts JSON and returns the JSON of the answer: its body, or the last message of its event stream.
    pub(crate) fn post_json(&mut self, path: &str, headers: &str, body: &Value) -> Outcome<Value> {
        let answer = self.post(path, headers, &body.to_string())?;
        read_body(&answer)
    }

    fn post(&mut self, path: &str, headers: &str, body: &str) -> Outcome<Answer> {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.host,
            body.len()
        );
        let sent = self.stream.get_mut().write_all(request.as_bytes());
        let status_line = match sent.map_err(Into::into).and_then(|()| self.read_line()) {
            Ok(line) => line,
            // Servers close connections that were idle for some seconds.
            Err(_) => {
                self.stream = open_stream(&self.host)?;
                self.stream.get_mut().write_all(request.as_bytes())?;
                self.read_line()?
            }
        };
        let status = status_line.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.ok_or_else(|| format!("no status: {status_line:?}"))?;
        let mut headers = Vec::new();
        loop {
            let line = self.read_line()?;
            match line.split_once(':') {
                Some((name, value)) => headers.push((name.to_lowercase(), value.trim().to_owned())),
                None if line.is_empty() => break,
                None => return Err(format!("no header: {line:?}").into()),
            }
        }
        let mut answer = Answer { status, headers, body: String::new() };
        answer.body = self.read_payload(&answer)?;
        Ok(answer)
    }

    fn read_line(&mut self) -> Outcome<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err("the server closed the connection".into());
        }
        Ok(line.trim_end().to_owned())
    }

    fn read_payload(&mut self, answer: &Answer) -> Outcome<String> {
        let mut bytes = Vec::new();
        if answer.header("transfer-encoding") == Some("chunked") {
            loop {
                let size =
                    usize::from_str_radix(self.read_line()?.split(';').next().unwrap_or_default(), 16)?;
                let mut chunk = vec![0; size];
                self.stream.read_exact(&mut chunk)?;
                bytes.append(&mut chunk);
                self.read_line()?;
                if size == 0 {
                    break;
                }
            }
        } else {
            let size = answer.header("content-length").map_or(Ok(0), str::parse)?;
            bytes.resize(size, 0);
            self.stream.read_exact(&mut bytes)?;
        }
        Ok(String::from_utf8(bytes)?)
    }
}

fn open_stream(host: &str) -> Outcome<BufReader<TcpStream>> {
    let stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(BufReader::new(stream))
}

fn read_body(answer: &Answer) -> Outcome<Value> {
    if answer.status >= 300 {
        return Err(format!("status {}: {}", answer.status, answer.body).into());
    }
    if answer.body.is_empty() {
        return Ok(Value::Null);
    }
    let is_stream = answer.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
    if !is_stream {
        return Ok(serde_json::from_str(&answer.body)?);
    }
    let mut events = answer.body.lines().filter_map(|line| line.strip_prefix("data:"));
    let last = events.rfind(|data| !data.trim().is_empty());
    Ok(serde_json::from_str(last.ok_or("an event stream without a message")?)?)
}

/// A session of streamable HTTP.
pub(crate) struct HttpSession {
    http: HttpClient,
    path: String,
    headers: String,
    next_id: u64,
}

impl HttpSession {
    /// Connects and makes the handshake of the stateful revision.
    pub(crate) fn start(port: u16, path: &str) -> Outcome<Self> {
        let mut http = HttpClient::connect(port)?;
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": super::line_client::STATEFUL, "capabilities": {},
            "clientInfo": {"name": "sdl-bench", "version": "0"},
        }});
        let answer = http.post(path, "", &hello.to_string())?;
        let greeted = read_body(&answer)?;
        let revision =
            greeted["result"]["protocolVersion"].as_str().ok_or_else(|| format!("refused: {greeted}"))?;
        let session = answer.header("mcp-session-id");
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
        let headers = format!("{session}Mcp-Protocol-Version: {revision}\r\n");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        http.post_json(path, &headers, &ready)?;
        Ok(Self { http, path: path.to_owned(), headers, next_id: 0 })
    }

    /// Calls a tool, which has to succeed.
    pub(crate) fn call_tool(&mut self, tool: &str, arguments: &Value) -> Outcome<Value> {
        self.next_id += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": self.next_id, "method": "tools/call", "params": params});
        let mut answer = self.http.post_json(&self.path, &self.headers, &call)?;
        if answer["result"]["content"].is_null() {
            return Err(format!("{tool}: {answer}").into());
        }
        Ok(answer["result"].take())
    }
}
