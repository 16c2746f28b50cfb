//! `sdl-http` in front of a real daemon, seen by an HTTP client and beside a shim.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::handshake;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use sdl_proto::{
    ClientKind, ClientMessage, FrameDecoder, Handshake, MAX_FRAME, Principal, PrincipalKind, ServerMessage,
    SessionHello, decode_server, encode_client,
};
use sdl_tests::{HttpServer, Program, TestEnv};
use serde_json::{Value, json};

const STATELESS: &str = "2026-07-28";
const SOURCES: &str = "//- /cart.py\ndef total(items):\n    return sum(items)\n";

/// A client of one token.
struct Client {
    address: SocketAddr,
    token: String,
    session: Option<String>,
    runtime: tokio::runtime::Runtime,
}

impl Client {
    fn new(server: &HttpServer, name: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { address: server.address(), token: HttpServer::token(name), session: None, runtime }
    }

    /// Sends one message; the answer with its body.
    fn send(&self, message: &Value, headers: &[(&str, &str)]) -> Response<String> {
        let mut request = Request::post("/mcp")
            .header("host", self.address.to_string())
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(message.to_string()))).unwrap();
        self.runtime.block_on(async {
            let stream = tokio::net::TcpStream::connect(self.address).await.unwrap();
            let (mut sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
            let connection = tokio::spawn(connection);
            let (parts, body) = sender.send_request(request).await.unwrap().into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            connection.abort();
            Response::from_parts(parts, String::from_utf8(body.to_vec()).unwrap())
        })
    }

    /// The handshake of the `initialize` era.
    fn initialize(&mut self) {
        let params = json!({
            "protocolVersion": sdl_tests::mcp::REVISION, "capabilities": {},
            "clientInfo": {"name": "sdl-tests", "version": "0"},
        });
        let answer = self.send(&message("initialize", &params), &[]);
        assert_eq!(answer.status(), 200, "{}", answer.body());
        self.session = Some(answer.headers()["mcp-session-id"].to_str().unwrap().to_owned());
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.in_session(&begun).status(), 202);
    }

    fn in_session(&self, message: &Value) -> Response<String> {
        let session = self.session.as_deref().unwrap();
        self.send(message, &[("mcp-session-id", session), ("mcp-protocol-version", sdl_tests::mcp::REVISION)])
    }

    /// A request within the session.
    fn request(&self, method: &str, params: &Value) -> Value {
        result_of(&self.in_session(&message(method, params)))
    }

    /// A request of the stateless revision.
    fn ask(&self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": {"name": "sdl-tests", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let mut headers = vec![("mcp-protocol-version", STATELESS), ("mcp-method", method)];
        if !name.is_empty() {
            headers.push(("mcp-name", &name));
        }
        result_of(&self.send(&message(method, &params), &headers))
    }

    fn tool_names(&self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        listed["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn message(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// The result in an answer.
fn result_of(answer: &Response<String>) -> Value {
    let text = answer.body();
    assert_eq!(answer.status(), 200, "{text}");
    let mut data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let data = data.rfind(|data| !data.is_empty()).unwrap_or(text);
    let message: Value = serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {text}"));
    message["result"].clone()
}

/// The parts of a tool's answer that do not depend on the revision.
fn parts(result: &Value) -> [Value; 3] {
    ["content", "structuredContent", "isError"].map(|part| result[part].clone())
}

fn shop(env: &TestEnv) -> PathBuf {
    let root = env.repo("shop", SOURCES);
    env.ctl_ok(&["index", root.to_str().unwrap()]);
    root
}

#[test]
fn a_client_over_http_gets_what_one_over_stdio_gets() {
    let env = TestEnv::new();
    let root = shop(&env);
    let repo = format!("--repo={}", root.display());
    let server = env.http(&[("ci", &[])], &[&repo, "--surface", "flat"]);
    let mut client = Client::new(&server, "ci");
    client.initialize();
    let mut shim = env.mcp(&root, &["--surface", "flat"]);
    let listed = shim.request("tools/list", json!({})).unwrap();
    assert_eq!(client.request("tools/list", &json!({})), listed);
    assert_eq!(client.ask("tools/list", json!({}))["tools"], listed["tools"]);
    let args = json!({"query": "total"});
    let own = shim.call("sdl_symbol_search", args.clone()).unwrap().raw;
    assert_eq!(own["structuredContent"]["results"][0]["name"], "total", "{own:#}");
    let call = json!({"name": "sdl_symbol_search", "arguments": args});
    assert_eq!(parts(&client.request("tools/call", &call)), parts(&own));
    assert_eq!(parts(&client.ask("tools/call", call)), parts(&own));
    let prompts = shim.request("prompts/list", json!({})).unwrap();
    assert_eq!(client.request("prompts/list", &json!({})), prompts);
}

#[test]
fn a_token_that_is_taken_out_lets_nobody_in() {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    let server = env.http(&[("ci", &[]), ("dev", &[])], &[]);
    let (ci, dev) = (Client::new(&server, "ci"), Client::new(&server, "dev"));
    assert!(!ci.tool_names().is_empty() && !dev.tool_names().is_empty());
    env.write_tokens(&[("dev", &[])]);
    let refused = ci.send(&message("tools/list", &json!({})), &[]);
    assert_eq!(refused.status(), 401);
    assert!(refused.headers()["www-authenticate"].to_str().unwrap().contains("invalid_token"));
    assert!(!dev.tool_names().is_empty());
    for (header, value) in [("host", "evil.example"), ("origin", "https://evil.example")] {
        let mut request = Request::post("/mcp").header("authorization", format!("Bearer {}", dev.token));
        if header != "host" {
            request = request.header("host", server.address().to_string());
        }
        let request = request.header(header, value).body(Full::new(Bytes::new())).unwrap();
        let status = dev.runtime.block_on(async {
            let stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
            let (mut sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
            tokio::spawn(connection);
            sender.send_request(request).await.unwrap().status()
        });
        assert_eq!(status, 403, "{header}");
    }
}

/// Upstream servers of a daemon: another daemon's shim.
fn configure(env: &TestEnv, inner: &TestEnv, root: &Path) {
    let settings = json!({
        "mcpServers": { "code": {
            "command": Program::Shim.path(),
            "args": ["--repo", root, "--surface", "flat"],
            "env": {
                "SDL_STATE_DIR": inner.state_dir(), "SDL_RUNTIME_DIR": inner.runtime_dir(),
                "SDL_DAEMON": Program::Daemon.path()
            },
            "sdl": { "mode": "passthrough" }
        } },
        "sdl": { "profiles": [
            { "name": "named", "match": { "client": "*" }, "mode": "passthrough" },
            { "name": "web", "match": { "scope": "web" }, "tools": { "deny": ["code/sdl_memory_store"] } }
        ] }
    });
    let path = env.state_dir().join("mcp.json");
    fs::write(&path, settings.to_string()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn scopes_decide_what_is_listed_and_called() {
    let (inner, env) = (TestEnv::new(), TestEnv::new());
    let root = shop(&inner);
    configure(&env, &inner, &root);
    let mut local = env.mcp(&env.home(), &[]);
    let fresh = json!({"query": "find symbols", "scope": "upstream", "fresh": true});
    local.call("sdl_action_search", fresh).unwrap().ok();
    let server = env.http(&[("plain", &["read"]), ("web", &["web"])], &[]);
    let (plain, web) = (Client::new(&server, "plain"), Client::new(&server, "web"));
    let tool = "code_sdl_symbol_search".to_owned();
    let seen = local.list_tools().unwrap();
    assert!(seen.iter().any(|listed| listed["name"] == tool), "the user sees everything");
    let names = web.tool_names();
    assert!(names.contains(&tool) && !names.contains(&"code_sdl_memory_store".to_owned()), "{names:?}");
    assert!(!plain.tool_names().iter().any(|name| name.starts_with("code_") || name == "sdl_tool_call"));

    let call = json!({"name": tool, "arguments": {"query": "total"}});
    let answered = web.ask("tools/call", call.clone());
    assert_eq!(answered["structuredContent"]["results"][0]["name"], "total", "{answered:#}");
    let refused = plain.ask("tools/call", call.clone());
    assert_eq!(refused["structuredContent"]["code"], "unknownTool", "{refused:#}");
    assert!(!refused.to_string().contains("code/"), "{refused:#}");
    // The same token, once it has the scope.
    env.write_tokens(&[("plain", &["web"])]);
    assert_eq!(plain.ask("tools/call", call)["isError"], answered["isError"]);

    let log: Value = serde_json::from_str(&env.ctl_ok(&["--json", "audit", "show"])).unwrap();
    let rows: Vec<&Value> = log["rows"].as_array().unwrap().iter().map(|one| &one["row"]).collect();
    let callers: Vec<&str> = rows
        .iter()
        .filter(|row| row["action"] == "upstream.call")
        .map(|row| row["principal"].as_str().unwrap())
        .collect();
    assert!(callers.contains(&"token:web") && callers.contains(&"token:plain"), "{log:#}");
    assert!(env.ctl(&["audit", "verify"]).status.success());
}

#[test]
fn a_principal_can_do_nothing_that_a_person_does() {
    let env = TestEnv::new();
    let mut daemon = env.daemon();
    let mut stream = UnixStream::connect(env.runtime_dir().join("sdl-v1.sock")).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_mins(1))).unwrap();
    let hello = SessionHello {
        kind: ClientKind::Ctl,
        name: String::new(),
        cwd: None,
        repo: None,
        surface: String::new(),
        output_schemas: false,
        token: None,
        pid: 1,
    };
    let principal = Principal { kind: PrincipalKind::Token, name: "ci".into(), scopes: Vec::new() };
    let mut bytes = Handshake::ours().encode().unwrap();
    let methods = [
        "daemon/stop",
        "daemon/status",
        "audit/show",
        "upstream/reload",
        "surface/set-all",
        "feed/follow",
        "tools/list",
    ];
    let mut messages = vec![ClientMessage::HelloAs(hello, principal)];
    messages.extend(methods.iter().zip(1..).map(|(method, id)| {
        ClientMessage::Request(sdl_proto::Request {
            id,
            method: (*method).to_owned(),
            params: b"{}".to_vec(),
            deadline_ms: None,
            want_progress: false,
        })
    }));
    for message in &messages {
        encode_client(message, MAX_FRAME, &mut bytes).unwrap();
    }
    stream.write_all(&bytes).unwrap();
    let mut outcomes = [None; 8];
    let mut received = Vec::new();
    let mut decoder: Option<FrameDecoder> = None;
    while outcomes[1..].iter().any(Option::is_none) {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "the daemon closed it: {outcomes:?}");
        received.extend_from_slice(&piece[..count]);
        if decoder.is_none()
            && let Some((_, used)) = Handshake::decode(&received).unwrap()
        {
            received.drain(..used);
            decoder = Some(FrameDecoder::new(MAX_FRAME));
        }
        let Some(decoder) = &mut decoder else { continue };
        decoder.push(&std::mem::take(&mut received));
        while let Some(payload) = decoder.next_frame().unwrap() {
            if let ServerMessage::Response { id, result } = decode_server(payload).unwrap() {
                outcomes[id as usize] = Some(result.is_ok());
            }
        }
    }
    assert_eq!(outcomes[1..7], [Some(false); 6]);
    assert_eq!(outcomes[7], Some(true));
    assert!(daemon.is_running());
}

/// An upstream over HTTP that lists as many tools as `count` says.
fn start_upstream(count: &Arc<AtomicUsize>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let count = Arc::clone(count);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let count = Arc::clone(&count);
            std::thread::spawn(move || serve_upstream(stream.unwrap(), &count));
        }
    });
    url
}

fn serve_upstream(stream: TcpStream, count: &AtomicUsize) {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut head, mut line) = (String::new(), String::from("-"));
        while line.trim() != "" {
            line.clear();
            if stream.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            head += &line.to_lowercase();
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        stream.read_exact(&mut body).unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let tool = |at: usize| json!({"name": format!("tool{at:05}"), "inputSchema": {"type": "object"}});
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "many", "version": "1"},
            }),
            Some("tools/list") => {
                json!({"tools": (0..count.load(Ordering::SeqCst)).map(tool).collect::<Vec<_>>()})
            }
            _ => Value::Null,
        };
        let (status, text) = match result {
            Value::Null if message["id"].is_null() => ("202 Accepted", String::new()),
            Value::Null => ("400 Bad Request", String::new()),
            result => {
                ("200 OK", json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string())
            }
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            text.len()
        );
        if stream.get_mut().write_all((head + &text).as_bytes()).is_err() {
            return;
        }
    }
}

#[test]
fn long_lists_come_in_pages_and_a_cursor_of_another_list_is_refused() {
    let env = TestEnv::new();
    let count = Arc::new(AtomicUsize::new(1_500));
    let sdl = json!({"prefix": false, "mode": "passthrough"});
    let settings = json!({
        "mcpServers": {"many": {"type": "http", "url": start_upstream(&count), "sdl": sdl}},
        "sdl": {"profiles": [{"name": "ci", "match": {"token": "ci"}, "upstreams": ["many"]}]},
    });
    fs::write(env.state_dir().join("mcp.json"), settings.to_string()).unwrap();
    let server = env.http(&[("ci", &[])], &[]);
    env.ctl_ok(&["upstream", "refresh", "many"]);
    let mut shim = env.mcp(&env.home(), &[]);
    let names = |page: &Value| -> Vec<String> {
        page["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = shim.request("tools/list", json!({})).unwrap();
    assert_eq!(names(&first).len(), 1_000);
    let second = shim.request("tools/list", json!({"cursor": first["nextCursor"]})).unwrap();
    assert_eq!(second["nextCursor"], Value::Null);
    let all = [names(&first), names(&second)].concat();
    let theirs = all.iter().filter(|name| name.starts_with("tool")).count();
    assert_eq!((theirs, all.last().unwrap().as_str()), (1_500, "tool01499"));
    // The same list over HTTP has the same cursors.
    let client = Client::new(&server, "ci");
    let over_http = client.ask("tools/list", json!({"cursor": first["nextCursor"]}));
    assert_eq!(names(&over_http), names(&second));
    count.store(1_499, Ordering::SeqCst);
    env.ctl_ok(&["upstream", "refresh", "many"]);
    let refused = shim.request("tools/list", json!({"cursor": first["nextCursor"]})).unwrap_err().to_string();
    assert!(refused.contains("ask for the list without a cursor"), "{refused}");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let asked = message("tools/list", &json!({"cursor": first["nextCursor"], "_meta": meta}));
    let refused = client.send(&asked, &[("mcp-protocol-version", STATELESS), ("mcp-method", "tools/list")]);
    assert!(
        refused.body().contains("-32602") && refused.body().contains("without a cursor"),
        "{}",
        refused.body()
    );
    assert_eq!(shim.list_tools().unwrap().len(), all.len() - 1);
}
