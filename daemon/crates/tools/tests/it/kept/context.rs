//! Contexts put together from the code and the agents' store, and their learning from feedback.

use super::{about_validate, edit_validate, world};
use crate::common::World;
use serde_json::{Value, json};

fn assemble(world: &World, more: Value) -> Value {
    let mut args =
        json!({"taskText": "why does validate check tokens twice", "budget": {"maxTokens": 3_000}});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.ok("context.assemble", args)
}

fn lane<'a>(context: &'a Value, lane: &str) -> Vec<&'a Value> {
    let sections = context["sections"].as_array().unwrap().iter();
    sections.filter(|section| section["lane"] == lane).flat_map(|s| s["items"].as_array().unwrap()).collect()
}

#[test]
fn a_context_has_the_code_and_what_is_remembered_of_it() {
    let world = world();
    let memory = world.ok("memory.store", about_validate(&world));
    world.ok("memory.store", json!({"type": "note", "title": "Holidays", "content": "Closed in August."}));
    world.ok(
        "lesson.store",
        json!({"agent": "a", "lessonType": "failure", "content": "Validate tokens first."}),
    );
    world.ok("lesson.store", json!({"agent": "b", "lessonType": "failure", "content": "Validate twice."}));
    world.ok("scratch.write", json!({"contextType": "plan", "steps": ["read validate"]}));
    let context = assemble(&world, json!({"agent": "a"}));
    let validate = world.repo.symbol("src/auth.py", "validate");
    assert_eq!(lane(&context, "code")[0]["sourceId"], validate);
    let memories = lane(&context, "memory");
    assert_eq!(memories.len(), 1, "{context:#}");
    assert_eq!((&memories[0]["sourceId"], &memories[0]["state"]), (&memory["memoryId"], &json!("same")));
    assert!(memories[0]["why"].to_string().contains("about validate"), "{context:#}");
    assert_eq!(lane(&context, "lesson").len(), 1);
    assert_eq!(lane(&context, "scratch").len(), 1);
    assert_eq!(context["shares"]["code"], 55.0);
    let text = world.raw(
        "context.assemble",
        &json!({"taskText": "validate", "budget": {"maxTokens": 3_000}}).to_string(),
    );
    let text = text["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.starts_with("assembly_id: as_") && text.contains(" source_ids: s_"), "{text}");
}

#[test]
fn the_same_request_on_the_same_state_is_the_same_context() {
    let world = world();
    world.ok("memory.store", about_validate(&world));
    let (one, other) = (assemble(&world, json!({})), assemble(&world, json!({})));
    assert_eq!(one, other);
    world.ok("scratch.write", json!({"contextType": "plan", "steps": ["x"]}));
    assert_ne!(assemble(&world, json!({}))["assemblyId"], one["assemblyId"]);
}

#[test]
fn what_is_stale_says_so_or_is_left_out() {
    let world = world();
    world.ok("memory.store", about_validate(&world));
    edit_validate(&world);
    let context = assemble(&world, json!({}));
    assert_eq!(lane(&context, "memory")[0]["state"], "changed");
    assert_eq!(lane(&context, "memory")[0]["staleSince"]["version"], world.repo.head());
    assert!(lane(&assemble(&world, json!({"includeStale": false})), "memory").is_empty());
}

#[test]
fn lanes_that_can_not_answer_are_named_and_the_others_answer() {
    let world = world();
    world.ok("memory.store", about_validate(&world));
    let nothing = assemble(&world, json!({"taskText": "zyxomma tokens"}));
    assert_eq!(lane(&nothing, "memory").len(), 1, "{nothing:#}");
    world.ok(
        "memory.store",
        json!({"type": "note", "title": "Zulu quebec", "content": "A rule of the house."}),
    );
    let no_code = assemble(&world, json!({"taskText": "zulu quebec"}));
    assert_eq!(lane(&no_code, "memory").len(), 1, "{no_code:#}");
    assert_eq!(no_code["omitted"][0]["lane"], "code", "{no_code:#}");
    let only = assemble(&world, json!({"lanes": ["memory"]}));
    assert_eq!((&only["shares"], only["sections"].as_array().unwrap().len()), (&json!({"memory": 100.0}), 1));
}

#[test]
fn feedback_moves_what_helped_up() {
    let world = world();
    let store = |title: &str| {
        let note = json!({"type": "note", "title": title, "content": "Tokens are checked twice."});
        world.ok("memory.store", note)["memoryId"].clone()
    };
    let (one, other) = (store("About tokens A"), store("About tokens B"));
    let order_with = |world: &World, use_feedback: bool| -> Vec<Value> {
        let context = assemble(world, json!({"lanes": ["memory"], "useFeedback": use_feedback}));
        lane(&context, "memory").iter().map(|item| item["sourceId"].clone()).collect()
    };
    let order = |world: &World| order_with(world, true);
    let first = order(&world);
    let last = first[1].clone();
    assert!([&one, &other].contains(&&last));
    for _ in 0..3 {
        let context = assemble(&world, json!({"lanes": ["memory"]}));
        let told = world.ok(
            "context.feedback",
            json!({"assemblyId": context["assemblyId"], "usedSourceIds": [last, "m_none"], "outcome": "success"}),
        );
        assert_eq!(told["counted"], json!({"used": 1, "unused": 1}));
        assert_eq!(told["unknown"], json!(["m_none"]));
    }
    assert_eq!(order(&world)[0], last);
    assert_eq!(order_with(&world, false), first);
    let learned = world.ok("agent.feedback.query", json!({}));
    assert_eq!(learned["lanes"][0]["lane"], "memory");
    assert_eq!(learned["lift"]["contexts"], 3, "{learned:#}");
    let hashes = world.ok("info", json!({"actions": true}))["actions"].clone();
    assert!(hashes["context.assemble"].as_str().is_some_and(|hash| hash.len() == 12), "{hashes}");
    let unknown =
        world.err("context.feedback", json!({"assemblyId": "as_0123456789abc", "usedSourceIds": []}));
    assert_eq!((&unknown["code"], &unknown["field"]), (&json!("unknownHandle"), &json!("assemblyId")));
}
