//! Facts in time: added, ended, corrected, asked for at any instant.

use crate::common::{SHOP, World};
use serde_json::{Value, json};

fn graph() -> World {
    let world = World::shop();
    world.configure(&json!({"mcpServers": {}, "sdl": {"modules": ["kg"]}}));
    world
}

fn add(world: &World, (s, p, o): (&str, &str, &str), more: Value) -> Value {
    let mut args = json!({"subject": s, "predicate": p, "object": o});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.ok("sdl_kg_add", args)
}

/// What an answer says, without ids.
fn told(answer: &Value) -> Vec<String> {
    let fact = |fact: &Value| {
        let text = |key: &str| fact[key].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", text("subject"), text("predicate"), text("object"))
    };
    answer["triples"].as_array().unwrap().iter().map(fact).collect()
}

#[test]
fn facts_hold_for_their_time_and_are_found_as_they_were_known() {
    let world = graph();
    let first = add(
        &world,
        ("Auth Service", "owned_by", "team north"),
        json!({"validFrom": "2026-01-31", "exclusive": true}),
    );
    assert_eq!(
        (&first["ok"], &first["created"], &first["revision"]),
        (&json!(true), &json!(true), &json!(1))
    );
    let second = add(
        &world,
        ("auth-service", "owned_by", "team south"),
        json!({"validFrom": "2026-03-01T00:00:00+01:00", "exclusive": true}),
    );
    assert_eq!(
        second["invalidated"],
        json!([{"tripleId": first["tripleId"], "validTo": "2026-02-28T23:00:00Z"}])
    );
    let at = |as_of: &str| told(&world.ok("sdl_kg_query", json!({"entity": "AUTH_service", "asOf": as_of})));
    assert_eq!(at("2026-02-28T22:59:59.999Z"), ["Auth Service owned_by team north"]);
    assert_eq!(at("2026-02-28T23:00:00Z"), ["Auth Service owned_by team south"]);
    assert_eq!(at("2025-12-31"), Vec::<String>::new());
    let inverse = world.ok("sdl_kg_query", json!({"entity": "team south", "direction": "in"}));
    assert_eq!(told(&inverse), ["Auth Service owned_by team south"]);
    assert_eq!(inverse["storeRevision"], 2);
    let ended = world.ok(
        "sdl_kg_invalidate",
        json!({"subject": "auth service", "predicate": "owned by", "object": "Team South", "at": "2026-05-01", "reason": "split"}),
    );
    assert_eq!(ended["invalidated"][0]["validTo"], "2026-05-01T00:00:00Z");
    assert_eq!(at("2026-06-01"), Vec::<String>::new());
    let all = world.ok("sdl_kg_query", json!({"entity": "auth service", "includeInvalid": true}));
    assert_eq!(all["triples"].as_array().unwrap().len(), 2);
    let timeline = world.ok("sdl_kg_timeline", json!({"entity": "auth service"}));
    let events: Vec<_> =
        timeline["events"].as_array().unwrap().iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["asserted", "ended", "asserted", "ended"]);
    assert_eq!(timeline["events"][3]["reason"], "split");
    assert_eq!(timeline["events"][1]["byTripleId"], second["tripleId"]);
}

#[test]
fn a_correction_is_known_from_then_on() {
    let world = graph();
    let wrong = add(&world, ("api", "uses", "redis"), json!({"validFrom": "2026-01-01"}));
    let id = wrong["tripleId"].as_str().unwrap();
    let right = add(&world, ("api", "uses", "valkey"), json!({"validFrom": "2026-01-01", "supersedes": id}));
    assert_eq!(right["invalidated"], json!([{"tripleId": id, "retracted": true}]));
    assert_eq!(told(&world.ok("sdl_kg_query", json!({"entity": "api"}))), ["api uses valkey"]);
    let timeline = world.ok("sdl_kg_timeline", json!({"tripleId": id}));
    assert_eq!(timeline["events"][1]["event"], "corrected");
    assert_eq!(timeline["events"][1]["byTripleId"], right["tripleId"]);
    let again = world.err("sdl_kg_invalidate", json!({"tripleId": id, "retract": true}));
    assert_eq!(again["code"], "conflict");
}

#[test]
fn a_retry_is_answered_as_before_and_another_request_refused() {
    let world = graph();
    let fact = ("api", "uses", "redis");
    let first = add(&world, fact, json!({"idempotencyKey": "k"}));
    let again = add(&world, fact, json!({"idempotencyKey": "k"}));
    assert_eq!((&again["tripleId"], &again["replayed"]), (&first["tripleId"], &json!(true)));
    let other = world.err(
        "sdl_kg_add",
        json!({"subject": "api", "predicate": "uses", "object": "kafka", "idempotencyKey": "k"}),
    );
    assert_eq!(other["code"], "conflict");
    let known = add(&world, fact, json!({}));
    assert_eq!((&known["created"], &known["deduplicated"]), (&json!(false), &json!(true)));
}

#[test]
fn refusals_name_the_field_and_a_call_that_works() {
    let world = graph();
    let local = world.err(
        "sdl_kg_add",
        json!({"subject": "a", "predicate": "b", "object": "c", "validFrom": "2026-01-01T10:00:00"}),
    );
    assert_eq!((&local["code"], &local["field"]), (&json!("invalidArgument"), &json!("validFrom")));
    let unknown =
        world.err("sdl_kg_invalidate", json!({"subject": "api", "predicate": "uses", "object": "redis"}));
    assert_eq!(unknown["code"], "unknownTriple");
    let next = &unknown["nextBestAction"];
    assert_eq!(next["tool"], "sdl_kg_query");
    world.ok(next["tool"].as_str().unwrap(), next["args"].clone());
    add(&world, ("api", "uses", "redis"), json!({}));
    add(&world, ("api", "uses", "redis"), json!({"scope": "user"}));
    let several =
        world.err("sdl_kg_invalidate", json!({"subject": "api", "predicate": "uses", "object": "redis"}));
    assert_eq!(
        (&several["code"], several["candidates"].as_array().unwrap().len()),
        (&json!("ambiguousTriple"), 2)
    );
    let all = world.ok(
        "sdl_kg_invalidate",
        json!({"subject": "api", "predicate": "uses", "object": "redis", "all": true}),
    );
    assert_eq!(all["invalidated"].as_array().unwrap().len(), 2);
    let parts = world.err("sdl_kg_invalidate", json!({"subject": "api"}));
    assert_eq!((&parts["code"], &parts["field"]), (&json!("missingField"), &json!("predicate")));
    assert_eq!(world.err("sdl_kg_query", json!({}))["code"], "missingField");
    assert_eq!(world.err("sdl_kg_query", json!({"entity": "api", "cursor": "x"}))["code"], "badCursor");
}

#[test]
fn pages_words_and_neighbours() {
    let world = graph();
    for n in 0..7 {
        add(&world, ("hub", "uses", &format!("lib {n}")), json!({"validFrom": "2026-01-01"}));
    }
    add(&world, ("lib 3", "maintained_by", "Mira"), json!({"validFrom": "2026-01-01"}));
    let mut seen = Vec::new();
    let mut cursor = None::<String>;
    loop {
        let mut args = json!({"entity": "hub", "limit": 3});
        if let Some(cursor) = &cursor {
            args["cursor"] = json!(cursor);
        }
        let page = world.ok("sdl_kg_query", args);
        seen.extend(told(&page));
        match page["cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(seen.len(), 7);
    let near = world.ok("sdl_kg_query", json!({"entity": "hub", "direction": "out", "depth": 2}));
    assert_eq!(told(&near).last().unwrap(), "lib 3 maintained_by Mira");
    let found = world.ok("sdl_kg_query", json!({"query": "who maintains lib 3"}));
    assert!(told(&found).contains(&"lib 3 maintained_by Mira".to_owned()), "{found:#}");
    let unknown = world.ok("sdl_kg_query", json!({"entity": "lib"}));
    assert_eq!(unknown["entities"].as_array().unwrap().len(), 7);
}

#[test]
fn a_module_that_is_off_is_named() {
    let world = World::shop();
    let off = world.err("sdl_kg_add", json!({"subject": "a", "predicate": "b", "object": "c"}));
    assert_eq!(off["code"], "moduleOff");
}

#[test]
fn facts_of_another_repository_are_its_own() {
    let world = graph();
    world.add("other");
    add(&world, ("api", "owned_by", "north"), json!({"exclusive": true, "validFrom": "2026-01-01"}));
    add(
        &world,
        ("api", "owned_by", "south"),
        json!({"exclusive": true, "validFrom": "2026-02-01", "repoId": "other"}),
    );
    assert_eq!(told(&world.ok("sdl_kg_query", json!({"entity": "api"}))), ["api owned_by north"]);
    let all = world.ok("sdl_kg_query", json!({"entity": "api", "scope": "all"}));
    assert_eq!(all["triples"].as_array().unwrap().len(), 2);
    assert_eq!(all["triples"][1]["scope"], "other");
}

#[test]
fn a_fact_about_code_is_found_under_the_new_name_of_the_code() {
    let world = graph();
    let validate = world.repo.symbol("src/auth.py", "validate");
    add(&world, (&validate, "owned_by", "team north"), json!({"validFrom": "2026-01-01"}));
    add(&world, ("file:src/db.py", "owned_by", "team south"), json!({"validFrom": "2026-01-01"}));
    let first = world.ok("sdl_kg_query", json!({"entity": validate}));
    assert_eq!(told(&first), ["validate owned_by team north"]);
    assert_eq!(
        (&first["triples"][0]["state"], &first["triples"][0]["subjectId"]),
        (&json!("same"), &json!(validate))
    );
    assert_eq!(
        told(&world.ok("sdl_kg_query", json!({"entity": "validate"}))),
        ["validate owned_by team north"]
    );
    world.repo.write(&SHOP.replace("validate", "check_token"));
    let renamed = world.ok("sdl_kg_query", json!({"entity": "check_token"}));
    assert_eq!(told(&renamed), ["check_token owned_by team north"], "{renamed:#}");
    assert_eq!(renamed["triples"][0]["state"], "renamed");
    let now = world.repo.symbol("src/auth.py", "check_token");
    for entity in [now.as_str(), validate.as_str()] {
        let again = world.ok("sdl_kg_query", json!({"entity": entity}));
        assert_eq!(told(&again), ["check_token owned_by team north"], "{entity}");
        assert_eq!(again["triples"][0]["subjectId"], now);
    }
    let of_file = world.ok("sdl_kg_query", json!({"entity": "file:src/db.py"}));
    assert_eq!(told(&of_file), ["file:src/db.py owned_by team south"]);
    let unknown = world.err(
        "sdl_kg_add",
        json!({"subject": "s_0000000000000", "predicate": "owned_by", "object": "team north"}),
    );
    assert_eq!((&unknown["code"], &unknown["field"]), (&json!("unknownSymbol"), &json!("subject")));
}

#[test]
fn a_fact_whose_code_is_gone_is_stale_or_has_ended() {
    let world = graph();
    let total = world.repo.symbol("src/shop/cart.py", "total");
    let charge = world.repo.symbol("src/shop/cart.py", "charge");
    add(&world, (&total, "owned_by", "team north"), json!({"validFrom": "1960-01-01"}));
    add(
        &world,
        (&charge, "owned_by", "team south"),
        json!({"validFrom": "1960-01-01", "onChange": "invalidate", "symbolIds": [total]}),
    );
    assert_eq!(world.ok("sdl_kg_query", json!({"entity": "total", "staleOnly": true}))["triples"], json!([]));
    world.repo.remove("src/shop/cart.py");
    let stale = world.ok("sdl_kg_query", json!({"entity": total, "staleOnly": true}));
    assert_eq!(stale["triples"][0]["state"], "gone", "{stale:#}");
    assert!(stale["triples"][0]["staleSince"]["version"].is_string());
    let ended = world.ok("sdl_kg_query", json!({"entity": charge, "includeInvalid": true}));
    assert!(ended["triples"][0]["validTo"].is_string(), "{ended:#}");
    assert_eq!(told(&world.ok("sdl_kg_query", json!({"entity": charge}))), Vec::<String>::new());
}
