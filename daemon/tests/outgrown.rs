//! A change that is many times the known tree: an archive that is unpacked into a folder with a note.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::fs;

use sdl_tools::{Cancel, NoProgress, Session, Tools};
use sdld::engine::Engine;
use sdld::index::memory::{Work, times_given};
use serde_json::{Value, json};

const FILES: usize = 2_050;

#[test]
fn a_change_that_outgrows_the_tree_is_indexed_as_a_whole_and_loses_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let (root, archive) = (top.join("app"), top.join("archive"));
    fs::create_dir_all(&root).unwrap();
    fs::create_dir_all(&archive).unwrap();
    fs::write(root.join("note.py"), "def kept():\n    return 1\n").unwrap();
    for at in 0..FILES {
        let text =
            format!("from pkg.m{0} import step_{0}\n\n\ndef step_{at}():\n    return step_{0}()\n", at + 1);
        fs::write(archive.join(format!("m{at}.py")), text).unwrap();
    }
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
        let mut answer: Value = serde_json::from_slice(&bytes).unwrap();
        let data = answer["structuredContent"].take();
        if answer["isError"] == true { Err(data) } else { Ok(data) }
    };
    let refresh = || call("index.refresh", json!({ "mode": "incremental" })).unwrap();
    call("repo.register", json!({ "rootPath": root })).unwrap();
    refresh();
    let small = call("repo.status", json!({})).unwrap()["ledgerVersion"].clone();
    assert_eq!(times_given(Work::FirstIndex), 1);

    // Moved as a whole, so that no batch has a part of it.
    fs::rename(&archive, root.join("pkg")).unwrap();
    refresh();
    assert_eq!((times_given(Work::FirstIndex), times_given(Work::ManyFiles)), (2, 0));
    let status = call("repo.status", json!({})).unwrap();
    assert_eq!(status["files"], json!(FILES + 1), "the note is still there: {status}");
    let callers = call("symbol.related", json!({ "symbol": "step_7" })).unwrap();
    assert!(callers.to_string().contains("pkg/m6.py"), "{callers}");
    assert_eq!(call("symbol.search", json!({ "query": "kept" })).unwrap()["total"], 1);
    let old = call("delta.get", json!({ "fromVersion": small, "toVersion": "latest" })).unwrap_err();
    assert!(old["message"].as_str().is_some_and(|why| why.contains("kept")), "it says what is kept: {old}");

    // From here on, edits are edits again.
    fs::write(root.join("note.py"), "def kept(more):\n    return more\n").unwrap();
    refresh();
    assert_eq!(times_given(Work::FirstIndex), 2);
    let delta = call("delta.get", json!({ "fromVersion": "previous", "toVersion": "latest" })).unwrap();
    assert!(delta.to_string().contains("kept"), "{delta}");
    engine.close();
}
