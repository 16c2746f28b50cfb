//! Other proxies, where they are installed: mcp-proxy and fastmcp from PyPI, mcp-hub from npm.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::report_missing;
use crate::Outcome;
use crate::runs::idle::pass_time;
use crate::upstream::http_client::{HttpClient, HttpSession};
use crate::upstream::lab::Server;
use crate::upstream::line_client::{LineClient, STATEFUL};

/// How long a proxy may take to be ready.
const PATIENCE: Duration = Duration::from_secs(60);

/// A proxy that runs, in front of some servers.
pub(super) struct Peer {
    pub(super) name: &'static str,
    line: Line,
    /// Dropped after the connection.
    process: Option<Running>,
}

/// How a proxy is talked to.
enum Line {
    Stdio(Box<LineClient>),
    /// A session for each server.
    Http(Vec<(String, HttpSession)>),
    Rest(HttpClient),
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Asked politely first, so that it ends its own children.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        for _ in 0..50 {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            pass_time(Duration::from_millis(100));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Peer {
    /// The process that everything of the proxy descends from.
    pub(super) fn pid(&self) -> Option<u32> {
        match (&self.line, &self.process) {
            (Line::Stdio(client), _) => Some(client.pid()),
            (_, process) => process.as_ref().map(|running| running.0.id()),
        }
    }

    /// Calls a tool of a server.
    pub(super) fn call_tool(&mut self, key: &str, tool: &str, arguments: &Value) -> Outcome {
        match &mut self.line {
            Line::Stdio(client) => {
                client.call_tool(&format!("{key}_{tool}"), &arguments.to_string())?.result()?;
            }
            Line::Http(sessions) => {
                let session = sessions.iter_mut().find(|(own, _)| own == key);
                let (_, session) = session.ok_or_else(|| format!("no session for {key}"))?;
                session.call_tool(tool, arguments)?;
            }
            Line::Rest(http) => {
                let body = json!({"server_name": key, "tool": tool, "arguments": arguments});
                let answer = http.post_json("/api/servers/tools", "", &body)?;
                if answer["result"]["content"].is_null() {
                    return Err(format!("{key} {tool}: {answer}").into());
                }
            }
        }
        Ok(())
    }
}

/// Starts the proxies that are installed below `folder`, and names the others.
pub(super) fn start_peers(folder: &Path, servers: &[Server], scratch: &Path) -> Outcome<Vec<Peer>> {
    let config = scratch.join("peers.json");
    let entries: serde_json::Map<String, Value> = servers
        .iter()
        .map(|server| {
            let mut entry = server.entry(&Value::Null);
            if let Some(fields) = entry.as_object_mut() {
                fields.remove("sdl");
            }
            (server.key.clone(), entry)
        })
        .collect();
    fs::write(&config, json!({"mcpServers": entries}).to_string())?;
    let (mut peers, mut missing) = (Vec::new(), Vec::new());
    let all: [(&'static str, &[&str]); 3] = [
        ("mcp-proxy", &["py/bin/mcp-proxy"]),
        ("fastmcp", &["pyf/bin/fastmcp", "py/bin/fastmcp"]),
        ("mcp-hub", &["node_modules/.bin/mcp-hub"]),
    ];
    for (name, places) in all {
        let program = places.iter().map(|place| folder.join(place)).find(|path| path.exists());
        let Some(program) = program else {
            missing.push(name.to_owned());
            continue;
        };
        match start_peer(name, &program, &config, servers) {
            Ok(peer) => peers.push(peer),
            Err(error) => println!("skipped: {name} does not start: {error}"),
        }
    }
    report_missing(folder, &missing);
    Ok(peers)
}

fn start_peer(name: &'static str, program: &PathBuf, config: &Path, servers: &[Server]) -> Outcome<Peer> {
    let mut command = Command::new(program);
    command.stderr(Stdio::null());
    if name == "fastmcp" {
        command.arg("run").arg(config).args(["--transport", "stdio", "--no-banner", "--log-level", "ERROR"]);
        let client = LineClient::start(&mut command, STATEFUL)?;
        return Ok(Peer { name, line: Line::Stdio(Box::new(client)), process: None });
    }
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    command.args(["--port", &port.to_string()]).stdin(Stdio::null()).stdout(Stdio::null());
    if name == "mcp-proxy" {
        command.arg("--pass-environment").arg("--named-server-config").arg(config);
    } else {
        command.arg("--config").arg(config);
    }
    let process = Running(command.spawn()?);
    let line = if name == "mcp-proxy" {
        let session = |server: &Server| {
            let path = format!("/servers/{}/mcp", server.key);
            let session = try_until_ready(|| {
                HttpSession::start(port, &path).or_else(|_| HttpSession::start(port, &format!("{path}/")))
            })?;
            Ok((server.key.clone(), session))
        };
        Line::Http(servers.iter().map(session).collect::<Outcome<_>>()?)
    } else {
        // It answers before its servers are connected, so a call of the last one has to succeed.
        let last = servers.last().ok_or("no servers")?;
        let (tool, arguments) = crate::runs::upstream_soak::harmless_call(&last.key);
        let body = json!({"server_name": last.key, "tool": tool, "arguments": arguments});
        Line::Rest(try_until_ready(|| {
            let mut http = HttpClient::connect(port)?;
            let answer = http.post_json("/api/servers/tools", "", &body)?;
            if answer["result"].is_null() { Err(answer.to_string().into()) } else { Ok(http) }
        })?)
    };
    Ok(Peer { name, line, process: Some(process) })
}

fn try_until_ready<T>(mut attempt: impl FnMut() -> Outcome<T>) -> Outcome<T> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match attempt() {
            Ok(value) => return Ok(value),
            Err(error) if Instant::now() > deadline => return Err(error),
            Err(_) => pass_time(Duration::from_millis(200)),
        }
    }
}
