//! Damage to a store while the daemon runs is repaired while it runs.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sdl_ledger::{FactsStore, Fault, FaultPoint, Faults, Options, View};
use sdl_model::{FileId, RelPath};
use sdl_proto::{ClientKind, WireError};
use sdl_tools::{Cancel, Damage, Host, NoProgress, Session, Tools};
use sdld::admin::Admin;
use sdld::engine::Engine;
use serde_json::{Value, json};
use tempfile::TempDir;

use common::flip;

/// Makes the next commits fail: a number of them, in one way.
#[derive(Default)]
struct Switch {
    next: Mutex<(usize, Option<Fault>)>,
    raised: AtomicUsize,
}

impl Switch {
    fn fail(&self, times: usize, fault: Fault) {
        *self.next.lock().unwrap() = (times, Some(fault));
    }

    fn off(&self) {
        *self.next.lock().unwrap() = (0, None);
    }

    fn raised(&self) -> usize {
        self.raised.load(Ordering::SeqCst)
    }
}

impl Faults for Switch {
    fn at(&self, point: FaultPoint) -> Option<Fault> {
        let mut next = self.next.lock().unwrap();
        if point != FaultPoint::BeforeCommit || next.0 == 0 {
            return None;
        }
        next.0 -= 1;
        self.raised.fetch_add(1, Ordering::SeqCst);
        next.1
    }
}

/// A daemon without its socket, with one repository.
struct World {
    // Closed before its folder goes.
    engine: Arc<Engine>,
    tools: Tools,
    session: Session,
    switch: Arc<Switch>,
    root: PathBuf,
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("app");
        fs::create_dir_all(&root).unwrap();
        let switch = Arc::new(Switch::default());
        let options = Options { faults: Some(Arc::clone(&switch) as Arc<dyn Faults>), ..Options::default() };
        let engine = Engine::open_with(&folder.path().join("state"), options).unwrap();
        let tools = Tools::new(Arc::clone(&engine) as Arc<dyn Host>);
        let session = Session {
            id: 1,
            cwd: Some(root.clone()),
            client: "test".into(),
            principal: None,
            run: sdl_tools::ClientRun::default(),
        };
        let world = Self { engine, tools, session, switch, root, folder };
        world.write(0);
        world.call("repo.register", json!({ "rootPath": world.root })).unwrap();
        world.call("index.refresh", json!({ "mode": "incremental" })).unwrap();
        world
    }

    fn write(&self, n: usize) {
        let text = format!("def marked{n}():\n    return callee()\n\n\ndef callee():\n    return {n}\n");
        fs::write(self.root.join("a.py"), text).unwrap();
    }

    fn call(&self, action: &str, args: Value) -> Result<Value, Value> {
        let args = args.to_string();
        let bytes = self.tools.call(&self.session, action, args.as_bytes(), &NoProgress, &Cancel::new());
        let mut answer: Value = serde_json::from_slice(&bytes).unwrap();
        let data = answer["structuredContent"].take();
        if answer["isError"] == true { Err(data) } else { Ok(data) }
    }

    fn synced(&self) -> Result<Value, Value> {
        self.call("repo.status", json!({ "sync": "require" }))
    }

    /// Asks until there is an answer, as a client does that gets "ask again". Returns the earlier answers too.
    #[track_caller]
    fn synced_soon(&self) -> (Value, Vec<Value>) {
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut told = Vec::new();
        loop {
            match self.synced() {
                Ok(status) => return (status, told),
                Err(error) => {
                    let code = error["code"].as_str().unwrap_or_default();
                    assert!(["unavailable", "indexing", "notSynced"].contains(&code), "{error}");
                    told.push(error);
                    assert!(Instant::now() < deadline, "never answers: {:?}", told.last());
                    std::thread::yield_now();
                }
            }
        }
    }

    fn finds(&self, name: &str) -> bool {
        self.call("symbol.search", json!({ "query": name, "exact": true, "sync": "require" })).unwrap()["total"]
            == 1
    }

    /// Flips a bit wherever `name` is in the stored facts, as a bad disk does, and clears the facts from memory.
    fn damage_facts(&self, name: &str) {
        self.facts(FactsStore::forget_decoded);
        flip(&self.folder.path().join("state/facts/data.mdb"), name);
    }

    fn facts<T>(&self, use_them: impl FnOnce(&FactsStore) -> T) -> T {
        use_them(self.engine.repo("app").unwrap().facts())
    }

    fn warnings(&self) -> Vec<String> {
        self.engine.info().warnings
    }

    /// Has the index compared with one from scratch.
    fn verified(&self) -> Value {
        self.verify().unwrap()
    }

    fn verify(&self) -> Result<Value, WireError> {
        let admin = Admin {
            engine: &self.engine,
            progress: &NoProgress,
            cancel: &Cancel::new(),
            kind: ClientKind::Ctl,
            session: 1,
            client: "test",
        };
        let told = sdld::admin::find_method("ledger/verify").unwrap()(&admin, b"{}")?;
        Ok(serde_json::from_slice(&told).unwrap())
    }

    fn ledger_dir(&self) -> PathBuf {
        self.folder.path().join("state/repos/app")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.engine.close();
    }
}

#[test]
fn a_damaged_ledger_is_set_aside_and_built_anew() {
    let mut world = World::new();
    let before = world.synced().unwrap();
    let slice = world.call("slice.build", json!({ "taskText": "callee" })).unwrap();
    let other = world.call("slice.build", json!({ "taskText": "marked0" })).unwrap();

    // A request that still reads the old ledger, for as long as this is held.
    let reader = world.engine.repo("app").unwrap();
    world.switch.fail(1, Fault::Damage);
    world.write(1);
    let told = world.synced().unwrap_err();
    assert_eq!(told["code"], "unavailable", "{told}");
    // The worker has handed the repository over before any barrier ends.
    let told = world.synced().unwrap_err();
    assert_eq!(told["code"], "unavailable", "{told}");
    let message = told["message"].as_str().unwrap();
    assert!(message.contains("damaged") && message.contains("ask again"), "{message}");
    assert_eq!(told["nextBestAction"]["args"]["repoId"], "app", "{told}");
    let again = world.call("repo.register", json!({ "rootPath": world.root })).unwrap_err();
    assert_eq!(again["code"], "unavailable", "not registered a second time: {again}");
    let status: Value = serde_json::from_slice(&sdld::admin::status::status_answer(&world.engine)).unwrap();
    assert_eq!(
        (&status["healthy"], &status["repos"][0]["repoId"]),
        (&json!(false), &json!("app")),
        "{status}"
    );
    assert!(world.engine.find_repo(Some("app")).is_err_and(|why| why.contains("ask again")));

    drop(reader);
    let (after, _) = world.synced_soon();
    assert_eq!(after["state"], "live", "{after}");
    assert!(after["ledgerVersion"].as_str() > before["ledgerVersion"].as_str(), "{before} {after}");
    assert!(world.finds("marked1") && !world.finds("marked0"));
    assert!(world.ledger_dir().join("set-aside-1/data.mdb").exists());
    let warnings = world.engine.info().warnings;
    assert!(warnings.len() == 1 && warnings[0].contains("ledger of app was damaged"), "{warnings:?}");

    // A handle of the old ledger means nothing in the new one. While the tools remember its slice, they answer with a
    // whole slice; afterwards with a clear error.
    let handle = |slice: &Value| json!({ "sliceHandle": slice["sliceHandle"], "knownVersion": before["ledgerVersion"] });
    let whole = world.call("slice.refresh", handle(&slice)).unwrap();
    assert_eq!(whole["freshInstance"], true, "{whole}");
    world.tools = Tools::new(Arc::clone(&world.engine) as Arc<dyn Host>);
    let lost = world.call("slice.refresh", handle(&other)).unwrap_err();
    assert_eq!((&lost["code"], &lost["field"]), (&json!("unknownHandle"), &json!("sliceHandle")), "{lost}");
    let message = lost["message"].as_str().unwrap();
    assert!(message.contains("ledger was rebuilt; build the slice again with slice.build"), "{message}");
}

#[test]
fn a_ledger_that_is_damaged_again_and_again_is_not_rebuilt_for_ever() {
    let world = World::new();
    for n in 1..=3 {
        world.switch.fail(1, Fault::Damage);
        world.write(n);
        world.synced_soon();
        assert!(world.ledger_dir().join(format!("set-aside-{n}")).exists());
    }
    world.switch.fail(usize::MAX, Fault::Damage);
    world.write(4);
    let told = world.synced().unwrap_err();
    assert!(told["message"].as_str().unwrap().contains("sdlctl restart"), "{told}");
    assert!(!world.ledger_dir().join("set-aside-4").exists());
}

#[test]
fn a_ledger_that_has_shut_itself_is_opened_again_as_it_is() {
    let world = World::new();
    let before = world.synced().unwrap();
    let slice = world.call("slice.build", json!({ "taskText": "callee" })).unwrap();
    world.switch.fail(1, Fault::Shut);
    world.write(1);
    let (_, told) = world.synced_soon();
    assert!(!told.is_empty());
    assert!(world.finds("marked1"));
    assert!(!world.ledger_dir().join("set-aside-1").exists());
    let handle = json!({ "sliceHandle": slice["sliceHandle"], "knownVersion": before["ledgerVersion"] });
    let delta = world.call("slice.refresh", handle).unwrap();
    assert_eq!(delta["freshness"]["synced"], true, "{delta}");
    assert_eq!(world.engine.info().warnings, Vec::<String>::new());
}

#[test]
fn after_a_full_disk_whoever_asks_has_it_tried_at_once_and_once() {
    let world = World::new();
    world.switch.fail(usize::MAX, Fault::DiskFull);
    world.write(1);
    let (asked, began) = (20, Instant::now());
    for _ in 0..asked {
        let told = world.synced().unwrap_err();
        assert_eq!(told["code"], "unavailable", "{told}");
        assert!(told["message"].as_str().unwrap().contains("no space left"), "{told}");
    }
    // Besides those, the back-off's own: after 1, 2, 4, … s.
    let own = 2 + began.elapsed().as_secs() as usize;
    assert!(world.switch.raised() <= asked + own, "{} attempts", world.switch.raised());
    world.switch.off();
    let status = world.synced().unwrap();
    assert_eq!(status["state"], "live", "{status}");
    assert!(world.finds("marked1"));

    world.switch.fail(usize::MAX, Fault::DiskFull);
    world.write(2);
    world.synced().unwrap_err();
    world.switch.off();
    let refreshed = world.call("index.refresh", json!({ "mode": "incremental" })).unwrap();
    assert_eq!(refreshed["changedFiles"], 1, "{refreshed}");
}

#[test]
fn damaged_facts_are_made_again_and_the_version_stands() {
    let world = World::new();
    let before = world.synced().unwrap();
    let slice = world.call("slice.build", json!({ "taskText": "callee" })).unwrap();
    world.damage_facts("marked0");
    let verified = world.verified();
    assert_eq!(verified["identical"], false, "{verified}");
    assert!(
        verified["differences"].to_string().contains("the stored facts of a.py are damaged"),
        "{verified}"
    );

    let search = json!({ "query": "marked0", "exact": true, "sync": "require" });
    let told = world.call("symbol.search", search).unwrap_err();
    assert_eq!(told["code"], "unavailable", "{told}");
    assert!(told["message"].as_str().unwrap().contains("damaged"), "{told}");
    let (after, _) = world.synced_soon();
    assert!(world.finds("marked0"));
    assert_eq!(after["ledgerVersion"], before["ledgerVersion"], "{after}");
    let handle = json!({ "sliceHandle": slice["sliceHandle"], "knownVersion": before["ledgerVersion"] });
    assert_eq!(world.call("slice.refresh", handle).unwrap()["freshInstance"], Value::Null);
    let warnings = world.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("stored facts of app were damaged"), "{warnings:?}");
    assert!(!world.folder.path().join("state/facts/set-aside-1").exists());
    let verified = world.verified();
    assert_eq!(verified["identical"], true, "{verified}");
}

#[test]
fn a_damaged_store_of_facts_shows_in_the_health_until_it_is_set_aside() {
    let world = World::new();
    let facts = world.folder.path().join("state/facts").canonicalize().unwrap();
    world.engine.repo("app").unwrap().damaged(&Damage { why: "why".into(), table: None, path: Some(facts) });
    let status = world.synced().unwrap();
    assert_eq!(status["health"], "failed", "{status}");
    let reason = status["healthReason"].to_string();
    assert!(reason.contains("facts of all repositories are damaged"), "{status}");
    assert!(reason.contains("sdlctl restart"), "{status}");
    assert!(world.folder.path().join("state/facts/damaged").exists(), "the next start sets it aside");
}

/// The facts key of `a.py`.
fn key_of_a(world: &World) -> sdl_model::FactsKey {
    let repo = world.engine.repo("app").unwrap();
    let file = FileId::of(&RelPath::new("a.py").unwrap());
    let soon = Instant::now() + Duration::from_secs(60);
    repo.ledger().read(soon, |view| Ok(view.file(file)?.unwrap().state.facts().unwrap())).unwrap()
}

#[test]
fn facts_that_can_not_be_made_again_cost_an_index_from_scratch() {
    let world = World::new();
    world.damage_facts("marked0");
    // The facts that the last version names belong to a text that is gone.
    world.write(1);
    world.synced_soon();
    assert!(world.finds("marked1") && !world.finds("marked0"));
    assert_eq!(world.verified()["identical"], true);
}

#[test]
fn a_full_index_believes_no_stored_facts() {
    let world = World::new();
    let key = key_of_a(&world);
    // Undamaged rows that don't match the text.
    let wrong = sdl_lang::extract_guarded(key.lang, b"def evil():\n    return 1\n").unwrap();
    world.facts(|facts| facts.put_many(&[(key, &wrong)]).unwrap());
    let verified = world.verified();
    assert!(
        verified["differences"].to_string().contains("the stored facts of a.py are damaged or not"),
        "{verified}"
    );
    let full = world.call("index.refresh", json!({ "mode": "full" })).unwrap();
    assert!(full["parsed"].as_u64() >= Some(1), "{full}");
    assert!(world.finds("marked0"));
    let verified = world.verified();
    assert_eq!(verified["identical"], true, "{verified}");
    let again = world.call("index.refresh", json!({ "mode": "full" })).unwrap();
    assert_eq!(
        (&again["parsed"], &again["reused"], &again["changedFiles"]),
        (&json!(1), &json!(0), &json!(0)),
        "{again}"
    );
}

#[test]
fn a_repository_that_is_registered_again_takes_no_damaged_facts() {
    let world = World::new();
    world.damage_facts("marked0");
    world.engine.remove("app").unwrap();
    world.call("repo.register", json!({ "rootPath": world.root })).unwrap();
    world.synced_soon();
    assert!(world.finds("marked0"));
    assert_eq!(world.verified()["identical"], true);
}

#[test]
fn a_flipped_bit_in_a_ledger_is_never_an_answer() {
    for asks in ["a reader", "verify"] {
        let world = World::new();
        world.synced().unwrap();
        flip(&world.ledger_dir().join("data.mdb"), "marked0");
        match asks {
            "verify" => assert!(world.verify().unwrap_err().message.contains("checksum")),
            _ => {
                let search = json!({ "query": "marked0", "exact": true, "sync": "require" });
                let told = world.call("symbol.search", search).unwrap_err();
                assert_eq!(told["code"], "unavailable", "{told}");
            }
        }
        world.synced_soon();
        assert!(world.finds("marked0"));
        assert!(world.ledger_dir().join("set-aside-1").exists(), "{asks}");
        assert_eq!(world.verified()["identical"], true);
    }
}
