//! Unsaved text reads as if it had been saved, and is never stored.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use sdl_ledger::Clock;
use sdl_tools::{Cancel, Host, NoProgress, Session, Tools};
use sdld::engine::Engine;
use serde_json::{Value, json};
use tempfile::TempDir;

const PRICE: &str =
    "def unit(sku):\n    return len(sku)\n\n\ndef total(items):\n    return sum(unit(i) for i in items)\n";
const CART: &str = "from shop.price import total, unit\n\n\nclass Cart:\n    \"\"\"What a customer wants.\"\"\"\n\n    def pay(self, items):\n        if not items:\n            raise ValueError(\"empty\")\n        return total(items)\n\n    def one(self, sku):\n        return unit(sku)\n";
const TEST: &str = "from shop.cart import Cart\n\n\ndef test_pay():\n    assert Cart().pay([\"a\"])\n";

const BASE: &[(&str, &str)] = &[
    ("shop/__init__.py", ""),
    ("shop/price.py", PRICE),
    ("shop/cart.py", CART),
    ("tests/test_cart.py", TEST),
];

/// The texts that the files may be edited to.
const EDITS: &[(&str, &str)] = &[
    // A literal, a header that others use, a rename that breaks callers, no text at all.
    (
        "shop/price.py",
        "def unit(sku):\n    return len(sku) * 2\n\n\ndef total(items):\n    return sum(unit(i) for i in items)\n",
    ),
    (
        "shop/price.py",
        "def unit(sku, currency):\n    return len(sku)\n\n\ndef total(items):\n    return sum(unit(i, 1) for i in items)\n",
    ),
    (
        "shop/price.py",
        "def unit(sku):\n    return len(sku)\n\n\ndef sum_up(items):\n    return sum(unit(i) for i in items)\n",
    ),
    ("shop/price.py", ""),
    // Other callees; a syntax error in the middle of typing.
    (
        "shop/cart.py",
        "from shop.price import unit\n\n\nclass Cart:\n    def pay(self, items):\n        return unit(items)\n\n    def refund(self, sku):\n        return -unit(sku)\n",
    ),
    (
        "shop/cart.py",
        "from shop.price import total, unit\n\n\nclass Cart:\n    def pay(self, items):\n        return total(items\n\n    def one(self, sku",
    ),
    // Files that are new.
    ("shop/tax.py", "from shop.price import total\n\n\ndef taxed(items):\n    return total(items) * 1.2\n"),
    ("tests/test_tax.py", "from shop.tax import taxed\n\n\ndef test_taxed():\n    assert taxed([\"a\"])\n"),
];

struct Watch(AtomicU64);

impl Clock for Watch {
    fn unix_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

struct World {
    engine: Arc<Engine>,
    tools: Tools,
    watch: Arc<Watch>,
    root: PathBuf,
    _folder: TempDir,
}

impl World {
    fn new(files: &BTreeMap<String, String>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("app");
        let engine = Engine::open(&folder.path().join("state")).unwrap();
        let watch = Arc::new(Watch(AtomicU64::new(1_000_000)));
        let tools =
            Tools::with_clock(Arc::clone(&engine) as Arc<dyn Host>, Arc::clone(&watch) as Arc<dyn Clock>);
        let world = Self { engine, tools, watch, root, _folder: folder };
        for (path, text) in files {
            world.write(path, text);
        }
        world.ok("repo.register", json!({ "rootPath": world.root }));
        world.ok("index.refresh", json!({ "mode": "incremental" }));
        world
    }

    fn base() -> Self {
        Self::new(&base())
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn call_as(&self, session: u64, action: &str, args: Value) -> Result<Value, Value> {
        let session = Session {
            id: session,
            cwd: Some(self.root.clone()),
            client: "test".into(),
            principal: None,
            run: sdl_tools::ClientRun::default(),
        };
        let args = args.to_string();
        let bytes = self.tools.call(&session, action, args.as_bytes(), &NoProgress, &Cancel::new());
        let mut answer: Value = serde_json::from_slice(&bytes).unwrap();
        let data = answer["structuredContent"].take();
        if answer["isError"] == true { Err(data) } else { Ok(data) }
    }

    fn call(&self, action: &str, args: Value) -> Result<Value, Value> {
        self.call_as(1, action, args)
    }

    #[track_caller]
    fn ok(&self, action: &str, args: Value) -> Value {
        self.call(action, args).unwrap_or_else(|error| panic!("{action}: {error:#}"))
    }

    #[track_caller]
    fn push(&self, path: &str, event: &str, version: u64, content: Option<&str>) -> Value {
        let mut args = json!({"filePath": path, "eventType": event, "version": version});
        if let Some(content) = content {
            args["content"] = content.into();
        }
        self.ok("buffer.push", args)
    }

    /// The names that a search finds, with their signatures' lines.
    fn names(&self, query: &str) -> Vec<String> {
        let found = self.ok("symbol.search", json!({"query": query, "exact": true, "sync": "require"}));
        let name = |hit: &Value| format!("{}:{}", hit["file"].as_str().unwrap(), hit["line"]);
        found["results"].as_array().unwrap().iter().map(name).collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.engine.close();
    }
}

fn base() -> BTreeMap<String, String> {
    BASE.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// Removes the fields that differ between two states that read the same.
fn masked(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for key in [
                "ledgerVersion",
                "currentVersion",
                "knownVersion",
                "freshness",
                "sliceHandle",
                "handle",
                "lease",
                "version",
                "toVersion",
                "fromVersion",
                "expiresAt",
                "cursor",
                "spilloverHandle",
                "auditId",
                "auditHash",
                // Clusters are those of the version below.
                "cluster",
                "clusters",
            ] {
                map.shift_remove(key);
            }
            map.values_mut().for_each(masked);
        }
        Value::Array(items) => items.iter_mut().for_each(masked),
        _ => {}
    }
}

/// Questions of every kind that reads.
fn questions(ids: &[String]) -> Vec<(&'static str, Value)> {
    let mut asked = vec![
        ("symbol.search", json!({"query": "total of items", "includeRetrievalEvidence": true})),
        ("symbol.search", json!({"query": "unit", "exact": true})),
        ("symbol.search", json!({"query": "^(test|tax)", "regex": true})),
        ("symbol.search", json!({"query": "Crt"})),
        // Nearly names that an edit may take away or bring.
        ("symbol.search", json!({"query": "uint", "exact": true})),
        ("symbol.search", json!({"query": "totla", "exact": true})),
        ("symbol.search", json!({"query": "taxde", "exact": true})),
        (
            "slice.build",
            json!({"taskText": "Cart pays too much tax", "wireFormat": "standard", "includeRetrievalEvidence": true}),
        ),
        ("slice.build", json!({"editedFiles": ["shop/price.py"], "wireFormat": "compact"})),
        ("repo.overview", json!({"level": "stats"})),
        ("context.summary", json!({"query": "shop/cart.py", "format": "json"})),
        ("agent.orchestrate", json!({"taskText": "why does Cart pay total", "budget": {"maxTokens": 4_000}})),
    ];
    for file in ["shop/price.py", "shop/cart.py", "shop/tax.py"] {
        asked.push(("code.getSkeleton", json!({"file": file})));
    }
    for id in ids {
        asked.push((
            "symbol.getCard",
            json!({"symbolId": id, "detail": "full", "includeResolutionMetadata": true}),
        ));
        asked.push(("code.getHotPath", json!({"symbolId": id, "identifiersToFind": ["unit", "total"]})));
        asked.push((
            "code.needWindow",
            json!({"symbolId": id, "reason": "to see what it does", "expectedLines": 20, "identifiersToFind": ["unit"]}),
        ));
    }
    asked
}

/// The symbols of a world, by name.
fn ids(world: &World) -> Vec<String> {
    let found =
        world.ok("symbol.search", json!({"query": ".", "regex": true, "limit": 200, "sync": "require"}));
    let mut ids: Vec<String> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["symbolId"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    ids
}

/// Asks both worlds everything; they must not differ.
fn assert_same(unsaved: &World, saved: &World) {
    let known = ids(saved);
    assert_eq!(ids(unsaved), known);
    for (action, mut args) in questions(&known) {
        args["sync"] = "require".into();
        let [mut a, mut b] = [unsaved, saved].map(|world| world.call(action, args.clone()));
        for answer in [&mut a, &mut b] {
            let (Ok(value) | Err(value)) = answer;
            if action == "context.summary" {
                // The rest of the answer, written out.
                value["content"].take();
            }
            masked(value);
        }
        // Texts name versions and handles as well.
        let text = |answer: &Result<Value, Value>| {
            let text = match answer {
                Ok(value) => format!("ok {value:#}"),
                Err(value) => format!("error {value:#}"),
            };
            let words = text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
            let kept = words.map(|word| {
                let named = word.starts_with("h_")
                    || word.starts_with("as_")
                    || word
                        .strip_prefix('v')
                        .is_some_and(|rest| rest.len() > 9 && rest.starts_with(|c: char| c.is_ascii_digit()));
                if named { "…" } else { word }
            });
            kept.collect::<String>()
        };
        let (a, b) = (text(&a), text(&b));
        let differing = a.lines().zip(b.lines()).find(|(a, b)| a != b);
        assert_eq!(differing, None, "{action} {args}");
        assert_eq!(a.len(), b.len(), "{action} {args}");
    }
}

/// Run with more for a long test: PROPTEST_CASES=300.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is edited, every read of the unsaved text equals the read after it is saved and committed.
    #[test]
    fn unsaved_text_reads_as_saved_text(edits in proptest::collection::vec(0..EDITS.len(), 1..5)) {
        let (unsaved, mut files) = (World::base(), base());
        for (i, edit) in edits.iter().enumerate() {
            let (path, text) = EDITS[*edit];
            files.insert(path.to_owned(), text.to_owned());
            let pushed = unsaved.push(path, "change", i as u64 + 1, Some(text));
            prop_assert_eq!(&pushed["accepted"], &json!(true));
            // Reads in between, because each state that is read is made from the one read before.
            unsaved.names("unit");
        }
        assert_same(&unsaved, &World::new(&files));
        // Nothing of it was stored.
        unsaved.tools.session_ended(1);
        unsaved.watch.0.fetch_add(30_000, Ordering::SeqCst);
        assert_same(&unsaved, &World::base());
    }
}

#[test]
fn a_buffer_lives_as_long_as_its_connection_and_a_while() {
    let world = World::base();
    let before = world.names("unit");
    world.push("shop/price.py", "change", 1, Some("\n\n\ndef unit(sku):\n    return 1\n"));
    let moved = world.names("unit");
    assert_ne!(moved, before);
    let seen = world.call_as(2, "symbol.search", json!({"query": "unit", "exact": true})).unwrap();
    assert_eq!(seen["freshness"]["overlay"]["files"], 1, "every client sees it");
    world.tools.session_ended(2);
    world.watch.0.fetch_add(60_000, Ordering::SeqCst);
    assert_eq!(world.names("unit"), moved, "the connection that ended had pushed nothing");
    world.tools.session_ended(1);
    world.watch.0.fetch_add(29_999, Ordering::SeqCst);
    assert_eq!(world.names("unit"), moved);
    world.watch.0.fetch_add(1, Ordering::SeqCst);
    assert_eq!(world.names("unit"), before);
    let found = world.ok("symbol.search", json!({"query": "unit"}));
    assert_eq!(found["freshness"].get("overlay"), None);
    assert_eq!(world.ok("buffer.status", json!({}))["buffers"], json!([]));
}

#[test]
fn another_connection_takes_a_buffer_over() {
    let world = World::base();
    world.push("shop/price.py", "change", 9, Some("def first():\n    return 1\n"));
    world.tools.session_ended(1);
    let args = json!({"filePath": "shop/price.py", "eventType": "change", "version": 1, "content": "def second():\n    return 1\n"});
    let taken = world.call_as(2, "buffer.push", args).unwrap();
    assert_eq!(taken["warnings"], json!([]), "the other connection is gone");
    world.watch.0.fetch_add(60_000, Ordering::SeqCst);
    assert_eq!(world.names("second").len(), 1);
    let taken = world.push("shop/price.py", "change", 1, Some("def third():\n    return 1\n"));
    assert_eq!(taken["warnings"].as_array().unwrap().len(), 1, "{taken:#}");
    assert_eq!(world.names("third").len(), 1);
}

#[test]
fn events_in_the_wrong_order_and_odd_ones_are_told() {
    let world = World::base();
    world.push("shop/price.py", "open", 5, Some(PRICE));
    assert_eq!(world.ok("buffer.status", json!({}))["buffers"][0]["dirty"], false, "it is the file's text");
    let first = world.push("shop/price.py", "change", 7, Some("def seven():\n    return 7\n"));
    let late = world.push("shop/price.py", "change", 6, Some("def six():\n    return 6\n"));
    assert_eq!((&late["accepted"], &late["overlayVersion"]), (&json!(false), &first["overlayVersion"]));
    assert_eq!((world.names("seven").len(), world.names("six").len()), (1, 0));
    let again = world.push("shop/price.py", "open", 1, Some("def one():\n    return 1\n"));
    assert_eq!(again["accepted"], true, "opened anew, it counts anew");
    let odd = world.push("notes.txt", "change", 1, Some("anything"));
    assert_eq!(odd["warnings"].as_array().unwrap().len(), 1, "{odd:#}");
    let odd = world.push("shop/other.py", "close", 1, None);
    assert_eq!(odd["warnings"].as_array().unwrap().len(), 1, "{odd:#}");
    for (args, field) in [
        (json!({"filePath": "a.py", "eventType": "change", "version": 1}), "content"),
        (json!({"filePath": "../a.py", "eventType": "change", "version": 1, "content": ""}), "filePath"),
        (json!({"filePath": "/etc/passwd", "eventType": "change", "version": 1, "content": ""}), "filePath"),
        (json!({"filePath": "a.py", "eventType": "edit", "version": 1}), "eventType"),
        (json!({"filePath": "a.py", "eventType": "open", "version": -1}), "version"),
        (json!({"filePath": "a", "eventType": "open", "version": 1, "language": "klingon"}), "language"),
    ] {
        let error = world.call("buffer.push", args).unwrap_err();
        assert_eq!(error["field"], field, "{error:#}");
    }
    let hinted = world.ok(
        "buffer.push",
        json!({"filePath": "script", "eventType": "change", "version": 1, "content": "def scripted():\n    return 1\n", "language": "Python"}),
    );
    assert_eq!(hinted["warnings"], json!([]));
    assert_eq!(world.names("scripted"), ["script:1"]);
}

#[test]
fn what_is_saved_is_read_from_the_file() {
    let world = World::base();
    world.push("shop/price.py", "change", 1, Some("def unsaved():\n    return 1\n"));
    world.write("shop/price.py", "def unsaved():\n    return 1\n");
    world.push("shop/price.py", "save", 2, None);
    assert_eq!(world.names("unsaved").len(), 1);
    // Someone else changes the file: no old buffer hides that.
    world.write("shop/price.py", "def elsewhere():\n    return 1\n");
    assert_eq!((world.names("unsaved").len(), world.names("elsewhere").len()), (0, 1));
}

#[test]
fn a_checkpoint_drops_what_is_on_disk_and_names_the_rest() {
    let world = World::base();
    let (one, two) = ("def one():\n    return 1\n", "def two():\n    return 2\n");
    world.push("shop/price.py", "change", 1, Some(one));
    world.push("shop/cart.py", "change", 1, Some(two));
    world.push("shop/new.py", "change", 1, Some(two));
    world.write("shop/price.py", one);
    let done = world.ok("buffer.checkpoint", json!({"reason": "a test"}));
    assert_eq!((&done["checkpointed"], &done["pending"]), (&json!(1), &json!(2)), "{done:#}");
    assert_eq!(done["diverged"], json!(["shop/cart.py", "shop/new.py"]));
    assert_eq!(done["freshness"]["synced"], true);
    assert!(!world.root.join("shop/new.py").exists(), "a checkpoint writes no tree");
    assert_eq!(fs::read_to_string(world.root.join("shop/cart.py")).unwrap(), CART);
    world.write("shop/price.py", PRICE);
    assert_eq!(world.names("total").len(), 1, "its buffer is gone");
}

#[test]
fn a_slice_follows_unsaved_text_in_both_directions() {
    let world = World::base();
    let built = world
        .ok("slice.build", json!({"taskText": "Cart pay total", "entrySymbols": [id_of(&world, "total")]}));
    let handle = built["sliceHandle"].clone();
    let refresh =
        |known: &Value| world.ok("slice.refresh", json!({"sliceHandle": handle, "knownVersion": known}));
    let unchanged = refresh(&built["ledgerVersion"]);
    assert_eq!(unchanged["notModified"], true);
    let plain = unchanged["currentVersion"].clone();

    world.push("shop/price.py", "change", 1, Some(EDITS[0].1));
    let typed = refresh(&plain);
    assert_eq!(typed["notModified"], false, "{typed:#}");
    let changed: Vec<&str> = typed["delta"]["changedSymbols"]
        .as_array()
        .unwrap_or_else(|| panic!("{typed:#}"))
        .iter()
        .map(|symbol| symbol["name"].as_str().unwrap())
        .collect();
    assert_eq!(changed, ["unit"]);
    assert_eq!(typed["freshness"]["version"], plain, "nothing was committed");
    assert_ne!(typed["currentVersion"], plain, "and yet it is another state");
    assert_eq!(refresh(&typed["currentVersion"])["notModified"], true);

    // An answer that was lost is asked for again, and comes again.
    assert_eq!(refresh(&plain)["delta"], typed["delta"]);

    // The buffer goes, and a file is saved meanwhile.
    let known = refresh(&typed["currentVersion"])["currentVersion"].clone();
    world.push("shop/price.py", "close", 2, None);
    world.write("shop/cart.py", EDITS[4].1);
    let back = refresh(&known);
    let mut names: Vec<&str> = back["delta"]["changedSymbols"]
        .as_array()
        .unwrap()
        .iter()
        .map(|symbol| symbol["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert!(names.contains(&"unit"), "{names:?}");
    assert!(names.contains(&"pay") || names.contains(&"Cart.pay"), "{names:?}");
    assert_eq!(back["currentVersion"], back["freshness"]["version"]);
    assert_eq!(refresh(&back["currentVersion"])["notModified"], true);
}

fn id_of(world: &World, name: &str) -> String {
    let found = world.ok("symbol.search", json!({"query": name, "exact": true, "sync": "require"}));
    found["results"][0]["symbolId"].as_str().unwrap().to_owned()
}

#[test]
fn a_delta_shows_what_is_unsaved() {
    let world = World::base();
    let version = world.ok("repo.status", json!({"sync": "require"}))["ledgerVersion"].clone();
    world.push("shop/price.py", "change", 1, Some(EDITS[1].1));
    let delta = |from: &Value, to: &str| {
        world.ok("delta.get", json!({"fromVersion": from, "toVersion": to}))["delta"].clone()
    };
    let unsaved = delta(&version, "latest");
    let names: Vec<&str> = unsaved["changedSymbols"]
        .as_array()
        .unwrap()
        .iter()
        .map(|symbol| symbol["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["unit", "total"]);
    let affected: Vec<&str> = unsaved["blastRadius"]
        .as_array()
        .unwrap()
        .iter()
        .map(|symbol| symbol["name"].as_str().unwrap())
        .collect();
    assert!(affected.iter().any(|name| name.ends_with("one")), "{affected:?}");
    let state = unsaved["toVersion"].clone();
    assert!(state.as_str().unwrap().contains('+'), "{state}");
    world.push("shop/price.py", "close", 2, None);
    assert_eq!(delta(&state, "latest")["changedSymbols"].as_array().unwrap().len(), 2, "and back");
    let error = world.call("delta.get", json!({"fromVersion": "v1+1", "toVersion": "latest"})).unwrap_err();
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownVersion"), &json!("fromVersion")));
}

#[test]
fn buffers_are_bounded() {
    let world = World::base();
    let most = 256;
    for i in 0..most {
        world.push(&format!("shop/f{i}.py"), "open", 1, None);
    }
    let args = json!({"filePath": "shop/more.py", "eventType": "open", "version": 1});
    let error = world.call("buffer.push", args).unwrap_err();
    assert_eq!(error["code"], "conflict", "{error:#}");
    world.push("shop/f0.py", "close", 2, None);
    world.push("shop/more.py", "open", 1, None);
}
