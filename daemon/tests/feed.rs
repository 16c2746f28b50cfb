//! The feed: each version once and in order, for those who follow, and nothing for nobody.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use sdld::feed::{Feed, Follower, MOST_FOLLOWERS, TooManyFollowers, Wanted};
use serde_json::{Value, json};

use common::Daemon;

const ALL: Wanted = Wanted { repos: None, calls: false, recent: 0 };

fn follow(daemon: &Daemon, wanted: Wanted) -> (Arc<Follower>, Value) {
    daemon.engine.feed().add_follower(wanted).unwrap()
}

/// Describes everything that was noted.
fn run(feed: &Feed) {
    while feed.step() {}
}

/// The events that wait: kind and details.
fn events(follower: &Follower) -> Vec<(&'static str, Value)> {
    std::iter::from_fn(|| follower.try_next())
        .map(|event| (event.method, serde_json::from_slice(&event.params).unwrap()))
        .collect()
}

fn versions(follower: &Follower) -> Vec<Value> {
    events(follower).into_iter().filter(|(kind, _)| *kind == "feed/version").map(|(_, event)| event).collect()
}

/// Waits until everything that was written is committed; its version.
fn sync(daemon: &Daemon, repo: &str) -> String {
    let answer =
        daemon.ok("symbol.search", json!({ "repoId": repo, "query": "anything", "sync": "require" }));
    answer["freshness"]["version"].as_str().unwrap().to_owned()
}

fn app() -> Daemon {
    let daemon = Daemon::new();
    daemon.add_repo("app", &[("a.py", "def one():\n    return 1\n"), ("b.py", "def two():\n    return 2\n")]);
    sync(&daemon, "app");
    daemon
}

#[test]
fn a_follower_gets_what_comes_after_the_version_that_it_was_told() {
    let daemon = app();
    let (follower, answer) = follow(&daemon, ALL);
    let before = sync(&daemon, "app");
    assert_eq!(answer["repos"][0]["repo"], "app");
    assert_eq!(answer["repos"][0]["state"], "live");
    assert_eq!(answer["repos"][0]["version"], json!(before));

    daemon.write("app", "a.py", "def one():\n    return 11\n\ndef three():\n    return 3\n");
    std::fs::remove_file(daemon.root("app").join("b.py")).unwrap();
    daemon.write("app", "c.py", "# nothing\n");
    let after = sync(&daemon, "app");
    run(daemon.engine.feed());
    // One batch or several: together they are what was done.
    let got = versions(&follower);
    let mut parent = before.as_str();
    for version in &got {
        assert_eq!(version["parent"], json!(parent), "a version is missing");
        parent = version["version"].as_str().unwrap();
        assert_eq!(version["repo"], "app");
        assert!(version["at"].as_u64().unwrap() > 0 && version["ms"].is_u64());
    }
    assert_eq!(parent, after);
    let files: BTreeSet<(String, String)> = got
        .iter()
        .flat_map(|version| version["files"].as_array().unwrap().clone())
        .map(|file| (file["path"].as_str().unwrap().to_owned(), file["change"].as_str().unwrap().to_owned()))
        .collect();
    let wanted = [("a.py", "changed"), ("b.py", "removed"), ("c.py", "added")];
    assert_eq!(files, wanted.map(|(path, change)| (path.to_owned(), change.to_owned())).into());
    let count =
        |what: &str| got.iter().map(|version| version["symbols"][what].as_u64().unwrap()).sum::<u64>();
    // Modules count too: that of c.py came, that of b.py went.
    assert_eq!((count("added"), count("changed"), count("removed")), (2, 1, 2));
    assert!(versions(&follower).is_empty(), "each once");
}

#[test]
fn a_follower_may_begin_with_the_newest_versions() {
    let daemon = app();
    let (first, _) = follow(&daemon, ALL);
    for number in 0..4 {
        daemon.write("app", "a.py", &format!("def one():\n    return {number}\n"));
        sync(&daemon, "app");
    }
    run(daemon.engine.feed());
    let live = versions(&first);
    let (late, answer) = follow(&daemon, Wanted { recent: 3, ..ALL });
    // A version that is noted before the beginning was sent comes after it.
    daemon.write("app", "b.py", "def two():\n    return 22\n");
    let newest = sync(&daemon, "app");
    run(daemon.engine.feed());
    let seen = versions(&late);
    let number = |event: &Value| event["version"].as_str().unwrap().to_owned();
    let numbers: Vec<String> = seen.iter().map(number).collect();
    let wanted: Vec<String> = live[1..].iter().map(number).chain([newest]).collect();
    assert_eq!(numbers, wanted);
    assert_eq!(answer["repos"][0]["version"], numbers[2]);
    let past: Vec<bool> = seen.iter().map(|event| event["past"] == true).collect();
    assert_eq!(past, [true, true, true, false]);
    for (event, told) in seen.iter().zip(&live[1..]) {
        assert_eq!((&event["files"], &event["symbols"]), (&told["files"], &told["symbols"]));
        assert!(event.get("ms").is_none() && told["ms"].is_u64());
    }
}

#[test]
fn layout_alone_changes_a_file_and_no_symbol() {
    let daemon = app();
    let (follower, _) = follow(&daemon, ALL);
    daemon.write("app", "a.py", "def one():\n\n    # why\n    return 1\n");
    sync(&daemon, "app");
    run(daemon.engine.feed());
    let got = versions(&follower);
    assert_eq!(got.len(), 1);
    assert_eq!(got[0]["fileCount"], 1);
    assert_eq!(got[0]["symbols"], json!({ "added": 0, "changed": 0, "removed": 0 }));
}

#[test]
fn a_version_that_was_committed_before_is_not_sent() {
    let daemon = app();
    let (first, _) = follow(&daemon, ALL);
    daemon.write("app", "a.py", "def one():\n    return 5\n");
    let version = sync(&daemon, "app");
    // Noted for the first, and not described yet. The second finds it in its answer.
    let (second, answer) = follow(&daemon, ALL);
    assert_eq!(answer["repos"][0]["version"], json!(version));
    run(daemon.engine.feed());
    assert_eq!(versions(&first).last().unwrap()["version"], json!(version));
    assert!(versions(&second).is_empty());
}

#[test]
fn nothing_is_noted_while_nobody_follows() {
    let daemon = app();
    daemon.write("app", "a.py", "def one():\n    return 7\n");
    sync(&daemon, "app");
    assert!(!daemon.engine.feed().step());
    let (follower, _) = follow(&daemon, ALL);
    daemon.engine.feed().remove_follower(&follower);
    assert!(!daemon.engine.feed().is_followed());
    daemon.write("app", "a.py", "def one():\n    return 8\n");
    sync(&daemon, "app");
    assert!(!daemon.engine.feed().step());
    // Removing it again changes no count.
    daemon.engine.feed().remove_follower(&follower);
    assert!(!daemon.engine.feed().is_followed());
}

#[test]
fn a_follower_of_one_repository_hears_of_no_other() {
    let daemon = app();
    daemon.add_repo("lib", &[("x.py", "def x():\n    return 1\n")]);
    sync(&daemon, "lib");
    let only = Wanted { repos: Some(["lib".to_owned()].into()), calls: true, ..ALL };
    let (follower, answer) = follow(&daemon, only);
    assert_eq!(answer["repos"].as_array().unwrap().len(), 1);
    daemon.write("app", "a.py", "def one():\n    return 9\n");
    sync(&daemon, "app");
    daemon.write("lib", "x.py", "def x():\n    return 2\n");
    sync(&daemon, "lib");
    run(daemon.engine.feed());
    let got = events(&follower);
    assert!(got.iter().all(|(_, event)| event["repo"] == "lib"), "{got:#?}");
    assert!(got.iter().any(|(kind, _)| *kind == "feed/version"));
    assert!(got.iter().any(|(kind, _)| *kind == "feed/call"));
}

#[test]
fn calls_are_told_without_arguments_and_answers() {
    let daemon = app();
    let (silent, _) = follow(&daemon, ALL);
    let (follower, _) = follow(&daemon, Wanted { calls: true, ..ALL });
    daemon.ok("symbol.getCard", json!({ "repoId": "app", "symbolRef": { "name": "one" } }));
    daemon.refused("symbol.search", json!({ "repoId": "nowhere", "query": "secretword" }));
    daemon.refused("no.such.action", json!({}));
    run(daemon.engine.feed());
    let calls: Vec<Value> = events(&follower)
        .into_iter()
        .filter(|(kind, _)| *kind == "feed/call")
        .map(|(_, event)| event)
        .collect();
    assert_eq!(calls.len(), 3, "{calls:#?}");
    assert_eq!(calls[0]["action"], "symbol.getCard");
    assert_eq!((&calls[0]["repo"], &calls[0]["client"]), (&json!("app"), &json!("test")));
    assert_eq!((&calls[0]["ok"], &calls[0]["session"]), (&json!(true), &json!(1)));
    assert!(calls[0]["tokens"].as_u64().unwrap() > 0);
    assert!(calls[0]["instead"].as_u64().unwrap() > 0, "the file was served for the first time");
    assert_eq!((&calls[1]["ok"], &calls[1]["code"]), (&json!(false), &json!("unknownRepo")));
    assert_eq!(calls[2]["action"], "no.such.action");
    assert!(!calls.iter().any(|call| call.to_string().contains("secretword")));
    assert!(events(&silent).iter().all(|(kind, _)| *kind != "feed/call"));
}

#[test]
fn states_are_told_once_when_they_change() {
    let daemon = app();
    let (follower, _) = follow(&daemon, ALL);
    daemon.add_repo("new", &[("x.py", "def x():\n    return 1\n")]);
    sync(&daemon, "new");
    run(daemon.engine.feed());
    let got = events(&follower);
    let of_new =
        |kind: &str| got.iter().filter(|(one, event)| *one == kind && event["repo"] == "new").count();
    assert_eq!(of_new("feed/version"), 1);
    let first = &got.iter().find(|(kind, _)| *kind == "feed/version").unwrap().1;
    assert_eq!((&first["cause"], &first["fileCount"]), (&json!("firstIndex"), &json!(1)));
    assert!(of_new("feed/status") >= 1);
    // The same state again is no news.
    daemon.engine.feed().note_state(&Arc::downgrade(&daemon.engine.find_repo(Some("new")).unwrap()));
    run(daemon.engine.feed());
    assert!(events(&follower).is_empty());

    daemon.engine.remove("new").unwrap();
    run(daemon.engine.feed());
    let got = events(&follower);
    assert!(
        got.iter().any(|(kind, event)| *kind == "feed/status" && event["state"] == "removed"),
        "{got:#?}"
    );
}

#[test]
fn the_number_of_followers_is_bounded() {
    let daemon = app();
    let mut all: Vec<_> = (0..MOST_FOLLOWERS).map(|_| follow(&daemon, ALL).0).collect();
    assert_eq!(daemon.engine.feed().add_follower(ALL).unwrap_err(), TooManyFollowers);
    daemon.engine.feed().remove_follower(&all.pop().unwrap());
    assert!(daemon.engine.feed().add_follower(ALL).is_ok());
}

#[test]
fn versions_are_told_by_the_threads_too() {
    let daemon = app();
    let (follower, _) = follow(&daemon, ALL);
    daemon.engine.feed().run().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    daemon.write("app", "a.py", "def one():\n    return 6\n");
    let version = sync(&daemon, "app");
    let found = runtime.block_on(async {
        loop {
            let event = follower.next().await.unwrap();
            let told: Value = serde_json::from_slice(&event.params).unwrap();
            if event.method == "feed/version" && told["version"] == json!(version) {
                return true;
            }
        }
    });
    assert!(found);
    daemon.engine.close();
    assert!(runtime.block_on(follower.next()).is_none(), "the end of the daemon is the end of the feed");
}
