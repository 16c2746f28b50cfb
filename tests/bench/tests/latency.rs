//! `sdl-bench latency` measures any tree, whatever history it has, and `sdl-bench searches` any with functions.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::path::Path;
use std::process::Command;

use sdl_tests::TestEnv;

const FILES: &str =
    "//- /a.py\ndef alpha_one():\n    return 1\n\n\ndef beta_two():\n    return alpha_one()\n";

fn git(at: &Path, arguments: &[&str]) {
    let settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
    let status = Command::new("git").args(settings).args(arguments).current_dir(at).status().unwrap();
    assert!(status.success(), "git {arguments:?}");
}

/// The output of a run for a tree.
fn output_of(run: &str, root: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_sdl-bench"))
        .arg(run)
        .arg(root)
        .args(["--calls", "1"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", root.display());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn trees_with_and_without_history() {
    let env = TestEnv::new();
    let root = env.repo("tree", FILES);
    let check = |what: &str, has_two_commits: bool| {
        let printed = output_of("latency", &root);
        let measured = printed.lines().any(|line| line.starts_with("delta_get ") && line.contains("p50"));
        assert_eq!(measured, has_two_commits, "{what}: {printed}");
        let told = printed.contains("not measured") && printed.contains("two commits or more");
        assert_eq!(told, !has_two_commits, "{what}: {printed}");
    };
    check("no git", false);
    git(&root, &["init", "-q"]);
    check("no commit", false);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "one"]);
    check("one commit", false);
    git(&root, &["commit", "-q", "--allow-empty", "-m", "two"]);
    check("two commits", true);
}

#[test]
fn every_kind_of_search_is_measured_twice() {
    let env = TestEnv::new();
    let printed = output_of("searches", &env.repo("tree", FILES));
    assert_eq!(printed.lines().filter(|line| line.contains(" n=1 ")).count(), 10, "{printed}");
}
