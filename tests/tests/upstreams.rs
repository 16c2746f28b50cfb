//! Upstream servers of a real daemon, a real gate and a real shim. The upstream is a server that is at hand: another
//! daemon's shim.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use sdl_tests::{McpClient, Program, TestEnv};
use serde_json::{Value, json};

/// A daemon, and another one whose shim is its upstream.
struct World {
    inner: TestEnv,
    outer: TestEnv,
    root: PathBuf,
}

impl World {
    fn new() -> Self {
        let (inner, outer) = (TestEnv::new(), TestEnv::new());
        let root = inner.repo("shop", "//- /cart.py\ndef total(items):\n    return sum(items)\n");
        inner.ctl_ok(&["index", root.to_str().unwrap()]);
        Self { inner, outer, root }
    }

    /// An entry of `mcp.json` that starts the inner daemon's shim.
    fn entry(&self, sdl: &Value) -> Value {
        json!({
            "command": Program::Shim.path(),
            "args": ["--repo", self.root, "--surface", "flat"],
            "env": {
                "SDL_STATE_DIR": self.inner.state_dir(),
                "SDL_RUNTIME_DIR": self.inner.runtime_dir(),
                "SDL_DAEMON": Program::Daemon.path()
            },
            "sdl": sdl
        })
    }

    fn configure(&self, settings: &Value) {
        let path = self.outer.state_dir().join("mcp.json");
        let fresh = self.outer.state_dir().join("mcp.json.test");
        fs::write(&fresh, settings.to_string()).unwrap();
        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o600)).unwrap();
        fs::rename(&fresh, &path).unwrap();
    }

    fn client(&self) -> McpClient {
        self.outer.mcp(&self.outer.home(), &[])
    }

    fn listing(&self) -> Value {
        let output = self.outer.ctl(&["--json", "upstream", "ls"]);
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn names(client: &mut McpClient) -> Vec<String> {
    let tools = client.list_tools().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_tool_is_found_by_what_it_does_and_called() {
    let world = World::new();
    world.configure(&json!({ "mcpServers": { "code-2": world.entry(&json!({ "about": "the shop" })) } }));
    let mut client = world.client();
    assert!(names(&mut client).contains(&"sdl_tool_call".to_owned()));
    let asked = json!({ "query": "find symbols by name", "scope": "upstream", "fresh": true });
    let found = client.call("sdl_action_search", asked).unwrap().ok();
    let all: Vec<&str> =
        found["results"].as_array().unwrap().iter().map(|one| one["tool"].as_str().unwrap()).collect();
    assert!(all.contains(&"code_2_sdl_symbol_search"), "{found:#}");
    assert_eq!(found["results"][0]["state"], "ready", "{found:#}");
    let query = json!({ "query": "total" });
    let own = world.inner.mcp(&world.root, &[]).call("sdl_symbol_search", query.clone()).unwrap().raw;
    // The gate may speak another revision of the protocol than this test.
    let parts = |result: &Value| ["content", "structuredContent", "isError"].map(|part| result[part].clone());
    for (name, args) in [
        ("code_2_sdl_symbol_search", query.clone()),
        ("code-2/sdl_symbol_search", query.clone()),
        ("sdl_tool_call", json!({ "tool": "code_2_sdl_symbol_search", "args": query })),
    ] {
        assert_eq!(parts(&client.call(name, args).unwrap().raw), parts(&own), "{name}");
    }
    let listed = world.listing();
    let one = &listed["upstreams"][0];
    assert_eq!((&one["state"], &one["calls"], &one["failed"]), (&json!("ready"), &json!(3), &json!(0)));
    let log = world.outer.ctl_ok(&["--json", "audit", "show"]);
    assert!(log.contains("upstream.call") && log.contains("sdl_symbol_search"), "{log}");
    assert!(world.outer.ctl(&["audit", "verify"]).status.success());
}

#[test]
fn settings_take_effect_while_clients_are_connected() {
    let world = World::new();
    let mut client = world.client();
    assert!(!names(&mut client).contains(&"sdl_tool_call".to_owned()), "nothing is configured");
    world.configure(&json!({ "mcpServers": { "code": world.entry(&json!({ "mode": "passthrough" })) } }));
    // First that there is an upstream, then its tools.
    let mut all = Vec::new();
    while !all.contains(&"code_sdl_symbol_search".to_owned()) {
        client.notification("notifications/tools/list_changed").unwrap();
        all = names(&mut client);
    }
    world.configure(&json!({ "mcpServers": { "code": world.entry(&json!({ "mode": "synthesize" })) } }));
    client.notification("notifications/tools/list_changed").unwrap();
    assert!(!names(&mut client).contains(&"code_sdl_symbol_search".to_owned()));
    // A broken file changes nothing, and is reported.
    fs::write(world.outer.state_dir().join("mcp.json"), "{\"mcpServers\": {\"code\": {\"comand\": 1}}}")
        .unwrap();
    let reloaded = world.outer.ctl(&["upstream", "reload"]);
    assert!(!reloaded.status.success());
    assert!(String::from_utf8_lossy(&reloaded.stderr).contains("line 1"), "{reloaded:?}");
    assert!(world.listing()["configError"].as_str().unwrap().contains("line 1"));
    client.call("code_sdl_symbol_search", json!({ "query": "total" })).unwrap().ok();
    world.outer.ctl(&["upstream", "rm", "code"]);
    world.configure(&json!({ "mcpServers": {} }));
    client.notification("notifications/tools/list_changed").unwrap();
    let gone = client.call("code_sdl_symbol_search", json!({ "query": "total" })).unwrap().err();
    assert_eq!(gone["code"], "unknownTool", "{gone:#}");
}

#[test]
fn another_command_under_a_known_key_is_read_at_once() {
    let world = World::new();
    let mut entry = world.entry(&json!({ "mode": "passthrough" }));
    world.configure(&json!({ "mcpServers": { "code": entry } }));
    let mut client = world.client();
    while !names(&mut client).contains(&"code_sdl_symbol_search".to_owned()) {
        client.notification("notifications/tools/list_changed").unwrap();
    }
    entry["args"] = json!(["--repo", world.root, "--surface", "search"]);
    world.configure(&json!({ "mcpServers": { "code": entry } }));
    let mut all = names(&mut client);
    while all.contains(&"code_sdl_symbol_search".to_owned()) {
        client.notification("notifications/tools/list_changed").unwrap();
        all = names(&mut client);
    }
    assert!(all.contains(&"code_sdl_action_search".to_owned()), "{all:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn no_child_outlives_a_daemon_that_is_killed() {
    let world = World::new();
    world.configure(&json!({ "mcpServers": { "code": world.entry(&json!({})) } }));
    let mut daemon = world.outer.daemon();
    let mut client = world.client();
    let fresh = json!({ "query": "x", "scope": "upstream", "fresh": true });
    client.call("sdl_action_search", fresh.clone()).unwrap().ok();
    let pid = world.listing()["upstreams"][0]["pid"].as_u64().unwrap();
    daemon.kill();
    let ended =
        Command::new("timeout").args(["30", "tail", "-f", "/dev/null", "--pid", &pid.to_string()]).status();
    assert!(ended.unwrap().success(), "the upstream still runs");
    let _next = world.outer.daemon();
    let mut client = world.client();
    client.call("code_sdl_symbol_search", json!({ "query": "total" })).unwrap().ok();
}
