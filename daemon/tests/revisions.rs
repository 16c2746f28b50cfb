//! Git revisions are compared as if they had been checked out.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use common::Daemon;

/// The shop over time: each state says which files are otherwise than before; no text means that the file goes.
const STATES: &[&[(&str, Option<&str>)]] = &[
    &[
        ("shop/__init__.py", Some("")),
        (
            "shop/price.py",
            Some(
                "def unit(sku):\n    return len(sku)\n\n\ndef total(items):\n    return sum(unit(i) for i in items)\n",
            ),
        ),
        (
            "shop/cart.py",
            Some(
                "from shop.price import total, unit\n\n\nclass Cart:\n    def pay(self, items):\n        if not items:\n            raise ValueError(\"empty\")\n        return total(items)\n\n    def one(self, sku):\n        return unit(sku)\n",
            ),
        ),
        (
            "tests/test_cart.py",
            Some("from shop.cart import Cart\n\n\ndef test_pay():\n    assert Cart().pay([\"a\"])\n"),
        ),
        ("README.md", Some("A shop.\n")),
    ],
    // A body, and a header that another file relies on.
    &[(
        "shop/price.py",
        Some(
            "def unit(sku, currency):\n    return len(sku) * 2\n\n\ndef total(items):\n    return sum(unit(i, 1) for i in items)\n",
        ),
    )],
    // A rename that callers in an unedited file lose, and a file that moves.
    &[
        (
            "shop/price.py",
            Some(
                "def unit(sku, currency):\n    return len(sku) * 2\n\n\ndef sum_up(items):\n    return sum(unit(i, 1) for i in items)\n",
            ),
        ),
        ("tests/test_cart.py", None),
        (
            "tests/cart/test_pay.py",
            Some("from shop.cart import Cart\n\n\ndef test_pay():\n    assert Cart().pay([\"a\"])\n"),
        ),
    ],
    // The module is gone; its name is found elsewhere, and a guard went.
    &[
        ("shop/price.py", None),
        (
            "shop/sums.py",
            Some("def total(items):\n    return 0\n\n\ndef unit(sku):\n    print(sku)\n    return 1\n"),
        ),
        (
            "shop/cart.py",
            Some(
                "from shop.sums import total, unit\n\n\nclass Cart:\n    def pay(self, items):\n        return total(items)\n\n    def one(self, sku):\n        return unit(sku)\n",
            ),
        ),
        ("notes.txt", Some("nothing")),
    ],
];

fn git(root: &Path, args: &[&str]) -> Option<String> {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"])
        .args(args)
        .current_dir(root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .ok()?;
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

struct World {
    daemon: Daemon,
    root: PathBuf,
    /// Version and commit of each state.
    states: Vec<(String, String)>,
}

impl std::ops::Deref for World {
    type Target = Daemon;

    fn deref(&self) -> &Daemon {
        &self.daemon
    }
}

impl World {
    /// Every state written, indexed and committed; none without git.
    fn new() -> Option<Self> {
        let mut daemon = Daemon::new();
        let root = daemon.root("app");
        fs::create_dir_all(&root).unwrap();
        git(&root, &["init", "-q", "-b", "main"])?;
        daemon.session.cwd = Some(root.clone());
        let mut world = Self { daemon, root, states: Vec::new() };
        for state in STATES {
            for (path, text) in *state {
                match text {
                    Some(text) => world.write("app", path, text),
                    None => fs::remove_file(world.root.join(path)).unwrap(),
                }
            }
            if world.states.is_empty() {
                world.ok("repo.register", json!({ "rootPath": world.root }));
            }
            world.ok("index.refresh", json!({ "mode": "incremental" }));
            git(&world.root, &["add", "-A"])?;
            git(&world.root, &["commit", "-q", "-m", "state"])?;
            let commit = git(&world.root, &["rev-parse", "HEAD"])?;
            let status = world.ok("repo.status", json!({ "sync": "require" }));
            world.states.push((status["ledgerVersion"].as_str().unwrap().to_owned(), commit));
        }
        Some(world)
    }

    fn delta(&self, from: &str, to: &str) -> Result<Value, Value> {
        let args = json!({"fromVersion": from, "toVersion": to, "budget": {"maxEstimatedTokens": 20_000}});
        self.call("delta.get", &args)
    }

    /// A delta without what its ends are called.
    #[track_caller]
    fn plain(&self, from: &str, to: &str) -> Value {
        let mut found = self.delta(from, to).unwrap_or_else(|error| panic!("{from} to {to}: {error:#}"));
        let delta = found["delta"].as_object_mut().unwrap();
        delta.remove("fromVersion");
        delta.remove("toVersion");
        json!({"delta": delta, "amplifiers": found["amplifiers"]})
    }
}

#[test]
fn a_commit_is_the_version_that_it_was() {
    let Some(world) = World::new() else { return };
    let states = &world.states;
    for (i, (version, commit)) in states.iter().enumerate() {
        let same = world.plain(&format!("git:{commit}"), version);
        assert_eq!(same["delta"]["changedSymbols"], json!([]), "state {i}: {same:#}");
        assert_eq!(same["delta"]["diagnosticsSummary"]["changedFiles"], 0, "state {i}: {same:#}");
        for (j, (other, its_commit)) in states.iter().enumerate() {
            let versions = world.plain(version, other);
            let git = (format!("git:{commit}"), format!("git:{its_commit}"));
            assert_eq!(world.plain(&git.0, &git.1), versions, "states {i} and {j}, both by git");
            assert_eq!(world.plain(&git.0, other), versions, "states {i} and {j}, the first by git");
            assert_eq!(world.plain(version, &git.1), versions, "states {i} and {j}, the second by git");
            assert_eq!(versions["delta"]["changedSymbols"] == json!([]), i == j);
        }
    }
}

#[test]
fn what_was_committed_tells_a_task_where_to_look() {
    let Some(world) = World::new() else { return };
    let lane = || {
        let args =
            json!({"taskText": "totals of coupons", "includeRetrievalEvidence": true, "sync": "require"});
        let slice = world.ok("slice.build", args);
        let lanes = slice["retrievalEvidence"]["lanes"].as_array().unwrap().clone();
        lanes.into_iter().find(|lane| lane["lane"] == "history").unwrap()
    };
    assert_eq!(lane()["status"], "empty", "four commits that say nothing of it");
    fs::write(world.root.join("shop/sums.py"), "def total(items):\n    return 1\n").unwrap();
    git(&world.root, &["commit", "-q", "-a", "-m", "Take coupons off"]);
    let lane = lane();
    assert_eq!((&lane["status"], lane["candidates"].as_u64().unwrap() > 0), (&json!("ok"), true), "{lane}");
}

#[test]
fn revisions_are_named_as_in_git() {
    let Some(world) = World::new() else { return };
    git(&world.root, &["tag", "-a", "first", "HEAD~3", "-m", "the first"]);
    git(&world.root, &["branch", "feature/cart", "HEAD~1"]);
    let commit = |at: usize| world.states[at].1.as_str();
    for (name, at) in [
        ("HEAD", 3),
        ("@", 3),
        ("main", 3),
        ("main~1", 2),
        ("HEAD^^", 1),
        ("HEAD~2^1", 0),
        ("first", 0),
        ("first^0", 0),
        ("feature/cart~", 1),
        ("refs/heads/main", 3),
        ("HEAD@{1}", 2),
        ("main@{0}~1", 2),
        ("@{2}", 1),
        ("HEAD^{commit}^", 2),
        (&commit(1)[..10], 1),
        (commit(2), 2),
    ] {
        let found = world.delta(&format!("git:{name}"), "latest").unwrap();
        assert_eq!(found["delta"]["fromVersion"], format!("git:{}", commit(at)), "{name}");
    }
    for (name, says) in [
        ("mian", "did you mean git:main?"),
        ("cart", "did you mean git:feature/cart?"),
        ("HEAD~9", "goes further back"),
        ("HEAD^2", "no such parent"),
        ("main@{99}", "names no commit"),
        ("main@{upstream}", "names no commit"),
        ("HEAD^{tree}", "is not understood"),
        ("HEAD~1:shop", "is not understood"),
        ("HEAD~99999999999999999999", "is not understood"),
        ("../../etc", "names no commit"),
    ] {
        let error = world.delta(&format!("git:{name}"), "latest").unwrap_err();
        let message = error["message"].as_str().unwrap();
        assert!(error["code"] == "unknownVersion" && message.contains(says), "{name}: {error:#}");
        let next = &error["nextBestAction"];
        world.ok(next["tool"].as_str().unwrap(), next["args"].clone());
    }
    let error = world.delta("git:mian", "latest").unwrap_err();
    assert_eq!(error["candidates"][0]["fromVersion"], "git:main");
}

#[test]
fn a_branch_s_upstream_is_found() {
    let Some(world) = World::new() else { return };
    git(&world.root, &["update-ref", "refs/remotes/origin/main", "HEAD~2"]);
    git(&world.root, &["config", "remote.origin.url", "."]);
    git(&world.root, &["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
    git(&world.root, &["config", "branch.main.remote", "origin"]);
    git(&world.root, &["config", "branch.main.merge", "refs/heads/main"]);
    for name in ["main@{upstream}", "@{u}", "main@{upstream}~0"] {
        let found = world.delta(&format!("git:{name}"), "latest").unwrap();
        assert_eq!(found["delta"]["fromVersion"], format!("git:{}", world.states[1].1), "{name}");
    }
}

/// A revision's state is made from the nearest known one, and where git's index can be relied on, only what differs from
/// that is looked at: whatever is known, and whatever the index says, the answer is the same.
#[test]
fn the_answer_does_not_depend_on_what_was_asked_before_or_on_git_s_index() {
    let Some(world) = World::new() else { return };
    let ask = |from: usize, to: usize| {
        let name = |at: usize| format!("git:{}", world.states[at].1);
        world.plain(&name(from), &name(to))
    };
    let all = || (0..4).flat_map(|from| (0..4).map(move |to| (from, to)));
    let expected: Vec<Value> = all().map(|(from, to)| ask(from, to)).collect();
    // The same in another order.
    for (at, (from, to)) in all().enumerate().collect::<Vec<_>>().into_iter().rev() {
        assert_eq!(ask(from, to), expected[at], "{from} to {to}, backwards");
    }
    // An index that is ahead of the tree, one that is older than it, an empty index, a deleted one, and a repository
    // that never had one.
    let index = world.root.join(".git/index");
    fs::write(world.root.join("README.md"), "staged\n").unwrap();
    for change in [
        &["add", "-A"][..],
        &["reset", "-q", "HEAD~2"],
        &["read-tree", "--empty"],
        &["rm", "--cached", "-q", "-r", "--ignore-unmatch", "."],
    ] {
        git(&world.root, change);
        for (at, (from, to)) in all().enumerate() {
            assert_eq!(ask(from, to), expected[at], "{from} to {to} after git {change:?}");
        }
    }
    for bytes in [None, Some("no index")] {
        match bytes {
            None => fs::remove_file(&index).unwrap(),
            Some(bytes) => fs::write(&index, bytes).unwrap(),
        }
        for (at, (from, to)) in all().enumerate() {
            assert_eq!(ask(from, to), expected[at], "{from} to {to} with {bytes:?} for an index");
        }
    }
}

#[test]
fn the_tree_is_left_alone_and_unsaved_work_is_part_of_the_newest_version() {
    let Some(world) = World::new() else { return };
    let before = git(&world.root, &["status", "--porcelain"]);
    fs::write(world.root.join("shop/sums.py"), "def total(items):\n    return 1\n").unwrap();
    let found = world.ok("delta.get", json!({"fromVersion": "git:HEAD", "toVersion": "latest"}));
    let changed = found["delta"]["changedSymbols"].as_array().unwrap();
    let names: Vec<_> = changed.iter().map(|symbol| (&symbol["changeType"], &symbol["name"])).collect();
    assert_eq!(names, [(&json!("modified"), &json!("total")), (&json!("removed"), &json!("unit"))]);
    let risk = world.ok("pr.risk.analyze", json!({"fromVersion": "git:HEAD", "toVersion": "latest"}));
    assert_eq!(risk["analysis"]["changedSymbolsCount"], 2);
    git(&world.root, &["checkout", "-q", "--", "."]);
    assert_eq!(git(&world.root, &["status", "--porcelain"]), before);
}
