//! Tests of the feedback on contexts.

use crate::common::{SHOP, World};
use serde_json::{Value, json};

fn slice(world: &World) -> Value {
    world.ok("sdl_slice_build", json!({"taskText": "validate a token"}))["sliceHandle"].clone()
}

#[test]
fn feedback_is_kept_counted_and_the_latest_comes_first() {
    let world = World::shop();
    let handle = slice(&world);
    let validate = world.repo.symbol("src/auth.py", "validate");
    let first = json!({"sliceHandle": handle, "usefulSymbols": [validate, "parse"], "rating": 5, "taskText": "tokens"});
    let first = world.ok("sdl_agent_feedback", first);
    let assembly = json!({"taskText": "validate a token", "budget": {"maxTokens": 2_000}});
    let assembly = world.ok("sdl_agent_orchestrate", assembly)["assemblyId"].clone();
    let second = json!({"assemblyId": assembly, "usefulSymbols": [validate], "missingSymbols": ["Session.close"], "rating": 2});
    let second = world.ok("sdl_agent_feedback", second);
    let all = world.ok("sdl_agent_feedback_query", json!({}));
    let ids: Vec<&Value> = all["items"].as_array().unwrap().iter().map(|item| &item["feedbackId"]).collect();
    assert_eq!(ids, [&second["feedbackId"], &first["feedbackId"]]);
    let aggregate = &all["aggregate"];
    assert_eq!((&aggregate["count"], &aggregate["meanRating"]), (&json!(2), &json!(3.5)));
    let top = &aggregate["useful"][0];
    assert_eq!((&top["symbolId"], &top["count"]), (&json!(validate), &json!(2)));
    assert_eq!(aggregate["missing"][0]["name"], "Session.close");
    let one = world.ok("sdl_agent_feedback_query", json!({"limit": 1}));
    assert_eq!((&one["truncated"], &one["aggregate"]["count"]), (&json!(true), &json!(2)));
    let later = all["items"][0]["at"].as_u64().unwrap() + 1;
    assert_eq!(world.ok("sdl_agent_feedback_query", json!({"since": later}))["aggregate"]["count"], 0);
}

#[test]
fn feedback_follows_a_file_that_moves() {
    let world = World::shop();
    world.ok("sdl_agent_feedback", json!({"sliceHandle": slice(&world), "usefulSymbols": ["parse"]}));
    let auth = SHOP.split("//- /").find(|part| part.starts_with("src/auth.py")).unwrap();
    world.repo.write(&format!("//- /{}", auth.replacen("src/auth.py", "src/login.py", 1)));
    world.repo.remove("src/auth.py");
    let found = world.ok("sdl_agent_feedback_query", json!({}));
    assert_eq!(found["items"][0]["usefulSymbols"], json!([world.repo.symbol("src/login.py", "parse")]));
    assert_eq!(found["aggregate"]["useful"][0]["file"], "src/login.py");
}

#[test]
fn feedback_is_about_something_and_says_something() {
    let world = World::shop();
    let handle = slice(&world);
    for (args, code, field) in [
        (json!({"rating": 3}), "missingField", "sliceHandle"),
        (json!({"sliceHandle": handle}), "missingField", "usefulSymbols"),
        (json!({"sliceHandle": handle, "assemblyId": "a", "rating": 3}), "invalidArgument", "assemblyId"),
        (json!({"sliceHandle": handle, "usefulSymbols": ["nobody"]}), "unknownSymbol", "usefulSymbols[0]"),
        (json!({"repoId": "shop", "sliceHandle": "h_zzz", "rating": 3}), "unknownHandle", "sliceHandle"),
    ] {
        let error = world.err("sdl_agent_feedback", args.clone());
        assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!(field)), "{args}: {error:#}");
    }
}
