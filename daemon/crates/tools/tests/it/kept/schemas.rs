//! Every answer of an action of a module fits its schema, and every field of the schema is in the answer to some call.

use std::collections::{BTreeMap, BTreeSet};

use super::{about_validate, edit_validate, world};
use crate::common::{World, schema};
use sdl_tests::schema::{declared_paths, value_paths};
use serde_json::{Value, json};

/// Fields of answers that these calls don't give, each with its reason.
const UNSEEN: &[(&str, &str)] = &[
    ("freshness.", "as for every action on a version"),
    ("notes", "remarks that every answer may have"),
    ("masked", "as for every change"),
    ("replayed", "as for every change"),
    ("sections[].items[].staleSince.before", "takes a memory older than the ledger"),
    ("sections[].items[].staleSince.commit", "the tree is in no git repository"),
    ("truncated", "takes more than an answer holds"),
];

/// Calls of the actions of a module.
pub(super) type Calls = fn(&World) -> Vec<(&'static str, Value)>;

/// The modules and their calls.
const CALLS: &[(&str, Calls)] = &[("memory", memory_calls)];

fn memory_calls(world: &World) -> Vec<(&'static str, Value)> {
    let memory = world.ok("memory.store", about_validate(world));
    for i in 0..12 {
        let content =
            format!("Of the tokens, number {i} says more than fits into a small context. ").repeat(4);
        world.ok("memory.store", json!({"type": "note", "title": format!("Tokens {i}"), "content": content}));
    }
    edit_validate(world);
    let task =
        json!({"taskText": "why are tokens checked twice in validate", "budget": {"maxTokens": 3_000}});
    let context = world.ok("context.assemble", task.clone());
    let symbol = world.repo.symbol("src/auth.py", "parse");
    vec![
        ("context.assemble", task),
        (
            "context.assemble",
            json!({"taskText": "tokens", "budget": {"maxTokens": 800}, "lanes": ["code", "kg", "memory"]}),
        ),
        (
            "context.feedback",
            json!({"assemblyId": context["assemblyId"], "usedSourceIds": [memory["memoryId"], "m_no"]}),
        ),
        ("memory.update", json!({"memoryId": memory["memoryId"], "confidence": 0.3})),
        ("lesson.store", json!({"agent": "a", "lessonType": "semantic", "content": "Tokens expire."})),
        (
            "scratch.write",
            json!({"contextType": "focus", "agent": "a", "symbolIds": [symbol], "files": ["src/auth.py"]}),
        ),
        ("scratch.read", json!({})),
        ("scratch.clear", json!({"all": true})),
    ]
}

#[test]
fn every_action_of_a_module_answers_by_its_schema() {
    let mut faults = Vec::new();
    let described: Value = serde_json::from_slice(&world().tools.describe()).unwrap();
    let actions = described["actions"].as_array().unwrap();
    for (module, calls) in CALLS {
        let world = world();
        let mut seen: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (name, args) in calls(&world) {
            let answer = world.ok(name, args.clone());
            let action = actions.iter().find(|action| action["name"] == name).unwrap();
            let breaches = schema::breaches(&action["outputSchema"], &answer, name);
            assert!(breaches.is_empty(), "{name} {args}: {breaches:#?}\n{answer:#}");
            seen.entry(name).or_default().extend(value_paths(&answer));
        }
        for action in actions.iter().filter(|action| action["module"] == *module) {
            let name = action["name"].as_str().unwrap();
            let seen = seen.get(name);
            for path in declared_paths(&action["outputSchema"]) {
                let excused = UNSEEN.iter().any(|(field, _)| path.starts_with(field));
                if !excused && !seen.is_some_and(|seen| seen.contains(&path)) {
                    faults.push(format!("{name} > {path}: no call gives it"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
