//! Cards with all that they can tell: churn, clusters, processes.

use crate::common::World;
use serde_json::{Value, json};

const SYSTEM: &str = "
//- /db/pool.py
def acquire() calls connect
def release() calls connect
//- /db/net.py
def connect() calls retry
def reset() calls retry, acquire
//- /db/again.py
def retry() : Tries again.
//- /ui/page.py
def draw() calls box, text
def main() calls draw, acquire
//- /ui/box.py
def box() calls text
//- /ui/text.py
def text() calls box
";

fn card(world: &World, path: &str, name: &str) -> Value {
    world.ok("sdl_symbol_getCard", json!({"symbolId": world.repo.symbol(path, name)}))["card"].clone()
}

#[test]
fn full_cards_tell_churn_cluster_and_processes() {
    let world = World::empty();
    world.repo.write(SYSTEM);
    let retry = card(&world, "db/again.py", "retry");
    assert_eq!(retry["metrics"]["churn30d"], 11);
    assert_eq!(retry["cluster"], "db");
    assert_eq!(
        retry["processes"],
        json!(["main > acquire > connect > retry", "reset > retry", "release > connect > retry"])
    );
    assert_eq!(card(&world, "ui/text.py", "text")["cluster"], "ui");
    let args = json!({"symbolId": world.repo.symbol("db/again.py", "retry"), "detail": "compact"});
    let compact = &world.ok("sdl_symbol_getCard", args)["card"];
    for part in ["metrics", "cluster", "processes"] {
        assert!(compact.get(part).is_none(), "{compact:#}");
    }
}

#[test]
fn the_overview_tells_the_same_clusters_and_churn() {
    let world = World::empty();
    world.repo.write(SYSTEM);
    let overview = world.ok("sdl_repo_overview", json!({"level": "full"}));
    let cluster = |label: &str, hub: &str, cohesion: f64, on: Value| json!({"label": label, "files": 3, "hub": hub, "cohesion": cohesion, "dependsOn": on});
    let clusters =
        json!([cluster("db", "db/net.py", 1.0, json!([])), cluster("ui", "ui/box.py", 0.8, json!(["db"]))]);
    assert_eq!(overview["clusters"], clusters);
    assert_eq!(overview["hotspots"][0]["name"], "retry");
    assert_eq!(overview["hotspots"][0]["churn30d"], 11);
    let some = world.ok("sdl_repo_overview", json!({"level": "full", "directories": ["ui"]}));
    assert_eq!(some["clusters"].as_array().unwrap().len(), 1);
}

/// The results that are kept from version to version equal those computed from scratch.
#[test]
fn clusters_do_not_depend_on_how_a_version_came_to_be() {
    let edits = [
        "//- /db/pool.py\ndef acquire() calls connect, draw\ndef release() calls text",
        "//- /ui/new.py\ndef fresh() calls draw, box\n",
        "//- /db/pool.py\ndef acquire()\ndef release() calls box, text, draw",
        "//- /db/again.py\ndef retry() calls connect : Tries again, and again.",
    ];
    let names =
        [("db/pool.py", "acquire"), ("db/net.py", "connect"), ("db/again.py", "retry"), ("ui/box.py", "box")];
    let grown = World::empty();
    grown.repo.write(SYSTEM);
    let told = |world: &World| -> Vec<Value> {
        names
            .iter()
            .map(|(path, name)| card(world, path, name))
            .map(|c| json!([c["cluster"], c["etag"]]))
            .collect()
    };
    let mut seen = vec![told(&grown)];
    for done in 1..=edits.len() {
        grown.repo.write(edits[done - 1]);
        let fresh = World::empty();
        fresh.repo.write(SYSTEM);
        for edit in &edits[..done] {
            fresh.repo.write(edit);
        }
        assert_eq!(told(&grown), told(&fresh), "after {done} edits");
        seen.push(told(&grown));
    }
    grown.repo.remove("ui/new.py");
    let fresh = World::empty();
    fresh.repo.write(SYSTEM);
    for edit in &edits {
        fresh.repo.write(edit);
    }
    fresh.repo.remove("ui/new.py");
    assert_eq!(told(&grown), told(&fresh));
    assert!(seen.iter().any(|clusters| clusters != &seen[0]));
}
