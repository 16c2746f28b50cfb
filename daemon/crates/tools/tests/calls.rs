//! How calls are understood: names, gateways, twins, aliases, repositories, barriers.

mod common;

use common::World;
use sdl_tools::host::{Barrier, RepoState};
use sdl_tools::{Cancel, Code, Names, NoProgress, Surface, Tools};
use serde_json::{Value, json};

#[test]
fn a_tool_answers_to_each_of_its_names() {
    let world = World::shop();
    let plain = world.raw("sdl_symbol_search", r#"{"query":"validate"}"#);
    for name in ["sdl.symbol.search", "symbol.search"] {
        assert_eq!(world.raw(name, r#"{"query":"validate"}"#), plain);
    }
    let error = world.err("sdl_symbol_serach", json!({}));
    assert_eq!(
        (&error["code"], &error["candidates"][0]["tool"]),
        (&json!("unknownTool"), &json!("sdl_symbol_search"))
    );
}

#[test]
fn a_gateway_routes_wherever_the_action_lives() {
    let world = World::shop();
    let flat = world.ok("sdl_symbol_search", json!({"query": "validate", "limit": 3}));
    for args in [
        json!({"action": "symbol.search", "repoId": "shop", "args": {"query": "validate", "limit": 3}}),
        json!({"action": "symbol.search", "query": "validate", "limit": 3}),
        json!({"action": "sdl_symbol_search", "repo_id": "shop", "args": "{\"query\":\"validate\"}", "limit": "3"}),
    ] {
        assert_eq!(world.ok("sdl_query", args), flat);
    }
    let mut elsewhere =
        world.ok("sdl_repo", json!({"action": "symbol.search", "query": "validate", "limit": 3}));
    let notes = elsewhere.as_object_mut().unwrap().remove("notes").unwrap();
    assert!(notes[0].as_str().unwrap().contains("belongs to sdl_query"), "{notes}");
    assert_eq!(elsewhere, flat);
    for (args, code) in [
        (json!({"query": "x"}), "missingField"),
        (json!({"action": "symbol.serach", "query": "x"}), "unknownAction"),
        (json!({"action": "query"}), "unknownAction"),
        (json!({"action": 5}), "wrongType"),
        (json!({"action": "symbol.search", "query": "x", "args": {"query": "x"}}), "invalidArgument"),
        (json!({"action": "symbol.search", "task_text": "x", "args": {"query": "x"}}), "unknownField"),
        (json!({"action": "symbol.search", "args": [1]}), "wrongType"),
    ] {
        assert_eq!(world.err("sdl_query", args.clone())["code"], code, "{args}");
    }
}

#[test]
fn an_unknown_field_is_refused_with_the_nearest_and_the_schema() {
    let world = World::shop();
    let error = world.err("sdl_symbol_search", json!({"query": "x", "exportOnly": true}));
    assert_eq!(error["code"], "unknownField");
    assert_eq!(error["field"], "exportOnly");
    assert_eq!(error["candidates"], json!([{"field": "exportedOnly"}]));
    assert_eq!(error["schema"]["properties"]["query"]["type"], "string");
    let error = world.err("sdl_slice_build", json!({"taskText": "x", "budget": {"maxCard": 3}}));
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownField"), &json!("budget.maxCard")));
}

#[test]
fn text_that_two_readers_would_read_differently_is_refused_on_every_path() {
    let world = World::shop();
    for (bad, twin) in [
        (
            r#"{"mode":"full","mode":"incremental"}"#,
            r#"{"payload":"{\"mode\":\"full\",\"mode\":\"incremental\"}"}"#,
        ),
        (
            r#"{"mode":"full","reason":"\ud800"}"#,
            r#"{"payload":"{\"mode\":\"full\",\"reason\":\"\\ud800\"}"}"#,
        ),
        (r#"{"mode":"#, r#"{"payload":"{\"mode\":"}"#),
    ] {
        assert_eq!(
            world.raw("sdl_index_refresh", bad)["structuredContent"]["code"],
            "malformedJson",
            "{bad}"
        );
        assert_eq!(
            world.raw("sdl_index_refresh_raw", twin)["structuredContent"]["code"],
            "malformedJson",
            "{twin}"
        );
    }
    let nested = r#"{"action":"index.refresh","args":"{\"mode\":\"full\",\"mode\":\"full\"}"}"#;
    assert_eq!(world.raw("sdl_repo", nested)["structuredContent"]["code"], "malformedJson");
}

#[test]
fn a_twin_takes_payload_alone() {
    let world = World::shop();
    let plain = world.ok("sdl_index_refresh", json!({"mode": "full"}));
    assert_eq!(world.ok("sdl_index_refresh_raw", json!({"payload": "{\"mode\":\"full\"}"})), plain);
    assert_eq!(world.ok("sdl_index_refresh_raw", json!({"payload": {"mode": "full"}})), plain);
    let gateway = json!({"payload": "{\"action\":\"index.refresh\",\"mode\":\"full\"}"});
    assert_eq!(world.ok("sdl_repo_raw", gateway), plain);
    for (args, code) in [
        (json!({}), "missingField"),
        (json!({"payload": 5}), "wrongType"),
        (json!({"payload": "{}", "mode": "full"}), "unknownField"),
        (json!({"payload": "[]"}), "wrongType"),
        (json!([]), "wrongType"),
    ] {
        assert_eq!(world.err("sdl_index_refresh_raw", args.clone())["code"], code, "{args}");
    }
    assert_eq!(
        world.err("sdl_symbol_search_raw", json!({"payload": "{}"}))["code"],
        "unknownTool",
        "reads have none"
    );
}

#[test]
fn the_repository_is_inferred_where_exactly_one_holds_the_client() {
    let mut world = World::shop();
    world.add("other").write("//- /a.py\ndef elsewhere()\n");
    assert_eq!(world.ok("sdl_repo_status", json!({}))["repoId"], "shop");
    assert_eq!(world.ok("sdl_repo_status", json!({"repo": "other"}))["repoId"], "other");
    let error = world.err("sdl_repo_status", json!({"repoId": "shpo"}));
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownRepo"), &json!("repoId")));
    assert_eq!(error["candidates"].as_array().unwrap().len(), 2);
    world.session.cwd = Some("/tmp".into());
    let error = world.err("sdl_repo_status", json!({}));
    assert_eq!(error["code"], "unknownRepo");
    let next = &error["nextBestAction"];
    assert_eq!(next["tool"], "sdl_repo_register");
    world.ok("sdl_repo_register", next["args"].clone());
    world.session.cwd = None;
    assert_eq!(world.err("sdl_repo_status", json!({}))["code"], "unknownRepo");
}

#[test]
fn sync_is_confirmed_or_said_not_to_be() {
    let world = World::shop();
    let search = |sync: &str| json!({"query": "validate", "sync": sync});
    assert_eq!(world.ok("sdl_symbol_search", search("prefer"))["freshness"]["synced"], true);
    let none = world.ok("sdl_symbol_search", search("none"));
    assert_eq!(none["freshness"]["synced"], false, "not asked, so not known");
    *world.repo.synced.lock().unwrap() =
        Barrier { synced: false, lag_ms: 70, reason: Some("a batch is being written".into()) };
    let late = world.ok("sdl_symbol_search", search("prefer"))["freshness"].clone();
    assert_eq!((&late["synced"], &late["lagMs"]), (&json!(false), &json!(70)));
    let error = world.err("sdl_symbol_search", search("require"));
    assert_eq!(error["code"], "notSynced");
    *world.repo.state.lock().unwrap() = RepoState::Indexing { done: 12, total: Some(880) };
    let error = world.err("sdl_symbol_search", search("require"));
    assert_eq!(
        (&error["code"], &error["progress"]),
        (&json!("indexing"), &json!({"done": 12, "total": 880}))
    );
    let early = world.ok("sdl_symbol_search", search("prefer"))["freshness"].clone();
    assert_eq!(early["synced"], false);
    assert!(early["reason"].as_str().unwrap().contains("12 of 880"), "{early}");
    *world.repo.state.lock().unwrap() = RepoState::Failed { reason: "the disk is gone".into() };
    assert_eq!(world.err("sdl_symbol_search", search("require"))["code"], "unavailable");
    assert_eq!(world.ok("sdl_repo_status", json!({}))["state"], "failed");
}

#[test]
fn before_the_first_version_everything_is_empty_and_says_so() {
    let world = World::empty();
    *world.repo.state.lock().unwrap() = RepoState::Indexing { done: 0, total: None };
    let status = world.ok("sdl_repo_status", json!({}));
    assert_eq!(status["state"], "indexing");
    assert!(status.get("ledgerVersion").is_none());
    assert_eq!(world.ok("sdl_symbol_search", json!({"query": "validate"}))["freshness"]["synced"], false);
}

#[test]
fn a_cancelled_call_says_so() {
    let world = World::shop();
    let cancel = Cancel::new();
    cancel.cancel();
    let bytes = world.tools.call(&world.session, "symbol.search", br#"{"query":"x"}"#, &NoProgress, &cancel);
    let result: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(result["structuredContent"]["code"], serde_json::to_value(Code::Cancelled).unwrap());
}

#[test]
fn reads_may_be_sent_again_and_nothing_else() {
    let world = World::empty();
    let tools: &Tools = &world.tools;
    let described: Value = serde_json::from_slice(&tools.describe()).unwrap();
    for action in described["actions"].as_array().unwrap() {
        let mutating = action["mutating"] == true;
        let tool = action["tool"].as_str().unwrap();
        assert_eq!(tools.is_read(tool), !mutating, "{tool}");
        assert_eq!(tools.is_read(&format!("{tool}_raw")), !mutating, "{tool}_raw");
        let through = json!({"action": action["name"]}).to_string();
        assert_eq!(tools.is_read_call("sdl_query", through.as_bytes()), !mutating, "{tool}");
        let raw = json!({"payload": through}).to_string();
        assert_eq!(tools.is_read_call("sdl_repo_raw", raw.as_bytes()), !mutating, "{tool}");
    }
    assert!(!tools.is_read("sdl_query"), "a gateway may lead anywhere");
    assert!(!tools.is_read("sdl_chain"), "a chain may have any steps");
    let search = json!({"action": "sdl_symbol_search", "args": {"query": "x"}});
    for (steps, reads) in [
        (json!([search]), true),
        (json!([search, {"action": "map", "args": {"from": "$0.results", "path": "name"}}]), true),
        (json!([search, {"action": "no.such"}]), true),
        (json!([search, {"action": "memory.remove", "args": {"memoryId": "m"}}]), false),
        (json!([search, {"action": "chain", "args": {"steps": [search]}}]), false),
        (json!([search, {"action": 5}]), false),
        (json!([]), false),
    ] {
        let args = json!({ "steps": steps });
        for (tool, args) in [
            ("sdl_chain", args.clone()),
            ("sdl.chain", json!({"steps": steps.to_string()})),
            ("sdl_chain_raw", json!({"payload": args})),
            ("sdl_chain_raw", json!({"payload": args.to_string()})),
            ("sdl_query", json!({"action": "chain", "steps": steps})),
            ("sdl_repo_raw", json!({"payload": {"action": "chain", "args": args.to_string()}})),
        ] {
            assert_eq!(tools.is_read_call(tool, args.to_string().as_bytes()), reads, "{tool} {args}");
        }
    }
    assert!(tools.is_read("no such tool"));
}

#[test]
fn lists_are_json_and_stay_as_they_are() {
    let world = World::empty();
    for surface in Surface::ALL {
        for names in [Names::Underscored, Names::Dotted] {
            let bytes = world.tools.list(surface, true, names);
            assert_eq!(bytes, world.tools.list(surface, true, names));
            let listed: Value = serde_json::from_slice(&bytes).unwrap();
            for tool in listed["tools"].as_array().unwrap() {
                assert_eq!(
                    tool["name"].as_str().unwrap().contains('.'),
                    names == Names::Dotted,
                    "{}",
                    tool["name"]
                );
            }
        }
    }
    assert_eq!(world.ok("sdl_info", json!({}))["schemaVersion"], world.tools.schema_version());
}

#[test]
fn redacted_info_shows_no_paths() {
    let world = World::shop();
    let shown = world.ok("sdl_info", json!({})).to_string();
    let hidden = world.ok("sdl_info", json!({"redactPaths": true})).to_string();
    assert!(shown.contains("/var/state"));
    assert!(!hidden.contains("/var/state") && !hidden.contains("rootPath"), "{hidden}");
}

#[test]
fn the_text_alone_says_how_fresh_it_is() {
    let world = World::shop();
    let text = |world: &World| {
        let result = world.raw("sdl_symbol_search", r#"{"query":"validate","semantic":true}"#);
        result["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    };
    assert!(text(&world).contains(&format!("\n[{}]", world.repo.head())), "{}", text(&world));
    assert!(text(&world).contains("note: search by meaning"), "{}", text(&world));
    *world.repo.synced.lock().unwrap() =
        Barrier { synced: false, lag_ms: 70, reason: Some("a batch is being written".into()) };
    let late = format!("[{}, not synced, lags 70 ms: a batch is being written]", world.repo.head());
    assert!(text(&world).contains(&late), "{}", text(&world));
}
