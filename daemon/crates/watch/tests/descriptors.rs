//! A process that may open no more files says so, and does not take the tree for gone. Alone in its process: it takes the
//! files away from all of it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

use std::fs;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sdl_watch::{
    Batch, FakeWatcher, Hub, HubConfig, NothingKnown, Rescan, RootContext, RootOptions, Tree, check_root,
};

fn next(tree: &Tree) -> Batch {
    tree.inbox().next().unwrap()
}

#[test]
fn too_many_open_files_say_nothing_of_the_tree() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("tree");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.rs"), "").unwrap();
    let checked = check_root(&root, &[], &RootContext::default()).unwrap();
    let fake = FakeWatcher::default();
    let hub = Hub::with_source(HubConfig::new(temp.path().join("cookies")), |sink| fake.start(sink));
    let mut tree = hub.add_root(&checked, RootOptions::default());
    let batch = next(&tree);
    let Ok(changes) = tree.changes(&batch, &NothingKnown);
    assert_eq!(changes.candidates.len(), 1);
    tree.finish(&batch, &changes);

    let before = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(0), maximum: before.maximum }).unwrap();
    tree.inbox().ask_rescan(Rescan::Requested);
    let batch = next(&tree);
    let Ok(changes) = tree.changes(&batch, &NothingKnown);
    let refused = check_root(&root, &[], &RootContext::default()).unwrap_err().to_string();
    setrlimit(Resource::Nofile, before).unwrap();

    let error = changes.root_error.as_ref().unwrap().to_string();
    assert!(error.contains("Too many open files"), "{error}");
    assert!(!changes.root_gone && !changes.is_complete() && changes.removed.is_empty());
    assert!(refused.contains("Too many open files") && refused.contains("try again"), "{refused}");

    fs::rename(&root, temp.path().join("away")).unwrap();
    tree.inbox().ask_rescan(Rescan::Requested);
    let batch = next(&tree);
    let Ok(changes) = tree.changes(&batch, &NothingKnown);
    assert!(changes.root_gone && changes.root_error.is_none());
}
