//! The program as an HTTP client sees it, in front of a scripted daemon.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]
#![cfg(unix)]

mod calls;
mod doors;
#[allow(dead_code, reason = "the unit tests use more of it")]
mod world;

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use reqwest::{RequestBuilder, Response};
use sdl_client::Paths;
use sdl_client::proto::{BUILD, Request};
use sdl_client::testing::{FakeDaemon, Reply};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// Long enough to never pass on a machine that works at all.
const LONG: Duration = Duration::from_mins(1);

const STATELESS: &str = "2026-07-28";
const STATEFUL: &str = "2025-11-25";

/// The token of the only line.
pub(crate) const TOKEN: &str = "0123456789abcdef";

/// A running server in front of a scripted daemon.
pub(crate) struct Fixture {
    daemon: FakeDaemon,
    address: String,
    _server: Child,
    tokens: PathBuf,
    _folder: tempfile::TempDir,
}

impl Fixture {
    async fn new(flags: &[&str], script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("state"), None);
        paths.create().unwrap();
        let daemon = FakeDaemon::start(paths.socket(), BUILD, script).unwrap();
        let tokens = folder.path().join("tokens");
        write_tokens(&tokens, &format!("ci:{TOKEN}:read"));
        let mut server = command(&paths, Some(&tokens))
            .args(["--listen", "127.0.0.1:0"])
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut said).await.unwrap();
        let address = said.trim().strip_prefix("listening on http://").unwrap().strip_suffix("/mcp").unwrap();
        Self { daemon, address: address.to_owned(), _server: server, tokens, _folder: folder }
    }

    /// One that answers every call with the same.
    async fn answering(result: &'static str) -> Self {
        Self::new(&[], move |_| Reply::ok(result)).await
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A request with a message, as a client without a token sends it.
    fn post(&self, message: &str) -> RequestBuilder {
        let request = client().post(self.url("/mcp")).timeout(LONG);
        request
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(message.to_owned())
    }

    /// A request of the stateless revision.
    fn ask(&self, token: &str, method: &str, params: &str) -> RequestBuilder {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "2"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let more = params.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap();
        let comma = if more.is_empty() { "" } else { "," };
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{meta}{comma}{more}}}}}"#
        );
        let mut request = self
            .post(&message)
            .bearer_auth(token)
            .header("mcp-protocol-version", STATELESS)
            .header("mcp-method", method);
        if let Some(name) = serde_json::from_str::<Value>(params).unwrap()["name"].as_str() {
            request = request.header("mcp-name", name);
        }
        request
    }

    /// Begins a session; its id.
    async fn initialize(&self, token: &str) -> String {
        let params = json!({
            "protocolVersion": STATEFUL, "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"},
        });
        let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let answer = self.post(&message.to_string()).bearer_auth(token).send().await.unwrap();
        let id = answer.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        assert_eq!(message_of(answer).await["result"]["serverInfo"]["name"], "sdl");
        let begun = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let taken = self.in_session(&id, token, begun).send().await.unwrap();
        assert_eq!(taken.status(), 202);
        id
    }

    fn in_session(&self, id: &str, token: &str, message: &str) -> RequestBuilder {
        let request = self.post(message).bearer_auth(token);
        request.header("mcp-session-id", id).header("mcp-protocol-version", STATEFUL)
    }
}

pub(crate) fn write_tokens(path: &PathBuf, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

pub(crate) fn client() -> reqwest::Client {
    // It wants one even where nothing is encrypted. An error means that there is one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}

/// The program with an environment of its own.
pub(crate) fn command(paths: &Paths, tokens: Option<&PathBuf>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sdl-http"));
    command
        .env("SDL_STATE_DIR", paths.state())
        .env("SDL_DAEMON", "/nowhere/sdld")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    for name in ["SDL_RUNTIME_DIR", "SDL_TOKEN", "SDL_HTTP_TOKENS", "CREDENTIALS_DIRECTORY", "LISTEN_FDS"] {
        command.env_remove(name);
    }
    if let Some(tokens) = tokens {
        command.env("SDL_HTTP_TOKENS", tokens);
    }
    command
}

/// The messages of an answer, as text.
pub(crate) async fn texts_of(answer: Response) -> Vec<String> {
    let is_stream = answer.headers()["content-type"] == "text/event-stream";
    let text = answer.text().await.unwrap();
    if !is_stream {
        return vec![text];
    }
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    data.map(|data| data.trim().to_owned()).filter(|data| !data.is_empty()).collect()
}

/// The one message of an answer.
pub(crate) async fn message_of(answer: Response) -> Value {
    let texts = texts_of(answer).await;
    assert_eq!(texts.len(), 1, "{texts:?}");
    serde_json::from_str(&texts[0]).unwrap()
}
