//! Git worktrees on the real daemon: an agent that starts in one finds it, and a daemon that starts later knows which are
//! gone.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::path::Path;
use std::process::Command;

use sdl_tests::{McpClient, TestEnv};
use serde_json::{Value, json};

const FILES: &str = r"
//- /shop/cart.py
from shop.tax import rate

def total(items):
    return sum(items) * rate()
//- /shop/tax.py
def rate():
    return 1.2
//- /shop/more.py
def more():
    return 1
//- /shop/most.py
def most():
    return 1
";

fn git(at: &Path, args: &[&str]) {
    let settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    let ran = Command::new("git").arg("-C").arg(at).args(settings).args(args).output().unwrap();
    assert!(ran.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// The ids of the registered repositories.
fn registered(env: &TestEnv) -> Vec<String> {
    let text = std::fs::read_to_string(env.state_dir().join("repos.json")).unwrap();
    let entries: Value = serde_json::from_str(&text).unwrap();
    let ids = entries.as_array().unwrap().iter();
    ids.map(|entry| entry["repoId"].as_str().unwrap().to_owned()).collect()
}

fn total_of(client: &mut McpClient, query: &str) -> Value {
    let found =
        client.call("sdl_symbol_search", json!({"query": query, "exact": true, "sync": "require"})).unwrap();
    assert!(!found.is_error, "{}", found.raw);
    found.data["total"].clone()
}

#[test]
fn agents_in_worktrees_find_their_own_tree_and_removed_ones_are_forgotten_at_the_start() {
    let env = TestEnv::new();
    let root = env.repo("app", FILES);
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "one"]);
    let mut daemon = env.daemon();
    env.ctl_ok(&["index", &root.to_string_lossy()]);
    let (inside, beside) = (root.join(".claude/worktrees/one"), env.path("repos").join("two"));
    for tree in [&inside, &beside] {
        git(&root, &["worktree", "add", "-q", "--detach", &tree.to_string_lossy()]);
        let name = tree.file_name().unwrap().to_string_lossy();
        std::fs::write(tree.join("shop/own.py"), format!("def own_{name}():\n    return 1\n")).unwrap();
        let mut client = env.mcp(&tree.join("shop"), &[]);
        assert_eq!(total_of(&mut client, &format!("own_{name}")), 1);
        assert_eq!(total_of(&mut client, "rate"), 1);
    }
    let mut main = env.mcp(&root, &[]);
    for name in ["own_one", "own_two"] {
        assert_eq!(total_of(&mut main, name), 0);
    }
    assert_eq!(registered(&env), ["app", "app.one", "app.two"]);
    for tree in [&inside, &beside] {
        env.ctl_ok(&["verify", "--repo", &tree.to_string_lossy()]);
    }
    drop(main);

    // Both go while no daemon runs. Deleting the folder by hand does not remove git's data of it.
    daemon.kill();
    git(&root, &["worktree", "remove", "--force", &inside.to_string_lossy()]);
    std::fs::remove_dir_all(&beside).unwrap();
    let _daemon = env.daemon();
    let mut main = env.mcp(&root, &[]);
    assert_eq!(total_of(&mut main, "rate"), 1);
    assert_eq!(registered(&env), ["app"]);
    let ledgers: Vec<_> = std::fs::read_dir(env.state_dir().join("repos")).unwrap().flatten().collect();
    assert_eq!(ledgers.len(), 1);
}
