//! Calls that come while the first index is under way, with a real repository whose index is held until a test lets it go.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use common::Daemon;
use sdl_ledger::{Fault, FaultPoint, Faults, Options};
use sdl_tools::{Cancel, Host, NoProgress, Session, Tools};
use sdld::engine::Engine;
use serde_json::{Value, json};

/// Holds every commit of the repository's worker until it is let go: it gets a message, or the other end is dropped.
struct Gate {
    reached: Mutex<Sender<Event>>,
    open: Mutex<Receiver<()>>,
    /// Whether commits of files' facts are held too, which a thread of its own makes.
    facts: bool,
}

/// An event that a test waits for.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    Held,
    Indexed,
}

impl Faults for Gate {
    fn at(&self, point: FaultPoint) -> Option<Fault> {
        let thread = std::thread::current();
        let is_held = match thread.name() {
            Some("repo app") => true,
            Some("store") => self.facts,
            _ => false,
        };
        if is_held && point == FaultPoint::BeforeCommit {
            let _ = self.reached.lock().unwrap().send(Event::Held);
            let _ = self.open.lock().unwrap().recv();
        }
        None
    }
}

fn call(tools: &Tools, session: &Session, action: &str, args: &Value) -> Result<Value, Value> {
    let bytes = tools.call(session, action, args.to_string().as_bytes(), &NoProgress, &Cancel::new());
    let mut answer: Value = serde_json::from_slice(&bytes).unwrap();
    let data = answer["structuredContent"].take();
    if answer["isError"] == true { Err(data) } else { Ok(data) }
}

#[test]
fn a_tree_that_is_being_read_is_not_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("app");
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join(".env"), "TOKEN=1\n").unwrap();
    fs::write(root.join("id_rsa"), "x\n").unwrap();
    fs::write(root.join("a.py"), "def compose():\n    return part()\n\n\ndef part():\n    return 1\n")
        .unwrap();
    let ((reached, held), (open, gate)) = (channel(), channel());
    let gate = Gate { reached: Mutex::new(reached), open: Mutex::new(gate), facts: false };
    let options = Options { faults: Some(Arc::new(gate)), ..Options::default() };
    let engine = Engine::open_with(&folder.path().join("state"), options).unwrap();
    let tools = Tools::new(Arc::clone(&engine) as Arc<dyn Host>);
    let session = Session {
        id: 1,
        cwd: Some(root.clone()),
        client: "test".into(),
        principal: None,
        run: sdl_tools::ClientRun::default(),
    };

    let registered = call(&tools, &session, "repo.register", &json!({ "rootPath": root })).unwrap();
    assert_eq!(registered["indexing"], true);
    assert_eq!(registered["freshness"]["version"], "v0");
    held.recv().unwrap();
    // The files are counted after the worker's first commits.
    while call(&tools, &session, "symbol.search", &json!({"query": "compose", "sync": "none"})).unwrap_err()["progress"]
        ["total"]
        .is_null()
    {
        open.send(()).unwrap();
        held.recv().unwrap();
    }
    for (action, args) in [
        ("slice.build", json!({"taskText": "compose", "syncTimeoutMs": 0})),
        ("symbol.search", json!({"query": "compose", "syncTimeoutMs": 0})),
        ("symbol.search", json!({"query": "compose", "sync": "none"})),
    ] {
        let error = call(&tools, &session, action, &args).unwrap_err();
        assert_eq!(error["code"], "indexing", "{action} {args}: {error}");
        assert_eq!(error["progress"]["total"], 3, "{error}");
    }
    assert_eq!(call(&tools, &session, "repo.status", &json!({})).unwrap()["state"], "indexing");

    drop(open);
    let patient = json!({"taskText": "compose", "syncTimeoutMs": 60_000});
    let slice = call(&tools, &session, "slice.build", &patient).unwrap();
    assert_eq!(slice["freshness"]["synced"], true, "{slice}");
    assert!(slice.to_string().contains("part"), "{slice}");
    let status = call(&tools, &session, "repo.status", &json!({})).unwrap();
    assert_eq!(status["skipped"], json!({"secret": 2}), "files of secrets are counted");
    let full = call(&tools, &session, "index.refresh", &json!({"mode": "full"})).unwrap();
    assert_eq!((&full["parsed"], &full["reused"]), (&json!(1), &json!(2)), "each file was read: {full}");
}

/// Numbers that follow from the seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

const WORDS: [&str; 8] = ["Token", "Cart", "Session", "Price", "Queue", "Frame", "Retry", "Render"];
const VERBS: [&str; 6] = ["open", "close", "parse", "charge", "lookup", "flush"];

/// A tree of small files in three languages, with names that occur in several of them.
fn tree(seed: u64, files: usize) -> Vec<(String, String)> {
    let mut numbers = Numbers(seed);
    let mut tree = Vec::new();
    for n in 0..files {
        let (word, verb) = (WORDS[numbers.below(WORDS.len())], VERBS[numbers.below(VERBS.len())]);
        let folder = WORDS[numbers.below(WORDS.len())].to_lowercase();
        let (language, text) = match numbers.below(3) {
            0 => (
                "py",
                format!(
                    "class {word}{n}:\n    def {verb}(self):\n        return {verb}_{n}()\n\n\ndef {verb}_{n}():\n    return {n}\n"
                ),
            ),
            1 => (
                "rs",
                format!(
                    "pub struct {word}{n};\n\nimpl {word}{n} {{\n    pub fn {verb}(&self) -> u32 {{\n        {verb}_{n}()\n    }}\n}}\n\nfn {verb}_{n}() -> u32 {{\n    {n}\n}}\n"
                ),
            ),
            _ => (
                "ts",
                format!(
                    "export class {word}{n} {{\n  {verb}(): number {{\n    return {verb}_{n}();\n  }}\n}}\n\nexport function {verb}_{n}() {{\n  return {n};\n}}\n"
                ),
            ),
        };
        tree.push((format!("{folder}/{verb}{n}.{language}"), text));
    }
    tree
}

/// Calls on the tree, those that a part can answer first.
fn calls_on(tree: &[(String, String)], numbers: &mut Numbers) -> Vec<(&'static str, Value)> {
    let n = numbers.below(tree.len());
    let (path, text) = &tree[n];
    let named = WORDS.iter().find(|word| text.contains(&format!("{word}{n}"))).unwrap();
    let (name, verb) = (format!("{named}{n}"), VERBS[numbers.below(VERBS.len())]);
    let calls = [
        ("symbol.search", json!({"query": name, "limit": 1_000})),
        ("symbol.search", json!({"query": format!("{verb}_{n}"), "exact": true})),
        ("symbol.search", json!({"query": format!("^{verb}_{n}"), "regex": true})),
        ("symbol.getCard", json!({"symbolRef": {"name": name}})),
        ("symbol.getCards", json!({"symbolRefs": [{"name": name}, {"name": format!("{verb}_{n}")}]})),
        ("code.getSkeleton", json!({"file": path})),
        ("repo.overview", json!({"level": "stats"})),
        ("repo.status", json!({"detail": "compact"})),
        ("symbol.related", json!({"symbol": name})),
        ("change.impact", json!({"symbols": [name]})),
        ("slice.build", json!({"taskText": format!("{verb} the {name}")})),
    ];
    let with_patience = |(action, mut args): (&'static str, Value)| {
        args["syncTimeoutMs"] = 0.into();
        (action, args)
    };
    calls.into_iter().map(with_patience).collect()
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

/// The answer of the finished index on all pages, or its error.
fn last_answer(daemon: &Daemon, action: &str, args: &Value) -> Value {
    let mut args = args.clone();
    args["syncTimeoutMs"] = 60_000.into();
    let mut whole = daemon.call(action, &args).unwrap_or_else(|error| error);
    let mut page = whole.clone();
    while let Some(cursor) = page.get("cursor") {
        args["cursor"] = cursor.clone();
        page = daemon.ok(action, args.clone());
        whole["results"].as_array_mut().unwrap().extend(page["results"].as_array().unwrap().iter().cloned());
    }
    whole
}

/// Answers as they come while the index is held again and again: each is marked or an error.
fn answers_on_the_way(
    daemon: &Daemon,
    (events, open): (&Receiver<Event>, &Sender<()>),
    calls: &[(&'static str, Value)],
) -> Vec<(usize, u64, Value)> {
    let mut answers = Vec::new();
    while events.recv().unwrap() == Event::Held {
        for (n, (action, args)) in calls.iter().enumerate() {
            match daemon.call(action, args) {
                Err(error) => assert_eq!(error["code"], "indexing", "{action} {args}: {error:#}"),
                Ok(answer) => {
                    let partial = &answer["freshness"]["partial"];
                    let done = partial["filesDone"].as_u64();
                    let done = done.unwrap_or_else(|| panic!("{action} {args} is not marked: {answer:#}"));
                    assert_eq!(answer["freshness"]["synced"], false, "{action}: {answer:#}");
                    answers.push((n, done, answer));
                }
            }
        }
        open.send(()).unwrap();
    }
    answers
}

#[test]
fn answers_on_the_way_are_parts_of_the_last_one() {
    for seed in 1..=3 {
        let ((reached, events), (open, gate)) = (channel(), channel());
        let gate = Gate { reached: Mutex::new(reached.clone()), open: Mutex::new(gate), facts: true };
        let gate: Arc<dyn Faults> = Arc::new(gate);
        let options = || Options { faults: Some(Arc::clone(&gate)), ..Options::default() };
        let daemon = Daemon::with_facts_options(options(), &options());
        let tree = tree(seed, 450);
        let files: Vec<(&str, &str)> =
            tree.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        daemon.add_repo("app", &files);
        let calls: Vec<_> = (0..4).flat_map(|n| calls_on(&tree, &mut Numbers(seed + n))).collect();
        let calls: Vec<(&str, Value)> = calls
            .into_iter()
            .map(|(action, mut args)| {
                args["repoId"] = "app".into();
                (action, args)
            })
            .collect();
        let answers = std::thread::scope(|scope| {
            let patient = || {
                daemon.ok("index.refresh", json!({"repoId": "app", "mode": "incremental"}));
                reached.send(Event::Indexed).unwrap();
            };
            std::thread::Builder::new().name("patient".into()).spawn_scoped(scope, patient).unwrap();
            answers_on_the_way(&daemon, (&events, &open), &calls)
        });
        let stages: BTreeSet<u64> = answers.iter().map(|(_, done, _)| *done).collect();
        assert!(stages.iter().filter(|done| (1..450).contains(*done)).count() >= 2, "{stages:?}");
        assert!(
            stages.contains(&450),
            "between the last file and the version there are answers too: {stages:?}"
        );
        let mut found = 0;
        for (n, done, part) in &answers {
            let (action, args) = &calls[*n];
            let whole = last_answer(&daemon, action, args);
            let (some, all) = (ids_in(part), ids_in(&whole));
            assert!(some.is_subset(&all), "{action} {args:?} after {done}: {part:#} {whole:#}");
            assert!(part["stats"]["files"].as_u64() <= whole["stats"]["files"].as_u64(), "{action}");
            found += some.len();
        }
        assert!(found > 100, "{found} symbols were found on the way");
    }
}

#[test]
fn a_tree_whose_every_file_is_ignored_says_so() {
    let daemon = Daemon::new();
    daemon.add_repo("app", &[(".gitignore", "*\n"), ("src/a.py", "def compose():\n    return 1\n")]);
    let search = json!({"repoId": "app", "query": "compose", "syncTimeoutMs": 60_000});
    let found = daemon.ok("symbol.search", search);
    assert_eq!(found["freshness"]["synced"], true, "{found:#}");
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.contains("ignored: ") && note.contains(".gitignore"), "{note}");
    let status = daemon.ok("repo.status", json!({"repoId": "app"}));
    assert!(note.contains(status["ignoredBy"][0].as_str().unwrap()), "{note}: {status:#}");
    let error = daemon.refused("symbol.getCard", json!({"repoId": "app", "symbolRef": {"name": "compose"}}));
    assert!(error["message"].as_str().unwrap().ends_with(note), "{error:#}");
}
