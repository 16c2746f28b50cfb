//! A change that is many times the known tree: an archive that is unpacked into a folder with a note.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::fs;

use common::Daemon;
use sdld::index::memory::{Work, times_given};
use serde_json::json;

const FILES: usize = 2_050;

#[test]
fn a_change_that_outgrows_the_tree_is_indexed_as_a_whole_and_loses_no_file() {
    let mut daemon = Daemon::new();
    daemon.session.cwd = Some(daemon.root("app"));
    for at in 0..FILES {
        let text =
            format!("from pkg.m{0} import step_{0}\n\n\ndef step_{at}():\n    return step_{0}()\n", at + 1);
        daemon.write("archive", &format!("m{at}.py"), &text);
    }
    let refresh = || daemon.ok("index.refresh", json!({ "mode": "incremental" }));
    daemon.add_repo("app", &[("note.py", "def kept():\n    return 1\n")]);
    refresh();
    let small = daemon.ok("repo.status", json!({}))["ledgerVersion"].clone();
    assert_eq!(times_given(Work::FirstIndex), 1);

    // Moved as a whole, so that no batch has a part of it.
    fs::rename(daemon.root("archive"), daemon.root("app").join("pkg")).unwrap();
    refresh();
    assert_eq!((times_given(Work::FirstIndex), times_given(Work::ManyFiles)), (2, 0));
    let status = daemon.ok("repo.status", json!({}));
    assert_eq!(status["files"], json!(FILES + 1), "the note is still there: {status}");
    let callers = daemon.ok("symbol.related", json!({ "symbol": "step_7" }));
    assert!(callers.to_string().contains("pkg/m6.py"), "{callers}");
    assert_eq!(daemon.ok("symbol.search", json!({ "query": "kept" }))["total"], 1);
    let old = daemon.refused("delta.get", json!({ "fromVersion": small, "toVersion": "latest" }));
    assert!(old["message"].as_str().is_some_and(|why| why.contains("kept")), "it says what is kept: {old}");

    // From here on, edits are edits again.
    daemon.write("app", "note.py", "def kept(more):\n    return more\n");
    refresh();
    assert_eq!(times_given(Work::FirstIndex), 2);
    let delta = daemon.ok("delta.get", json!({ "fromVersion": "previous", "toVersion": "latest" }));
    assert!(delta.to_string().contains("kept"), "{delta}");
}
