//! Calls out of the repository into dependencies whose source is on the disk.

use sdl_tools::Repo as _;
use serde_json::json;

use crate::common::World;

/// Actions that can be asked over a workspace.
pub(crate) const ACROSS: [&str; 11] = [
    "symbol.search",
    "symbol.getCard",
    "symbol.getCards",
    "symbol.related",
    "symbol.path",
    "symbol.rename",
    "symbol.unused",
    "change.impact",
    "slice.build",
    "context.summary",
    "agent.orchestrate",
];

/// The same arguments for all repositories.
pub(crate) fn over_all(args: &serde_json::Value) -> serde_json::Value {
    let mut over = args.clone();
    over["repoId"] = "*".into();
    over
}

#[test]
fn a_card_shows_what_is_called_in_a_dependency() {
    let world = World::shop();
    world.install_wire();
    let answer = world.ok("sdl_symbol_getCard", json!({"symbolRef": {"name": "fetch"}}));
    let outside = answer["outside"].as_array().unwrap();
    assert_eq!(outside.len(), 2, "{answer:#}");
    assert_eq!(outside[0]["name"], "get");
    assert_eq!(outside[0]["signature"], "def get(url, timeout=3) -> Reply");
    assert_eq!(outside[0]["summary"], "Fetches a page.");
    assert_eq!((&outside[0]["package"], &outside[0]["version"]), (&json!("wire"), &json!("2.1")));
    assert!(outside[0]["file"].as_str().unwrap().ends_with("site-packages/wire/api.py"));
    assert_eq!((&outside[0]["line"], &outside[0]["at"]), (&json!(4), &json!(5)));
    // The type of its result leads on.
    assert_eq!(outside[1]["name"], "Reply.json");
    let related = world.ok("sdl_symbol_related", json!({"symbol": "fetch", "want": "callees"}));
    assert_eq!(related["outside"], answer["outside"]);
    // Another text of the dependency counts at once, although nothing watches it.
    let place = outside[0]["file"].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(&place).unwrap();
    std::fs::write(&place, text.replace("Fetches a page.", "Fetches one page.")).unwrap();
    let again = world.ok("sdl_symbol_getCard", json!({"symbolRef": {"name": "fetch"}}));
    assert_eq!(again["outside"][0]["summary"], "Fetches one page.");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_repository_are_not_followed() {
    let world = World::shop();
    world.install_wire();
    let packages = world.repo.root().join(".venv/lib/python3.12/site-packages");
    let elsewhere = world.host.dir.path().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::fs::rename(packages.join("wire"), elsewhere.join("wire")).unwrap();
    std::os::unix::fs::symlink(elsewhere.join("wire"), packages.join("wire")).unwrap();
    let answer = world.ok("sdl_symbol_getCard", json!({"symbolRef": {"name": "fetch"}}));
    assert_eq!(answer.get("outside"), None, "{answer:#}");
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let world = World::shop();
    world.install_wire();
    let api = world.repo.root().join(".venv/lib/python3.12/site-packages/wire/api.py");
    let text = std::fs::read_to_string(&api).unwrap();
    std::fs::write(&api, format!("{text}\n# {}\n", "x".repeat(1 << 20))).unwrap();
    let answer = world.ok("sdl_symbol_getCard", json!({"symbolRef": {"name": "fetch"}}));
    assert_eq!(answer.get("outside"), None, "{answer:#}");
}
