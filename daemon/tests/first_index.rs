//! Calls that come while the first index is under way, with a real repository whose index is held until a test lets it go.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

use std::fs;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use sdl_ledger::{Fault, FaultPoint, Faults, Options};
use sdl_tools::{Cancel, Host, NoProgress, Session, Tools};
use sdld::engine::Engine;
use serde_json::{Value, json};

/// Holds every commit of the repository's worker until it is let go: it gets a message, or the other end is dropped.
struct Gate {
    reached: Mutex<Sender<()>>,
    open: Mutex<Receiver<()>>,
}

impl Faults for Gate {
    fn at(&self, point: FaultPoint) -> Option<Fault> {
        let is_worker = std::thread::current().name() == Some("repo app");
        if is_worker && point == FaultPoint::BeforeCommit {
            let _ = self.reached.lock().unwrap().send(());
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
    let gate = Gate { reached: Mutex::new(reached), open: Mutex::new(gate) };
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
