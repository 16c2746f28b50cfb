//! How calls are understood: names, gateways, twins, aliases, repositories, barriers.

use crate::common::{SHOP, World};
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
fn ambiguous_json_is_refused_on_every_path() {
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
    let found = world.ok("sdl_symbol_search_raw", json!({"payload": "{\"query\":\"validate\"}"}));
    assert_eq!(found["results"][0]["name"], "validate", "reads have one too");
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
    *world.repo.synced.lock().unwrap() = Barrier {
        synced: false,
        lag_ms: 70,
        reason: Some("a batch is being written".into()),
        timed_out: true,
    };
    let late = world.ok("sdl_symbol_search", search("prefer"))["freshness"].clone();
    assert_eq!((&late["synced"], &late["lagMs"]), (&json!(false), &json!(70)));
    let error = world.err("sdl_symbol_search", search("require"));
    assert_eq!(error["code"], "notSynced");
    *world.repo.state.lock().unwrap() = RepoState::Indexing { done: 12, total: Some(880), left: None };
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

/// A repository in the middle of its first index.
fn being_indexed() -> World {
    let world = World::empty();
    *world.repo.state.lock().unwrap() = RepoState::Indexing { done: 12, total: Some(880), left: None };
    *world.repo.synced.lock().unwrap() = Barrier::default();
    world
}

/// Calls that need the tree.
fn calls_on_the_tree() -> Vec<(&'static str, Value)> {
    let symbol = "s_0123456789abc";
    vec![
        ("symbol.search", json!({"query": "validate"})),
        ("symbol.getCard", json!({"symbolRef": {"name": "validate"}})),
        ("symbol.getCards", json!({"symbolIds": [symbol]})),
        ("slice.build", json!({"taskText": "compose"})),
        ("slice.build", json!({"entrySymbols": [symbol]})),
        ("context.summary", json!({"query": "compose"})),
        ("delta.get", json!({"fromVersion": "previous", "toVersion": "latest"})),
        ("pr.risk.analyze", json!({"fromVersion": "previous", "toVersion": "latest"})),
        ("symbol.related", json!({"symbol": "validate"})),
        ("symbol.path", json!({"to": "validate"})),
        ("change.impact", json!({"symbols": ["validate"]})),
        ("symbol.rename", json!({"symbol": "validate", "newName": "check"})),
        ("symbol.unused", json!({})),
        ("code.getSkeleton", json!({"file": "src/a.py"})),
        ("code.getHotPath", json!({"symbolId": symbol, "identifiersToFind": ["x"]})),
        (
            "code.needWindow",
            json!({"symbolId": symbol, "reason": "r", "expectedLines": 3, "identifiersToFind": ["x"]}),
        ),
        ("repo.overview", json!({})),
        ("agent.orchestrate", json!({"taskText": "compose", "budget": {"maxTokens": 2_000}})),
        ("memory.store", json!({"type": "note", "title": "t", "content": "c", "symbolIds": [symbol]})),
    ]
}

#[test]
fn during_the_first_index_no_answer_looks_final() {
    let world = being_indexed();
    for (action, args) in calls_on_the_tree() {
        for sync in ["none", "prefer", "require"] {
            let mut args = args.clone();
            args["sync"] = sync.into();
            let error = world.err(action, args.clone());
            assert_eq!(error["code"], "indexing", "{action} {args}: {error}");
            assert_eq!(error["progress"], json!({"done": 12, "total": 880}), "{action} {args}");
            assert!(error["retryAfterMs"].as_u64().unwrap() > 0, "{action} {args}");
            let next = &error["nextBestAction"];
            world.ok(next["tool"].as_str().unwrap(), next["args"].clone());
        }
    }
    let status = world.ok("sdl_repo_status", json!({}));
    assert_eq!((&status["state"], status.get("ledgerVersion")), (&json!("indexing"), None));
    assert_eq!(world.ok("memory.query", json!({}))["total"], 0, "memories are not in the tree");
    world.ok("memory.store", json!({"type": "note", "title": "t", "content": "c"}));
    *world.repo.state.lock().unwrap() = RepoState::Failed { reason: "the disk is full".into() };
    let error = world.err("slice.build", json!({"taskText": "compose"}));
    assert_eq!(error["code"], "unavailable");
    assert!(error["message"].as_str().unwrap().contains("the disk is full"), "{error}");
}

#[test]
fn a_first_index_that_ends_in_time_is_waited_for() {
    for (action, args) in [
        ("slice.build", json!({"taskText": "checks a token"})),
        ("symbol.search", json!({"query": "validate"})),
        ("slice.build", json!({"taskText": "checks a token", "sync": "require"})),
    ] {
        let world = being_indexed();
        // The index ends while the second call of the barrier waits, after the first has waited for a while.
        *world.repo.synced.lock().unwrap() = Barrier { timed_out: true, ..Barrier::default() };
        world.repo.at_barrier(2, |repo| {
            repo.write(SHOP);
            *repo.state.lock().unwrap() = RepoState::Live;
            *repo.synced.lock().unwrap() = Barrier { synced: true, ..Barrier::default() };
        });
        let heard = Heard::default();
        let bytes = args.to_string();
        let bytes = world.tools.call(&world.session, action, bytes.as_bytes(), &heard, &Cancel::new());
        let result: Value = serde_json::from_slice(&bytes).unwrap();
        let answer = &result["structuredContent"];
        assert_eq!(answer["freshness"]["synced"], true, "{action}: {answer}");
        assert!(answer.to_string().contains("validate"), "{action}: {answer}");
        let heard = heard.0.lock().unwrap();
        assert_eq!(heard[..], [(12, Some(880)), (12, Some(880))], "{action}");
    }
}

/// Progress as it came.
#[derive(Default)]
struct Heard(std::sync::Mutex<Vec<(u64, Option<u64>)>>);

impl sdl_tools::Progress for Heard {
    fn report(&self, done: u64, total: Option<u64>, _message: &str) {
        self.0.lock().unwrap().push((done, total));
    }
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
            let bytes = world.tools.list(&world.session, surface, true, names);
            assert_eq!(bytes, world.tools.list(&world.session, surface, true, names));
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
    *world.repo.synced.lock().unwrap() = Barrier {
        synced: false,
        lag_ms: 70,
        reason: Some("a batch is being written".into()),
        timed_out: true,
    };
    let late = format!("[{}, not synced, lags 70 ms: a batch is being written]", world.repo.head());
    assert!(text(&world).contains(&late), "{}", text(&world));
}

#[test]
fn arguments_without_effect_are_named() {
    let world = World::shop();
    let root = sdl_tools::Repo::root(world.repo.as_ref()).to_owned();
    for (tool, args, says) in [
        (
            "repo.register",
            json!({"rootPath": root, "ignore": ["vendor/"], "maxFileBytes": 5_000}),
            "ignore, maxFileBytes",
        ),
        ("index.refresh", json!({"mode": "full", "paths": ["src"]}), "paths"),
        ("repo.overview", json!({"level": "stats", "directories": ["src"]}), "directories"),
        ("slice.build", json!({"taskText": "validate a token", "memoryLimit": 3}), "memoryLimit"),
    ] {
        let answer = world.ok(tool, args.clone());
        assert!(answer["notes"].to_string().contains(says), "{tool} {args}: {answer:#}");
    }
    // A note of one step is not repeated for the next.
    let steps = json!([
        {"action": "index.refresh", "args": {"mode": "full", "paths": ["src"]}},
        {"action": "policy.get"}
    ]);
    let chain = world.ok("sdl_chain", json!({ "steps": steps }));
    assert!(chain["steps"][0]["result"].get("notes").is_some(), "{chain:#}");
    assert!(chain["steps"][1]["result"].get("notes").is_none(), "{chain:#}");
}

/// The error of a call, whose next action must work as it is.
fn error_with_next(world: &World, tool: &str, args: Value) -> Value {
    let error = world.err(tool, args.clone());
    let next = &error["nextBestAction"];
    assert!(next.is_object(), "{tool} {args}: {error:#}");
    world.ok(next["tool"].as_str().unwrap(), next["args"].clone());
    error
}

#[test]
fn errors_advise_what_the_action_takes() {
    let world = World::shop();
    for (tool, args) in [
        ("code.getSkeleton", json!({"symbolId": "validate"})),
        ("slice.build", json!({"entrySymbols": ["validate"]})),
        ("symbol.getCard", json!({"symbolId": "validate"})),
    ] {
        let error = error_with_next(&world, tool, args);
        assert!(!error["message"].as_str().unwrap().contains("symbolRef"), "{error}");
        assert_eq!(error["candidates"][0]["name"], "validate", "{error}");
    }
}

#[test]
fn what_nothing_matches_is_named_as_the_action_names_it() {
    let world = World::shop();
    for (tool, args, field) in [
        ("slice.build", json!({"taskText": "zyxomma qwertz"}), "taskText"),
        ("slice.build", json!({"stackTrace": "at nowhere (none.js:1:1)"}), "stackTrace"),
        ("context.summary", json!({"query": "zyxomma qwertz vwx", "scope": "task"}), "query"),
        (
            "agent.orchestrate",
            json!({"taskText": "zyxomma qwertz", "budget": {"maxTokens": 2_000}}),
            "taskText",
        ),
    ] {
        let error = error_with_next(&world, tool, args.clone());
        assert_eq!(error["field"], field, "{tool} {args}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(field) && !message.contains("give taskText"), "{message}");
    }
}

#[test]
fn a_file_that_is_not_there_names_those_that_may_be_meant() {
    let world = World::shop();
    for (file, meant) in
        [("cart.py", "src/shop/cart.py"), ("src/aut.py", "src/auth.py"), ("auht.py", "src/auth.py")]
    {
        let error = error_with_next(&world, "code.getSkeleton", json!({"file": file}));
        assert_eq!(error["candidates"][0]["file"], meant, "{file}: {error}");
    }
    let noted = world.ok("context.summary", json!({"query": "src/aut.py"}));
    assert!(noted["notes"][0].as_str().unwrap().contains("src/auth.py"), "{noted}");
    let error = error_with_next(&world, "context.summary", json!({"query": "src/aut.py", "scope": "file"}));
    assert_eq!(error["candidates"][0]["query"], "src/auth.py", "{error}");
}

#[test]
fn unknown_actions_and_tools_lead_to_those_that_do_the_same() {
    let world = World::shop();
    let chain = world.ok("sdl_chain", json!({"steps": [{"action": "symbol.find", "args": {"query": "x"}}]}));
    let meant = &chain["steps"][0]["error"]["candidates"];
    assert_eq!(meant[0]["action"], "symbol.search", "{chain:#}");
    assert!(!meant.to_string().contains("\"info\""), "{meant}");
    let error = world.err("sdl_symbol_find", json!({"query": "x"}));
    assert!(error["candidates"].to_string().contains("sdl_symbol_search"), "{error}");
}

#[test]
fn a_misspelt_id_leads_to_the_one_that_is_held() {
    let world = World::shop();
    world.ok("slice.build", json!({"taskText": "validate a token"}));
    let id = world.repo.symbol("src/auth.py", "validate");
    let last = if id.ends_with('0') { '1' } else { '0' };
    let misspelt = format!("{}{last}", &id[..id.len() - 1]);
    let error = error_with_next(&world, "symbol.getCard", json!({ "symbolId": misspelt }));
    assert_eq!(error["candidates"][0]["symbolId"], id, "{error}");
}

#[test]
fn a_handle_needs_no_repository_and_leads_on() {
    let mut world = World::shop();
    let refresh = |handle: &str| json!({"sliceHandle": handle, "knownVersion": "v1"});
    error_with_next(&world, "slice.refresh", refresh("h_000000000000000"));
    world.session.cwd = Some("/".into());
    for handle in ["nonsense", "h_1", "h_000000000000000"] {
        let error = error_with_next(&world, "slice.refresh", refresh(handle));
        assert_eq!(
            (&error["code"], &error["field"]),
            (&json!("unknownHandle"), &json!("sliceHandle")),
            "{handle}: {error}"
        );
    }
}

#[test]
fn a_folder_that_would_be_refused_is_not_proposed() {
    let mut world = World::shop();
    world.session.cwd = Some("/refused".into());
    let error = error_with_next(&world, "symbol.search", json!({"query": "x"}));
    assert_eq!(error["nextBestAction"]["tool"], "sdl_info", "{error}");
}
