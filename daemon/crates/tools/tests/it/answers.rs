//! Every action, once through: the answer is right, fits its schema, and says how fresh it is.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;

use crate::common::{World, schema};
use serde_json::{Value, json};

/// Calls that every action of this release must answer, on the shop.
fn calls(world: &World) -> Vec<(&'static str, Value)> {
    let validate = world.repo.symbol("src/auth.py", "validate");
    let built =
        world.ok("sdl_slice_build", json!({"taskText": "validate a token", "budget": {"maxCards": 2}}));
    let memory =
        json!({"type": "note", "title": "Tokens", "content": "They expire.", "symbolIds": [validate]});
    let memory = world.ok("sdl_memory_store", memory);
    let ran = world.ok("sdl_runtime_execute", json!({"executable": "env"}));
    let mut calls = vec![
        ("symbol.search", json!({"query": "validate", "includeRetrievalEvidence": true})),
        ("symbol.search", json!({"query": "nothingLikeThis"})),
        ("symbol.getCard", json!({"symbolId": validate})),
        ("symbol.getCard", json!({"symbolRef": {"name": "Session.close"}, "detail": "signature"})),
        ("symbol.getCards", json!({"symbolIds": [validate, "s_0000000000000"], "includeMemories": true})),
        (
            "slice.build",
            json!({"entrySymbols": [validate], "wireFormat": "standard", "includeRetrievalEvidence": true}),
        ),
        (
            "slice.refresh",
            json!({"sliceHandle": built["sliceHandle"], "knownVersion": built["ledgerVersion"]}),
        ),
        ("symbol.related", json!({"symbol": "validate", "depth": 2})),
        ("symbol.path", json!({"from": "checkout", "to": "lookup"})),
        ("change.impact", json!({"symbols": ["validate"]})),
        ("symbol.rename", json!({"symbol": "validate", "newName": "check_token"})),
        ("symbol.unused", json!({"minConfidence": 0.3})),
        ("change.impact", json!({"files": ["src/auth.py"], "want": "tests"})),
        ("delta.get", json!({"fromVersion": world.repo.head(), "toVersion": "latest"})),
        ("context.summary", json!({"query": "validate a token", "format": "clipboard"})),
        ("pr.risk.analyze", json!({"fromVersion": world.repo.head(), "toVersion": "latest"})),
        ("code.getSkeleton", json!({"file": "src/auth.py", "maxLines": 1})),
        ("code.getHotPath", json!({"symbolId": validate, "identifiersToFind": ["token"]})),
        (
            "code.needWindow",
            json!({"symbolId": validate, "reason": "see validate", "expectedLines": 1, "identifiersToFind": ["token"]}),
        ),
        ("policy.get", json!({})),
        ("policy.set", json!({"policyPatch": {"maxWindowLines": 200}})),
        (
            "buffer.push",
            json!({"filePath": "real/unsaved.py", "eventType": "change", "version": 1, "content": "x = 1\n"}),
        ),
        ("buffer.status", json!({})),
        ("buffer.checkpoint", json!({"reason": "a test"})),
        ("agent.orchestrate", json!({"taskText": "validate a token", "budget": {"maxTokens": 2_000}})),
        ("repo.register", json!({"rootPath": "/somewhere/else"})),
        ("repo.status", json!({"detail": "full"})),
        ("repo.overview", json!({"level": "full"})),
        ("index.refresh", json!({"mode": "incremental", "paths": ["src"]})),
        ("action.search", json!({"query": "search for zyxomma"})),
        (
            "agent.feedback",
            json!({"sliceHandle": built["sliceHandle"], "usefulSymbols": [validate], "rating": 4}),
        ),
        ("usage.stats", json!({})),
        ("runtime.execute", json!({"executable": "env"})),
        ("runtime.queryOutput", json!({"artifactHandle": ran["artifactHandle"], "queryTerms": ["path"]})),
        ("agent.feedback.query", json!({})),
        ("memory.store", json!({"type": "pattern", "title": "t", "content": "c", "files": ["src/db.py"]})),
        ("memory.query", json!({"query": "nothing like this"})),
        ("memory.query", json!({"symbolIds": [validate], "staleOnly": false})),
        ("memory.surface", json!({"symbolIds": [validate], "taskType": "debug"})),
        ("memory.remove", json!({"memoryId": memory["memoryId"]})),
        ("info", json!({})),
        ("manual", json!({"query": "slice zyxomma"})),
        ("chain", json!({"steps": [{"action": "repo.status"}, {"action": "no.such"}]})),
        ("tool.call", json!({"tool": "symbol.search", "args": {"query": "validate"}})),
    ];
    if let Some(handle) = built.pointer("/truncation/spilloverHandle") {
        calls.push(("slice.spillover.get", json!({"spilloverHandle": handle, "pageSize": 1})));
    }
    calls
}

#[test]
fn every_answer_fits_its_schema_and_says_how_fresh_it_is() {
    let world = World::shop().with_modules();
    world.allow(r#"{"enabled": true, "executables": ["env"]}"#);
    let described: Value = serde_json::from_slice(&world.tools.describe()).unwrap();
    let actions = described["actions"].as_array().unwrap();
    let calls = calls(&world);
    for action in actions.iter().filter(|action| action["module"].is_null()) {
        assert!(calls.iter().any(|(name, _)| *name == action["name"]), "{} is not called", action["name"]);
    }
    for (name, args) in calls {
        let answer = world.ok(name, args.clone());
        let action = actions.iter().find(|action| action["name"] == name).unwrap();
        let breaches = schema::breaches(&action["outputSchema"], &answer, name);
        assert!(breaches.is_empty(), "{name} {args}: {breaches:#?}\n{answer:#}");
        if action["outputSchema"]["properties"].get("freshness").is_some() {
            let head = world.repo.head();
            // The host of these tests does not keep the repositories that it registers.
            let head = if name == "repo.register" { "v0".to_owned() } else { head };
            assert_eq!(answer["freshness"]["version"], head, "{name}");
            let synced = &answer["freshness"]["synced"];
            let apart = answer["freshness"]["reason"] == "the answer does not depend on the tree";
            assert!(synced.is_boolean() != apart, "{name}: {}", answer["freshness"]);
            let part = answer["freshness"]["reason"] == "only the given paths were compared";
            assert!(synced != false || part, "{name}: nothing is out of date: {}", answer["freshness"]);
            assert!(answer["freshness"]["lagMs"].is_u64(), "{name}");
        }
    }
}

#[test]
fn a_name_is_found_and_its_card_says_what_it_calls() {
    let world = World::shop();
    let found = world.ok("sdl_symbol_search", json!({"query": "validate"}));
    let id = found["results"][0]["symbolId"].as_str().unwrap().to_owned();
    assert_eq!(found["results"][0]["name"], "validate");
    assert_eq!(id, world.repo.symbol("src/auth.py", "validate"));
    let card = world.ok("sdl_symbol_getCard", json!({"symbolId": id}))["card"].clone();
    assert_eq!(card["summary"], "Checks a token and finds its user.");
    let calls: Vec<&str> =
        card["deps"]["calls"].as_array().unwrap().iter().filter_map(|c| c["name"].as_str()).collect();
    assert_eq!(calls.len(), 2, "{card:#}");
    assert_eq!(card["ledgerVersion"], world.repo.head());
    let again = world.ok("sdl_symbol_getCard", json!({"symbolId": id, "ifNoneMatch": card["etag"]}));
    assert_eq!((&again["notModified"], &again["etag"]), (&json!(true), &card["etag"]));
    assert_eq!(again["range"], card["range"]);
    assert!(again.get("card").is_none());
    // The lines above it are two more now: the card is the same, its place is not.
    let moved = "//- /src/auth.py\ndef one()\ndef two()\n";
    let auth = crate::common::SHOP.split("//- /src/db.py").next().unwrap();
    world.repo.write(&auth.replace("//- /src/auth.py\n", moved));
    let at = world.ok("sdl_symbol_getCard", json!({"symbolId": id}))["card"].clone();
    let again = world.ok("sdl_symbol_getCard", json!({"symbolId": id, "ifNoneMatch": card["etag"]}));
    assert_eq!((&again["notModified"], &at["etag"]), (&json!(true), &card["etag"]), "{again:#}");
    assert_eq!(again["range"]["startLine"], card["range"]["startLine"].as_u64().unwrap() + 2);
    assert_eq!(again["range"], at["range"]);
    let both = world.ok("sdl_symbol_getCards", json!({"symbolIds": [id], "knownEtags": {&id: card["etag"]}}));
    assert_eq!(both["cardRefs"][0]["range"], at["range"], "{both:#}");
    world.repo.write(
        "//- /src/auth.py\ndef validate(token: str) calls parse : Checks a token.\ndef parse(token: str)",
    );
    let changed = world.ok("sdl_symbol_getCard", json!({"symbolId": id, "ifNoneMatch": card["etag"]}));
    assert_ne!(changed["card"]["etag"], card["etag"]);
}

#[test]
fn a_page_of_results_continues_where_it_ends() {
    let world = World::empty();
    world.repo.write(&crate::common::handlers(900, ""));
    let mut seen = std::collections::BTreeSet::new();
    let mut cursor = Value::Null;
    for _ in 0..40 {
        let page =
            world.ok("sdl_symbol_search", json!({"query": "handler", "limit": 1000, "cursor": cursor}));
        assert!(sdl_tokens::count_tokens(&page.to_string()) <= 8_000);
        let functions = page["results"].as_array().unwrap().iter().filter(|hit| hit["kind"] == "function");
        for hit in functions {
            assert!(seen.insert(hit["symbolId"].as_str().unwrap().to_owned()), "twice");
        }
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            break;
        }
        assert_eq!(page["truncation"]["truncated"], true, "{}", page["truncation"]);
    }
    assert_eq!(seen.len(), 900);
}

#[test]
fn many_cards_stop_at_the_answers_tokens_and_name_the_rest() {
    let world = World::empty();
    let doc = "Looks at the request and says at some length what is to be done about it. ".repeat(4);
    world.repo.write(&crate::common::handlers(100, &format!(" : {doc}")));
    let ids: Vec<String> =
        (0..100).map(|i| world.repo.symbol("src/handlers.py", &format!("handler_number_{i}"))).collect();
    let page = world.ok("sdl_symbol_getCards", json!({"symbolIds": ids}));
    assert!(sdl_tokens::count_tokens(&page.to_string()) <= 8_000);
    let served = page["cards"].as_array().unwrap().len();
    let omitted: Vec<Value> = page["omitted"].as_array().cloned().unwrap_or_default();
    assert_eq!(served + omitted.len(), 100);
    assert_eq!(page["partial"], json!(!omitted.is_empty()));
    assert_eq!(omitted, ids[served..].iter().map(|id| json!(id)).collect::<Vec<_>>());
    let first = &page["cards"][0];
    let held = world.ok(
        "sdl_symbol_getCards",
        json!({"symbolIds": [ids[0]], "knownEtags": {(first["symbolId"].as_str().unwrap()): first["etag"]}}),
    );
    assert_eq!(held["cardRefs"][0]["symbolId"], first["symbolId"]);
    assert_eq!(held["cards"], json!([]));
}

#[test]
fn what_is_unknown_or_ambiguous_is_answered_with_candidates() {
    let world = World::shop();
    world.repo.write("//- /src/old.py\ndef total(x) : Adds.\n");
    let error = world.err("sdl_symbol_getCard", json!({"symbolRef": {"name": "total"}}));
    assert_eq!(error["code"], "ambiguousSymbol");
    let files: Vec<&str> =
        error["candidates"].as_array().unwrap().iter().filter_map(|c| c["file"].as_str()).collect();
    assert_eq!(files.len(), 2, "{error:#}");
    let one = world.ok("sdl_symbol_getCard", json!({"symbolRef": {"name": "total", "file": "old.py"}}));
    assert_eq!(one["card"]["file"], "src/old.py");
    let error = world.err("sdl_symbol_getCard", json!({"symbolRef": {"name": "validat"}}));
    assert_eq!(
        (&error["code"], &error["candidates"][0]["name"]),
        (&json!("unknownSymbol"), &json!("validate")),
        "{error:#}"
    );
    let next = &error["nextBestAction"];
    world.ok(next["tool"].as_str().unwrap(), next["args"].clone());
    let error = world.err("sdl_symbol_getCard", json!({"symbolId": "s_0000000000000"}));
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownSymbol"), &json!("symbolId")));
    let error = world.err("sdl_symbol_getCard", json!({}));
    assert_eq!(error["code"], "missingField");
    let error = world.err("sdl_symbol_getCard", json!({"symbolId": "x", "symbolRef": {"name": "x"}}));
    assert_eq!(error["code"], "invalidArgument");
}

#[test]
fn the_overview_shows_folders_entry_points_and_layers() {
    let world = World::shop();
    let all = world.ok("sdl_repo_overview", json!({"level": "full"}));
    assert_eq!(all["stats"]["files"], 3);
    let paths: Vec<&str> =
        all["directories"].as_array().unwrap().iter().filter_map(|d| d["path"].as_str()).collect();
    assert_eq!(paths, ["src", "src/shop"]);
    assert_eq!(all["hotspots"][0]["name"], "connect");
    assert_eq!(all["entryPoints"][0]["name"], "main");
    let layers = all["layers"].as_array().unwrap();
    assert_eq!(
        (&layers[0]["directories"], &layers[1]["directories"]),
        (&json!(["src"]), &json!(["src/shop"]))
    );
    let small = world.ok("sdl_repo_overview", json!({"level": "full", "maxTokens": 300}));
    assert!(sdl_tokens::count_tokens(&small.to_string()) <= 300, "{small}");
    assert_eq!(small["truncation"]["truncated"], true);
    let error = world.err("sdl_repo_overview", json!({"directories": ["nowhere"]}));
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownPath"), &json!("directories[0]")));
}

#[test]
fn an_overview_of_too_many_symbols_asks_an_even_share_of_the_files() {
    let overview = |limit: u64, directories: &[&str]| {
        let mut files = "//- /lib/hub.py\ndef hub()\ndef side()\ndef rare()\n".to_owned();
        for at in 0..60 {
            let calls = if at % 2 == 0 { "hub, side" } else { "hub" };
            writeln!(files, "//- /app/user{at:02}.py\ndef user{at}() calls {calls}").unwrap();
        }
        let world = World::empty();
        world.repo.write(&files);
        world.repo.survey_limit.store(limit, Ordering::SeqCst);
        world.ok("sdl_repo_overview", json!({"level": "full", "directories": directories}))
    };
    let (all, some) = (overview(63, &[]), overview(20, &[]));
    assert!(all.get("notes").is_none(), "{all}");
    let note = some["notes"][0].as_str().unwrap();
    assert!(note.contains("16 of 61 files"), "{note}");
    for field in ["stats", "directories", "hotspots", "layers"] {
        assert_eq!(some[field], all[field], "{field}");
    }
    assert_eq!((&some["hotspots"][0]["name"], &some["hotspots"][0]["fanIn"]), (&json!("hub"), &json!(60)));
    assert_eq!((&some["hotspots"][1]["name"], &some["hotspots"][1]["fanIn"]), (&json!("side"), &json!(30)));
    assert!(overview(20, &["lib"]).get("notes").is_none(), "a folder of few symbols");
}

#[test]
fn a_path_may_be_absolute_below_the_root() {
    use sdl_tools::Repo as _;
    let world = World::shop();
    let absolute = world.repo.root().join("src/shop");
    let all = world.ok("sdl_repo_overview", json!({"directories": [absolute]}));
    assert_eq!(all["directories"][0]["path"], "src/shop");
    assert_eq!(world.err("sdl_repo_overview", json!({"directories": ["../etc"]}))["code"], "unknownPath");
}
