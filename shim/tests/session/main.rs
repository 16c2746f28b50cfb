//! The shim as an MCP client sees it: the real program, connected to a scripted daemon.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]
#![cfg(unix)]

mod asking;
mod calls;
mod ends;
mod lifecycle;

use std::process::Stdio;
use std::time::Duration;

use sdl_client::Paths;
use sdl_client::proto::{BUILD, Request};
use sdl_client::testing::{FakeDaemon, Reply};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Long enough to never pass on a machine that works at all.
const LONG: Duration = Duration::from_mins(1);

const STATELESS: &str = "2026-07-28";

/// A state folder and, if the test wants one, a daemon.
pub(crate) struct Fixture {
    daemon: Option<FakeDaemon>,
    paths: Paths,
    _folder: tempfile::TempDir,
}

impl Fixture {
    /// Without a daemon, and none that could be started.
    fn without_daemon() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("state"), None);
        paths.create().unwrap();
        Self { daemon: None, paths, _folder: folder }
    }

    fn with(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let mut fixture = Self::without_daemon();
        fixture.daemon = Some(FakeDaemon::start(fixture.paths.socket(), BUILD, script).unwrap());
        fixture
    }

    fn daemon(&self) -> &FakeDaemon {
        self.daemon.as_ref().unwrap()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sdl-mcp"));
        command
            .env("SDL_STATE_DIR", self.paths.state())
            .env_remove("SDL_RUNTIME_DIR")
            .env_remove("SDL_TOKEN")
            .env("SDL_DAEMON", "/nowhere/sdld")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    fn client(&self) -> Client {
        self.client_with(&[])
    }

    fn client_with(&self, flags: &[&str]) -> Client {
        Client::of(self.command().args(flags).spawn().unwrap())
    }
}

/// An MCP client.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Client {
    fn of(mut child: Child) -> Self {
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { input: child.stdin.take(), output, child }
    }

    async fn send(&mut self, line: &str) {
        self.input.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// The next line as text.
    async fn line(&mut self) -> String {
        tokio::time::timeout(LONG, self.output.next_line())
            .await
            .expect("an answer in time")
            .unwrap()
            .expect("a line")
    }

    async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }

    async fn request(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await;
        self.receive().await
    }

    /// The handshake of the `initialize` era.
    async fn initialize(&mut self) -> Value {
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "tester", "version": "1"},
        });
        let answer = self.request(0, "initialize", params).await;
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        answer
    }

    /// Closes standard input and waits for the end.
    async fn end(mut self) -> std::process::ExitStatus {
        drop(self.input.take());
        tokio::time::timeout(LONG, self.child.wait()).await.expect("it ends").unwrap()
    }
}

/// The metadata of each request of the stateless revision.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "2"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
