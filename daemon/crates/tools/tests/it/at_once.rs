//! Many callers and a writer at the same time.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::World;
use serde_json::{Value, json};

#[test]
fn answers_are_of_one_version_while_the_tree_changes() {
    let world = World::shop();
    let slice =
        world.ok("sdl_slice_build", json!({"taskText": "validate a token", "wireFormat": "standard"}));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (world, slice, done) = (&world, &slice, &done);
        for _ in 0..3 {
            scope.spawn(move || {
                let mut known = slice["ledgerVersion"].clone();
                while !done.load(Ordering::SeqCst) {
                    known = one_round(world, slice, &known);
                }
            });
        }
        for i in 0..60 {
            let edited = crate::common::SHOP.replace("Splits a token", &format!("Splits a token {i} times"));
            world.repo.write(&edited);
        }
        done.store(true, Ordering::SeqCst);
    });
    let known = slice["ledgerVersion"].clone();
    let args = json!({"sliceHandle": slice["sliceHandle"], "knownVersion": known});
    let all = world.ok("sdl_slice_refresh", args);
    assert_eq!(all["currentVersion"], world.repo.head());
    assert_eq!(all["delta"]["changedSymbols"][0]["name"], "parse", "{all:#}");
}

/// A refresh and a card; versions only grow, and a delta ends where its answer says it does.
fn one_round(world: &World, slice: &Value, known: &Value) -> Value {
    let args = json!({"sliceHandle": slice["sliceHandle"], "knownVersion": known});
    let refreshed = world.ok("sdl_slice_refresh", args);
    assert_eq!(refreshed["currentVersion"], refreshed["freshness"]["version"]);
    assert!(number(&refreshed["currentVersion"]) >= number(known));
    assert!(refreshed.get("freshInstance").is_none(), "{refreshed:#}");
    if let Some(delta) = refreshed.get("delta") {
        assert_eq!((&delta["fromVersion"], &delta["toVersion"]), (known, &refreshed["currentVersion"]));
    }
    let card = world.ok("sdl_symbol_getCard", json!({"symbolRef": {"name": "parse"}}));
    assert_eq!(card["card"]["ledgerVersion"], card["freshness"]["version"]);
    refreshed["currentVersion"].clone()
}

fn number(version: &Value) -> u64 {
    version.as_str().unwrap().trim_start_matches('v').parse().unwrap()
}
