//! What goes wrong with a store while the daemon runs is mended while it runs.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sdl_ledger::{Fault, FaultPoint, Faults, Options};
use sdl_tools::{Cancel, Host, NoProgress, Session, Surface, Tools};
use sdld::engine::Engine;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Fails commits: the next so many, in one way.
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
        let session =
            Session { id: 1, cwd: Some(root.clone()), surface: Surface::Flat, client: "test".into() };
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

    /// Asks until there is an answer, as a client does that is told to ask again. Gives what it was told meanwhile.
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
    let status: Value = serde_json::from_slice(&sdld::admin::status::answer(&world.engine)).unwrap();
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

    // A handle of the old ledger means nothing in the new one. While somebody remembers what it was of, there is a
    // whole slice for it; afterwards there is a clear word.
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
