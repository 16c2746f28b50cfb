//! Hooks of clients, through a real daemon and the real command line.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use sdl_tests::{Program, TestEnv};
use serde_json::{Value, json};

const SHOP: &str = "\
//- /cart.py
from tax import rate


def total(items):
    return sum(items) * rate()


def checkout(items):
    return total(items)
//- /tax.py
def rate():
    return 2
//- /test_cart.py
from cart import checkout


def test_checkout():
    assert checkout([1]) == 2
";

struct World {
    env: TestEnv,
    root: PathBuf,
}

impl World {
    fn new() -> Self {
        let env = TestEnv::new();
        let root = env.repo("shop", SHOP);
        Self { env, root }
    }

    fn indexed() -> Self {
        let world = Self::new();
        world.env.ctl_ok(&["index", world.root.to_str().unwrap()]);
        world
    }

    /// The bytes that a hook prints for this input.
    fn output(&self, client: &str, input: &[u8]) -> Vec<u8> {
        let mut command = self.env.command(Program::Ctl);
        command.args(["hook", "--client", client]).stderr(Stdio::piped());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && errors.is_empty(), "{}: {errors}", output.status);
        output.stdout
    }

    /// What a hook adds to the context of its model.
    fn hook(&self, client: &str, mut input: Value) -> Option<String> {
        input["cwd"] = json!(self.root);
        input["session_id"] = "a session".into();
        let printed = self.output(client, input.to_string().as_bytes());
        if printed.is_empty() {
            return None;
        }
        let answer: Value = serde_json::from_slice(&printed).unwrap();
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], input["hook_event_name"]);
        Some(answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned())
    }

    fn tool(&self, client: &str, event: &str, tool: &str, input: Value) -> Option<String> {
        self.hook(client, json!({"hook_event_name": event, "tool_name": tool, "tool_input": input}))
    }

    fn claude(&self, tool: &str, input: Value) -> Option<String> {
        self.tool("claude-code", "PostToolUse", tool, input)
    }
}

/// Events of every kind.
fn events(root: &Path) -> Vec<Value> {
    let tool = |name: &str, input: Value| json!({"hook_event_name": "PostToolUse", "tool_name": name, "tool_input": input});
    vec![
        json!({"hook_event_name": "SessionStart", "source": "startup"}),
        json!({"hook_event_name": "SubagentStart", "agent_type": "Explore"}),
        json!({"hook_event_name": "UserPromptSubmit", "prompt": "x"}),
        json!({"hook_event_name": "Stop"}),
        tool("Grep", json!({"pattern": "checkout"})),
        tool("Read", json!({"file_path": root.join("tax.py")})),
        tool("Edit", json!({"file_path": root.join("tax.py")})),
    ]
}

#[test]
fn an_agent_is_reminded_of_what_the_ledger_knows() {
    let world = World::indexed();
    let start = world.hook("claude-code", json!({"hook_event_name": "SessionStart"})).unwrap();
    assert!(start.contains("3 files: 3 python; live") && start.contains("symbol.related"), "{start}");
    let subagent = world.hook("claude-code", json!({"hook_event_name": "SubagentStart"})).unwrap();
    assert!(subagent.contains("3 files") && subagent.contains("sdl_query"), "{subagent}");
    assert_eq!(
        world.hook("claude-code", json!({"hook_event_name": "UserPromptSubmit", "prompt": "total"})),
        None
    );
    assert_eq!(world.hook("claude-code", json!({"hook_event_name": "Stop"})), None);

    let text = world.claude("Grep", json!({"pattern": r"def total\("})).unwrap();
    assert!(text.contains("function total cart.py:4, 1 caller, no tests"), "{text}");
    assert_eq!(world.claude("Grep", json!({"pattern": "total"})), None, "once");
    assert_eq!(world.claude("Grep", json!({"pattern": "no such text"})), None);
    let text = world.claude("Read", json!({"file_path": world.root.join("tax.py")}));
    assert!(text.as_ref().is_some_and(|text| text.contains("function rate:1 <- 1 file")), "{text:?}");

    // The hook sees the edit, although it comes right after it.
    fs::write(world.root.join("tax.py"), "def rate(country):\n    return 2\n").unwrap();
    let text = world.claude("Edit", json!({"file_path": world.root.join("tax.py")})).unwrap();
    assert!(text.contains("def rate() => def rate(country); not updated: total cart.py:5"), "{text}");
    assert!(text.contains("Tests to run: test_cart.py::test_checkout"), "{text}");
    fs::write(world.root.join("tax.py"), "def rate(country):\n    return 3\n").unwrap();
    assert_eq!(world.claude("Edit", json!({"file_path": "tax.py"})), None, "nothing new is broken");
    fs::write(world.root.join("tax.py"), "def rates(country):\n    return 3\n").unwrap();
    let text = world.claude("Write", json!({"file_path": "tax.py"})).unwrap();
    assert!(text.contains("rate is rates now; not updated: ") && text.contains("total cart.py:4"), "{text}");
}

#[test]
fn other_clients_get_the_same() {
    let world = World::indexed();
    let found = |text: Option<String>| {
        assert!(text.as_ref().is_some_and(|text| text.contains("cart.py:4")), "{text:?}")
    };
    found(world.tool("gemini-cli", "AfterTool", "grep_search", json!({"pattern": "total"})));
    let start = |client: &str| world.hook(client, json!({"hook_event_name": "SessionStart"}));
    assert!(start("codex").is_some());
    found(world.tool("codex", "PostToolUse", "Bash", json!({"command": "rg -n total ."})));
    assert!(start("qwen-code").is_some());
    found(world.tool("qwen-code", "PostToolUse", "grep_search", json!({"pattern": "total"})));
    fs::write(world.root.join("tax.py"), "def rate(country):\n    return 2\n").unwrap();
    let patch = "*** Begin Patch\n*** Update File: tax.py\n@@\n*** End Patch\n";
    let text = world.tool("codex", "PostToolUse", "apply_patch", json!({"command": patch})).unwrap();
    assert!(text.contains("def rate() => def rate(country); not updated: total cart.py:5"), "{text}");
}

#[test]
fn without_a_daemon_hooks_print_nothing_and_start_none() {
    let world = World::indexed();
    world.env.ctl_ok(&["stop"]);
    for event in events(&world.root) {
        assert_eq!(world.hook("claude-code", event.clone()), None, "{event}");
    }
    let status = world.env.ctl(&["status"]);
    assert_eq!(status.status.code(), Some(3), "no hook started a daemon");
    // Nor where there never was one.
    let world = World::new();
    for event in events(&world.root) {
        assert_eq!(world.hook("claude-code", event.clone()), None, "{event}");
    }
}

#[test]
fn a_tree_that_is_not_registered_is_passed_over() {
    let world = World::new();
    let _daemon = world.env.daemon();
    for event in events(&world.root) {
        assert_eq!(world.hook("claude-code", event.clone()), None, "{event}");
    }
}

#[test]
fn whatever_a_client_writes_a_hook_succeeds() {
    let world = World::indexed();
    let deep = "[".repeat(100_000);
    for input in [
        &b""[..],
        b"{",
        b"null",
        b"[]",
        b"\"text\"",
        b"\xff\xfe",
        b"{\"hook_event_name\": 1}",
        b"{\"hook_event_name\": \"PostToolUse\", \"tool_name\": [], \"tool_input\": 7, \"cwd\": {}}",
        b"{\"hook_event_name\": \"PostToolUse\", \"tool_name\": \"Grep\", \"tool_input\": {\"pattern\": \"total\"}}",
        b"{\"hook_event_name\": \"PostToolUse\", \"tool_name\": \"Read\", \"tool_input\": {\"file_path\": \"\\u0000\"}, \"cwd\": \"/\"}",
        deep.as_bytes(),
    ] {
        assert_eq!(world.output("claude-code", input), b"", "{}", String::from_utf8_lossy(&input[..input.len().min(99)]));
    }
}
