//! Who may read what, through the real shim and daemon: secrets, decisions, and their log across restarts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::path::{Path, PathBuf};

use sdl_tests::{McpClient, TestEnv};
use serde_json::{Value, json};

const APP: &str = r#"//- /app.py
def login(user, password="correct horse"):
    """Logs in; the password: hunter2222 is the default."""
    if expired(user):
        return refuse(user)
    return accept(user)


def logout(user):
    return forget(user)
//- /deploy/.env.sh
export WORD=quietword
start() { run; }
//- /.env
WORD=quietword
"#;

fn indexed(env: &TestEnv, root: &Path) -> McpClient {
    let mut client = env.mcp(root, &["--surface", "flat"]);
    client.call("sdl_repo_register", json!({"rootPath": root})).unwrap().ok();
    client.call("sdl_index_refresh", json!({"mode": "incremental"})).unwrap().ok();
    client
}

fn id(client: &mut McpClient, name: &str) -> String {
    let found = client.call("sdl_symbol_search", json!({"query": name, "exact": true})).unwrap().ok();
    found["results"][0]["symbolId"].as_str().unwrap().to_owned()
}

/// The log: who did what, and what came of it.
fn log(env: &TestEnv) -> Vec<(String, String)> {
    let shown: Value = serde_json::from_str(&env.ctl_ok(&["--json", "audit", "show"])).unwrap();
    let text = |row: &Value, key: &str| row["row"][key].as_str().unwrap().to_owned();
    shown["rows"].as_array().unwrap().iter().map(|row| (text(row, "action"), text(row, "decision"))).collect()
}

fn verified(env: &TestEnv) -> Value {
    serde_json::from_str(&env.ctl_ok(&["--json", "audit", "verify"])).unwrap()
}

/// The file that keeps the data of agents.
fn agent_store(env: &TestEnv) -> PathBuf {
    fn look(dir: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                look(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "mdb") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    look(&env.state_dir(), &mut found);
    found.retain(|path| path.to_string_lossy().contains("agent") && path.ends_with("data.mdb"));
    found.pop().expect("a store of what agents own")
}

#[test]
fn every_decision_is_one_row_and_the_log_outlives_the_daemon() {
    let env = TestEnv::new();
    let root = env.repo("app", APP);
    let mut daemon = env.daemon();
    let mut client = indexed(&env, &root);
    let login = id(&mut client, "login");
    let window = |identifiers: &[&str]| json!({"repoId": "app", "symbolId": login, "reason": "what login does: marked-for-flipping", "expectedLines": 6, "identifiersToFind": identifiers});
    let approved = client.call("sdl_code_needWindow", window(&["expired"])).unwrap().ok();
    assert_eq!(approved["approved"], true, "{approved:#}");
    assert!(!approved.to_string().contains("horse") && !approved.to_string().contains("hunter2222"));
    let gateway = json!({"action": "code.needWindow", "args": window(&["nowhere"])});
    let denied = client.call("sdl_code", gateway).unwrap().ok();
    assert_eq!(denied["approved"], false, "{denied:#}");
    let next = &denied["nextBestAction"];
    client.call(next["tool"].as_str().unwrap(), next["args"].clone()).unwrap().ok();
    let patch = json!({"repoId": "app", "policyPatch": {"maxWindowLines": 3}});
    let steps = json!({"steps": [
        {"action": "policy.set", "args": patch},
        {"action": "code.needWindow", "args": window(&["expired"])},
        {"action": "code.getSkeleton", "args": {"repoId": "app", "file": "deploy/.env.sh"}},
    ]});
    let chain = client.call("sdl_chain", steps).unwrap().ok();
    assert_eq!(chain["steps"][1]["result"]["downgradedFrom"], "window", "{chain:#}");
    assert_eq!(chain["steps"][2]["error"]["code"], "denied", "{chain:#}");
    let refused =
        client.call("sdl_code_getSkeleton", json!({"repoId": "app", "file": ".env"})).unwrap().err();
    assert_eq!(refused["code"], "denied");
    let task = json!({"repoId": "app", "taskText": "login", "focusPaths": ["deploy/.env.sh"], "budget": {"maxTokens": 4_000}});
    let assembly = client.call("sdl_agent_orchestrate", task).unwrap().ok();
    let is_source =
        |piece: &&Value| ["source", "hotPath"].contains(&piece["kind"].as_str().unwrap_or_default());
    let pieces = assembly["evidence"].as_array().unwrap().iter().filter(is_source).count();
    let wanted = [
        ("code.needWindow", "approved"),
        ("code.needWindow", "denied"),
        ("policy.set", "set"),
        ("code.needWindow", "downgraded"),
        ("code.getSkeleton", "denied"),
        ("code.getSkeleton", "denied"),
    ];
    let mut wanted: Vec<(String, String)> = wanted.map(|(a, d)| (a.to_owned(), d.to_owned())).into();
    // The source that an assembly shows is in the log too.
    let served = ("agent.orchestrate".to_owned(), "approved".to_owned());
    wanted.extend(std::iter::repeat_n(served, pieces));
    assert_eq!(log(&env), wanted);
    let before = verified(&env);
    assert_eq!((&before["ok"], &before["rows"]), (&json!(true), &json!(wanted.len())), "{before}");

    drop(client);
    env.ctl_ok(&["stop"]);
    daemon.wait();
    let mut daemon = env.daemon();
    assert_eq!(log(&env), wanted);
    assert_eq!(verified(&env), before);
    let mut client = env.mcp(&root, &["--surface", "flat"]);
    client.call("sdl_code_needWindow", window(&["expired"])).unwrap().ok();
    let after = verified(&env);
    assert_eq!((&after["ok"], &after["rows"]), (&json!(true), &json!(wanted.len() + 1)), "{after}");

    // One byte on the disk, in whichever copies of the row there are.
    drop(client);
    env.ctl_ok(&["stop"]);
    daemon.wait();
    let store = agent_store(&env);
    let mut bytes = fs::read(&store).unwrap();
    let mark = b"marked-for-flipping";
    let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(mark)).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at] ^= 1);
    fs::write(&store, bytes).unwrap();
    let _daemon = env.daemon();
    let output = env.ctl(&["--json", "audit", "verify"]);
    assert!(!output.status.success());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["ok"] == false && !found["faults"].as_array().unwrap().is_empty(), "{found}");
    // Until a person takes note of it.
    env.ctl_ok(&["audit", "acknowledge", "--reason", "flipped by a test"]);
    let after = verified(&env);
    assert!(after["ok"] == true && after["acknowledged"] == found["faults"], "{after}");
}

#[test]
fn a_person_sets_the_ceiling_and_damage_is_reported_until_acknowledged() {
    let env = TestEnv::new();
    let root = env.repo("app", APP);
    let mut daemon = env.daemon();
    let mut client = indexed(&env, &root);
    let set = |lines: u32| json!({"repoId": "app", "policyPatch": {"maxWindowLines": lines}});
    client.call("sdl_policy_set", set(220)).unwrap().ok();
    let refused = client.call("sdl_policy_set", set(300)).unwrap().err();
    let remedy = refused["askPerson"][0].as_str().unwrap().to_owned();
    let words: Vec<&str> = remedy.split(' ').skip(1).collect();
    assert!(remedy.starts_with("sdlctl policy set-ceiling"), "{refused:#}");
    env.ctl_ok(&words);
    client.call("sdl_policy_set", set(300)).unwrap().ok();
    let shown = env.ctl_ok(&["policy", "show", "--repo", "app"]);
    assert!(shown.contains("300      300"), "{shown}");
    let rows = env.ctl_ok(&["audit", "show"]);
    assert!(rows.contains("ceiling") && rows.contains('T') && rows.contains("Z app denied"), "{rows}");

    // The store of agents' data is lost, and with it the policy.
    drop(client);
    env.ctl_ok(&["stop"]);
    daemon.wait();
    fs::remove_dir_all(agent_store(&env).parent().unwrap()).unwrap();
    let _daemon = env.daemon();
    assert!(!env.ctl(&["audit", "verify"]).status.success());
    let mut client = env.mcp(&root, &["--surface", "flat"]);
    let warned = |client: &mut McpClient| {
        let info = client.call("sdl_info", json!({})).unwrap().ok()["warnings"].to_string();
        let policy =
            client.call("sdl_policy_get", json!({"repoId": "app"})).unwrap().ok()["warnings"].to_string();
        (info.contains("audit log was cut"), policy.contains("audit log was cut"))
    };
    assert_eq!(warned(&mut client), (true, true));
    assert!(env.ctl_ok(&["status"]).contains("audit log was cut"));
    env.ctl_ok(&["audit", "acknowledge", "--reason", "removed by a test"]);
    assert_eq!(warned(&mut client), (false, false));
    assert!(env.ctl(&["audit", "verify"]).status.success());
}

#[test]
fn files_of_secrets_are_listed_and_never_read() {
    let env = TestEnv::new();
    let root = env.repo("app", APP);
    let mut client = indexed(&env, &root);
    let status = client.call("sdl_repo_status", json!({"repoId": "app", "detail": "full"})).unwrap().ok();
    assert_eq!(status["skipped"]["secret"], 2, "{status:#}");
    for (tool, args) in [
        ("sdl_symbol_search", json!({"query": "start"})),
        ("sdl_symbol_search", json!({"query": "quietword"})),
        ("sdl_slice_build", json!({"taskText": "start WORD quietword"})),
        ("sdl_context_summary", json!({"query": "login"})),
        ("sdl_repo_overview", json!({"level": "full"})),
        ("sdl_symbol_getCard", json!({"symbolRef": {"name": "login"}})),
    ] {
        let answer = client.call(tool, args).unwrap();
        let told = answer.raw.to_string();
        let sent_back = told.matches("quietword").count();
        assert!(!told.contains("WORD=quietword") && !told.contains("hunter2222"), "{tool}: {told}");
        assert!(sent_back <= 2, "only the words of the task itself: {told}");
    }
    // A file that becomes one is forgotten.
    fs::rename(root.join("app.py"), root.join("prod.env.py")).unwrap();
    fs::rename(root.join("prod.env.py"), root.join(".env.py")).unwrap();
    let gone = client.call("sdl_symbol_search", json!({"query": "login", "sync": "require"})).unwrap().ok();
    assert_eq!(gone["total"], 0, "{gone:#}");
}
