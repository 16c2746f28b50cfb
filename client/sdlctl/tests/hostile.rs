//! Hostile names: a daemon whose every answer is full of control characters, forged lines and endless names is asked by every
//! command that prints what a daemon says.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use sdl_client::testing::{FakeDaemon, Reply};
use serde_json::{Map, Value, json};

/// What a terminal acts upon: a title, a clipboard, a cleared screen, a carriage return, marks that turn the text, characters without
/// width, an escape of one byte, a mark of this program's own styles, a forged line, and what a shell acts upon.
const HOSTILE: &str = "\u{1b}]0;pwned\u{7}\u{1b}]52;c;cm0K\u{7}\u{1b}[2J\r\u{202e}\u{2066}\u{200b}\u{2028}\u{9b}31m\u{e0041}\u{fdd3}\n\
                       FORGED ok; $(touch /tmp/pwned)";

/// Fields that commands show as text.
const TEXTS: &[&str] = &[
    "action",
    "agent",
    "at",
    "body",
    "brief",
    "build",
    "by",
    "byTripleId",
    "cause",
    "change",
    "client",
    "code",
    "completeness",
    "configError",
    "content",
    "decision",
    "definition",
    "degradedReason",
    "description",
    "dispatchId",
    "edge",
    "event",
    "file",
    "folder",
    "fromVersion",
    "gitProblem",
    "head",
    "heldBecause",
    "holder",
    "id",
    "instructions",
    "key",
    "kind",
    "lastError",
    "ledgerVersion",
    "mark",
    "memoryId",
    "message",
    "mode",
    "module",
    "name",
    "newName",
    "note",
    "now",
    "object",
    "oldName",
    "outcome",
    "path",
    "pinned",
    "planSlug",
    "predicate",
    "predictedBy",
    "priority",
    "qualifiedName",
    "reason",
    "recordedAt",
    "remark",
    "repo",
    "repoId",
    "resolution",
    "riskLevel",
    "rootPath",
    "severity",
    "sliceHandle",
    "standing",
    "state",
    "subject",
    "summary",
    "symbolId",
    "table",
    "text",
    "through",
    "title",
    "to",
    "toVersion",
    "tool",
    "towards",
    "transport",
    "tripleId",
    "type",
    "validFrom",
    "validTo",
    "version",
    "versionId",
    "want",
    "what",
    "why",
];

/// Fields that are lists of rows.
const LISTS: &[&str] = &[
    "activity",
    "approved",
    "dependents",
    "dispatches",
    "edits",
    "events",
    "files",
    "invalidated",
    "memories",
    "messages",
    "of",
    "person",
    "read",
    "related",
    "repos",
    "results",
    "rows",
    "sessions",
    "symbols",
    "tests",
    "tools",
    "triples",
    "unused",
    "upstreams",
    "usedBy",
    "ways",
    "workspaces",
];

/// Fields that are lists of texts.
const LINES: &[&str] = &[
    "affectedSymbols",
    "clamped",
    "commands",
    "differences",
    "entities",
    "faults",
    "fields",
    "flaggedText",
    "flags",
    "ignoredBy",
    "nearMisses",
    "notes",
    "processes",
    "servedBy",
    "unresolvedFiles",
    "users",
    "warnings",
    "way",
    "words",
];

/// Fields of rows that have fields of their own.
const PARTS: &[&str] = &[
    "analysis",
    "counts",
    "details",
    "dispatch",
    "from",
    "policyDecision",
    "row",
    "staleSince",
    "triple",
    "upstream",
    "watcher",
];

/// Commands that print what the daemon says, with arguments that reach the print.
const COMMANDS: &[&[&str]] = &[
    &["status"],
    &["doctor"],
    &["repo", "ls"],
    &["repo", "add", "."],
    &["repo", "rm", "x"],
    &["workspace", "ls"],
    &["workspace", "add", "x", "y"],
    &["workspace", "rm", "x"],
    &["upstream", "ls"],
    &["upstream", "tools", "x"],
    &["upstream", "tokens"],
    &["upstream", "show", "x"],
    &["upstream", "show", "x", "y"],
    &["upstream", "diff", "x"],
    &["upstream", "approve", "x"],
    &["upstream", "call", "x", "y"],
    &["upstream", "refresh"],
    &["dispatch", "ls"],
    &["dispatch", "show", "d_1"],
    &["dispatch", "new", "x"],
    &["session", "ls"],
    &["session", "send", "x", "y"],
    &["session", "inbox", "x"],
    &["activity"],
    &["index", "."],
    &["search", "x"],
    &["card", "x"],
    &["slice", "--task", "x"],
    &["refresh", "h_1", "--known", "v1"],
    &["related", "x"],
    &["outline", "x"],
    &["path", "x", "y"],
    &["impact", "x"],
    &["tests", "x", "--why"],
    &["rename", "x", "y"],
    &["unused"],
    &["risk", "--from", "previous"],
    &["risk", "--from", "previous", "--format", "markdown"],
    &["risk", "--from", "previous", "--format", "sarif"],
    &["kg", "add", "a", "b", "c"],
    &["kg", "query", "x"],
    &["kg", "timeline", "x"],
    &["kg", "end", "t_1"],
    &["kg", "export"],
    &["tool", "x"],
    &["memory", "ls"],
    &["memory", "search", "x"],
    &["memory", "show", "m_1"],
    &["export", "symbols"],
    &["verify"],
    &["verify", "--memory"],
    &["ledger", "check"],
    &["audit", "show"],
    &["audit", "verify"],
    &["policy", "show"],
];

/// Commands that print text of the daemon, or of a tool, as the lines that it has.
const WITH_LINES: &[&str] = &["upstream call", "kg export"];

/// Fields whose values the daemon limits least: names that others choose.
const NAMES: &[&str] =
    &["agent", "client", "file", "key", "name", "qualifiedName", "repoId", "title", "tool"];

/// Fields of the objects inside of a row.
const INNER: &[&str] = &[
    "decision",
    "degradedReason",
    "edge",
    "file",
    "kind",
    "line",
    "message",
    "name",
    "note",
    "object",
    "predicate",
    "repoId",
    "severity",
    "subject",
    "summary",
    "text",
    "tripleId",
    "type",
    "version",
    "why",
];

/// A row's own fields: names are `name`, which may be long, and other texts are hostile.
fn texts_of(fields: &[&str], name: &str) -> Map<String, Value> {
    let value = |field: &str| if NAMES.contains(&field) { name } else { HOSTILE };
    fields.iter().map(|field| ((*field).to_owned(), format!("{field}{}", value(field)).into())).collect()
}

/// An object with every field that a command may show in a row.
fn row_of(name: &str) -> Map<String, Value> {
    let mut row = texts_of(TEXTS, name);
    for field in ["ms", "line", "total", "tokens", "rank", "confidence", "seq", "atMs", "readAtMs", "score"] {
        row.insert(field.to_owned(), 3.into());
    }
    for field in LINES {
        row.insert((*field).to_owned(), json!([HOSTILE]));
    }
    row.insert("skipped".to_owned(), json!({ HOSTILE: 3 }));
    // So that `memory show` finds it.
    row.insert("memoryId".to_owned(), "m_1".into());
    let inner = Value::Object(texts_of(INNER, HOSTILE));
    for field in ["details", "dispatch", "from", "row", "staleSince", "triple", "watcher"] {
        row.insert(field.to_owned(), inner.clone());
    }
    row.insert("hops".to_owned(), json!([inner]));
    row.insert("step".to_owned(), json!({ HOSTILE: inner }));
    row
}

/// An answer with every list and object that a command may show.
fn whole_answer(name: &str) -> Value {
    let (mut whole, row) = (row_of(name), Value::Object(row_of(name)));
    for field in LISTS {
        whole.insert((*field).to_owned(), json!([row]));
    }
    for field in PARTS {
        whole.insert((*field).to_owned(), row.clone());
    }
    let mut analysis = row_of(name);
    for field in ["parts", "findings", "impactedSymbols", "recommendedTests"] {
        analysis.insert(field.to_owned(), json!([row]));
    }
    whole.insert("analysis".to_owned(), analysis.into());
    whole.insert("findings".to_owned(), json!([row]));
    whole.into()
}

/// The answer to any request.
fn answer_of(method: &str, name: &str) -> Value {
    let whole = whole_answer(name);
    match method {
        // Text of the daemon has its lines already, and no forged ones.
        "tools/call" => {
            let text = format!("{} {name}", HOSTILE.replace('\n', " "));
            let text = text.replace('\n', " ");
            json!({ "structuredContent": whole, "content": [{ "type": "text", "text": text }] })
        }
        "kg/export" | "export/symbols" => json!({ "lines": format!("{}\n", json!({ "name": HOSTILE })) }),
        _ => whole,
    }
}

/// A machine with a hostile daemon.
struct World {
    folder: tempfile::TempDir,
    daemon: FakeDaemon,
    /// The thread of the daemon ends when this is dropped.
    _end: tokio::sync::oneshot::Sender<()>,
}

impl World {
    fn new(name: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("sdl").tempdir().unwrap();
        for name in ["state/log", "run", "home", "bin", "tree"] {
            let place = folder.path().join(name);
            fs::create_dir_all(&place).unwrap();
            fs::set_permissions(&place, fs::Permissions::from_mode(0o700)).unwrap();
        }
        let name = name.to_owned();
        let socket = folder.path().join("run/sdl-v1.sock");
        let script = move |request: &sdl_client::proto::Request| {
            Reply::ok(answer_of(&request.method, &name).to_string())
        };
        let (end, ended) = tokio::sync::oneshot::channel();
        let (sender, started) = channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                sender.send(FakeDaemon::start(&socket, sdl_client::proto::BUILD, script)).unwrap();
                let _ = ended.await;
            });
        });
        let daemon = started.recv().unwrap().unwrap();
        Self { folder, daemon, _end: end }
    }

    fn command(&self, args: &[&str]) -> Command {
        let path = |name: &str| self.folder.path().join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_sdlctl"));
        command
            .args(args)
            .env_clear()
            .env("HOME", path("home"))
            .env("PATH", path("bin"))
            .env("SDL_STATE_DIR", path("state"))
            .env("SDL_RUNTIME_DIR", path("run"))
            // No daemon is started in place of the hostile one.
            .env("SDL_DAEMON", path("no-such-program"))
            .current_dir(path("tree"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }
}

/// All that a command printed.
fn shown_by(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

/// The effect that a text would have on a terminal, if it has one.
fn harm_of(args: &[&str], text: &str) -> Option<String> {
    let leaks = |letter: &char| {
        (letter.is_control() && !matches!(letter, '\n' | '\t'))
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
            || matches!(letter, '\u{61c}' | '\u{feff}' | '\u{fdd0}'..='\u{fdef}' | '\u{e0000}'..='\u{e007f}')
    };
    let leaked: Vec<char> = text.chars().filter(leaks).collect();
    if !leaked.is_empty() {
        return Some(format!("{args:?} lets {leaked:?} through"));
    }
    let has_own_lines = WITH_LINES.contains(&args.get(..2).unwrap_or_default().join(" ").as_str());
    let is_forged = !has_own_lines && text.lines().any(|line| line.starts_with("FORGED"));
    is_forged.then(|| format!("{args:?} prints a line that a name forged"))
}

fn assert_harmless(args: &[&str], text: &str) {
    assert_eq!(harm_of(args, text), None, "{text}");
}

/// The faults of the text of a command and of its JSON.
fn faults_of(world: &World, args: &[&str]) -> Vec<String> {
    let shown = shown_by(&world.run(args));
    let mut faults = Vec::from_iter(harm_of(args, &shown));
    if !shown.contains("pwned") {
        // Else the table has no field that the command shows.
        faults.push(format!("{args:?} shows no hostile name: {shown}"));
    }
    if args.contains(&"--format") {
        return faults;
    }
    let as_json: Vec<&str> = std::iter::once("--json").chain(args.iter().copied()).collect();
    let output = world.run(&as_json);
    faults.extend(harm_of(&as_json, &shown_by(&output)));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let values: Result<Vec<Value>, _> =
        serde_json::Deserializer::from_str(&text).into_iter::<Value>().collect();
    let same = json!(HOSTILE).to_string();
    match values {
        Ok(values) if json!(values).to_string().contains(same.trim_matches('"')) => {}
        Ok(_) => faults.push(format!("{as_json:?} changes a name: {text}")),
        Err(error) => faults.push(format!("{as_json:?} is no JSON ({error}): {text}")),
    }
    faults
}

#[test]
fn no_view_acts_on_a_terminal() {
    let world = World::new(HOSTILE);
    let faults: Vec<String> = COMMANDS.iter().flat_map(|args| faults_of(&world, args)).collect();
    let short: Vec<String> = faults.iter().map(|fault| fault.chars().take(600).collect()).collect();
    assert!(short.is_empty(), "{}", short.join("\n\n"));
}

#[test]
fn an_endless_name_widens_no_other_line() {
    let long = "n".repeat(10_000);
    let world = World::new(&long);
    for args in COMMANDS {
        let shown = shown_by(&world.run(args));
        for line in shown.lines().filter(|line| !line.contains("nnnnnnnn")) {
            assert!(
                line.chars().count() <= 5_000,
                "{args:?}: {} characters in {line:?}",
                line.chars().count()
            );
        }
    }
}

#[test]
fn errors_and_logs_are_harmless() {
    let world = World::new(HOSTILE);
    fs::write(world.folder.path().join("state/log/sdld.2026-01-01.log"), HOSTILE.replace('\n', " ")).unwrap();
    let shown = shown_by(&world.run(&["logs"]));
    assert!(shown.contains("pwned"), "{shown}");
    assert_harmless(&["logs"], &shown);
    for args in [
        &["search", HOSTILE][..],
        &["tool", "x", "--args", HOSTILE],
        &["index", HOSTILE],
        &["card", "-r", HOSTILE, "x"],
    ] {
        assert_harmless(args, &shown_by(&world.run(args)));
    }
}

#[test]
fn a_hook_answers_with_json_alone() {
    let world = World::new(HOSTILE);
    // The fake daemon's sessions have no process, so that the hook is silent; a broken input is no reason to speak either.
    for input in
        [json!({ "hook_event_name": "SessionStart", "cwd": HOSTILE }).to_string(), HOSTILE.to_owned()]
    {
        let args = ["session", "hook", "--client", "claude-code"];
        let mut child = world.command(&args).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        assert_harmless(&args, &shown_by(&child.wait_with_output().unwrap()));
    }
}

/// Ends the child with the test.
struct Following(Child);

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_live_views_are_harmless() {
    let world = World::new(HOSTILE);
    let event = whole_answer(HOSTILE).to_string();
    for args in [&["watch", "--verbose", "--calls"][..], &["--json", "watch", "--calls"], &["--json", "top"]]
    {
        let mut child = Following(world.command(args).spawn().unwrap());
        let output = child.0.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        let mut shown = String::new();
        // Events that come before it follows are lost, so they are sent until one is shown.
        for _ in 0..2_000 {
            if shown.contains("pwned") {
                break;
            }
            for kind in ["version", "call", "status"] {
                world.daemon.notify(&format!("feed/{kind}"), event.as_bytes());
            }
            if let Ok(line) = lines.recv_timeout(Duration::from_millis(50)) {
                shown.push_str(&line);
                shown.push('\n');
            }
        }
        assert!(shown.contains("pwned"), "{args:?}: {shown}");
        assert_harmless(args, &shown);
    }
}

#[test]
fn setup_shows_foreign_entries_and_folders_harmlessly() {
    let world = World::new(HOSTILE);
    let home: PathBuf = world.folder.path().join("home\u{1b}[2J\u{202e}\nFORGED");
    fs::create_dir_all(home.join(".cursor")).unwrap();
    fs::create_dir_all(home.join(".config/zed")).unwrap();
    let entry = json!({ "mcpServers": { "sdl": { "command": HOSTILE } } });
    fs::write(home.join(".cursor/mcp.json"), entry.to_string()).unwrap();
    fs::write(world.folder.path().join("bin/sdl-mcp"), "").unwrap();
    for args in [
        &["setup", "--dry-run"][..],
        &["setup", "--list"],
        &["setup", "--dry-run", "--force"],
        &["--json", "setup", "--dry-run"],
        &["mcp", "config"],
        &["doctor"],
    ] {
        let shown = shown_by(&world.command(args).env("HOME", &home).output().unwrap());
        assert!(!shown.is_empty(), "{args:?}");
        assert_harmless(args, &shown);
    }
}
