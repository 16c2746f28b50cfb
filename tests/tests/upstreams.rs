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
fn prompts_and_resources_are_listed_served_and_announced() {
    let world = World::new();
    let mut client = world.client();
    let listed = |client: &mut McpClient, method: &str, list: &str, member: &str| -> Vec<String> {
        let result = client.request(method, json!({})).unwrap();
        result[list].as_array().unwrap().iter().map(|one| one[member].as_str().unwrap().to_owned()).collect()
    };
    let prompts = |client: &mut McpClient| listed(client, "prompts/list", "prompts", "name");
    let templates = "resourceTemplates";
    let own = listed(&mut client, "resources/templates/list", templates, "uriTemplate");
    assert_eq!(prompts(&mut client).len(), 4);
    world.configure(&json!({ "mcpServers": { "code": world.entry(&json!({})) } }));
    client.notification("notifications/prompts/list_changed").unwrap();
    assert_eq!(prompts(&mut client)[4..], ["code_debug", "code_explain", "code_implement", "code_review"]);
    client.notification("notifications/resources/list_changed").unwrap();
    let all = listed(&mut client, "resources/templates/list", templates, "uriTemplate");
    // Ours are ours, so the same templates of the other daemon have its key.
    let theirs: Vec<String> = own.iter().map(|one| format!("sdl-up://code/{one}")).collect();
    assert_eq!(all, [own, theirs].concat());
    let mut inner = world.inner.mcp(&world.root, &[]);
    let args = json!({ "task": "add tax" });
    let parts = |result: &Value| ["description", "messages", "contents"].map(|part| result[part].clone());
    let got = client.request("prompts/get", json!({ "name": "code_debug", "arguments": args })).unwrap();
    let own = inner.request("prompts/get", json!({ "name": "debug", "arguments": args })).unwrap();
    assert_eq!(parts(&got), parts(&own));
    let read =
        |client: &mut McpClient, uri: &str| client.request("resources/read", json!({ "uri": uri })).unwrap();
    for uri in ["sdl-up://code/sdl://shop/symbol/total", "sdl-up://code/sdl%3A%2F%2Fshop%2Fsymbol%2Ftotal"] {
        assert_eq!(
            parts(&read(&mut client, uri)),
            parts(&read(&mut inner, "sdl://shop/symbol/total")),
            "{uri}"
        );
    }
    let asked = json!({
        "ref": { "type": "ref/prompt", "name": "code_debug" }, "argument": { "name": "repoId", "value": "sh" }
    });
    let completed = client.request("completion/complete", asked).unwrap();
    assert_eq!(completed["completion"]["values"], json!(["shop"]));
    let log = world.outer.ctl_ok(&["--json", "audit", "show"]);
    for row in ["upstream.prompt", "upstream.read", "upstream.complete"] {
        assert!(log.contains(row), "{row}: {log}");
    }
    let off = json!({ "prompts": false, "resources": false });
    world.configure(&json!({ "mcpServers": { "code": world.entry(&off) } }));
    client.notification("notifications/prompts/list_changed").unwrap();
    assert_eq!(prompts(&mut client).len(), 4);
    client.request("resources/read", json!({ "uri": "sdl-up://code/sdl://shop/status" })).unwrap_err();
}

#[test]
fn a_person_sees_and_calls_what_agents_do() {
    let world = World::new();
    world.configure(&json!({ "mcpServers": { "code-2": world.entry(&json!({ "about": "the shop" })) } }));
    let ctl = |args: &[&str]| world.outer.ctl_ok(args);
    ctl(&["upstream", "refresh"]);
    let called = ctl(&["upstream", "call", "code_2", "sdl_symbol_search", r#"{"query": "total"}"#]);
    assert!(called.contains("cart.py"), "{called}");
    let refused = world.outer.ctl(&["upstream", "call", "code-2", "no_such_tool"]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    let page = ctl(&["upstream", "show", "CODE-2"]);
    for part in ["ready", "the shop", "code_2_sdl_symbol_search", "1, 0 failed"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for name in ["sdl_symbol_search", "code_2_sdl_symbol_search"] {
        let shown = ctl(&["--json", "upstream", "show", "code-2", name]);
        let shown: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["definition"]["inputSchema"]["type"], "object", "{shown:#}");
    }
    assert!(!world.outer.ctl(&["upstream", "show", "code-2", "nothing"]).status.success());
    let tokens: Value = serde_json::from_str(&ctl(&["--json", "upstream", "tokens"])).unwrap();
    let all = &tokens["all"];
    assert!(all["alone"].as_u64() >= all["brief"].as_u64() && all["brief"].as_u64() > Some(1_000), "{all}");
    assert_eq!(all["here"], 0);
    let listed = ctl(&["upstream", "ls"]);
    assert!(listed.lines().next().unwrap().contains("p95 ms") && listed.contains("code-2"), "{listed}");
    assert!(ctl(&["status"]).contains("upstreams  1 ready"));
    let checked = world.outer.ctl(&["doctor", "--reach"]);
    let checked = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.contains("code-2: it answers") && checked.contains("1 of 1 enabled"), "{checked}");
}

#[test]
fn a_file_that_is_not_in_force_is_no_good_state() {
    let world = World::new();
    world.configure(&json!({ "mcpServers": {} }));
    world.outer.ctl_ok(&["start"]);
    assert!(world.outer.ctl(&["status"]).status.success());
    world.configure(&json!({ "mcpServers": { "code": 7 } }));
    assert!(!world.outer.ctl(&["upstream", "reload"]).status.success());
    let status = world.outer.ctl(&["status"]);
    assert_eq!(status.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&status.stdout).contains("mcp.json: line 1, column"), "{status:?}");
    let checked = world.outer.ctl(&["doctor"]);
    assert!(String::from_utf8_lossy(&checked.stdout).contains("bad  mcp-json"), "{checked:?}");
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

/// A server in a few lines of shell. Its tool's description is the file `text` in `$1`, read for each list; calling `change`
/// announces another list.
const CHANGING: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case $line in
    *'"method":"initialize"'*) say '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"changing","version":"1"}}' ;;
    *'"method":"tools/list"'*) say "{\"tools\":[{\"name\":\"change\",\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"add_up\",\"description\":\"$(cat "$1/text")\",\"inputSchema\":{\"type\":\"object\"}}]}" ;;
    *'"method":"tools/call"'*)
      case $line in *'"name":"change"'*) printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}' ;; esac
      say '{"content":[{"type":"text","text":"done"}]}' ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  esac
done
"#;

#[test]
fn a_definition_that_changes_while_it_runs_is_held_and_after_a_restart_reported() {
    let world = World::new();
    let folder = world.outer.home();
    let write = |text: &str| fs::write(folder.join("text"), text).unwrap();
    fs::write(folder.join("server.sh"), CHANGING).unwrap();
    write("Adds up.");
    world.configure(&json!({ "mcpServers": { "sum": { "command": "/bin/sh", "args": [folder.join("server.sh"), folder] } } }));
    let mut client = world.client();
    let refresh = || world.outer.ctl_ok(&["upstream", "refresh", "sum"]);
    refresh();
    client.call("sum_add_up", json!({})).unwrap().ok();
    // Another version of it: served, and reported.
    write("Adds up numbers.");
    world.outer.ctl_ok(&["upstream", "restart", "sum"]);
    refresh();
    let asked = json!({ "query": "sum_add_up", "scope": "upstream", "limit": 1 });
    let found = client.call("sdl_action_search", asked.clone()).unwrap().ok();
    assert_eq!(found["results"][0]["changed"]["fields"], json!(["description"]), "{found:#}");
    assert_eq!(world.listing()["upstreams"][0]["changed"], 1);
    client.call("sum_add_up", json!({})).unwrap().ok();
    // The same process with another text.
    write("Adds up all that you know.");
    client.call("sum_change", json!({})).unwrap().ok();
    refresh();
    let refused = client.call("sum_add_up", json!({})).unwrap().err();
    assert_eq!(refused["code"], "definitionChanged", "{refused:#}");
    let found = client.call("sdl_action_search", asked.clone()).unwrap().ok();
    assert!(!found["results"].to_string().contains("sum_add_up"), "{found:#}");
    let listing = world.outer.ctl_ok(&["upstream", "ls"]);
    assert!(listing.contains("1 tool held") && listing.contains("sdlctl upstream diff sum"), "{listing}");
    let diff = world.outer.ctl_ok(&["upstream", "diff", "sum"]);
    assert!(diff.contains("-description: Adds up.") && diff.contains("+description: Adds up all"), "{diff}");
    world.outer.ctl_ok(&["upstream", "restart", "sum"]);
    refresh();
    assert_eq!(client.call("sum_add_up", json!({})).unwrap().err()["code"], "definitionChanged");
    let approved = world.outer.ctl_ok(&["upstream", "approve", "sum"]);
    assert!(approved.contains("add_up approved: description"), "{approved}");
    client.call("sum_add_up", json!({})).unwrap().ok();
    let found = client.call("sdl_action_search", asked).unwrap().ok();
    assert_eq!(found["results"][0]["changed"], Value::Null, "{found:#}");
    let log = world.outer.ctl_ok(&["audit", "show"]);
    for row in [
        "changed sum/add_up: description",
        "held sum/add_up: description",
        "approved sum/add_up: description",
    ] {
        assert!(log.contains(row), "{row}: {log}");
    }
}

/// A gate whose lists arrive late. It is built beside this test.
fn late_gate() -> String {
    let own = std::env::current_exe().unwrap();
    let path = own.parent().unwrap().parent().unwrap().join("examples/late-gate");
    assert!(path.is_file(), "{} is missing: cargo build -p sdl-tests --examples", path.display());
    path.to_str().unwrap().to_owned()
}

#[test]
fn lists_of_a_former_server_that_arrive_late_are_not_taken() {
    let mut world = World::new();
    world.outer.set_var("SDL_GATE", &late_gate());
    world.outer.set_var("LATE_GATE_REAL", Program::Gate.path().to_str().unwrap());
    let home = world.outer.home();
    fs::write(home.join("server.sh"), CHANGING).unwrap();
    let entry = |name: &str, text: &str| {
        let folder = home.join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("text"), text).unwrap();
        json!({ "mcpServers": { "sum": { "command": "/bin/sh", "args": [home.join("server.sh"), folder] } } })
    };
    let refresh = || world.outer.ctl_ok(&["upstream", "refresh", "sum"]);
    let mut client = world.client();
    let mut described = || {
        let asked = json!({ "query": "sum_add_up", "scope": "upstream", "limit": 1 });
        let found = client.call("sdl_action_search", asked).unwrap().ok();
        (found["results"][0]["description"].clone(), found["results"][0]["changed"].clone())
    };
    world.configure(&entry("one", "Adds up."));
    world.outer.ctl_ok(&["upstream", "reload"]);
    refresh();
    assert_eq!(described(), (json!("Adds up."), Value::Null));
    world.configure(&entry("other", "Counts up."));
    world.outer.ctl_ok(&["upstream", "reload"]);
    // Answered after the lists that came before, the late ones too.
    refresh();
    assert_eq!(described(), (json!("Counts up."), Value::Null));
}

#[test]
fn an_import_moves_secrets_into_credentials() {
    let env = TestEnv::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let theirs = env.home().join("theirs.json");
    let entry = json!({"command": "no-such-program", "env": {"API_TOKEN": secret, "MODE": "fast"}});
    fs::write(&theirs, json!({"mcpServers": {"one": entry, "two": {"command": "x"}}}).to_string()).unwrap();
    let import = |options: &[&str]| {
        let mut args = vec!["upstream", "import", "--from", theirs.to_str().unwrap()];
        args.extend(options);
        env.ctl(&args)
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let shown = import(&["--dry-run"]);
    assert!(text(&shown.stdout).contains("with --move-secrets"), "{shown:?}");
    let imported = import(&["--move-secrets"]);
    assert!(imported.status.success(), "{imported:?}");
    assert!(text(&imported.stdout).contains("is stored as the credential API_TOKEN"), "{imported:?}");
    let written = fs::read_to_string(env.state_dir().join("mcp.json")).unwrap();
    assert!(
        written.contains("${API_TOKEN}") && written.contains("fast") && !written.contains(secret),
        "{written}"
    );
    let stored = env.state_dir().join("credentials/API_TOKEN");
    assert_eq!(fs::read_to_string(&stored).unwrap(), secret);
    assert_eq!(fs::metadata(&stored).unwrap().permissions().mode() & 0o077, 0, "only its owner may read it");
    // Another value under a name that is taken would change what an entry gets that is there already.
    let again = import(&["--move-secrets", "--replace"]);
    assert!(!again.status.success() && text(&again.stderr).contains("sdlctl cred rm API_TOKEN"), "{again:?}");
    assert_eq!(fs::read_to_string(env.state_dir().join("mcp.json")).unwrap(), written);
    assert!(import(&["--move-secrets"]).status.success(), "what is there already is kept");
    for output in [shown, imported, again] {
        assert!(!text(&output.stdout).contains(secret) && !text(&output.stderr).contains(secret));
    }
}
