//! The tools, resources, prompts and completions that a client sees, through the real shim and daemon: surfaces
//! switched while running, and lines that are no JSON.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::path::Path;

use sdl_tests::{McpClient, McpError, TestEnv};
use serde_json::{Value, json};

const APP: &str = "//- /a.py\ndef alpha():\n    return beta()\n\ndef beta():\n    return 1\n";

fn indexed(env: &TestEnv, root: &Path, surface: &str) -> McpClient {
    let mut client = env.mcp(root, &["--surface", surface]);
    client.call("sdl_repo_register", json!({"rootPath": root})).unwrap().ok();
    client.call("sdl_index_refresh", json!({"mode": "incremental"})).unwrap().ok();
    client
}

fn names(client: &mut McpClient) -> Vec<String> {
    client.list_tools().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn running_clients_change_their_surface_and_are_told() {
    let env = TestEnv::new();
    let root = env.repo("app", APP);
    let mut client = indexed(&env, &root, "gateway");
    let mut other = env.mcp(&root, &["--surface", "flat"]);
    assert!(names(&mut client).contains(&"sdl_query".to_owned()));
    assert!(names(&mut other).contains(&"sdl_slice_build".to_owned()));
    env.ctl_ok(&["surface", "search"]);
    for client in [&mut client, &mut other] {
        client.notification("notifications/tools/list_changed").unwrap();
        assert_eq!(names(client), ["sdl_action_search"]);
        let found = client.call("sdl_symbol_search", json!({"query": "alpha"})).unwrap().ok();
        assert_eq!(found["results"][0]["name"], "alpha", "every tool is callable by name");
    }
    let said: Value = serde_json::from_str(&env.ctl_ok(&["--json", "surface", "search"])).unwrap();
    assert_eq!(said, json!({"clients": 2, "changed": 0}));
    env.ctl_ok(&["surface", "gateway"]);
    client.notification("notifications/tools/list_changed").unwrap();
    assert!(names(&mut client).contains(&"sdl_chain".to_owned()));
}

#[test]
fn names_have_dots_for_clients_that_ask_for_them() {
    let env = TestEnv::new();
    let root = env.repo("app", APP);
    drop(indexed(&env, &root, "flat"));
    let mut client = env.mcp(&root, &["--surface", "flat", "--names", "dotted"]);
    let listed = names(&mut client);
    assert!(listed.contains(&"sdl.slice.build".to_owned()), "{listed:?}");
    assert!(listed.iter().all(|name| name.starts_with("sdl.")), "{listed:?}");
    let found = client.call("sdl.symbol.search", json!({"query": "alpha"})).unwrap().ok();
    assert_eq!(found["results"][0]["name"], "alpha");
    env.ctl_ok(&["surface", "gateway"]);
    client.notification("notifications/tools/list_changed").unwrap();
    let listed = names(&mut client);
    assert!(listed.contains(&"sdl.query".to_owned()), "another surface keeps the spelling: {listed:?}");
}

#[test]
fn resources_prompts_and_completions_pass_through() {
    let env = TestEnv::new();
    let root = env.repo("app", APP);
    let mut client = indexed(&env, &root, "gateway");
    let templates = client.request("resources/templates/list", json!({})).unwrap();
    assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 3, "{templates}");
    let card = client.request("resources/read", json!({"uri": "sdl://app/symbol/alpha"})).unwrap();
    assert!(card["contents"][0]["text"].as_str().unwrap().contains("alpha"), "{card}");
    let gamma = "sdl://app/symbol/gamma";
    match client.request("resources/read", json!({"uri": gamma})).unwrap_err() {
        McpError::Rpc { code: -32002, data, .. } => assert_eq!(data["uri"], gamma),
        other => panic!("{other}"),
    }
    let prompts = client.request("prompts/list", json!({})).unwrap();
    assert_eq!(prompts["prompts"].as_array().unwrap().len(), 4);
    let debug = json!({"name": "debug", "arguments": {"task": "alpha returns 1"}});
    let debug = client.request("prompts/get", debug).unwrap();
    assert!(debug["messages"][0]["content"]["text"].as_str().unwrap().contains("alpha returns 1"));
    let complete = json!({
        "ref": {"type": "ref/prompt", "name": "debug"},
        "argument": {"name": "symbol", "value": "al"}
    });
    let complete = client.request("completion/complete", complete).unwrap();
    assert_eq!(complete["completion"]["values"], json!(["alpha"]));
}
