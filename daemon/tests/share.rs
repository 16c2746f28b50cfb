//! Snapshots: a tree that starts from one equals an index from scratch, and no damaged snapshot gives a wrong answer.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::Daemon;
use proptest::prelude::*;
use sdl_proto::{ClientKind, WireError};
use sdl_tools::{Cancel, NoProgress};
use sdld::admin::{Admin, find_method};
use sdld::index::memory::{Work, times_given};
use serde_json::{Value, json};

/// Files of several languages that need one another.
const FILES: [(&str, &str); 9] = [
    ("shop/__init__.py", ""),
    ("shop/cart.py", "from shop.tax import rate\n\n\ndef total(items):\n    return sum(items) * rate()\n"),
    ("shop/tax.py", "def rate():\n    return 1.2\n"),
    (
        "web/cart.ts",
        "import { rate } from './tax';\n\nexport function total(n: number) {\n  return n * rate();\n}\n",
    ),
    ("web/tax.ts", "export function rate() {\n  return 1.2;\n}\n"),
    ("src/lib.rs", "mod tax;\n\npub fn total(n: f64) -> f64 {\n    n * tax::rate()\n}\n"),
    ("src/tax.rs", "/// The rate.\npub fn rate() -> f64 {\n    1.2\n}\n"),
    (
        "go/cart.go",
        "package cart\n\nfunc Total(n float64) float64 {\n\treturn n * Rate()\n}\n\nfunc Rate() float64 {\n\treturn 1.2\n}\n",
    ),
    ("README.md", "# Shop\n"),
];

fn git(at: &Path, args: &[&str]) -> String {
    let settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    let ran = Command::new("git").arg("-C").arg(at).args(settings).args(args).output().unwrap();
    assert!(ran.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).trim().to_owned()
}

/// A daemon with one indexed repository of git, `app`.
fn with_app() -> Daemon {
    let mut daemon = Daemon::new();
    for (path, text) in FILES {
        daemon.write("app", path, text);
    }
    let root = daemon.root("app");
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "one"]);
    daemon.add_repo("app", &[]);
    daemon.session.cwd = Some(root);
    daemon.ok("index.refresh", json!({ "mode": "incremental" }));
    daemon
}

fn call(daemon: &Daemon, kind: ClientKind, method: &str, params: &Value) -> Result<Value, WireError> {
    let admin = Admin {
        engine: &daemon.engine,
        cancel: &Cancel::new(),
        progress: &NoProgress,
        kind,
        session: 1,
        client: "test",
    };
    let run = find_method(method).unwrap();
    run(&admin, params.to_string().as_bytes()).map(|bytes| serde_json::from_slice(&bytes).unwrap())
}

#[track_caller]
fn ask(daemon: &Daemon, method: &str, params: &Value) -> Value {
    call(daemon, ClientKind::Ctl, method, params)
        .unwrap_or_else(|error| panic!("{method}: {}", error.message))
}

#[track_caller]
fn refused(daemon: &Daemon, method: &str, params: &Value) -> String {
    call(daemon, ClientKind::Ctl, method, params)
        .err()
        .unwrap_or_else(|| panic!("{method} was answered"))
        .message
}

fn begin(daemon: &Daemon, repo: &str) -> (PathBuf, Value) {
    let begun = ask(daemon, "share/begin", &json!({ "root": daemon.root(repo) }));
    (begun["folder"].as_str().unwrap().into(), begun)
}

/// A snapshot of `app`: its folder, the name of its manifest, its commit.
struct Snapshot {
    folder: PathBuf,
    manifest: String,
    commit: String,
}

fn export(daemon: &Daemon) -> Snapshot {
    let (folder, _) = begin(daemon, "app");
    let made = ask(daemon, "share/export", &json!({ "repo": "app", "folder": folder }));
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    Snapshot { folder, manifest: text("manifest"), commit: text("commit") }
}

/// Another machine with a clone of `app`.
fn clone_of(daemon: &Daemon) -> Daemon {
    let mut other = Daemon::new();
    let to = other.root("clone");
    git(&daemon.root("app"), &["clone", "-q", ".", &to.to_string_lossy()]);
    other.session.cwd = Some(to);
    other
}

/// Puts the files of a snapshot where the other daemon takes them.
fn hand_over(snapshot: &Snapshot, to: &Path) {
    for entry in fs::read_dir(&snapshot.folder).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

fn import_params(daemon: &Daemon, folder: &Path, snapshot: &Snapshot) -> Value {
    json!({
        "root": daemon.root("clone"), "folder": folder, "manifest": snapshot.manifest, "commit": snapshot.commit,
    })
}

#[track_caller]
fn equals_fresh(daemon: &Daemon, repo: &str) {
    let answer = ask(daemon, "ledger/verify", &json!({ "repo": repo }));
    assert_eq!(answer["identical"], true, "{answer:#}");
}

fn files_of(daemon: &Daemon, name: &str) -> Vec<String> {
    let found = daemon.ok("symbol.search", json!({ "query": name, "exact": true, "sync": "require" }));
    let results = found["results"].as_array().cloned().unwrap_or_default();
    let mut files: Vec<String> = results.iter().map(|one| one["file"].as_str().unwrap().to_owned()).collect();
    files.sort();
    files
}

#[test]
fn a_clone_on_another_machine_starts_from_a_snapshot_and_parses_only_what_differs() {
    let daemon = with_app();
    let snapshot = export(&daemon);
    let other = clone_of(&daemon);
    let before = times_given(Work::FirstIndex);
    // The clone is a commit further, and edited beyond that.
    other.write(
        "clone",
        "shop/tax.py",
        "def rate():\n    return base() + 0.2\n\n\ndef base():\n    return 1\n",
    );
    git(&other.root("clone"), &["commit", "-q", "-a", "-m", "two"]);
    other.write(
        "clone",
        "shop/more.py",
        "from shop.tax import base\n\n\ndef more_of():\n    return base()\n",
    );
    fs::remove_file(other.root("clone/web/tax.ts")).unwrap();

    let (folder, begun) = begin(&other, "clone");
    assert_eq!((&begun["repoId"], &begun["place"]), (&Value::Null, &json!("")));
    assert_eq!(begun["ancestors"][1], snapshot.commit.as_str());
    hand_over(&snapshot, &folder);
    let started = ask(&other, "share/import", &import_params(&other, &folder, &snapshot));
    assert_eq!((&started["repoId"], &started["parsed"]), (&json!("clone"), &json!(2)), "{started}");
    assert!(!folder.exists());
    assert_eq!(times_given(Work::FirstIndex), before, "nothing was indexed from scratch");
    assert_eq!(files_of(&other, "rate"), ["shop/tax.py", "src/tax.rs"]);
    assert_eq!(files_of(&other, "more_of"), ["shop/more.py"]);
    equals_fresh(&other, "clone");
    other.write("clone", "src/tax.rs", "pub fn rate() -> f64 {\n    1.3\n}\n");
    assert_eq!(files_of(&other, "rate"), ["shop/tax.py", "src/tax.rs"]);
    equals_fresh(&other, "clone");

    let again = begin(&other, "clone");
    assert_eq!(again.1["repoId"], "clone");
    hand_over(&snapshot, &again.0);
    let message = refused(&other, "share/import", &import_params(&other, &again.0, &snapshot));
    assert!(message.contains("registered meanwhile"), "{message}");
}

#[test]
fn equal_trees_give_equal_snapshots() {
    let daemon = with_app();
    let (first, second) = (export(&daemon), export(&daemon));
    assert_eq!((&first.manifest, &first.commit), (&second.manifest, &second.commit));
    let other = clone_of(&daemon);
    other.ok("repo.register", json!({ "rootPath": other.root("clone") }));
    other.ok("index.refresh", json!({ "mode": "incremental" }));
    let (folder, _) = begin(&other, "clone");
    let made = ask(&other, "share/export", &json!({ "repo": "clone", "folder": folder }));
    assert_eq!(made["manifest"], first.manifest.as_str(), "whoever indexes a commit makes the same snapshot");
    ask(&other, "share/end", &json!({ "folder": folder }));
    assert!(!folder.exists());
}

#[test]
fn a_tree_that_is_not_as_its_commit_has_no_snapshot() {
    let daemon = with_app();
    let message = |what: &str| {
        let (folder, _) = begin(&daemon, "app");
        let message = refused(&daemon, "share/export", &json!({ "repo": "app", "folder": folder }));
        assert!(message.contains("needs a clean tree") && message.contains(what), "{message}");
        assert!(!folder.exists());
    };
    daemon.write("app", "shop/new.py", "def new():\n    pass\n");
    message("shop/new.py");
    fs::remove_file(daemon.root("app/shop/new.py")).unwrap();
    daemon.write("app", "shop/tax.py", "def rate():\n    return 1.3\n");
    message("shop/tax.py");
    fs::remove_file(daemon.root("app/shop/tax.py")).unwrap();
    message("shop/tax.py");
    git(&daemon.root("app"), &["checkout", "-q", "--", "."]);
    daemon.write("app", ".git/info/exclude", "notes/\n");
    daemon.write("app", "notes/own.py", "def own():\n    pass\n");
    daemon.ok("index.refresh", json!({ "mode": "full" }));
    export(&daemon);
}

#[test]
fn only_people_get_snapshots_and_only_of_git_trees() {
    let daemon = with_app();
    for (method, params) in [
        ("share/begin", json!({ "root": daemon.root("app") })),
        ("share/export", json!({ "folder": "/x" })),
        ("share/import", json!({ "folder": "/x", "root": "/x", "manifest": "", "commit": "" })),
        ("share/end", json!({ "folder": "/x" })),
    ] {
        let error = call(&daemon, ClientKind::Shim, method, &params).unwrap_err();
        assert!(error.message.contains("only a person"), "{method}: {}", error.message);
    }
    daemon.write("plain", "a.py", "def a():\n    pass\n");
    let message = refused(&daemon, "share/begin", &json!({ "root": daemon.root("plain") }));
    assert!(message.contains("is no git work tree"), "{message}");
    for folder in
        [daemon.root("app"), daemon.root("state/repos"), daemon.root("state/scratch/share-x/../../repos")]
    {
        let message = refused(&daemon, "share/end", &json!({ "folder": folder }));
        assert!(message.contains("no folder that share/begin made"), "{message}");
    }
    assert!(daemon.root("state/repos").exists());
}

#[test]
fn snapshots_of_another_commit_or_release_are_not_used() {
    let daemon = with_app();
    let snapshot = export(&daemon);
    let other = clone_of(&daemon);
    let try_with = |change: &dyn Fn(&mut Value), commit: &str| {
        let (folder, _) = begin(&other, "clone");
        hand_over(&snapshot, &folder);
        let path = folder.join("manifest");
        let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut manifest);
        let bytes = manifest.to_string().into_bytes();
        fs::write(&path, &bytes).unwrap();
        let manifest = sdld::share::pack::hash_name(&bytes);
        let params = json!({
            "root": other.root("clone"), "folder": folder, "manifest": manifest, "commit": commit,
        });
        refused(&other, "share/import", &params)
    };
    let own = snapshot.commit.as_str();
    let message = try_with(&|_| {}, &"0".repeat(40));
    assert!(message.contains("not of the one wanted"), "{message}");
    let message = try_with(&|manifest| manifest["kind"] = json!("format1-schema1"), own);
    assert!(message.contains("use the same release"), "{message}");
    let message = try_with(&|manifest| manifest["format"] = json!(9), own);
    assert!(message.contains("update the older"), "{message}");
    let message = try_with(&|manifest| manifest["symbols"] = json!(1), own);
    assert!(message.contains("fewer or more"), "{message}");
    let message = try_with(&|manifest| manifest["place"] = json!("src"), own);
    assert!(message.contains("not of the one wanted"), "{message}");
    assert!(other.engine.all_repos().is_empty(), "nothing is registered");
    other.ok("repo.register", json!({ "rootPath": other.root("clone") }));
    assert_eq!(files_of(&other, "rate").len(), 3);
    equals_fresh(&other, "clone");
}

/// Changes a clone before it starts from a snapshot: for each file, keep it, edit it, or remove it.
fn change_tree(daemon: &Daemon, changes: &[u8]) {
    for ((path, text), change) in FILES.iter().zip(changes) {
        match change {
            0 => fs::remove_file(daemon.root("clone").join(path)).unwrap(),
            1 => daemon.write("clone", path, &text.replace("rate", "quota")),
            2 => daemon.write("clone", path, &format!("{text}\n")),
            3 => daemon.write("clone", &path.replace('.', "_more."), text),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn whatever_differs_from_the_snapshot_the_ledger_equals_one_from_scratch(
        changes in proptest::collection::vec(0..12_u8, FILES.len())
    ) {
        let daemon = with_app();
        let snapshot = export(&daemon);
        let other = clone_of(&daemon);
        change_tree(&other, &changes);
        let (folder, _) = begin(&other, "clone");
        hand_over(&snapshot, &folder);
        ask(&other, "share/import", &import_params(&other, &folder, &snapshot));
        equals_fresh(&other, "clone");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_file_of_a_snapshot_is_an_error_and_the_tree_is_indexed_as_ever(
        file in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), how in 0..4, bit in 0_u32..8,
    ) {
        let daemon = with_app();
        let snapshot = export(&daemon);
        let other = clone_of(&daemon);
        let (folder, _) = begin(&other, "clone");
        hand_over(&snapshot, &folder);
        let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let path = &files[file.index(files.len())];
        let mut bytes = fs::read(path).unwrap();
        let at = at.index(bytes.len());
        match how {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1_u8 << bit,
            2 => bytes.extend_from_slice(b"more"),
            _ => {}
        }
        if how == 3 {
            fs::remove_file(path).unwrap();
        } else {
            fs::write(path, bytes).unwrap();
        }
        let message = refused(&other, "share/import", &import_params(&other, &folder, &snapshot));
        prop_assert!(
            ["its hash differs", "is missing", "no manifest"].iter().any(|why| message.contains(why)), "{}", message
        );
        prop_assert!(!folder.exists());
        other.ok("repo.register", json!({ "rootPath": other.root("clone") }));
        prop_assert_eq!(files_of(&other, "rate"), ["shop/tax.py", "src/tax.rs", "web/tax.ts"]);
    }
}
