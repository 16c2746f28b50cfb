//! Generated messages of an attacker: bounded loops over the real daemon and the real shim. Nothing crashes, nothing
//! hangs, nothing piles up, and nothing outside of the tree is shown.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sdl_proto::{
    ClientIdentity, ClientKind, ClientMessage, Handshake, Payload, Request, SessionHello, encode_client,
};
use sdl_tests::{Daemon, McpClient, TestEnv};
use serde_json::{Value, json};

/// Occurs only in the files that no answer may show.
const OUTSIDE: &str = "outside_of_every_tree";

/// A generator with a fixed beginning: a failure can be had again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap()
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

fn indexed(env: &TestEnv, root: &Path) -> McpClient {
    let mut client = env.mcp(root, &["--surface", "flat"]);
    client.call("sdl_repo_register", json!({"rootPath": root})).unwrap().ok();
    client.call("sdl_index_refresh", json!({"mode": "incremental"})).unwrap().ok();
    client
}

fn open_files(daemon: &Daemon) -> usize {
    fs::read_dir(format!("/proc/{}/fd", daemon.pid())).unwrap().count()
}

fn peak_kb(daemon: &Daemon) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn framed(messages: &[ClientMessage]) -> Vec<u8> {
    let mut bytes = Handshake::ours().encode().unwrap();
    for message in messages {
        encode_client(message, sdl_proto::MAX_FRAME, &mut bytes).unwrap();
    }
    bytes
}

/// A whole session, as a well-behaved client would send it.
fn session() -> Vec<u8> {
    let hello = SessionHello {
        kind: ClientKind::Shim,
        name: "attack".into(),
        cwd: Some("/".into()),
        repo: None,
        surface: "flat".into(),
        output_schemas: false,
        token: None,
        pid: 1,
    };
    let request = |id: u64, method: &str, params: &Value| {
        ClientMessage::Request(Request {
            id,
            method: method.into(),
            params: params.to_string().into_bytes(),
            deadline_ms: Some(5_000),
            want_progress: id.is_multiple_of(2),
        })
    };
    framed(&[
        ClientMessage::Hello(hello),
        request(1, "tools/list", &json!({})),
        request(2, "tools/call", &json!({"name": "sdl_info", "arguments": {}})),
        ClientMessage::Cancel { id: 2 },
        ClientMessage::Ping { nonce: 7 },
        ClientMessage::Token { token: Some("x".into()) },
        ClientMessage::Identity(ClientIdentity {
            era: "2025-11-25".into(),
            capabilities: Payload(b"{}".to_vec()),
        }),
        ClientMessage::Answer { ask: 1, result: Ok(Payload(b"{}".to_vec())) },
        request(3, "daemon/status", &json!({})),
    ])
}

/// The bytes with a few of them changed, cut out, sent twice or replaced by extreme lengths.
fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=random.below(4) {
        if out.is_empty() {
            break;
        }
        let at = random.below(out.len());
        match random.below(6) {
            0 => out[at] ^= 1 << random.below(8),
            1 => out[at] = *random.pick(&[0, 0x7f, 0x80, 0xfb, 0xfc, 0xfd, 0xff]),
            2 => out.truncate(at),
            3 => {
                let end = (at + random.below(16)).min(out.len());
                out.drain(at..end);
            }
            4 => {
                let end = (at + random.below(64)).min(out.len());
                let again = out[at..end].to_vec();
                out.splice(at..at, again);
            }
            _ => {
                let end = (at + 4).min(out.len());
                out[at..end].fill(0xff);
            }
        }
    }
    out
}

#[test]
fn mutated_sessions_harm_only_themselves() {
    let env = TestEnv::new();
    let root = env.repo("app", "//- /a.py\nx = 1\n");
    let mut daemon = env.daemon();
    let mut client = indexed(&env, &root);
    let socket = env.runtime_dir().join("sdl-v1.sock");
    let good = session();
    let connect = || UnixStream::connect(&socket).unwrap();
    let mut stream = connect();
    stream.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
    stream.write_all(&good).unwrap();
    stream.read_exact(&mut [0; 10_000]).expect("the session itself is answered");
    drop(stream);
    let send = |bytes: &[u8]| {
        let mut stream = connect();
        // The daemon may have hung up before all is written.
        if stream.write_all(bytes).is_err() {
            return;
        }
        // It gets a moment to handle the bytes, then it learns that no more come.
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let mut answer = vec![0; 65_536];
        while stream.read(&mut answer).is_ok_and(|length| length > 0) {}
        let _ = stream.shutdown(Shutdown::Write);
        stream.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
        // It ends, one way or the other; a time limit would be `WouldBlock`.
        if let Err(error) = stream.read_to_end(&mut Vec::new()) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "not ended: {bytes:02x?}");
        }
    };
    let files = open_files(&daemon);
    let mut random = Random(0x5d1);
    for round in 0..600 {
        send(&mutated(&good, &mut random));
        if round % 50 == 0 {
            assert!(daemon.is_running());
            client.call("sdl_repo_status", json!({"sync": "require"})).unwrap().ok();
        }
    }
    client.call("sdl_repo_status", json!({"sync": "require"})).unwrap().ok();
    assert!(daemon.is_running());
    assert!(open_files(&daemon) <= files + 8, "{} open files, {files} before", open_files(&daemon));
    let peak = peak_kb(&daemon);
    assert!(peak < 300_000, "{peak} KB at the peak");
    assert!(!env.daemon_log().contains("panicked"), "{}", env.daemon_log());
}

/// A JSON value that a careless client or a hostile one may send.
fn odd_value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 9 } else { 11 }) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!(random.pick(&[0_i64, -1, 1, i64::MAX, i64::MIN])),
        3 => json!(random.pick(&[0.5, -0.0, 1e308, 5e-324])),
        4 => json!(random.pick(&["", "app", "a.py", "alpha", "s_0000000000000", "h_000000000000000", "v1"])),
        5 => {
            json!(random.pick(&["../../etc/passwd", "/etc/passwd", "C:\\x", "a\0b", "\u{202e}x", "%2e%2e/"]))
        }
        6 => json!("x".repeat(random.below(20_000))),
        7 => json!(random.pick(&["query", "*", "$where", "'; drop", "{}", "[]", "\"", "\\"])),
        8 => json!(random.next()),
        9 => (0..random.below(5)).map(|_| odd_value(random, depth - 1)).collect(),
        _ => {
            let keys = [
                "query",
                "repoId",
                "symbolId",
                "budget",
                "name",
                "arguments",
                "payload",
                "file",
                "__proto__",
            ];
            let fields = (0..random.below(5)).map(|_| (*random.pick(&keys), odd_value(random, depth - 1)));
            Value::Object(fields.map(|(key, value)| (key.to_owned(), value)).collect())
        }
    }
}

#[test]
fn generated_calls_are_answered_and_never_with_an_internal_error() {
    let env = TestEnv::new();
    let root = env.repo("app", "//- /a.py\ndef alpha():\n    return 1\n");
    let mut daemon = env.daemon();
    let mut client = indexed(&env, &root);
    let tools = client.list_tools().unwrap();
    let mut random = Random(0xa77);
    for round in 0..800 {
        let tool = random.pick(&tools);
        let name = tool["name"].as_str().unwrap();
        let fields: Vec<&String> = tool["inputSchema"]["properties"].as_object().unwrap().keys().collect();
        let mut args = serde_json::Map::new();
        for field in &fields {
            if random.below(3) > 0 {
                args.insert((*field).clone(), odd_value(&mut random, 3));
            }
        }
        // A generated call may ask for a long wait, or end something that the next calls need.
        args.remove("syncTimeoutMs");
        let answer = client.call(name, Value::Object(args.clone())).unwrap();
        let told = answer.raw.to_string();
        assert!(!told.contains("\"internal\""), "{round}: {name} {}: {told}", Value::Object(args));
        assert!(!told.contains("root:x:0:0"), "{round}: {name} {}: {told}", Value::Object(args));
    }
    assert!(daemon.is_running());
    client.call("sdl_repo_status", json!({"repoId": "app"})).unwrap().ok();
    assert!(!env.daemon_log().contains("panicked"), "{}", env.daemon_log());
}

/// Paths that lead out of `root`, or try to.
fn ways_out(root: &Path, outside: &Path) -> Vec<String> {
    let name = outside.file_name().unwrap().to_str().unwrap();
    let depth = root.components().count();
    let up = |times: usize, rest: &str| format!("{}{rest}", "../".repeat(times));
    let full = outside.join("secret.py").to_str().unwrap().to_owned();
    let mut paths = vec![
        full.clone(),
        format!("file://{full}"),
        format!("//{full}"),
        full.replace('/', "\\"),
        up(1, &format!("{name}/secret.py")),
        up(depth, &full[1..]),
        up(64, &full[1..]),
        format!("./{}", up(1, &format!("{name}/secret.py"))),
        format!("src/../../{name}/secret.py"),
        format!("src/./.././../{name}/secret.py"),
        format!("src//..//..//{name}//secret.py"),
        format!("..\\{name}\\secret.py"),
        format!("%2e%2e/{name}/secret.py"),
        format!("..%2f{name}%2fsecret.py"),
        format!("\u{2025}/{name}/secret.py"),
        format!("..\u{2215}{name}\u{2215}secret.py"),
        format!("a.py/../../{name}/secret.py"),
        format!("a.py\0/../../{name}/secret.py"),
        "link.py".into(),
        "linked/secret.py".into(),
        "linked/../secret.py".into(),
        "inner/linked/secret.py".into(),
        "/proc/self/environ".into(),
        "/proc/self/cwd/secret.py".into(),
        "/dev/stdin".into(),
        "~/secret.py".into(),
        "$HOME/secret.py".into(),
        ".".into(),
        "..".into(),
        "/".into(),
        String::new(),
    ];
    paths.push("x/".repeat(3_000));
    paths
}

#[test]
fn no_path_argument_leads_out_of_the_tree() {
    let env = TestEnv::new();
    let root =
        env.repo("app", "//- /a.py\ndef alpha():\n    return 1\n//- /src/b.py\ndef beta():\n    return 2\n");
    let outside = root.parent().unwrap().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("secret.py"), format!("def {OUTSIDE}():\n    return '{OUTSIDE}'\n")).unwrap();
    symlink(outside.join("secret.py"), root.join("link.py")).unwrap();
    symlink(&outside, root.join("linked")).unwrap();
    fs::create_dir(root.join("inner")).unwrap();
    symlink("../../outside", root.join("inner/linked")).unwrap();
    let mut daemon = env.daemon();
    let mut client = indexed(&env, &root);
    for path in ways_out(&root, &outside) {
        for (tool, args) in [
            ("sdl_code_getSkeleton", json!({"file": path})),
            ("sdl_index_refresh", json!({"mode": "incremental", "paths": [path]})),
            ("sdl_slice_build", json!({"taskText": "alpha", "editedFiles": [path]})),
            ("sdl_slice_build", json!({"taskText": "alpha", "failingTestPath": path})),
            ("sdl_slice_build", json!({"stackTrace": format!("  File \"{path}\", line 1, in x")})),
            ("sdl_agent_orchestrate", json!({"taskText": "alpha", "focusPaths": [path]})),
            ("sdl_memory_surface", json!({"files": [path]})),
            ("sdl_buffer_push", json!({"filePath": path, "eventType": "open", "content": "x = 1\n"})),
            ("sdl_symbol_search", json!({"query": path})),
            ("sdl_context_summary", json!({"query": path})),
            ("sdl_delta_get", json!({"fromVersion": format!("git:{path}"), "toVersion": "latest"})),
        ] {
            let answer = client.call(tool, args.clone()).unwrap();
            let told = answer.raw.to_string();
            let shown = told.matches(OUTSIDE).count();
            assert_eq!(shown, args.to_string().matches(OUTSIDE).count(), "{tool} {args}: {told}");
            assert!(!told.contains("\"internal\""), "{tool} {args}: {told}");
        }
    }
    let found = client.call("sdl_symbol_search", json!({"query": OUTSIDE, "sync": "require"})).unwrap().ok();
    assert_eq!(found["results"], json!([]), "{found:#}");
    assert!(daemon.is_running());
}

#[test]
fn a_folder_that_becomes_a_link_while_it_is_read_shows_nothing_outside() {
    let env = TestEnv::new();
    let root = env
        .repo("app", "//- /pkg/mod.py\ndef inside():\n    return 1\n//- /a.py\ndef alpha():\n    return 1\n");
    let outside = root.parent().unwrap().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("mod.py"), format!("def inside():\n    return '{OUTSIDE}'\n")).unwrap();
    let mut daemon = env.daemon();
    let mut client = indexed(&env, &root);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let swaps = scope.spawn(|| {
            let (package, aside) = (root.join("pkg"), root.join("aside"));
            let mut swaps = 0;
            while !done.load(Ordering::SeqCst) {
                fs::rename(&package, &aside).unwrap();
                symlink(&outside, &package).unwrap();
                fs::remove_file(&package).unwrap();
                fs::rename(&aside, &package).unwrap();
                swaps += 1;
            }
            swaps
        });
        for _ in 0..60 {
            for (tool, args) in [
                ("sdl_code_getSkeleton", json!({"file": "pkg/mod.py", "sync": "none"})),
                ("sdl_symbol_getCard", json!({"symbolRef": {"name": "inside"}, "sync": "none"})),
                ("sdl_symbol_search", json!({"query": "inside", "syncTimeoutMs": 50})),
            ] {
                let told = client.call(tool, args).unwrap().raw.to_string();
                assert!(!told.contains(OUTSIDE), "{tool}: {told}");
            }
        }
        done.store(true, Ordering::SeqCst);
        assert!(swaps.join().unwrap() > 0);
    });
    client.call("sdl_repo_status", json!({"sync": "require"})).unwrap().ok();
    env.ctl_ok(&["verify"]);
    assert!(daemon.is_running());
}
