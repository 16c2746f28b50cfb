//! The memory that a change of many files at once leaves in use.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::fs;
use std::path::Path;

use sdl_tools::{Cancel, NoProgress, Session, Tools};
use sdld::engine::Engine;
use sdld::index::memory::{Work, times_given};
use serde_json::{Value, json};

const FILES: usize = 150;

/// A package whose files call each other.
fn write(folder: &Path, number: usize) {
    fs::create_dir_all(folder).unwrap();
    for at in 0..FILES {
        let next = (at + 1) % FILES;
        let text = format!(
            "from pkg.m{next} import step_{next}\n\n\ndef step_{at}():\n    return step_{next}() + {number}\n"
        );
        fs::write(folder.join(format!("m{at}.py")), text).unwrap();
    }
}

#[test]
fn a_switch_of_many_files_leaves_no_memory_behind() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let (root, other) = (top.join("app"), top.join("other"));
    write(&root.join("pkg"), 1);
    write(&other, 2);
    let engine = Engine::open(&top.join("state")).unwrap();
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
    assert_eq!((times_given(Work::FirstIndex), times_given(Work::ManyFiles)), (1, 0));
    fs::write(root.join("pkg/m0.py"), "from pkg.m1 import step_1\n\n\ndef step_0():\n    return step_1()\n")
        .unwrap();
    call("index.refresh", json!({ "mode": "incremental" }));
    assert!(engine.decoded_outlines().unwrap() > 0, "an edit leaves what the next one needs");
    assert_eq!(times_given(Work::ManyFiles), 0, "one file is no reason");
    // Moved as a whole, so that no batch has a part of it.
    fs::rename(root.join("pkg"), top.join("before")).unwrap();
    fs::rename(&other, root.join("pkg")).unwrap();
    call("index.refresh", json!({ "mode": "incremental" }));
    // The worker lets go after it has answered: its end comes later.
    engine.close();
    assert_eq!(engine.decoded_outlines().unwrap(), 0);
    assert_eq!(times_given(Work::ManyFiles), 1);
    assert_eq!(times_given(Work::FirstIndex), 1);
}
