//! Memories with their module on: revisions, undo, confirmation, scopes, lessons, scratch.

use super::{about_validate, edit_validate, world};
use crate::common::World;
use serde_json::{Value, json};

fn only(world: &World, query: Value) -> Value {
    let found = world.ok("memory.query", query);
    assert_eq!(found["total"], 1, "{found:#}");
    found["memories"][0].clone()
}

#[test]
fn a_symbol_that_was_edited_and_later_renamed_is_changed_and_not_gone() {
    let world = world();
    let id = world.ok("memory.store", about_validate(&world))["memoryId"].clone();
    edit_validate(&world);
    let renamed = crate::common::SHOP.replace("def validate(", "def validate_token(strict, ");
    world.repo.write(&renamed.replace("calls validate,", "calls validate_token,"));
    let found = world.ok("memory.query", json!({"query": "tokens twice"}));
    let memory = &found["memories"][0];
    assert_eq!(memory["memoryId"], id);
    assert_eq!(memory["symbols"][0]["name"], "validate_token", "{found:#}");
    assert_eq!(memory["symbols"][0]["state"], "changed");
}

#[test]
fn a_stale_memory_says_since_when_and_is_confirmed() {
    let world = world();
    let stored = world.ok("memory.store", about_validate(&world));
    assert_eq!((&stored["ok"], &stored["revision"]), (&json!(true), &json!(1)));
    let memory = only(&world, json!({}));
    assert_eq!((&memory["stale"], &memory["symbols"][0]["state"]), (&json!(false), &json!("same")));
    edit_validate(&world);
    let changed_in = world.repo.head();
    world.repo.write("//- /src/late.py\ndef late()\n");
    let memory = only(&world, json!({"staleOnly": true}));
    assert_eq!(memory["symbols"][0]["state"], "changed");
    assert_eq!(memory["staleSince"]["version"], changed_in, "{memory:#}");
    let id = &stored["memoryId"];
    let confirmed = world.ok("memory.update", json!({"memoryId": id, "confirm": true}));
    assert_eq!(confirmed["changed"], json!(["symbolIds"]));
    let memory = only(&world, json!({}));
    assert_eq!((&memory["stale"], &memory["revision"]), (&json!(false), &confirmed["revision"]));
}

#[test]
fn lost_updates_are_conflicts_and_every_change_is_undone() {
    let world = world();
    let stored = world.ok("memory.store", about_validate(&world));
    let (id, first) = (&stored["memoryId"], &stored["revision"]);
    let update = json!({"memoryId": id, "content": "It does not.", "rationale": "", "ifRevision": first});
    let changed = world.ok("memory.update", update.clone());
    assert_eq!(changed["changed"], json!(["content", "rationale"]));
    let lost = world.err("memory.update", update);
    assert_eq!((&lost["code"], &lost["field"]), (&json!("conflict"), &json!("ifRevision")));
    assert_eq!(lost["current"]["content"], "It does not.");
    let wrong = world.err("memory.update", json!({"memoryId": id, "symptom": "slow"}));
    assert_eq!((&wrong["code"], &wrong["field"]), (&json!("unknownField"), &json!("symptom")));
    let both = world.err("memory.update", json!({"memoryId": id, "title": "x", "restoreRevision": first}));
    assert_eq!(both["field"], "title");
    world.ok("memory.update", json!({"memoryId": id, "restoreRevision": first}));
    let memory = only(&world, json!({}));
    assert_eq!(
        (&memory["content"], &memory["details"]["rationale"]),
        (&json!("The gateway caches."), &json!("it is fast"))
    );
    let before = world.ok("memory.query", json!({"asOfRevision": changed["revision"]}));
    assert_eq!(before["memories"][0]["content"], "It does not.");
    let revision = memory["revision"].clone();
    world.ok("memory.remove", json!({"memoryId": id}));
    assert_eq!(world.ok("memory.query", json!({}))["total"], 0);
    let unknown = world.err("memory.update", json!({"memoryId": id, "title": "x"}));
    assert_eq!(unknown["code"], "unknownMemory");
    world.ok("memory.update", json!({"memoryId": id, "restoreRevision": revision}));
    assert_eq!(only(&world, json!({}))["content"], "The gateway caches.");
}

#[test]
fn a_retry_with_its_key_writes_nothing_and_answers_as_before() {
    let world = world();
    let mut note = about_validate(&world);
    note["idempotencyKey"] = "k1".into();
    let first = world.ok("memory.store", note.clone());
    let again = world.ok("memory.store", note.clone());
    assert_eq!(again["replayed"], true);
    assert_eq!((&again["memoryId"], &again["created"]), (&first["memoryId"], &json!(true)));
    assert_eq!(again["revision"], first["revision"]);
    note["title"] = "Other".into();
    let other = world.err("memory.store", note);
    assert_eq!((&other["code"], &other["field"]), (&json!("conflict"), &json!("idempotencyKey")));
}

#[test]
fn secrets_are_masked_before_they_are_stored() {
    let world = world();
    let key = ["AKIA", "IOSFODNN7EXAMPL3"].concat();
    let note = json!({"type": "bugfix", "title": "Upload", "content": format!("used {key}"), "fix": key});
    let stored = world.ok("memory.store", note);
    assert_eq!(stored["masked"], 2, "{stored:#}");
    let memory = only(&world, json!({})).to_string();
    assert!(!memory.contains(&key), "{memory}");
}

#[test]
fn what_is_the_users_is_seen_from_every_repository() {
    let world = world();
    let other = world.add("other");
    other.write(crate::common::SHOP);
    world.ok("memory.store", json!({"type": "note", "title": "Mine", "content": "Tabs.", "scope": "user"}));
    world.ok("memory.store", json!({"type": "note", "title": "Its", "content": "Spaces."}));
    let titles = |args: Value| -> Vec<String> {
        let found = world.ok("memory.query", args);
        let mut titles: Vec<String> = found["memories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|memory| memory["title"].as_str().unwrap().to_owned())
            .collect();
        titles.sort_unstable();
        titles
    };
    assert_eq!(titles(json!({"repoId": "shop"})), ["Its", "Mine"]);
    assert_eq!(titles(json!({"repoId": "other"})), ["Mine"]);
    assert_eq!(titles(json!({"repoId": "shop", "scope": "repo"})), ["Its"]);
    assert_eq!(titles(json!({"repoId": "other", "scope": "all"})), ["Its", "Mine"]);
    let all =
        world.err("memory.store", json!({"type": "note", "title": "x", "content": "y", "scope": "all"}));
    assert_eq!(all["field"], "scope");
}

#[test]
fn fields_of_the_module_are_refused_where_it_is_off() {
    let world = World::shop();
    let note = json!({"type": "decision", "title": "x", "content": "y", "rationale": "z"});
    let off = world.err("memory.store", note);
    assert_eq!((&off["code"], &off["field"]), (&json!("moduleOff"), &json!("rationale")));
    let off = world.err("memory.update", json!({"memoryId": "m_1", "confirm": true}));
    assert_eq!((&off["code"], &off["module"]), (&json!("moduleOff"), &json!("memory")));
    let lesson = world.err("memory.query", json!({"types": ["lesson"]}));
    assert_eq!(lesson["code"], "invalidArgument", "{lesson:#}");
    let stored = world.ok("memory.store", json!({"type": "note", "title": "x", "content": "y"}));
    assert!(stored.get("revision").is_none());
    assert!(world.ok("memory.query", json!({}))["memories"][0].get("revision").is_none());
}

#[test]
fn lessons_are_an_agents_own() {
    let world = world();
    let lesson = |agent: &str| {
        json!({"agent": agent, "lessonType": "failure", "content": "Check the migrations first.\nThen the models.",
            "importance": 0.9, "taskContext": {"outcome": "failure", "attempts": 2}})
    };
    let first = world.ok("lesson.store", lesson("reviewer"));
    let known = world.ok("lesson.store", lesson("reviewer"));
    assert_eq!((&first["created"], &known["deduplicated"]), (&json!(true), &json!(true)));
    world.ok("lesson.store", lesson("planner"));
    let found = only(&world, json!({"types": ["lesson"], "agent": "reviewer"}));
    assert_eq!(
        (&found["title"], &found["agent"]),
        (&json!("Check the migrations first."), &json!("reviewer"))
    );
    assert_eq!(found["details"]["taskContext"]["attempts"], 2);
    let surfaced = world.ok("memory.surface", json!({"agent": "planner"}));
    assert_eq!(surfaced["total"], 1, "{surfaced:#}");
    world.ok("memory.update", json!({"memoryId": first["memoryId"], "importance": 0.1}));
}

#[test]
fn scratch_is_written_read_and_cleared() {
    let world = world();
    let symbol = world.repo.symbol("src/auth.py", "validate");
    let focus =
        json!({"contextType": "focus", "symbolIds": [symbol], "files": ["src/auth.py"], "note": "the check"});
    let written = world.ok("scratch.write", focus.clone());
    assert_eq!(written["replaced"], false);
    assert_eq!(world.ok("scratch.write", focus)["replaced"], true);
    world.ok("scratch.write", json!({"contextType": "plan", "agent": "a", "steps": ["one", "two"]}));
    world.ok("scratch.write", json!({"contextType": "value", "key": "k", "value": {"pages": 3.50}}));
    let missing = world.err("scratch.write", json!({"contextType": "plan"}));
    assert_eq!((&missing["code"], &missing["field"]), (&json!("missingField"), &json!("steps")));
    let read = world.ok("scratch.read", json!({"contextType": "focus"}));
    assert_eq!((&read["items"][0]["state"], &read["total"]), (&json!("fresh"), &json!(1)));
    edit_validate(&world);
    assert_eq!(world.ok("scratch.read", json!({"contextType": "focus"}))["items"][0]["state"], "stale");
    let two = world.ok("scratch.read", json!({"query": "two"}));
    assert_eq!((&two["total"], &two["items"][0]["agent"]), (&json!(1), &json!("a")));
    let nothing = world.err("scratch.clear", json!({}));
    assert_eq!(nothing["code"], "missingField");
    assert_eq!(world.ok("scratch.clear", json!({"contextType": "plan"}))["cleared"], 1);
    assert_eq!(world.ok("scratch.clear", json!({"all": true}))["cleared"], 2);
    assert_eq!(world.ok("scratch.read", json!({}))["total"], 0);
}

#[test]
fn the_one_who_edits_hears_what_became_stale() {
    let world = world();
    let stored = world.ok("memory.store", about_validate(&world));
    let built =
        world.ok("slice.build", json!({"entrySymbols": [world.repo.symbol("src/auth.py", "validate")]}));
    let before = world.repo.head();
    edit_validate(&world);
    let refresh = json!({"sliceHandle": built["sliceHandle"], "knownVersion": built["ledgerVersion"], "includeMemories": true});
    let staled = world.ok("slice.refresh", refresh)["staled"].clone();
    assert_eq!(staled[0]["id"], stored["memoryId"]);
    assert_eq!(staled[0]["title"], "Tokens are checked twice");
    let delta = json!({"fromVersion": before, "toVersion": "latest", "includeMemories": true});
    assert_eq!(world.ok("delta.get", delta)["staled"], staled);
    // It was stale before the next change.
    let before = world.repo.head();
    world.repo.write(&crate::common::SHOP.replace("def validate(", "def validate(lax, "));
    let delta = json!({"fromVersion": before, "toVersion": "latest", "includeMemories": true});
    assert_eq!(world.ok("delta.get", delta)["staled"], json!([]));
}
