//! Git worktrees and clones of a registered repository: they start from its ledger, and come and go by themselves.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use common::Daemon;
use sdl_tools::{Cancel, Host as _, NoProgress};
use sdld::admin::{Admin, verify::run_verify};
use sdld::index::memory::{Work, times_given};
use serde_json::{Value, json};

const FILES: usize = 24;

fn git(at: &Path, args: &[&str]) {
    let settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    let ran = Command::new("git").arg("-C").arg(at).args(settings).args(args).output().unwrap();
    assert!(ran.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

fn module(at: usize) -> String {
    let next = (at + 1) % FILES;
    format!("from pkg.m{next} import step_{next}\n\n\ndef step_{at}():\n    return step_{next}()\n")
}

/// A daemon with one indexed repository, `app`, made by git.
fn with_app() -> Daemon {
    let mut daemon = Daemon::new();
    for at in 0..FILES {
        daemon.write("app", &format!("pkg/m{at}.py"), &module(at));
    }
    daemon.write("app", ".gitignore", "/.worktrees/\n");
    let root = daemon.root("app");
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "one"]);
    daemon.add_repo("app", &[]);
    enter(&mut daemon, "app");
    daemon.ok("index.refresh", json!({ "mode": "incremental" }));
    assert_eq!(times_given(Work::FirstIndex), 1);
    daemon
}

/// From here on the client works in that folder.
fn enter(daemon: &mut Daemon, folder: &str) {
    daemon.session.cwd = Some(daemon.root(folder));
}

/// The files that define a name, in the repository around the client's folder.
fn files_of(daemon: &Daemon, name: &str) -> Vec<String> {
    let found = daemon.ok("symbol.search", json!({ "query": name, "exact": true, "sync": "require" }));
    let results = found["results"].as_array().cloned().unwrap_or_default();
    results.iter().map(|one| one["file"].as_str().unwrap_or_default().to_owned()).collect()
}

fn status(daemon: &Daemon) -> Value {
    daemon.ok("repo.status", json!({ "sync": "require", "detail": "full" }))
}

/// Compares a ledger with an index from scratch.
#[track_caller]
fn equals_fresh(daemon: &Daemon, repo: &str) {
    let admin = Admin {
        engine: &daemon.engine,
        cancel: &Cancel::new(),
        progress: &NoProgress,
        kind: sdl_proto::ClientKind::Ctl,
        session: 1,
        client: "test",
    };
    let params = json!({ "repo": repo }).to_string();
    let answer = run_verify(&admin, params.as_bytes()).unwrap_or_else(|error| panic!("{}", error.message));
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["identical"], true, "{answer:#}");
}

/// Waits until no repository has that id.
fn wait_until_gone(daemon: &Daemon, id: &str) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while daemon.engine.repo(id).is_some() {
        assert!(Instant::now() < deadline, "{id} is still registered");
        std::thread::yield_now();
    }
}

#[test]
fn a_worktree_is_registered_on_first_use_and_starts_from_its_kin() {
    let mut daemon = with_app();
    git(&daemon.root("app"), &["worktree", "add", "-q", "../trees/fix", "-b", "fix"]);
    daemon.write("trees/fix", "pkg/m3.py", "def only_in_fix():\n    return 1\n");
    fs::remove_file(daemon.root("trees/fix/pkg/m5.py")).unwrap();
    daemon.write("trees/fix", "pkg/more.py", "from pkg.m1 import step_1\n\n\ndef more():\n    step_1()\n");

    enter(&mut daemon, "trees/fix/pkg");
    assert_eq!(files_of(&daemon, "only_in_fix"), ["pkg/m3.py"]);
    assert_eq!(files_of(&daemon, "step_3"), [""; 0]);
    assert_eq!(files_of(&daemon, "step_5"), [""; 0]);
    let told = status(&daemon);
    assert_eq!((&told["repoId"], &told["files"]), (&json!("app.fix"), &json!(FILES)), "{told}");
    assert_eq!(times_given(Work::FirstIndex), 1, "nothing was indexed from scratch");
    equals_fresh(&daemon, "app.fix");

    // An edit of one never shows in the other.
    daemon.write("trees/fix", "pkg/late.py", "def late_in_fix():\n    return 1\n");
    daemon.write("app", "pkg/late.py", "def late_in_app():\n    return 1\n");
    let named =
        |daemon: &Daemon| [files_of(daemon, "late_in_fix").len(), files_of(daemon, "late_in_app").len()];
    assert_eq!(named(&daemon), [1, 0]);
    let in_fix = status(&daemon)["ledgerVersion"].clone();
    enter(&mut daemon, "app");
    assert_eq!(named(&daemon), [0, 1]);
    assert_eq!(files_of(&daemon, "only_in_fix"), [""; 0]);
    assert_eq!(files_of(&daemon, "step_3"), ["pkg/m3.py"]);
    let other = daemon.refused("delta.get", json!({ "fromVersion": in_fix, "toVersion": "latest" }));
    assert_eq!(other["code"], "unknownVersion", "the past of one is not that of the other: {other}");
    equals_fresh(&daemon, "app");
    equals_fresh(&daemon, "app.fix");
}

#[test]
fn a_worktree_inside_of_the_main_one_is_a_repository_of_its_own() {
    let mut daemon = with_app();
    // Not below a folder that is ignored.
    git(&daemon.root("app"), &["worktree", "add", "-q", ".claude/worktrees/fix", "-b", "fix"]);
    daemon.write("app/.claude/worktrees/fix", "pkg/own.py", "def inner_step():\n    return 1\n");
    assert_eq!(files_of(&daemon, "inner_step"), [""; 0]);
    assert_eq!(files_of(&daemon, "step_1"), ["pkg/m1.py"]);
    daemon.ok("index.refresh", json!({ "mode": "full" }));
    let told = status(&daemon);
    let reasons = told["ignoredBy"].to_string();
    assert!(reasons.contains(".claude/worktrees/fix: is a git worktree"), "{told}");
    assert_eq!(daemon.engine.repos().len(), 1, "nobody has asked from inside yet");

    enter(&mut daemon, "app/.claude/worktrees/fix/pkg");
    assert_eq!(files_of(&daemon, "inner_step"), ["pkg/own.py"]);
    assert_eq!(status(&daemon)["repoId"], "app.fix");
    enter(&mut daemon, "app/pkg");
    assert_eq!(files_of(&daemon, "inner_step"), [""; 0]);
    assert_eq!(status(&daemon)["repoId"], "app");
    for repo in ["app", "app.fix"] {
        equals_fresh(&daemon, repo);
    }
}

#[test]
fn other_settings_and_a_clone_are_served_as_they_are() {
    let daemon = with_app();
    git(&daemon.root("app"), &["worktree", "add", "-q", "../part", "-b", "part"]);
    let settings = json!({ "rootPath": daemon.root("part"), "ignore": ["m2.py", "m1?.py"] });
    daemon.ok("repo.register", settings);
    daemon.ok("index.refresh", json!({ "repoId": "part", "mode": "incremental" }));
    let told = daemon.ok("repo.status", json!({ "repoId": "part", "sync": "require" }));
    assert_eq!(told["files"], json!(FILES - 11), "no row of a file that is left out: {told}");
    equals_fresh(&daemon, "part");

    git(&daemon.root("app"), &["clone", "-q", "--no-hardlinks", ".", "../copy"]);
    daemon.write("copy", "pkg/m1.py", "def other():\n    return 1\n");
    let before = times_given(Work::FirstIndex);
    daemon.ok("repo.register", json!({ "rootPath": daemon.root("copy") }));
    daemon.ok("index.refresh", json!({ "repoId": "copy", "mode": "incremental" }));
    assert_eq!(times_given(Work::FirstIndex), before, "a clone starts from the other's ledger");
    equals_fresh(&daemon, "copy");
}

#[test]
fn a_tree_that_differs_in_most_files_is_indexed_from_scratch() {
    let mut daemon = with_app();
    git(&daemon.root("app"), &["worktree", "add", "-q", "../other", "-b", "other"]);
    for at in 0..FILES / 2 {
        daemon.write("other", &format!("pkg/m{at}.py"), &format!("def anew_{at}():\n    return {at}\n"));
    }
    enter(&mut daemon, "other");
    assert_eq!(files_of(&daemon, "anew_1"), ["pkg/m1.py"]);
    assert_eq!(files_of(&daemon, "step_1"), [""; 0]);
    assert_eq!(times_given(Work::FirstIndex), 2);
    equals_fresh(&daemon, "app.other");
}

#[test]
fn a_removed_worktree_is_forgotten_and_its_ledger_deleted() {
    let mut daemon = with_app();
    let state = daemon.folder.path().join("state/repos");
    let trees = ["a", "b", "c", "d", "e", "by-hand"];
    for tree in trees {
        git(&daemon.root("app"), &["worktree", "add", "-q", &format!("../{tree}"), "-b", tree]);
        enter(&mut daemon, tree);
        assert_eq!(files_of(&daemon, "step_1"), ["pkg/m1.py"]);
        assert!(state.join(format!("app.{tree}")).exists());
    }
    // All at once, and one of them without git.
    for tree in ["a", "b", "c", "d", "e"] {
        git(&daemon.root("app"), &["worktree", "remove", "--force", &format!("../{tree}")]);
    }
    fs::remove_dir_all(daemon.root("by-hand")).unwrap();
    enter(&mut daemon, "app");
    let ids = trees.map(|tree| format!("app.{tree}"));
    for id in &ids {
        wait_until_gone(&daemon, id);
        let refused = daemon.refused("symbol.search", json!({ "query": "step_1", "repoId": id }));
        assert!(refused["message"].as_str().is_some_and(|why| why.contains("was removed")), "{refused}");
    }
    let deadline = Instant::now() + Duration::from_mins(1);
    while fs::read_dir(&state).unwrap().count() > 1 {
        assert!(Instant::now() < deadline, "a ledger is left");
        std::thread::yield_now();
    }
    assert!(state.join("app").exists());
    // What agents stored in them is still read in the others.
    let main = daemon.engine.repo("app").unwrap();
    let kin: BTreeSet<String> = daemon.engine.former_kin(main.family()).into_iter().collect();
    assert_eq!(kin, BTreeSet::from(ids));
    assert_eq!(files_of(&daemon, "step_1"), ["pkg/m1.py"]);
}
