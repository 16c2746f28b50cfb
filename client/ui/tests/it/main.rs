//! The page's server as browsers and their enemies see it: the real program, connected to a scripted daemon.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]
#![cfg(unix)]

mod answers;
mod doors;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Stdio;
use std::time::Duration;

use sdl_client::Paths;
use sdl_client::proto::{BUILD, Request};
use sdl_client::testing::{FakeDaemon, Reply};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// Long enough to never pass on a machine that works at all.
const LONG: Duration = Duration::from_mins(1);

/// The program, its daemon, and where it listens.
pub(crate) struct World {
    daemon: Option<FakeDaemon>,
    program: Child,
    address: SocketAddr,
    token: String,
    _folder: tempfile::TempDir,
}

impl World {
    async fn start(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_with(&[], script).await
    }

    async fn start_with(args: &[&str], script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("state"), None);
        paths.create().unwrap();
        let daemon = FakeDaemon::start(paths.socket(), BUILD, script).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_sdl-ui"))
            .args(args)
            .env("SDL_STATE_DIR", paths.state())
            .env_remove("SDL_RUNTIME_DIR")
            .env_remove("SDL_TOKEN")
            .env("SDL_DAEMON", "/nowhere/sdld")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut said = BufReader::new(program.stdout.take().unwrap()).lines();
        let line = tokio::time::timeout(LONG, said.next_line()).await.unwrap().unwrap().unwrap();
        let (address, token) = line.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        let (address, token) = (address.parse().unwrap(), token.to_owned());
        Self { daemon: Some(daemon), program, address, token, _folder: folder }
    }

    fn daemon(&self) -> &FakeDaemon {
        self.daemon.as_ref().unwrap()
    }

    /// The methods that the daemon was asked for, in order.
    fn asked(&self) -> Vec<String> {
        self.daemon().heard().requests.into_iter().map(|request| request.method).collect()
    }

    /// Sends bytes and reads the answer to its end.
    async fn raw(&self, bytes: impl Into<Vec<u8>>) -> Answer {
        let (address, bytes) = (self.address, bytes.into());
        tokio::task::spawn_blocking(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(LONG)).unwrap();
            // A server that has refused may not read to the end.
            let _ = stream.write_all(&bytes);
            let mut got = Vec::new();
            let _ = stream.read_to_end(&mut got);
            Answer::parse(&got)
        })
        .await
        .unwrap()
    }

    /// A request with these headers and no others.
    async fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.raw(format!("{text}\r\n{body}")).await
    }

    /// A request as the page makes it.
    async fn page_request(&self, line: &str, body: &str) -> Answer {
        let (host, origin) = (self.address.to_string(), format!("http://{}", self.address));
        let bearer = format!("Bearer {}", self.token);
        let headers = [
            ("Host", host.as_str()),
            ("Origin", &origin),
            ("Authorization", &bearer),
            ("Sec-Fetch-Site", "same-origin"),
            ("Content-Type", "application/json"),
        ];
        self.send(line, &headers, body).await
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { unchunk(body) } else { body.to_owned() };
        Self { status, head: head.to_owned(), body }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

fn unchunk(body: &str) -> String {
    let (mut out, mut rest) = (String::new(), body);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let Some(piece) = after.get(..size).filter(|_| size > 0) else { break };
        out.push_str(piece);
        rest = after.get(size + 2..).unwrap_or_default();
    }
    out
}

/// A daemon that answers every method with its name.
fn echo(request: &Request) -> Reply {
    match request.method.as_str() {
        "tools/call" => Reply::ok(
            r#"{"content":[],"structuredContent":{"call":PARAMS},"isError":false}"#
                .replace("PARAMS", &String::from_utf8_lossy(&request.params)),
        ),
        "feed/follow" => Reply::ok(r#"{"repos":[]}"#),
        method => Reply::ok(format!(r#"{{"asked":"{method}"}}"#)),
    }
}
