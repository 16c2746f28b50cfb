//! Agents that work side by side, through a real daemon, real shims and the command line.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use sdl_tests::{McpClient, Program, TestEnv};
use serde_json::{Value, json};

/// A daemon with the module on, and a repository.
struct World {
    env: TestEnv,
    root: PathBuf,
}

impl World {
    fn new() -> Self {
        Self::with(&["work"])
    }

    fn with(modules: &[&str]) -> Self {
        let env = TestEnv::new();
        let root = env.repo("shop", "//- /cart.py\ndef total(items):\n    return sum(items)\n");
        fs::create_dir_all(env.state_dir()).unwrap();
        let settings = env.state_dir().join("mcp.json");
        fs::write(&settings, json!({"sdl": {"modules": modules}}).to_string()).unwrap();
        fs::set_permissions(&settings, fs::Permissions::from_mode(0o600)).unwrap();
        env.ctl_ok(&["index", root.to_str().unwrap()]);
        Self { env, root }
    }

    fn client(&self) -> McpClient {
        self.env.mcp(&self.root, &[])
    }

    /// A client whose agent has joined.
    fn agent(&self, name: &str) -> McpClient {
        let mut client = self.client();
        client.call("sdl_session_join", json!({"agent": name})).unwrap().ok();
        client
    }

    /// Runs the hook of a client with this input. What it prints, or nothing.
    fn hook(&self, input: &Value) -> Option<Value> {
        let mut command = self.env.command(Program::Ctl);
        command.args(["session", "hook", "--client", "claude-code"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        (!output.stdout.is_empty()).then(|| serde_json::from_slice(&output.stdout).unwrap())
    }
}

fn directive(to: &str, body: &str) -> Value {
    json!({"to": to, "body": body, "kind": "directive"})
}

fn bodies(answer: &Value) -> Vec<&str> {
    let messages = answer["inbox"]["messages"].as_array();
    messages.into_iter().flatten().map(|message| message["body"].as_str().unwrap()).collect()
}

#[test]
fn a_directive_sent_in_the_middle_of_a_task_is_in_the_next_answer() {
    let world = World::new();
    let (mut ann, mut bob) = (world.agent("ann"), world.agent("bob"));
    bob.call("sdl_symbol_search", json!({"query": "total"})).unwrap().ok();
    ann.call("sdl_session_send", directive("bob", "stop")).unwrap().ok();
    let answer = bob.call("sdl_symbol_search", json!({"query": "total"})).unwrap().ok();
    assert_eq!(bodies(&answer), ["stop"], "{answer:#}");
    let answer = bob.call("sdl_symbol_search", json!({"query": "total"})).unwrap().ok();
    assert_eq!(answer["inbox"], Value::Null);
    // Whoever waits for messages is woken.
    let waiting = bob.send_call("sdl_session_inbox", json!({"waitMs": 60_000})).unwrap();
    ann.call("sdl_session_send", directive("bob", "go on")).unwrap().ok();
    let woken = bob.wait_call(waiting).unwrap().ok();
    assert_eq!(woken["messages"][0]["body"], "go on");
}

#[test]
fn a_handoff_waits_for_its_agent_and_of_two_claims_one_wins() {
    let world = World::new();
    let mut lead = world.agent("lead");
    let start = json!({"title": "Fix it", "brief": "All of it.", "to": "bob"});
    let started = lead.call("sdl_dispatch_start", start).unwrap().ok();
    let id = started["dispatchId"].clone();
    let mut bob = world.client();
    let joined = bob.call("sdl_session_join", json!({"agent": "Bob"})).unwrap().ok();
    assert_eq!(joined["inbox"]["messages"][0]["dispatchId"], id, "{joined:#}");
    let claim = json!({"dispatchId": id});
    let both = [&mut lead, &mut bob];
    let calls = both.map(|client| {
        let id = client.send_call("sdl_dispatch_claim", claim.clone()).unwrap();
        (client, id)
    });
    let won: Vec<bool> =
        calls.into_iter().map(|(client, id)| !client.wait_call(id).unwrap().is_error).collect();
    assert_eq!(won.iter().filter(|won| **won).count(), 1, "{won:?}");
    let listed = world.env.ctl_ok(&["dispatch", "ls"]);
    assert!(listed.contains(id.as_str().unwrap()) && listed.contains("claimed"), "{listed}");
    world.env.ctl_ok(&["dispatch", "cancel", id.as_str().unwrap(), "--why", "not needed"]);
    let shown = world.env.ctl_ok(&["dispatch", "show", id.as_str().unwrap()]);
    assert!(shown.contains("cancelled") && shown.contains("not needed"), "{shown}");
}

#[test]
fn a_daemon_that_restarts_between_sending_and_delivery_delivers_once() {
    let world = World::new();
    let (mut ann, mut bob) = (world.agent("ann"), world.agent("bob"));
    ann.call("sdl_session_send", directive("bob", "one")).unwrap().ok();
    ann.call("sdl_session_send", directive("*", "two")).unwrap().ok();
    world.env.ctl_ok(&["restart"]);
    let answer = bob.call("sdl_symbol_search", json!({"query": "total"})).unwrap().ok();
    assert_eq!(bodies(&answer), ["one", "two"], "the run of the client is the same: {answer:#}");
    let answer = bob.call("sdl_symbol_search", json!({"query": "total"})).unwrap().ok();
    assert_eq!(answer["inbox"], Value::Null);
    let out = ann.call("sdl_session_inbox", json!({"box": "out"})).unwrap().ok();
    assert_eq!(out["messages"][0]["state"], "delivered");
}

#[test]
fn hooks_show_messages_and_keep_a_directive_from_being_forgotten() {
    let world = World::new();
    let mut bob = world.agent("bob");
    let event = |name: &str| json!({"session_id": "x", "cwd": "/", "hook_event_name": name});
    assert_eq!(world.hook(&event("UserPromptSubmit")), None);
    for name in ["SessionStart", "UserPromptSubmit", "PostToolUse"] {
        world.env.ctl_ok(&["session", "send", "bob", &format!("look at {name}")]);
        let shown = world.hook(&event(name)).unwrap();
        let out = &shown["hookSpecificOutput"];
        assert_eq!(out["hookEventName"], name);
        let text = out["additionalContext"].as_str().unwrap();
        assert!(text.contains(&format!("look at {name}")) && text.contains("not from the user"), "{text}");
        assert_eq!(shown.as_object().unwrap().len(), 1);
        assert_eq!(world.hook(&event(name)), None, "once");
    }
    world.env.ctl_ok(&["session", "send", "bob", "only to know"]);
    assert_eq!(world.hook(&event("Stop")), None, "what asks for nothing keeps nobody");
    world.env.ctl_ok(&["session", "send", "bob", "run the tests", "--kind", "directive"]);
    let answer = bob.call("sdl_repo_status", json!({})).unwrap().ok();
    assert_eq!(bodies(&answer), ["only to know", "run the tests"]);
    assert_eq!(world.hook(&json!({"hook_event_name": "Stop", "stop_hook_active": true})), None);
    let blocked = world.hook(&event("Stop")).unwrap();
    assert_eq!(blocked["decision"], "block");
    assert!(blocked["reason"].as_str().unwrap().contains("run the tests"), "{blocked}");
    assert_eq!(world.hook(&event("Stop")), None, "once");
    assert_eq!(world.hook(&json!("no hook")), None);
}

#[test]
fn a_person_sees_sessions_messages_and_activity() {
    let world = World::new();
    let mut bob = world.agent("bob");
    let log = json!({"type": "test", "message": "all tests pass"});
    bob.call("sdl_activity_log", log).unwrap().ok();
    let activity = world.env.ctl_ok(&["activity", "--agent", "Bob"]);
    assert!(activity.contains("bob test: all tests pass"), "{activity}");
    let sessions: Value = serde_json::from_str(&world.env.ctl_ok(&["--json", "session", "ls"])).unwrap();
    assert_eq!(sessions["sessions"][0]["agent"], "bob");
    world.env.ctl_ok(&["session", "send", "carl", "for later"]);
    let inbox = world.env.ctl_ok(&["session", "inbox", "carl"]);
    assert!(inbox.contains("for later"), "{inbox}");
    bob.close().unwrap();
    let new = world.env.ctl_ok(&["dispatch", "new", "Look at it", "--to", "carl", "--milestone", "look"]);
    assert!(new.contains("open, attempt 1"), "{new}");
}

#[test]
fn a_channel_sends_messages_as_they_come() {
    let world = World::new();
    let mut bob = world.env.shim(&world.root, &["--channel"]);
    let hello = bob.initialize().unwrap();
    assert_eq!(hello["capabilities"]["experimental"]["claude/channel"], json!({}), "{hello:#}");
    bob.call("sdl_session_join", json!({"agent": "bob"})).unwrap().ok();
    for body in ["now", "and again"] {
        world.env.ctl_ok(&["session", "send", "bob", body, "--kind", "question"]);
        let sent = bob.notification("notifications/claude/channel").unwrap()["params"].take();
        assert_eq!(sent["content"], body, "{sent:#}");
        assert_eq!(sent["meta"]["kind"], "question");
        assert!(sent["meta"].as_object().unwrap().values().all(Value::is_string), "{sent:#}");
    }
    let answer = bob.call("sdl_repo_status", json!({})).unwrap().ok();
    assert_eq!(answer["inbox"], Value::Null, "it was shown already");
    // Without the flag nothing is declared.
    let mut ann = world.env.shim(&world.root, &[]);
    assert_eq!(ann.initialize().unwrap()["capabilities"]["experimental"], Value::Null);
}

/// Every file below a folder.
fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            files_below(&entry.path(), found);
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
}

#[test]
fn a_credential_that_agents_write_down_is_in_no_file() {
    let world = World::with(&["memory", "kg", "work"]);
    let key = ["AKIA", "IOSFODNN7EXAMPL3"].concat();
    let said = format!("use {key} until it is rotated");
    let said = said.as_str();
    let mut client = world.agent("ann");
    let mut call = |tool: &str, args: Value| client.call(tool, args).unwrap().ok().clone();
    call("sdl_session_join", json!({"agent": "ann", "task": said}));
    let note = json!({"type": "bugfix", "title": said, "content": said, "tags": [said], "symptom": said, "cause": said, "fix": said});
    let memory = call("sdl_memory_store", note)["memoryId"].clone();
    call(
        "sdl_memory_update",
        json!({"memoryId": memory, "content": format!("then {said}"), "idempotencyKey": "one"}),
    );
    let context = json!({"taskText": said, "domain": said});
    call(
        "sdl_lesson_store",
        json!({"agent": "ann", "lessonType": "failure", "content": said, "taskContext": context}),
    );
    call("sdl_scratch_write", json!({"contextType": "plan", "key": "k", "steps": [said]}));
    call(
        "sdl_scratch_write",
        json!({"contextType": "value", "key": "v", "value": {"inner": [said], said: 1}}),
    );
    let object =
        json!({"subject": said, "predicate": "needs", "object": said, "objectType": "text", "source": said});
    call("sdl_kg_add", object);
    let task = json!({"taskText": format!("total: {said}"), "budget": {"maxTokens": 2_000}});
    let assembly = call("sdl_context_assemble", task.clone())["assemblyId"].clone();
    call(
        "sdl_context_feedback",
        json!({"assemblyId": assembly, "usedSourceIds": [memory], "missing": [said], "note": said}),
    );
    let evidence = call("sdl_agent_orchestrate", task)["assemblyId"].clone();
    call("sdl_agent_feedback", json!({"assemblyId": evidence, "usefulSymbols": ["total"], "taskText": said}));
    let work = json!({"title": said, "brief": said, "milestones": [said], "domain": said, "to": "bob"});
    let dispatch = call("sdl_dispatch_start", work)["dispatchId"].clone();
    call("sdl_dispatch_claim", json!({"dispatchId": dispatch}));
    let report = json!({"dispatchId": dispatch, "note": said, "state": "blocked", "blockedBy": said});
    call("sdl_dispatch_progress", report);
    let end = json!({"dispatchId": dispatch, "outcome": "success", "summary": said, "artifacts": [said], "learned": [said]});
    call("sdl_dispatch_complete", end);
    call("sdl_session_send", json!({"to": "bob", "body": said, "kind": "directive"}));
    call("sdl_activity_log", json!({"type": "note", "message": said, "details": {"inner": said}}));
    call("sdl_memory_query", json!({"query": said}));
    call("sdl_session_search", json!({"query": said}));
    let backup = world.env.path("backup.jsonl");
    world.env.ctl_ok(&["memory", "export", backup.to_str().unwrap()]);
    world.env.ctl_ok(&["stop"]);
    let mut files = vec![backup];
    files_below(&world.env.state_dir(), &mut files);
    assert!(files.len() > 8, "{files:?}");
    let holding: Vec<_> = files
        .iter()
        .filter(|path| fs::read(path).unwrap().windows(key.len()).any(|window| window == key.as_bytes()))
        .collect();
    assert!(holding.is_empty(), "{holding:?}");
}
