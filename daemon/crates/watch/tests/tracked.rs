//! Files that git tracks although its patterns ignore them belong to the tree, as long as git tracks them. `check` compares
//! each state with a fresh look at the tree.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod common;

use std::fs;

use common::{Bench, Worker, git};
use sdl_watch::RootOptions;

/// A repository that ignores `build/` and `*.log`, with a commit.
fn bench() -> Bench {
    let bench = Bench::new();
    git(&bench.root, &["init", "-q", "-b", "main"]);
    bench.write(".gitignore", "build/\n*.log\n");
    bench.write("a.rs", "a");
    bench.write("build/one.rs", "1");
    bench.write("build/deep/two.rs", "2");
    bench.write("build/deep/three.rs", "3");
    bench.write("build/other/four.rs", "4");
    git(&bench.root, &["add", "."]);
    git(&bench.root, &["commit", "-q", "-m", "one"]);
    bench
}

#[test]
fn a_file_is_in_as_long_as_git_tracks_it() {
    let bench = bench();
    let worker = bench.worker();
    worker.check("first index");
    assert_eq!(worker.paths(), [".gitignore", "a.rs"]);
    git(&bench.root, &["add", "-f", "build/deep/two.rs"]);
    worker.check("added by force");
    assert_eq!(worker.paths(), [".gitignore", "a.rs", "build/deep/two.rs"]);
    bench.write("build/deep/two.rs", "edited");
    bench.write("build/deep/three.rs", "edited");
    bench.write("build/deep/new.rs", "new");
    worker.check("edited");
    assert_eq!(worker.paths(), [".gitignore", "a.rs", "build/deep/two.rs"]);
    fs::remove_file(bench.path("build/deep/two.rs")).unwrap();
    worker.check("deleted, and tracked all the same");
    assert_eq!(worker.paths(), [".gitignore", "a.rs"]);
    bench.write("build/deep/two.rs", "back");
    worker.check("back");
    git(&bench.root, &["rm", "-q", "-f", "--cached", "build/deep/two.rs"]);
    worker.check("no longer tracked");
    assert_eq!(worker.paths(), [".gitignore", "a.rs"]);
    assert_eq!(worker.ledger.lock().unwrap().rescans, 1, "single places were looked at");
}

#[test]
fn a_file_that_a_pattern_names_itself() {
    let bench = bench();
    bench.write("src/x.log", "x");
    bench.write("src/y.log", "y");
    git(&bench.root, &["add", "-f", "src/x.log"]);
    let worker = bench.worker();
    worker.check("first index");
    assert_eq!(worker.paths(), [".gitignore", "a.rs", "src/x.log"]);
    git(&bench.root, &["add", "-f", "src/y.log"]);
    git(&bench.root, &["rm", "-q", "--cached", "src/x.log"]);
    worker.check("the other one");
    assert_eq!(worker.paths(), [".gitignore", "a.rs", "src/y.log"]);
}

#[test]
fn a_folder_is_entered_only_as_far_as_needed() {
    let bench = bench();
    let worker = bench.worker();
    worker.check("first index");
    let watches = || worker.handle.status().watches;
    let before = watches();
    git(&bench.root, &["add", "-f", "build/deep/two.rs"]);
    worker.check("added by force");
    assert_eq!(watches(), before + 2, "build and build/deep, not build/other");
    bench.write("build/other/five.rs", "5");
    worker.check("nobody listens");
    git(&bench.root, &["rm", "-q", "--cached", "build/deep/two.rs"]);
    worker.check("no longer tracked");
    assert_eq!(watches(), before);
}

#[test]
fn branches_differ_in_what_they_track() {
    let bench = bench();
    let worker = bench.worker();
    worker.check("first index");
    git(&bench.root, &["checkout", "-q", "-b", "forced"]);
    git(&bench.root, &["add", "-f", "build/one.rs", "build/deep"]);
    git(&bench.root, &["commit", "-q", "-m", "two"]);
    worker.check("committed");
    let forced = [".gitignore", "a.rs", "build/deep/three.rs", "build/deep/two.rs", "build/one.rs"];
    assert_eq!(worker.paths(), forced);
    for round in 0..3 {
        git(&bench.root, &["checkout", "-q", "main"]);
        worker.check(&format!("main, {round}"));
        assert_eq!(worker.paths(), [".gitignore", "a.rs"]);
        git(&bench.root, &["checkout", "-q", "forced"]);
        worker.check(&format!("forced, {round}"));
        assert_eq!(worker.paths(), forced);
    }
}

#[test]
fn the_patterns_change_and_the_index_does_not() {
    let bench = bench();
    git(&bench.root, &["add", "-f", "build/one.rs"]);
    let worker = bench.worker();
    worker.check("first index");
    assert_eq!(worker.paths(), [".gitignore", "a.rs", "build/one.rs"]);
    bench.write(".gitignore", "");
    worker.check("nothing is ignored");
    assert_eq!(worker.paths().len(), 6);
    bench.write(".gitignore", "build/\n*.rs\n");
    worker.check("more is ignored");
    assert_eq!(worker.paths(), [".gitignore", "a.rs", "build/one.rs"]);
    bench.write(".git/info/exclude", ".gitignore\n");
    worker.check("tracked, though excluded");
    assert_eq!(worker.paths(), [".gitignore", "a.rs", "build/one.rs"]);
    bench.write(".sdlignore", "one.rs\n");
    worker.check("our own patterns hold for tracked files");
    assert_eq!(worker.paths(), [".gitignore", ".sdlignore", "a.rs"]);
}

#[test]
fn a_root_below_the_top_has_its_part_of_the_index() {
    let bench = bench();
    bench.write("sub/build/x.rs", "x");
    bench.write("sub/b.rs", "b");
    git(&bench.root, &["add", "-f", "sub", "build/one.rs"]);
    let sub = Worker::start(&bench.hub, &bench.path("sub"), RootOptions::default());
    sub.check("first index");
    assert_eq!(sub.paths(), ["b.rs", "build/x.rs"]);
    git(&bench.root, &["rm", "-q", "--cached", "sub/build/x.rs"]);
    sub.check("no longer tracked");
    assert_eq!(sub.paths(), ["b.rs"]);
}

#[test]
fn each_form_of_the_index_is_read_and_a_split_one_is_told() {
    let bench = bench();
    git(&bench.root, &["add", "-f", "build/one.rs"]);
    let worker = bench.worker();
    for version in ["4", "3", "2"] {
        git(&bench.root, &["update-index", "--index-version", version]);
        git(&bench.root, &["add", "-f", "--intent-to-add", "build/deep/two.rs"]);
        worker.check(version);
        assert_eq!(worker.paths(), [".gitignore", "a.rs", "build/deep/two.rs", "build/one.rs"], "{version}");
        git(&bench.root, &["rm", "-q", "--cached", "build/deep/two.rs"]);
        worker.check(version);
        assert_eq!(worker.paths(), [".gitignore", "a.rs", "build/one.rs"], "{version}");
    }
    git(&bench.root, &["update-index", "--split-index"]);
    assert_eq!(worker.paths(), [".gitignore", "a.rs"]);
    let listing =
        sdl_watch::Crawl::new(&common::canonical(&bench.root), &RootOptions::default()).unwrap().run();
    let said: Vec<String> = listing.problems.iter().map(|problem| problem.error.to_string()).collect();
    assert!(said.iter().any(|said| said.contains("--no-split-index")), "{said:?}");
    assert!(said.iter().any(|said| said.contains(".git/index is split")), "{said:?}");
    git(&bench.root, &["update-index", "--no-split-index"]);
    worker.check("whole again");
    assert_eq!(worker.paths(), [".gitignore", "a.rs", "build/one.rs"]);
}

#[test]
fn an_index_that_is_none_is_noted_and_hangs_nobody() {
    let bench = bench();
    git(&bench.root, &["add", "-f", "build/one.rs"]);
    let index = bench.path(".git/index");
    fs::rename(&index, bench.path(".git/kept")).unwrap();
    let worker = bench.worker();
    worker.check("no index");
    assert_eq!(worker.paths(), [".gitignore", "a.rs"]);
    let told = |what: &str| {
        assert_eq!(worker.paths(), [".gitignore", "a.rs"], "{what}");
        let listing =
            sdl_watch::Crawl::new(&common::canonical(&bench.root), &RootOptions::default()).unwrap().run();
        let problem = listing.problems.iter().find(|problem| problem.path == ".git/index");
        assert!(problem.is_some_and(|problem| !problem.passing), "{what}");
        fs::remove_file(&index).unwrap();
    };
    let pipe = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &index, pipe, rustix::fs::Mode::RWXU, 0).unwrap();
    told("a pipe");
    std::os::unix::fs::symlink("kept", &index).unwrap();
    told("a link");
    fs::File::create(&index).unwrap().set_len(1 << 40).unwrap();
    told("a huge file");
    fs::write(&index, "DIRC\0\0\0\x02\u{7f}\u{7f}\u{7f}\u{7f}").unwrap();
    told("more entries than bytes");
    fs::rename(bench.path(".git/kept"), &index).unwrap();
    worker.check("as git left it");
    assert_eq!(worker.paths(), [".gitignore", "a.rs", "build/one.rs"]);
}
