//! Against the system's own watcher. Nothing here sleeps: the barrier says when to look.

#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use common::{Bench, Content};
use sdl_model::SkipReason;
use sdl_watch::{RootOptions, Synced};

#[test]
fn the_first_batch_has_everything_and_the_next_only_changes() {
    let bench = Bench::new();
    bench.write("src/a.rs", "a");
    bench.write("src/deep/er/b.rs", "b");
    let worker = bench.worker();
    worker.check("first index");
    bench.write("src/a.rs", "changed");
    worker.check("an edit");
    fs::remove_file(bench.path("src/deep/er/b.rs")).unwrap();
    worker.check("a removal");
    assert_eq!(worker.paths(), ["src/a.rs"]);
    let ledger = worker.ledger.lock().unwrap();
    assert_eq!((ledger.versions, ledger.rescans, ledger.reads), (3, 1, 3));
}

#[test]
fn new_nested_folders_written_to_at_once() {
    let bench = Bench::new();
    let worker = bench.worker();
    for round in 0..50 {
        for file in 0..4 {
            bench.write(&format!("new{round}/a/b/c/{file}.py"), &format!("{round}"));
        }
        worker.check("new nested folders");
    }
    assert_eq!(worker.paths().len(), 200);
    assert_eq!(worker.ledger.lock().unwrap().rescans, 1);
}

#[test]
fn folders_renamed_within_out_of_and_into_the_tree() {
    let bench = Bench::new();
    bench.write("a/b/c.rs", "1");
    bench.write("a/d.rs", "2");
    let worker = bench.worker();
    worker.check("first index");
    fs::rename(bench.path("a"), bench.path("z")).unwrap();
    worker.check("renamed");
    bench.write("z/b/c.rs", "changed below the new name");
    worker.check("edited below the new name");
    let elsewhere = bench.outside().join("elsewhere");
    fs::rename(bench.path("z"), &elsewhere).unwrap();
    worker.check("moved out");
    fs::write(elsewhere.join("d.rs"), "not ours").unwrap();
    worker.check("edited outside");
    assert!(worker.paths().is_empty());
    fs::rename(&elsewhere, bench.path("back")).unwrap();
    bench.write("back/b/new.rs", "3");
    worker.check("moved in");
    bench.write("back/b/c.rs", "4");
    worker.check("edited after it was moved in");
    assert_eq!(worker.paths(), ["back/b/c.rs", "back/b/new.rs", "back/d.rs"]);
}

#[test]
fn folders_that_trade_names() {
    let bench = Bench::new();
    bench.write("a/sub/one.rs", "1");
    bench.write("c/sub/two.rs", "2");
    let worker = bench.worker();
    worker.check("first index");
    for round in 0..100 {
        fs::rename(bench.path("a"), bench.path("tmp")).unwrap();
        fs::rename(bench.path("c"), bench.path("a")).unwrap();
        if round % 3 == 0 {
            bench.write("a/sub/early.rs", &format!("{round}"));
        }
        fs::rename(bench.path("tmp"), bench.path("c")).unwrap();
        // A file under a name that was a watched folder's, made and removed.
        bench.write("tmp/sub", "file");
        fs::remove_dir_all(bench.path("tmp")).unwrap();
        if round % 2 == 0 {
            worker.check("traded");
        }
        bench.write("a/sub/one.rs", &format!("{round}"));
        bench.write("c/sub/two.rs", &format!("{round}"));
        worker.check("edited");
    }
}

#[test]
fn atomic_saves_and_recreated_files() {
    let bench = Bench::new();
    bench.write("a.rs", "1");
    let worker = bench.worker();
    worker.check("first index");
    for round in 0..50 {
        bench.write(".a.rs.tmp", &format!("save {round}"));
        fs::rename(bench.path(".a.rs.tmp"), bench.path("a.rs")).unwrap();
        worker.check("saved by renaming");
        fs::remove_file(bench.path("a.rs")).unwrap();
        bench.write("a.rs", &format!("again {round}"));
        worker.check("recreated");
        fs::remove_file(bench.path("a.rs")).unwrap();
        fs::create_dir(bench.path("a.rs")).unwrap();
        bench.write("a.rs/mod.rs", "a folder now");
        worker.check("a folder in its place");
        fs::remove_dir_all(bench.path("a.rs")).unwrap();
        bench.write("a.rs", "a file again");
        worker.check("a file again");
    }
}

#[test]
fn same_size_and_time_but_other_content() {
    let bench = Bench::new();
    bench.write("a.rs", "one");
    let worker = bench.worker();
    worker.check("first index");
    for round in 0..200 {
        // Most of these fall into the same tick of the file system's clock.
        bench.write("a.rs", if round % 2 == 0 { "two" } else { "six" });
        worker.check("rewritten");
    }
}

#[test]
fn edits_of_ignore_files() {
    let bench = Bench::new();
    bench.write("keep/a.log", "1");
    bench.write("keep/sub/b.log", "2");
    bench.write("gen/x.rs", "3");
    bench.write("a.rs", "4");
    let worker = bench.worker();
    worker.check("first index");
    assert_eq!(worker.paths().len(), 4);
    bench.write(".gitignore", "*.log\n/gen/\n");
    worker.check("ignored");
    assert_eq!(worker.paths(), [".gitignore", "a.rs"]);
    let watches = worker.handle.status().watches;
    bench.write("gen/y.rs", "unseen");
    worker.check("a write into an ignored folder");
    bench.write("keep/.gitignore", "!b.log\n");
    worker.check("a deeper file brings one back");
    assert_eq!(worker.paths(), [".gitignore", "a.rs", "keep/.gitignore", "keep/sub/b.log"]);
    bench.write(".sdlignore", "!*.log\nkeep/sub/\n");
    worker.check("ours goes before git's");
    assert_eq!(worker.paths(), [".gitignore", ".sdlignore", "a.rs", "keep/.gitignore", "keep/a.log"]);
    fs::remove_file(bench.path(".gitignore")).unwrap();
    worker.check("removed");
    assert_eq!(worker.handle.status().watches, watches, "gen is watched again, keep/sub is not");
    bench.write("gen/y.rs", "seen again");
    worker.check("an edit in a folder that is kept again");
    fs::rename(bench.path("keep"), bench.path("kept")).unwrap();
    worker.check("a folder moved with its ignore file");
    fs::remove_file(bench.path(".sdlignore")).unwrap();
    worker.check("all rules gone");
}

#[test]
fn waste_is_pruned_before_it_is_watched() {
    let bench = Bench::new();
    bench.write("Cargo.toml", "");
    bench.write("src/lib.rs", "");
    bench.write("src/target/mod.rs", "source under that name");
    for waste in ["node_modules/x/index.js", "target/debug/x.rs", ".git/objects/aa/b", "env/lib/p/m.py"] {
        bench.write(waste, "");
    }
    bench.write("env/pyvenv.cfg", "");
    let worker = bench.worker();
    worker.check("first index");
    assert_eq!(worker.paths(), ["Cargo.toml", "src/lib.rs", "src/target/mod.rs"]);
    assert_eq!(worker.handle.status().watches, 3, "the root, src and src/target");
    fs::remove_file(bench.path("Cargo.toml")).unwrap();
    worker.check("without its proof the folder may be source");
    assert_eq!(worker.paths(), ["src/lib.rs", "src/target/mod.rs", "target/debug/x.rs"]);
    bench.write("src/Cargo.toml", "");
    worker.check("and the other way round");
    bench.write("src/venv/mod.py", "");
    worker.check("a folder named venv");
    bench.write("src/venv/pyvenv.cfg", "");
    worker.check("that turns out to be one");
    assert_eq!(worker.paths(), ["src/Cargo.toml", "src/lib.rs", "target/debug/x.rs"]);
}

#[test]
fn links_special_files_and_bad_names_are_listed() {
    use std::os::unix::ffi::OsStrExt as _;
    let bench = Bench::new();
    let outside = bench.outside().join("secret");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("key"), "k").unwrap();
    bench.write("a.rs", "");
    symlink(&outside, bench.path("out")).unwrap();
    symlink(".", bench.path("loop")).unwrap();
    symlink("nowhere", bench.path("dangling")).unwrap();
    fs::write(bench.root.join(std::ffi::OsStr::from_bytes(b"bad\xff.rs")), "").unwrap();
    fs::create_dir(bench.root.join(std::ffi::OsStr::from_bytes(b"dir\xff"))).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    let worker = bench.worker();
    worker.check("first index");
    let skipped = |reason| Content::Skipped(reason);
    let contents = worker.ledger.lock().unwrap().contents();
    let expected = [
        ("a.rs", Content::Bytes(Vec::new())),
        ("bad\u{fffd}.rs", skipped(SkipReason::NonUtf8Name)),
        ("dangling", skipped(SkipReason::Symlink)),
        ("dir\u{fffd}", skipped(SkipReason::NonUtf8Name)),
        ("loop", skipped(SkipReason::Symlink)),
        ("out", skipped(SkipReason::Symlink)),
        ("socket", skipped(SkipReason::Special)),
    ];
    assert_eq!(contents, expected.map(|(path, content)| (path.to_owned(), content)).into());
    drop(socket);
    fs::remove_file(bench.path("out")).unwrap();
    fs::create_dir(bench.path("out")).unwrap();
    bench.write("out/real.rs", "a real folder");
    worker.check("a folder in place of a link");
    fs::remove_dir_all(bench.path("out")).unwrap();
    symlink(&outside, bench.path("out")).unwrap();
    fs::write(outside.join("key"), "changed outside").unwrap();
    worker.check("a link in place of a folder");
    fs::remove_file(bench.root.join(std::ffi::OsStr::from_bytes(b"bad\xff.rs"))).unwrap();
    worker.check("a bad name removed");
}

#[test]
fn ten_thousand_files_at_once() {
    let bench = Bench::new();
    let worker = bench.worker();
    worker.check("empty");
    for i in 0..10_000 {
        let folder = format!("d{}", i % 100);
        if i < 100 {
            fs::create_dir(bench.path(&folder)).unwrap();
        }
        fs::write(bench.path(&format!("{folder}/f{i}.rs")), "x").unwrap();
    }
    worker.check("a burst");
    assert_eq!(worker.paths().len(), 10_000);
    for i in 0..50 {
        fs::remove_dir_all(bench.path(&format!("d{i}"))).unwrap();
    }
    worker.check("half of it removed");
    assert_eq!(worker.paths().len(), 5_000);
}

#[test]
fn an_unreadable_folder_is_listed_and_the_rest_goes_on() {
    let bench = Bench::new();
    bench.write("a.rs", "");
    bench.write("locked/b.rs", "");
    let set = |mode| fs::set_permissions(bench.path("locked"), fs::Permissions::from_mode(mode)).unwrap();
    set(0o000);
    if fs::read_dir(bench.path("locked")).is_ok() {
        // Nothing is unreadable for the superuser.
        return set(0o755);
    }
    let worker = bench.worker();
    worker.check("locked");
    assert_eq!(worker.paths(), ["a.rs", "locked"]);
    set(0o755);
    worker.check("unlocked");
    assert_eq!(worker.paths(), ["a.rs", "locked/b.rs"]);
    set(0o000);
    worker.check("locked again");
    set(0o755);
}

#[test]
fn the_root_moved_away_and_back() {
    let bench = Bench::new();
    bench.write("src/a.rs", "1");
    let worker = bench.worker();
    worker.check("first index");
    let away = bench.outside().join("away");
    fs::rename(&bench.root, &away).unwrap();
    let short = std::time::Instant::now() + std::time::Duration::from_millis(50);
    assert_eq!(worker.handle.sync(short), Synced::TimedOut, "what is not there can't be confirmed");
    assert_eq!(worker.ledger.lock().unwrap().paths(), ["src/a.rs"]);
    fs::create_dir(&bench.root).unwrap();
    bench.write("src/b.rs", "another tree at the same place");
    worker.check("replaced");
    fs::remove_dir_all(&bench.root).unwrap();
    fs::rename(&away, &bench.root).unwrap();
    worker.check("moved back");
    bench.write("src/a.rs", "2");
    worker.check("edited after it was moved back");
    assert_eq!(worker.paths(), ["src/a.rs"]);
}

#[test]
fn head_moves_are_noticed() {
    let bench = Bench::new();
    bench.write("a.rs", "");
    bench.write(".git/HEAD", "ref: refs/heads/main\n");
    bench.write(".git/refs/heads/main", "1\n");
    let worker = bench.worker();
    worker.check("first index");
    let heads = || worker.ledger.lock().unwrap().heads;
    let mut last = heads();
    let mut moved = |what: &str| {
        worker.check(what);
        let now = heads();
        let moved = now > last;
        last = now;
        moved
    };
    bench.write(".git/index", "noise");
    assert!(!moved("the index"));
    bench.write(".git/refs/heads/main", "2\n");
    assert!(moved("a commit"));
    bench.write(".git/HEAD.lock", "ref: refs/heads/fix/one\n");
    fs::rename(bench.path(".git/HEAD.lock"), bench.path(".git/HEAD")).unwrap();
    assert!(moved("a checkout of a branch without commits"));
    bench.write(".git/refs/heads/fix/one", "3\n");
    assert!(moved("its first commit"));
    bench.write(".git/refs/heads/fix/one", "4\n");
    assert!(moved("its second commit"));
    bench.write(".git/packed-refs", "");
    assert!(moved("packed refs"));
    bench.write(".git/info/exclude", "*.rs\n");
    worker.check("the folder for excludes came late");
    assert!(worker.paths().is_empty());
}

#[test]
fn a_repository_that_git_comes_to_later() {
    let bench = Bench::new();
    bench.write("a.rs", "");
    let worker = bench.worker();
    worker.check("no git");
    bench.write("elsewhere/HEAD", "ref: refs/heads/main\n");
    bench.write("elsewhere/refs/heads/main", "1\n");
    fs::rename(bench.path("elsewhere"), bench.path(".git")).unwrap();
    worker.check("git");
    let heads = || worker.ledger.lock().unwrap().heads;
    for round in 0..3 {
        let before = heads();
        bench.write(".git/refs/heads/main", &format!("{round}\n"));
        worker.check("a commit");
        assert!(heads() > before);
    }
    fs::remove_dir_all(bench.path(".git")).unwrap();
    worker.check("no git again");
    let watches = bench.hub.watches();
    assert_eq!(watches, 2, "the root and the cookies' folder");
}

#[test]
fn a_bare_repository_in_a_tree_is_part_of_it_and_has_worktrees() {
    let bench = Bench::new();
    bench.write("outer/a.rs", "1");
    bench.write("outer/bare.git/HEAD", "ref: refs/heads/main\n");
    bench.write("outer/bare.git/refs/heads/w", "1\n");
    bench.write("outer/bare.git/worktrees/w/HEAD", "ref: refs/heads/w\n");
    bench.write("outer/bare.git/worktrees/w/commondir", "../..\n");
    let gitdir = bench.path("outer/bare.git/worktrees/w");
    bench.write("tree/.git", &format!("gitdir: {}\n", gitdir.display()));
    let back = bench.path("tree/.git");
    bench.write("outer/bare.git/worktrees/w/gitdir", &format!("{}\n", back.display()));
    let start = |path: &str| common::Worker::start(&bench.hub, &bench.path(path), RootOptions::default());
    let (outer, tree) = (start("outer"), start("tree"));
    outer.check("outer");
    tree.check("tree");
    let heads = || tree.ledger.lock().unwrap().heads;
    for round in 0..3 {
        let before = heads();
        bench.write("outer/bare.git/refs/heads/w", &format!("{round}\n"));
        bench.write("outer/bare.git/HEAD", &format!("{round}\n"));
        outer.check("files of the outer tree");
        tree.check("and the head of the inner one");
        assert!(heads() > before);
    }
    drop(outer);
    let before = heads();
    bench.write("outer/bare.git/refs/heads/w", "last\n");
    tree.check("outer is gone");
    assert!(heads() > before);
}

#[test]
fn git_excludes_are_rules_and_their_edits_are_seen() {
    let bench = Bench::new();
    bench.write("a.rs", "");
    bench.write("b.log", "");
    bench.write(".git/HEAD", "ref: refs/heads/main\n");
    bench.write(".git/info/exclude", "*.log\n");
    let worker = bench.worker();
    worker.check("first index");
    assert_eq!(worker.paths(), ["a.rs"]);
    bench.write(".git/info/exclude", "*.rs\n");
    worker.check("edited");
    assert_eq!(worker.paths(), ["b.log"]);
}

#[test]
fn ignore_files_above_the_root_hold_in_it() {
    let bench = Bench::new();
    bench.write(".git/HEAD", "ref: refs/heads/main\n");
    bench.write(".gitignore", "/part/*.log\n/*.rs\n");
    for file in ["part/a.rs", "part/b.log", "part/deep/c.log"] {
        bench.write(file, "");
    }
    let worker = common::Worker::start(&bench.hub, &bench.path("part"), RootOptions::default());
    worker.check("first index");
    assert_eq!(worker.paths(), ["a.rs", "deep/c.log"]);
    bench.write(".gitignore", "deep/\n");
    worker.check("edited above the root");
    assert_eq!(worker.paths(), ["a.rs", "b.log"]);
}

#[test]
fn the_cookie_folder_is_made_again() {
    let bench = Bench::new();
    bench.write("a.rs", "1");
    let worker = bench.worker();
    worker.check("first index");
    let cookies = bench.outside().join("state/cookies");
    fs::remove_dir_all(&cookies).unwrap();
    bench.write("a.rs", "2");
    worker.check("removed");
    fs::remove_dir_all(bench.outside().join("state")).unwrap();
    fs::create_dir_all(&cookies).unwrap();
    bench.write("a.rs", "3");
    worker.check("replaced by another");
    fs::rename(&cookies, bench.outside().join("moved")).unwrap();
    bench.write("a.rs", "4");
    worker.check("moved away");
    assert_eq!(fs::read_dir(&cookies).unwrap().count(), 0, "no cookie is left behind");
}

#[test]
fn many_ask_at_once() {
    let bench = Bench::new();
    let worker = bench.worker();
    worker.check("empty");
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (bench, worker) = (&bench, &worker);
            scope.spawn(move || {
                for round in 0..100 {
                    let (path, text) = (format!("t{thread}/{}.rs", round % 7), format!("{round}"));
                    bench.write(&path, &text);
                    assert_eq!(worker.handle.sync(common::soon()), Synced::Confirmed);
                    let seen = worker.ledger.lock().unwrap().files.get(&path).cloned();
                    assert_eq!(
                        seen.map(|(_, content)| content),
                        Some(Content::Bytes(text.into_bytes())),
                        "{path}"
                    );
                }
            });
        }
    });
}

#[test]
fn two_roots_and_a_worktree_in_one_of_them() {
    let bench = Bench::new();
    bench.write("outer/a.rs", "1");
    bench.write("outer/.git/HEAD", "ref: refs/heads/main\n");
    bench.write("outer/.git/worktrees/w/HEAD", "ref: refs/heads/w\n");
    bench.write("outer/.git/worktrees/w/commondir", "../..\n");
    bench.write("outer/.git/refs/heads/main", "1\n");
    let gitdir = bench.path("outer/.git/worktrees/w");
    bench.write("outer/trees/w/.git", &format!("gitdir: {}\n", gitdir.display()));
    let back = bench.path("outer/trees/w/.git");
    bench.write("outer/.git/worktrees/w/gitdir", &format!("{}\n", back.display()));
    bench.write("outer/trees/w/b.rs", "2");
    let start = |path: &str| common::Worker::start(&bench.hub, &bench.path(path), RootOptions::default());
    let outer = start("outer");
    let inner = start("outer/trees/w");
    outer.check("outer");
    inner.check("inner");
    assert_eq!((outer.paths().len(), inner.paths().len()), (1, 1));
    outer.handle.rescan();
    bench.write("outer/trees/w/sub/c.rs", "3");
    bench.write("outer/a.rs", "3");
    outer.check("outer, after a rescan");
    inner.check("inner, still watched");
    let heads = |worker: &common::Worker| worker.ledger.lock().unwrap().heads;
    let before = (heads(&outer), heads(&inner));
    bench.write("outer/.git/refs/heads/main", "2\n");
    outer.check("outer's branch");
    inner.check("shared branches");
    assert!(heads(&outer) > before.0 && heads(&inner) > before.1);
    drop(outer);
    bench.write("outer/trees/w/sub/c.rs", "4");
    bench.write("outer/.git/refs/heads/w", "2\n");
    let before = heads(&inner);
    inner.check("inner outlives outer");
    assert!(heads(&inner) > before);
}

#[test]
fn reading_everything_is_no_change() {
    let bench = Bench::new();
    let folders = 100;
    for folder in 0..folders {
        fs::create_dir(bench.path(&format!("d{folder}"))).unwrap();
        for file in 0..50 {
            fs::write(bench.path(&format!("d{folder}/{file}.rs")), "text").unwrap();
        }
    }
    let worker = bench.worker();
    worker.check("first index");
    let before = worker.ledger.lock().unwrap().batches;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let bench = &bench;
            scope.spawn(move || {
                for folder in (thread..folders).step_by(4) {
                    for entry in fs::read_dir(bench.path(&format!("d{folder}"))).unwrap() {
                        assert_eq!(fs::read(entry.unwrap().path()).unwrap(), b"text");
                    }
                }
            });
        }
    });
    assert_eq!(worker.handle.sync(common::soon()), Synced::Confirmed);
    worker.handle.rescan();
    assert_eq!(worker.handle.sync(common::soon()), Synced::Confirmed);
    let ledger = worker.ledger.lock().unwrap();
    assert_eq!(
        (ledger.batches - before, ledger.rescans, ledger.versions),
        (1, 2, 1),
        "the rescan that was asked for"
    );
}
