//! A tree that is nested deeper than the system names paths: files that can't be reached are reported, in few words.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

use std::fs;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use sdl_tools::{Cancel, NoProgress, Session, Tools};
use sdld::engine::Engine;
use serde_json::{Value, json};

#[test]
fn what_lies_too_deep_is_counted_as_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("app");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.py"), "def alpha():\n    return 1\n").unwrap();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut at = openat(CWD, &root, flags, Mode::empty()).unwrap();
    let name = "d".repeat(200);
    for _ in 0..30 {
        mkdirat(&at, &name, Mode::RWXU).unwrap();
        at = openat(&at, &name, flags, Mode::empty()).unwrap();
    }
    drop(at);

    let engine = Engine::open(&folder.path().join("state")).unwrap();
    let tools = Tools::new(engine.clone());
    let session = Session {
        id: 1,
        cwd: Some(root.clone()),
        client: "test".into(),
        principal: None,
        run: sdl_tools::ClientRun::default(),
    };
    let call = |action: &str, args: Value| {
        let bytes = tools.call(&session, action, args.to_string().as_bytes(), &NoProgress, &Cancel::new());
        let answer: Value = serde_json::from_slice(&bytes).unwrap();
        assert_ne!(answer["isError"], true, "{answer}");
        answer["structuredContent"].clone()
    };
    call("repo.register", json!({ "rootPath": root }));
    call("index.refresh", json!({ "mode": "incremental" }));
    let status = call("repo.status", json!({ "sync": "require" }));
    assert_eq!((&status["files"], &status["skipped"]), (&json!(1), &json!({ "unreadable": 1 })), "{status}");
    // A reason that names the folder shortens its path.
    let reason = status["freshness"]["reason"].as_str().unwrap_or_default();
    assert!(reason.chars().count() < 300, "{reason}");
    engine.close();
}
