//! The feed of a real daemon: on a terminal's lines, as snapshots, and in the page's server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

use sdl_tests::{Program, TestEnv};
use serde_json::{Value, json};

const TREE: &str = "//- /a.py\ndef one():\n    return two()\n\ndef two():\n    return 2\n";

/// Long enough to never pass on a machine that works at all.
const LONG: Duration = Duration::from_mins(1);

/// A program that prints lines of JSON; killed when dropped.
struct Lines {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Lines {
    fn start(env: &TestEnv, args: &[&str]) -> Self {
        let mut command = env.command(Program::Ctl);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.lines.read_line(&mut line).unwrap() > 0, "it ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    /// The next line that fits.
    fn find(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.next();
            if fits(&line) {
                return line;
            }
        }
    }

    fn event(&mut self, kind: &str) -> Value {
        self.find(|line| line["event"] == kind)
    }

    /// Asks it to end, as Ctrl-C does, and waits for that.
    fn interrupt(mut self) -> std::process::ExitStatus {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn indexed(env: &TestEnv) -> std::path::PathBuf {
    let root = env.repo("app", TREE);
    env.ctl_ok(&["index", root.to_str().unwrap()]);
    root
}

fn edit(root: &Path, number: usize) {
    std::fs::write(root.join("b.py"), format!("def made{number}():\n    return {number}\n")).unwrap();
}

#[test]
fn watch_shows_each_version_and_goes_on_after_a_restart() {
    let env = TestEnv::new();
    let root = indexed(&env);
    let mut watch = Lines::start(&env, &["watch", "--json", "--calls", "app"]);
    let following = watch.event("following");
    assert_eq!(following["repos"][0]["repo"], "app");
    let mut before = following["repos"][0]["version"].clone();
    for number in 0..3 {
        edit(&root, number);
        let version = watch.event("version");
        assert_eq!(version["parent"], before, "none is left out");
        let change = if number == 0 { "added" } else { "changed" };
        assert_eq!(version["files"], json!([{ "path": "b.py", "change": change }]));
        before = version["version"].clone();
    }
    env.ctl_ok(&["search", "made2"]);
    let call = watch.find(|line| line["event"] == "call" && line["action"] == "symbol.search");
    assert_eq!((&call["ok"], &call["repo"]), (&json!(true), &json!("app")));
    assert!(!call.to_string().contains("made2"), "no argument is told");

    env.ctl_ok(&["restart"]);
    watch.event("away");
    let again = watch.event("following");
    assert_eq!(again["repos"][0]["repo"], "app");
    edit(&root, 9);
    let version = watch.event("version");
    assert_eq!(version["files"], json!([{ "path": "b.py", "change": "changed" }]));
    assert!(watch.interrupt().success());
}

#[test]
fn watch_prints_plain_lines_into_a_pipe() {
    let env = TestEnv::new();
    let root = indexed(&env);
    let mut watch = Lines::start(&env, &["watch", "-v", "app"]);
    // It says nothing before the first version. Edits are repeated, because the first may come before it follows.
    let (sender, stop) = std::sync::mpsc::channel::<()>();
    let editor = std::thread::spawn(move || {
        for number in 0.. {
            edit(&root, number);
            if stop.recv_timeout(Duration::from_millis(200))
                != Err(std::sync::mpsc::RecvTimeoutError::Timeout)
            {
                return;
            }
        }
    });
    let (mut line, mut path) = (String::new(), String::new());
    watch.lines.read_line(&mut line).unwrap();
    watch.lines.read_line(&mut path).unwrap();
    drop(sender);
    editor.join().unwrap();
    assert!(line.starts_with('v') && line.contains("1 file") && line.contains(" symbols  "), "{line:?}");
    assert!(path.trim() == "+ b.py" || path.trim() == "~ b.py", "{path:?}");
    assert!(!line.contains('\u{1b}') && !path.contains('\u{1b}'), "no colors");
    let refused = env.ctl(&["watch", "nowhere"]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
}

#[test]
fn top_prints_snapshots_and_needs_a_terminal_for_its_screen() {
    let env = TestEnv::new();
    indexed(&env);
    let refused = env.ctl(&["top"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("sdlctl top --json"), "{refused:?}");
    let mut top = Lines::start(&env, &["top", "--json"]);
    let first = top.find(|line| line["repos"][0]["repo"] == "app");
    assert!(first["memory"]["resident"].as_u64().unwrap() > 0);
    env.ctl_ok(&["search", "two"]);
    let shown = top.find(|line| line["actions"]["symbol.search"]["calls"] == 1);
    assert!(shown["actions"]["symbol.search"]["p95Ms"].as_f64().unwrap() > 0.0);
    assert!(shown["processors"].as_f64().is_some());
    assert!(shown["since"]["tokens"].as_u64().unwrap() > 0);
    assert!(top.interrupt().success());
}

/// The page's server, started as a person does.
struct Page {
    // Ends the server.
    _ui: Lines,
    address: String,
    token: String,
}

impl Page {
    fn open(env: &TestEnv) -> Self {
        let mut ui = Lines::start(env, &["ui", "--no-open", "--json"]);
        let url = ui.next()["url"].as_str().unwrap().to_owned();
        let (address, rest) = url.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        let token = rest.split('#').next().unwrap().to_owned();
        Self { address: address.to_owned(), token, _ui: ui }
    }

    fn send(&self, line: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let (host, token, length) = (&self.address, &self.token, body.len());
        write!(
            stream,
            "{line} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        stream
    }

    /// The status and the body of an answer.
    fn ask(&self, line: &str, body: &str) -> (u16, String) {
        let mut answer = String::new();
        self.send(line, body).read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn call(&self, action: &str, arguments: &Value) -> Value {
        let body = json!({ "action": action, "arguments": arguments }).to_string();
        let (status, answer) = self.ask("POST /api/call", &body);
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str(&answer).unwrap()
    }
}

#[test]
fn the_page_gets_answers_the_graph_and_events_of_a_real_daemon() {
    let env = TestEnv::new();
    let root = indexed(&env);
    let page = Page::open(&env);
    let (status, document) = page.ask(&format!("GET /?token={}", page.token), "");
    assert!(status == 200 && document.starts_with("<!doctype html>"), "{document}");

    let found = page.call("symbol.search", &json!({ "repoId": "app", "query": "one" }));
    assert_eq!(found["result"]["results"][0]["name"], "one", "{found:#}");
    let refused = page.call("symbol.search", &json!({ "repoId": "nowhere", "query": "one" }));
    assert_eq!(refused["error"]["code"], "unknownRepo");
    let (_, status) = page.ask("POST /api/ask", r#"{"method":"daemon/status"}"#);
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["result"]["repos"][0]["repoId"], "app");
    let (_, sessions) = page.ask("POST /api/ask", r#"{"method":"work/sessions"}"#);
    assert_eq!(sessions, r#"{"result":{"sessions":[]}}"#, "it is no session of an agent");

    let held = || {
        serde_json::from_str::<Value>(&page.ask("POST /api/ask", r#"{"method":"work/slices"}"#).1).unwrap()
    };
    assert_eq!(held()["result"], json!({ "slices": [] }));
    let built = page.call("slice.build", &json!({ "repoId": "app", "taskText": "one" }));
    let held = held();
    let slice = &held["result"]["slices"][0];
    assert_eq!(slice["sliceHandle"], built["result"]["sliceHandle"], "{held:#} {built:#}");
    assert_eq!((&slice["repoId"], &slice["cards"]), (&json!("app"), &json!(2)));

    let (_, graph) = page.ask("GET /api/graph?repo=app", "");
    let graph: Value = serde_json::from_str(&graph).unwrap();
    let place =
        |name: &str| graph["nodes"]["name"].as_array().unwrap().iter().position(|one| one == name).unwrap();
    let edges =
        graph["edges"]["from"].as_array().unwrap().iter().zip(graph["edges"]["to"].as_array().unwrap());
    let is_call = |(from, to): (&Value, &Value)| *from == json!(place("one")) && *to == json!(place("two"));
    assert!(edges.clone().any(is_call), "{graph:#}");
    assert_eq!(graph["files"], json!(["a.py"]));
    assert_eq!(graph["nodes"]["line"][place("two")], 4);

    let mut events = BufReader::new(page.send("GET /api/events", ""));
    // The stream says that it lives, so a read of it never runs out of time.
    let end = std::time::Instant::now() + LONG;
    let mut next = |kind: &str| -> Value {
        let mut line = String::new();
        loop {
            assert!(std::time::Instant::now() < end, "no {kind}");
            line.clear();
            assert!(events.read_line(&mut line).unwrap() > 0, "the stream ended before {kind}");
            if line.trim_end() == format!("event: {kind}") {
                line.clear();
                events.read_line(&mut line).unwrap();
                return serde_json::from_str(line.trim_start_matches("data:")).unwrap();
            }
        }
    };
    // From here on it follows.
    assert_eq!(next("status")["repos"][0]["repoId"], "app");
    // The first index, from before the page was there.
    let first = next("version");
    assert_eq!((&first["repo"], &first["past"]), (&json!("app"), &json!(true)));
    edit(&root, 1);
    let version = next("version");
    assert_eq!((&version["repo"], &version["files"][0]["path"]), (&json!("app"), &json!("b.py")));
    page.call("symbol.getCard", &json!({ "repoId": "app", "symbolRef": { "name": "two" } }));
    assert_eq!(next("call")["action"], "symbol.getCard");
}

#[test]
fn the_page_may_only_read() {
    let env = TestEnv::new();
    indexed(&env);
    let mut shim = env.mcp(&env.home(), &["--surface", "flat"]);
    let list = std::fs::read_to_string(sdl_tests::workspace::workspace_root().join("client/ui/src/allow.rs"))
        .unwrap();
    let list = list.split_once("ACTIONS: &[&str] = &[").unwrap().1.split_once("];").unwrap().0.to_owned();
    let names: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    assert!(names.len() > 20, "{names:?}");
    let known: Vec<(String, bool)> = shim
        .list_tools()
        .unwrap()
        .iter()
        .map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool["annotations"]["readOnlyHint"] == true))
        .collect();
    for name in names {
        let tool = format!("sdl_{}", underscored(name));
        // A part that is off has no tool.
        let found = known.iter().find(|(known, _)| *known == tool);
        assert!(found.is_none_or(|(_, reads)| *reads || name == "policy.set"), "{name} changes something");
    }
    assert!(known.iter().any(|(name, reads)| name == "sdl_symbol_search" && *reads));
}

/// `symbol.getCard` as tools are called: `symbol_get_card`.
fn underscored(action: &str) -> String {
    let mut out = String::new();
    for letter in action.chars() {
        match letter {
            '.' => out.push('_'),
            letter if letter.is_ascii_uppercase() => {
                out.push('_');
                out.push(letter.to_ascii_lowercase());
            }
            letter => out.push(letter),
        }
    }
    out
}
