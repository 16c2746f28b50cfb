//! Answers during a first index: from the files read so far, marked, and never more than the finished index says.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use proptest::prelude::*;
use sdl_tools::host::{Barrier, RepoHealth, RepoState, RepoStatus, WatcherKind, WatcherStatus};
use serde_json::{Value, json};

use crate::common::World;

const LANGUAGES: [&str; 3] = ["py", "rs", "ts"];
const WORDS: [&str; 12] = [
    "token", "parse", "cart", "close", "render", "session", "price", "lookup", "charge", "retry", "queue",
    "frame",
];

fn word(n: usize) -> &'static str {
    WORDS[n % WORDS.len()]
}

/// A file of the tree: a type with a method, and a function, some of whose names are in other files too.
fn file(n: usize) -> (String, String) {
    let (first, second, third) = (word(n), word(n * 5 + 1), word(n / 3 + 4));
    let class = format!("{}{}", first[..1].to_uppercase(), &first[1..]);
    let language = LANGUAGES[n % 3];
    let text = match language {
        "py" => format!(
            "class {class}{n}:\n    \"\"\"Holds a {third}.\"\"\"\n\n    def {second}(self):\n        return self.{third}\n\n\ndef {first}_{second}(value):\n    if value:\n        return {class}{n}()\n    return None\n"
        ),
        "rs" => format!(
            "/// Holds a {third}.\npub struct {class}{n} {{\n    {third}: u32,\n}}\n\nimpl {class}{n} {{\n    pub fn {second}(&self) -> u32 {{\n        self.{third}\n    }}\n}}\n\nfn {first}_{second}(value: u32) -> u32 {{\n    if value > 0 {{\n        return value;\n    }}\n    0\n}}\n"
        ),
        _ => format!(
            "/** Holds a {third}. */\nexport class {class}{n} {{\n  {second}(): number {{\n    return this.{third};\n  }}\n}}\n\nexport function {first}{class}(value: number) {{\n  if (value) {{\n    return new {class}{n}();\n  }}\n  return null;\n}}\n"
        ),
    };
    (format!("real/{}/{second}_{n}.{language}", word(n / 4)), text)
}

fn write_all(world: &World, files: &[(String, String)]) {
    let fixture: String = files.iter().map(|(path, text)| format!("//- /{path}\n{text}")).collect();
    world.repo.write(&fixture);
}

/// Calls that a part can answer.
fn calls_on_a_part(n: usize, path: &str, ids: &[String]) -> Vec<(&'static str, Value)> {
    let (first, second) = (word(n), word(n + 3));
    let class = format!("{}{}{n}", first[..1].to_uppercase(), &first[1..]);
    let id = &ids[n % ids.len()];
    vec![
        ("symbol.search", json!({"query": first, "limit": 1_000})),
        ("symbol.search", json!({"query": class, "exact": true, "limit": 1_000})),
        ("symbol.search", json!({"query": format!("{class}.{second}"), "limit": 1_000})),
        ("symbol.search", json!({"query": format!("{first} {second}"), "limit": 1_000})),
        (
            "symbol.search",
            json!({"query": format!("why does the {second} of a `{class}` fail"), "limit": 1_000}),
        ),
        ("symbol.search", json!({"query": format!("^{first}.*{second}$"), "regex": true, "limit": 1_000})),
        ("symbol.search", json!({"query": second, "kinds": ["method"], "limit": 1_000})),
        (
            "symbol.search",
            json!({"query": second, "exportedOnly": true, "pathGlob": "**/*.rs", "limit": 1_000}),
        ),
        ("symbol.getCard", json!({"symbolRef": {"name": class}})),
        ("symbol.getCard", json!({"symbolRef": {"name": second}, "detail": "signature"})),
        ("symbol.getCard", json!({"symbolId": id, "detail": "deps"})),
        ("symbol.getCards", json!({"symbolIds": ids})),
        ("symbol.getCards", json!({"symbolRefs": [{"name": class}, {"name": "nothing_is_called_so"}]})),
        ("code.getSkeleton", json!({"file": path})),
        ("code.getSkeleton", json!({"symbolId": id})),
        ("code.getHotPath", json!({"symbolId": id, "identifiersToFind": ["value", "self", second]})),
        ("repo.overview", json!({})),
        ("repo.overview", json!({"level": "full"})),
        ("repo.overview", json!({"level": "stats"})),
    ]
}

/// Every symbol id in a value.
fn ids_in(value: &Value) -> BTreeSet<String> {
    match value {
        Value::String(text) if text.starts_with("s_") => BTreeSet::from([text.clone()]),
        Value::Array(items) => items.iter().flat_map(ids_in).collect(),
        Value::Object(map) => map.values().flat_map(ids_in).collect(),
        _ => BTreeSet::new(),
    }
}

/// The answer on all pages, or the error.
fn whole_answer(world: &World, action: &str, args: &Value) -> Value {
    let (ok, mut answer) = world.call(action, args.clone());
    while ok && let Some(cursor) = answer.get("cursor").cloned() {
        let mut next = args.clone();
        next["cursor"] = cursor;
        let page = world.ok(action, next);
        answer["results"].as_array_mut().unwrap().extend(page["results"].as_array().unwrap().clone());
        answer["cursor"] = page.get("cursor").cloned().unwrap_or(Value::Null);
        if answer["cursor"].is_null() {
            answer.as_object_mut().unwrap().remove("cursor");
        }
    }
    answer
}

/// Checks that nothing in an answer from a part is missing in the one from the whole tree.
fn assert_within(part: &Value, whole: &Value, call: &str) {
    let (some, all) = (ids_in(part), ids_in(whole));
    assert!(
        some.is_subset(&all),
        "{call}: {:?} are not in {whole:#}",
        some.difference(&all).collect::<Vec<_>>()
    );
    for text in ["skeleton", "excerpt", "file"] {
        assert_eq!(part.get(text), whole.get(text), "{call}");
    }
    let Some(stats) = part.get("stats") else { return };
    for count in ["files", "symbols", "failed"] {
        assert!(stats[count].as_u64() <= whole["stats"][count].as_u64(), "{call}: {count}");
    }
    assert_eq!(stats.get("edges"), None, "{call}: no edge is known");
    for folder in part["directories"].as_array().into_iter().flatten() {
        let same = |other: &&Value| other["path"] == folder["path"];
        let known = whole["directories"].as_array().unwrap().iter().find(same).unwrap();
        for count in ["files", "symbols", "exported"] {
            assert!(folder[count].as_u64() <= known[count].as_u64(), "{call}: {folder}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// The law: during a first index each answer is an error `indexing`, or marked, and in that of the finished index.
    #[test]
    fn an_answer_from_a_part_is_marked_and_within_that_of_the_whole(
        order in Just((0..30).collect::<Vec<usize>>()).prop_shuffle(),
        count in 1_usize..=30,
        n in 0_usize..30,
    ) {
        let files: Vec<(String, String)> = order.iter().map(|n| file(*n)).collect();
        let (early, late) = (World::empty(), World::empty());
        early.repo.read_part(&files, count);
        write_all(&late, &files);
        let known = late.ok("symbol.search", json!({"query": word(n), "limit": 3}));
        let ids: Vec<String> = ids_in(&known).into_iter().collect();
        let mut answered = 0;
        for (action, args) in calls_on_a_part(n, &files[n].0, &ids) {
            let call = format!("{action} {args} after {count}");
            let whole = whole_answer(&late, action, &args);
            let (ok, part) = early.call(action, args);
            if !ok {
                let missing = part["code"] == "indexing" && part["progress"]["secondsLeft"] == 90;
                let ambiguous = part["code"] == "ambiguousSymbol" && part["partial"]["filesDone"] == count;
                prop_assert!(missing || ambiguous, "{call}: {part:#}");
                prop_assert!(ids_in(&part).is_subset(&ids_in(&whole)), "{call}: {part:#}");
                continue;
            }
            answered += 1;
            let freshness = &part["freshness"];
            prop_assert_eq!(
                &freshness["partial"], &json!({"filesDone": count, "filesTotal": 30, "secondsLeft": 90}), "{}", call
            );
            prop_assert_eq!(&freshness["synced"], &json!(false));
            prop_assert!(freshness["reason"].as_str().unwrap().contains("may be in the rest"), "{freshness}");
            prop_assert!(part["results"].as_array().is_none_or(|results| !results.is_empty()), "{call}");
            for failed in part["failed"].as_array().into_iter().flatten() {
                prop_assert_ne!(&failed["code"], &json!("unknownSymbol"), "{}", call);
            }
            assert_within(&part, &whole, &call);
        }
        prop_assert!(answered >= 3, "the overviews are answered");
        prop_assert!(count < 30 || answered >= 16, "{answered} calls are answered once all files are read");
    }
}

/// A tree of which a third is read.
fn a_third() -> (World, Vec<(String, String)>) {
    let files: Vec<(String, String)> = (0..30).map(file).collect();
    let world = World::empty();
    world.repo.read_part(&files, 10);
    (world, files)
}

#[test]
fn an_index_that_takes_longer_than_the_patience_is_not_waited_for() {
    let (world, _) = a_third();
    let search = |patience: u64| json!({"query": "Token0", "syncTimeoutMs": patience});
    let text = world.text("symbol.search", search(2_000));
    assert!(text.contains("Token0 real/"), "{text}");
    assert!(
        text.contains("[v0, from a part of the tree: the first index is under way (10 of 30 files, about 90 s left); a symbol that is missing here may be in the rest]"),
        "{text}"
    );
    assert_eq!(world.repo.barriers.load(Ordering::SeqCst), 0, "nothing was waited for");
    // It is waited for as soon as it may be done in time.
    world.repo.at_barrier(2, |repo| {
        let files: String = (0..30).map(file).map(|(path, text)| format!("//- /{path}\n{text}")).collect();
        repo.forget_part();
        repo.write(&files);
        *repo.state.lock().unwrap() = RepoState::Live;
        *repo.synced.lock().unwrap() = Barrier { synced: true, ..Barrier::default() };
    });
    let answer = world.ok("symbol.search", search(600_000));
    assert_eq!(world.repo.barriers.load(Ordering::SeqCst), 2);
    assert_eq!((&answer["freshness"]["synced"], answer["freshness"].get("partial")), (&json!(true), None));
}

#[test]
fn an_index_without_an_estimate_is_waited_for_until_there_is_one() {
    let (world, files) = a_third();
    world.repo.read_so_far(10, files.len(), None);
    world.repo.at_barrier(3, |repo| repo.read_so_far(10, 30, Some(Duration::from_secs(3_600))));
    let answer = world.ok("symbol.search", json!({"query": "Token0", "syncTimeoutMs": 600_000}));
    assert_eq!(answer["freshness"]["partial"]["secondsLeft"], 3_600);
    assert_eq!(world.repo.barriers.load(Ordering::SeqCst), 3);
}

#[test]
fn a_part_never_stands_in_for_what_needs_the_whole() {
    let (world, files) = a_third();
    let path = &files[0].0;
    let id =
        ids_in(&world.ok("symbol.search", json!({"query": "Token0", "sync": "none"}))).pop_first().unwrap();
    for (action, args) in [
        ("symbol.search", json!({"query": "Token0", "sync": "require"})),
        ("symbol.related", json!({"symbol": "Token0"})),
        ("symbol.related", json!({"symbol": path, "want": "members"})),
        ("symbol.path", json!({"to": "Token0"})),
        ("change.impact", json!({"symbols": ["Token0"]})),
        ("symbol.rename", json!({"symbol": "Token0", "newName": "Other"})),
        ("symbol.unused", json!({})),
        ("slice.build", json!({"taskText": "Token0"})),
        ("context.summary", json!({"query": "Token0"})),
        (
            "code.needWindow",
            json!({"symbolId": id, "reason": "the token", "expectedLines": 9, "identifiersToFind": ["value"]}),
        ),
        ("symbol.search", json!({"query": "nothing_is_called_so"})),
        ("symbol.getCards", json!({"symbolRefs": [{"name": "nothing_is_called_so"}]})),
        ("code.getSkeleton", json!({"file": "real/no/such.py"})),
        ("repo.overview", json!({"directories": ["real/no"]})),
    ] {
        let mut args = args.clone();
        args["syncTimeoutMs"] = 0.into();
        let error = world.err(action, args.clone());
        assert_eq!(error["code"], "indexing", "{action} {args}: {error}");
        assert_eq!(error["progress"], json!({"done": 10, "total": 30, "secondsLeft": 90}), "{action}");
        assert_eq!(error["retryAfterMs"], 60_000, "{action}");
    }
    let error = world.err("symbol.search", json!({"query": "nothing_is_called_so"}));
    assert!(error["message"].as_str().unwrap().contains("not in the files read so far"), "{error}");
}

#[test]
fn a_card_from_a_part_says_nothing_of_edges() {
    let (world, _) = a_third();
    let answer = world.ok("symbol.getCard", json!({"symbolRef": {"name": "Token0"}}));
    let card = &answer["card"];
    assert_eq!(card["summary"], "Holds a render.");
    assert!(card.get("deps").is_none() && card.get("metrics").is_none(), "{card}");
    assert!(answer["notes"][0].as_str().unwrap().contains("detail signature"), "{answer}");
    let status = world.ok("repo.status", json!({"detail": "full"}));
    assert_eq!(status["progress"], json!({"done": 10, "total": 30, "secondsLeft": 90}));
    for total in ["files", "symbols", "edges", "filesWithoutFacts"] {
        assert_eq!(status.get(total), None, "{total} is not known yet");
    }
    assert_eq!(status["freshness"]["partial"]["filesTotal"], 30);
}

#[test]
fn a_tree_whose_every_file_is_ignored_says_by_which_rule() {
    let world = World::shop();
    for path in ["src/auth.py", "src/db.py", "src/shop/cart.py"] {
        world.repo.remove(path);
    }
    *world.repo.says.lock().unwrap() = Some(RepoStatus {
        state: RepoState::Live,
        head: None,
        git_problem: None,
        ignored_by: vec!["src: pattern \"*\" of .gitignore".into()],
        watcher: WatcherStatus {
            kind: WatcherKind::Fake,
            watches: 1,
            last_event_ms: None,
            degraded_reason: None,
        },
        health: RepoHealth::Ok,
    });
    let why = "every file of this tree is ignored: src: pattern \"*\" of .gitignore";
    for (action, args) in [
        ("symbol.search", json!({"query": "validate"})),
        ("repo.overview", json!({})),
        ("symbol.unused", json!({})),
    ] {
        let answer = world.ok(action, args.clone());
        assert_eq!(answer["notes"][0], why, "{action}: {answer}");
        assert!(world.text(action, args).contains(why), "{action}");
    }
    for (action, args) in [
        ("symbol.getCard", json!({"symbolRef": {"name": "validate"}})),
        ("symbol.related", json!({"symbol": "validate"})),
        ("slice.build", json!({"taskText": "validate a token"})),
        ("code.getSkeleton", json!({"file": "src/auth.py"})),
    ] {
        let error = world.err(action, args);
        assert!(error["message"].as_str().unwrap().ends_with(why), "{action}: {error}");
    }
    let overview = world.text("repo.overview", json!({}));
    assert!(overview.starts_with("no file is indexed"), "{overview}");
    let status = world.ok("repo.status", json!({}));
    assert_eq!(status["ignoredBy"], json!(["src: pattern \"*\" of .gitignore"]));
    let status = world.text("repo.status", json!({}));
    assert!(status.contains("no file is indexed\nignored: src") && !status.contains("0 files"), "{status}");
}
