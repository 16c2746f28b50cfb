//! Memories: kept, found, followed, stale.

use crate::common::{SHOP, World};
use sdl_tools::{Host as _, Tools};
use serde_json::{Value, json};

fn store(world: &World, title: &str, more: Value) -> Value {
    let mut args = json!({"type": "note", "title": title, "content": format!("About {title}.")});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.ok("sdl_memory_store", args)
}

fn titles(answer: &Value) -> Vec<&str> {
    answer["memories"].as_array().unwrap().iter().map(|memory| memory["title"].as_str().unwrap()).collect()
}

fn query(world: &World, args: Value) -> Value {
    world.ok("sdl_memory_query", args)
}

#[test]
fn a_memory_is_found_by_words_type_tag_and_symbol() {
    let world = World::shop();
    let validate = world.repo.symbol("src/auth.py", "validate");
    store(&world, "Tokens expire", json!({"type": "bugfix", "tags": ["auth"], "symbolIds": [validate]}));
    store(&world, "Prices are net", json!({"type": "decision", "tags": ["shop", "money"]}));
    assert_eq!(titles(&query(&world, json!({"query": "why does a token expire"}))), ["Tokens expire"]);
    assert_eq!(
        titles(&query(&world, json!({"query": "validate"}))),
        ["Tokens expire"],
        "by its symbol's name"
    );
    assert_eq!(titles(&query(&world, json!({"types": ["decision"]}))), ["Prices are net"]);
    assert_eq!(titles(&query(&world, json!({"tags": ["money", "nothing"]}))), ["Prices are net"]);
    assert_eq!(titles(&query(&world, json!({"symbolIds": [validate]}))), ["Tokens expire"]);
    assert_eq!(query(&world, json!({"query": "elephants"}))["total"], 0);
    let other = world.add("other");
    other.write(SHOP);
    assert_eq!(query(&world, json!({"repoId": "other"}))["total"], 0, "a repository's memories are its own");
}

#[test]
fn what_is_said_twice_is_one_memory() {
    let world = World::shop();
    let validate = world.repo.symbol("src/auth.py", "validate");
    let first = store(&world, "Tokens", json!({"tags": ["a"]}));
    assert_eq!((&first["created"], &first["deduplicated"]), (&json!(true), &json!(false)));
    let again = world.ok(
        "sdl_memory_store",
        json!({"type": "note", "title": " tokens", "content": "about  Tokens.", "tags": ["b"], "symbolIds": [validate]}),
    );
    assert_eq!((&again["created"], &again["deduplicated"]), (&json!(false), &json!(true)));
    assert_eq!(again["memoryId"], first["memoryId"]);
    let all = query(&world, json!({}));
    assert_eq!(all["total"], 1);
    assert_eq!(all["memories"][0]["tags"], json!(["a", "b"]));
    assert_eq!(all["memories"][0]["symbols"][0]["name"], "validate");
}

#[test]
fn an_update_replaces_what_it_gives_and_keeps_the_rest() {
    let world = World::shop();
    let id = store(&world, "Old", json!({"tags": ["kept"], "confidence": 0.4}))["memoryId"].clone();
    let other = store(&world, "Other", json!({}))["memoryId"].clone();
    let updated = store(&world, "New", json!({"memoryId": id}));
    assert_eq!((&updated["memoryId"], &updated["created"]), (&id, &json!(false)));
    let found = query(&world, json!({"query": "new"}))["memories"][0].clone();
    assert_eq!((&found["tags"], &found["confidence"]), (&json!(["kept"]), &json!(0.4)));
    // The first content is free again, under an id of its own.
    let old = store(&world, "Old", json!({}));
    assert_eq!(old["created"], true);
    assert_ne!(old["memoryId"], id);
    let clash = world.err(
        "sdl_memory_store",
        json!({"type": "note", "title": "Other", "content": "About Other.", "memoryId": id}),
    );
    assert_eq!((&clash["code"], &clash["candidates"][0]["memoryId"]), (&json!("conflict"), &other));
}

#[test]
fn a_removed_memory_is_gone_and_the_error_says_how_to_go_on() {
    let world = World::shop();
    let id = store(&world, "Short", json!({}))["memoryId"].clone();
    world.ok("sdl_memory_remove", json!({"memoryId": id}));
    let error = world.err("sdl_memory_remove", json!({"memoryId": id}));
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownMemory"), &json!("memoryId")));
    let next = &error["nextBestAction"];
    assert_eq!(world.ok(next["tool"].as_str().unwrap(), next["args"].clone())["total"], 0);
    let error = world.err(
        "sdl_memory_store",
        json!({"type": "note", "title": "x", "content": "y", "symbolIds": ["s_0000000000000"]}),
    );
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownSymbol"), &json!("symbolIds[0]")));
}

#[test]
fn a_memory_is_stale_when_its_symbol_changes_until_it_is_stored_again() {
    let world = World::shop();
    let parse = world.repo.symbol("src/auth.py", "parse");
    let id = store(&world, "Parse", json!({"symbolIds": [parse]}))["memoryId"].clone();
    store(&world, "Free", json!({}));
    world.repo.write("//- /src/unrelated.py\ndef unrelated()\n");
    assert_eq!(query(&world, json!({"staleOnly": true}))["total"], 0);
    world.repo.write(&SHOP.replace("Splits a token into its parts.", "Splits it."));
    assert_eq!(query(&world, json!({"staleOnly": true}))["total"], 0, "its documentation is no code");
    world.repo.write(&SHOP.replace("def parse(token: str)", "def parse(token: bytes)"));
    let stale = query(&world, json!({"staleOnly": true}));
    assert_eq!(
        (titles(&stale), &stale["memories"][0]["symbols"][0]["state"]),
        (vec!["Parse"], &json!("changed"))
    );
    store(&world, "Parse", json!({"memoryId": id}));
    assert_eq!(
        query(&world, json!({"staleOnly": true}))["total"],
        0,
        "who wrote it again looked at the symbol"
    );
    world.repo.remove("src/auth.py");
    for _ in 0..2 {
        let stale = query(&world, json!({"staleOnly": true}));
        assert_eq!(stale["memories"][0]["symbols"][0]["state"], "gone", "{stale:#}");
    }
    world.repo.write(SHOP);
    assert_eq!(query(&world, json!({"query": "parse"}))["memories"][0]["symbols"][0]["state"], "changed");
}

#[test]
fn links_follow_a_file_that_moves() {
    let world = World::shop();
    let parse = world.repo.symbol("src/auth.py", "parse");
    store(&world, "Parse", json!({"symbolIds": [parse], "files": ["src/auth.py"]}));
    let auth = SHOP.split("//- /").find(|part| part.starts_with("src/auth.py")).unwrap();
    world.repo.write(&format!("//- /{}", auth.replacen("src/auth.py", "src/login.py", 1)));
    world.repo.remove("src/auth.py");
    let moved = world.repo.symbol("src/login.py", "parse");
    let found = query(&world, json!({"symbolIds": [moved]}));
    let memory = &found["memories"][0];
    assert_eq!(
        (&memory["stale"], &memory["symbols"][0]["file"]),
        (&json!(false), &json!("src/login.py")),
        "{found:#}"
    );
}

#[test]
fn memories_outlive_the_ledger_and_the_daemon() {
    let mut world = World::shop();
    let parse = world.repo.symbol("src/auth.py", "parse");
    store(&world, "Parse", json!({"symbolIds": [parse]}));
    let repo = world.replace_repo();
    let found = query(&world, json!({"repoId": "shop"}));
    assert_eq!(found["memories"][0]["stale"], false, "before the first index nothing can be said: {found:#}");
    repo.write(SHOP);
    world.tools = Tools::new(std::sync::Arc::clone(&world.host) as _);
    assert_eq!(query(&world, json!({"repoId": "shop"}))["memories"][0]["stale"], false);
    assert_eq!(world.host.agent().read(|reader| reader.count("memories")).unwrap(), 1);
}

#[test]
fn what_is_remembered_comes_with_cards_slices_and_status() {
    let world = World::shop();
    let validate = world.repo.symbol("src/auth.py", "validate");
    let decode = world.repo.symbol("src/auth.py", "decode");
    store(&world, "Validate", json!({"type": "bugfix", "symbolIds": [validate]}));
    store(&world, "Elsewhere", json!({"files": ["src/db.py"]}));
    let with = |tool: &str, mut args: Value| {
        args["includeMemories"] = json!(true);
        world.ok(tool, args)
    };
    assert_eq!(titles(&with("sdl_symbol_getCard", json!({"symbolId": validate}))), ["Validate"]);
    assert!(titles(&with("sdl_symbol_getCard", json!({"symbolId": decode}))).is_empty());
    assert_eq!(titles(&with("sdl_symbol_getCards", json!({"symbolIds": [decode, validate]}))), ["Validate"]);
    let slice = with("sdl_slice_build", json!({"entrySymbols": [validate], "memoryLimit": 1}));
    assert_eq!(titles(&slice), ["Validate"], "{slice:#}");
    let none = with("sdl_slice_build", json!({"entrySymbols": [validate], "memoryLimit": 0}));
    assert!(none.get("memories").is_none());
    assert!(world.ok("sdl_symbol_getCard", json!({"symbolId": validate})).get("memories").is_none());
    assert_eq!(titles(&world.ok("sdl_repo_status", json!({"surfaceMemories": true}))).len(), 2);
    let near =
        world.ok("sdl_memory_surface", json!({"symbolIds": [world.repo.symbol("src/auth.py", "parse")]}));
    assert_eq!(titles(&near), ["Validate"], "its caller's: {near:#}");
    let first = world.ok("sdl_memory_surface", json!({"taskType": "debug", "limit": 1}));
    assert_eq!((titles(&first), &first["truncated"]), (vec!["Validate"], &json!(true)));
    let rest = world.ok("sdl_memory_surface", json!({"taskType": "debug", "limit": 1, "offset": 1}));
    assert_eq!(titles(&rest), ["Elsewhere"]);
}

#[test]
fn large_memories_stay_within_every_budget() {
    let world = World::shop();
    let validate = world.repo.symbol("src/auth.py", "validate");
    for i in 0..30 {
        let content = format!("{i} {}", "token ".repeat(1_000));
        world.ok(
            "sdl_memory_store",
            json!({"type": "note", "title": format!("m {i}"), "content": content, "symbolIds": [validate]}),
        );
    }
    let mut offset = 0;
    while offset < 30 {
        let page = query(&world, json!({"limit": 100, "offset": offset}));
        assert!(sdl_tokens::count_tokens(&page.to_string()) <= 8_000);
        let shown = titles(&page).len();
        assert!(shown > 0);
        offset += shown;
        assert_eq!(page["truncated"].is_null(), offset == 30, "{offset}");
    }
    for tokens in [700, 1_000, 4_000] {
        let slice = world.ok(
            "sdl_slice_build",
            json!({"entrySymbols": [validate], "includeMemories": true, "budget": {"maxEstimatedTokens": tokens}}),
        );
        assert!(sdl_tokens::count_tokens(&slice.to_string()) <= tokens);
    }
    let stale = query(&world, json!({"staleOnly": true}));
    assert_eq!((&stale["total"], titles(&stale).len()), (&json!(0), 0));
}
