//! The cost of answers, counted where they are made.

use crate::common::World;
use sdl_tools::{Host, Repo as _, Tools};
use serde_json::{Value, json};

const TEXT: &str = "def validate(token):\n    return lookup(parse(token))\n";

fn world() -> World {
    let world = World::shop();
    std::fs::write(world.repo.root().join("src/auth.py"), TEXT).unwrap();
    world
}

fn stats(world: &World, args: Value) -> Value {
    world.ok("sdl_usage_stats", args)
}

#[test]
fn a_session_counts_its_answers_and_each_file_once() {
    let mut world = world();
    let id = world.repo.symbol("src/auth.py", "validate");
    let card = world.ok("sdl_symbol_getCard", json!({"symbolId": id}));
    world.ok("sdl_symbol_getCard", json!({"symbolId": id, "detail": "minimal"}));
    world.ok("sdl_symbol_search", json!({"query": "checkout"}));
    world.err("sdl_symbol_getCard", json!({"symbolId": "s_0000000000000"}));
    let found = stats(&world, json!({}));
    assert_eq!((&found["calls"], &found["failedCalls"]), (&json!(4), &json!(1)), "{found:#}");
    assert_eq!(
        (&found["filesRead"], &found["tokensOfFilesRead"]),
        (&json!(1), &json!(sdl_tokens::count_tokens(TEXT)))
    );
    let served = found["tokensServed"].as_u64().unwrap();
    assert!(served > sdl_tokens::count_tokens(&card.to_string()) as u64);
    let saved = sdl_tokens::count_tokens(TEXT) as i64 - served as i64;
    assert_eq!(found["saved"], saved, "below zero is said too");
    let rungs: Vec<&Value> = found["byRung"].as_array().unwrap().iter().map(|share| &share["name"]).collect();
    assert_eq!(rungs.len(), 2);
    assert!(rungs.contains(&&json!("card")) && rungs.contains(&&json!("search")));
    world.session.id = 2;
    assert_eq!(stats(&world, json!({}))["calls"], 0, "another session");
    world.ok("sdl_symbol_getCard", json!({"symbolId": id}));
    assert_eq!(stats(&world, json!({"scope": "repo"}))["filesRead"], 2, "each session reads for itself");
}

#[test]
fn counts_outlive_the_daemon_by_repository() {
    let mut world = world();
    let id = world.repo.symbol("src/auth.py", "validate");
    for format in ["standard", "compact"] {
        world.ok("sdl_slice_build", json!({"entrySymbols": [id], "wireFormat": format}));
    }
    world.tools.flush();
    world.tools = Tools::new(std::sync::Arc::clone(&world.host) as std::sync::Arc<dyn Host>);
    assert_eq!(stats(&world, json!({}))["calls"], 0);
    let repo = stats(&world, json!({"scope": "repo", "repoId": "shop"}));
    assert_eq!(
        (&repo["calls"], &repo["byAction"][0]["name"]),
        (&json!(2), &json!("slice.build")),
        "{repo:#}"
    );
    assert_eq!(repo["tokensOfFilesRead"], sdl_tokens::count_tokens(TEXT));
    assert!(
        stats(&world, json!({"scope": "all"}))["calls"].as_u64().unwrap() > 2,
        "the calls of this test too"
    );
    assert_eq!(stats(&world, json!({"scope": "all", "since": 33_000_000_000_000_u64}))["calls"], 0);
    let error = world.err("sdl_usage_stats", json!({"scope": "all", "repoId": "shop"}));
    assert_eq!(error["field"], "repoId");
}
