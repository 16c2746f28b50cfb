//! A `.git` folder can come out of an archive and hold anything. The daemon does without it, and says why.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use sdl_tests::TestEnv;
use serde_json::{Value, json};

fn git(at: &Path, args: &[&str]) {
    let ran = Command::new("git")
        .arg("-C")
        .arg(at)
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(args)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// A repository with a commit.
fn committed(env: &TestEnv, name: &str) -> std::path::PathBuf {
    let root = env.repo(name, "//- /a.py\ndef alpha():\n    return 1\n");
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "one"]);
    root
}

fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn zeros(path: &Path) {
    let _ = fs::remove_file(path);
    symlink("/dev/zero", path).unwrap();
}

fn huge(path: &Path) {
    File::create(path).unwrap().set_len(2 << 30).unwrap();
}

#[test]
fn hostile_files_in_a_git_folder_hang_nobody_and_fill_no_memory() {
    type Harm = fn(&Path);
    let env = TestEnv::new();
    let mut daemon = env.daemon();
    let cases: [(&str, Harm); 7] = [
        ("HEAD", pipe),
        ("HEAD", zeros),
        ("config", pipe),
        ("packed-refs", huge),
        ("info/exclude", pipe),
        ("objects/info/alternates", pipe),
        ("refs/heads/main", pipe),
    ];
    for (number, (name, harm)) in cases.into_iter().enumerate() {
        let id = format!("app{number}");
        let root = committed(&env, &id);
        harm(&root.join(".git").join(name));
        env.ctl_ok(&["index", root.to_str().unwrap()]);
        let mut client = env.mcp(&root, &["--surface", "flat"]);
        let status = client.call("sdl_repo_status", json!({"repoId": id})).unwrap().ok();
        assert_eq!((&status["state"], &status["files"]), (&json!("live"), &json!(1)), "{name}: {status}");
        let problem = status["gitProblem"].as_str().unwrap_or_default();
        assert!(problem.contains(name), "{name}: {status}");
        let arguments = json!({"repoId": id, "fromVersion": "git:HEAD", "toVersion": "latest"});
        let refused = client.call("sdl_delta_get", arguments).unwrap().err();
        assert!(refused["message"].as_str().unwrap().contains(name), "{refused}");
        env.ctl_ok(&["repo", "rm", &id]);
    }
    // An index that can't be read costs no history.
    let root = committed(&env, "indexed");
    pipe(&root.join(".git/index"));
    env.ctl_ok(&["index", root.to_str().unwrap()]);
    let mut client = env.mcp(&root, &["--surface", "flat"]);
    let arguments = json!({"fromVersion": "git:HEAD", "toVersion": "latest"});
    client.call("sdl_delta_get", arguments).unwrap().ok();
    let status = client.call("sdl_repo_status", json!({})).unwrap().ok();
    assert!(status["gitProblem"].as_str().unwrap().contains(".git/index is not a regular file"), "{status}");
    drop(client);
    let memory = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let peak = memory.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let kib: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(kib < 600 << 10, "{peak}");
    assert_eq!(env.ctl(&["stop"]).status.code(), Some(0));
    assert!(daemon.wait().success());
}

#[test]
fn a_repository_that_crashes_the_daemon_is_set_aside_until_a_person_asks() {
    let env = TestEnv::new();
    let root = committed(&env, "app");
    let path = root.to_str().unwrap();
    let mut daemon = env.daemon();
    env.ctl_ok(&["index", path]);
    env.ctl_ok(&["stop"]);
    daemon.wait();
    let note = env.state_dir().join("starting/app");
    assert!(!note.exists(), "that start went well");

    // The note that two daemons leave that die while starting it.
    fs::create_dir_all(note.parent().unwrap()).unwrap();
    fs::write(&note, "2").unwrap();
    let mut daemon = env.daemon();
    let state = |expected: &str| {
        let status: Value = serde_json::from_slice(&env.ctl(&["status", "--json"]).stdout).unwrap();
        assert_eq!(status["repos"][0]["state"], expected, "{status}");
        status["repos"][0]["reason"].as_str().unwrap_or_default().to_owned()
    };
    assert!(state("setAside").contains("died 2 times"));
    assert!(env.ctl_ok(&["repo", "ls"]).contains("setAside"));
    let mut client = env.mcp(&root, &["--surface", "flat"]);
    let refused = client.call("sdl_repo_register", json!({"rootPath": root})).unwrap().err();
    assert!(refused["message"].as_str().unwrap().contains("sdlctl index"), "no agent starts it: {refused}");
    drop(client);

    env.ctl_ok(&["index", path]);
    state("live");
    assert!(!note.exists());
    env.ctl_ok(&["stop"]);
    daemon.wait();

    fs::write(&note, "2").unwrap();
    let _daemon = env.daemon();
    env.ctl_ok(&["repo", "rm", "app"]);
    assert!(root.join("a.py").exists() && !note.exists());
    assert!(env.ctl_ok(&["repo", "ls"]).contains("No repository"));
}

#[test]
fn suspects_are_started_one_after_the_other() {
    let env = TestEnv::new();
    let roots = ["a", "b", "c"].map(|name| committed(&env, name));
    let mut daemon = env.daemon();
    for root in &roots {
        env.ctl_ok(&["index", root.to_str().unwrap()]);
    }
    env.ctl_ok(&["stop"]);
    daemon.wait();
    let starting = env.state_dir().join("starting");
    fs::create_dir_all(&starting).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(starting.join(name), "1").unwrap();
    }
    let _daemon = env.daemon();
    for root in &roots {
        // Asked again while it is not its turn.
        let mut client = env.mcp(root, &["--surface", "flat"]);
        loop {
            let answer = client.call("sdl_repo_status", json!({"sync": "require"})).unwrap();
            if !answer.is_error {
                assert_eq!(answer.data["state"], "live");
                break;
            }
            assert!(answer.data["message"].as_str().unwrap().contains("ask again"), "{}", answer.data);
        }
    }
    assert_eq!(fs::read_dir(&starting).unwrap().count(), 0);
}

#[test]
fn another_repositorys_history_is_not_given_away() {
    let env = TestEnv::new();
    let victim = committed(&env, "victim");
    let root = env.repo("app", "//- /b.py\ndef beta():\n    return 1\n");
    fs::write(root.join(".git"), format!("gitdir: {}\n", victim.join(".git").display())).unwrap();
    let _daemon = env.daemon();
    env.ctl_ok(&["index", root.to_str().unwrap()]);
    let mut client = env.mcp(&root, &["--surface", "flat"]);
    let arguments = json!({"fromVersion": "git:HEAD", "toVersion": "latest"});
    let refused = client.call("sdl_delta_get", arguments).unwrap().err();
    assert!(refused["message"].as_str().unwrap().contains("core.worktree"), "{refused}");
    let status = client.call("sdl_repo_status", json!({})).unwrap().ok();
    assert!(status["head"].is_null() && status["gitProblem"].is_string(), "{status}");
}

#[test]
fn git_is_opened_in_one_place() {
    // A git folder may contain anything: `check.rs` is the one place that inspects it first.
    let mut faults = Vec::new();
    for (path, file) in sdl_tests::workspace::workspace_files() {
        let is_code = Path::new(&path).extension().is_some_and(|extension| extension == "rs");
        if !path.starts_with("daemon/") || !is_code || path == "daemon/src/git.rs" {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for word in ["gix::open", "gix::discover", "gix::ThreadSafe", ".open_index("] {
            if text.contains(word) {
                faults.push(format!("{path} has {word}"));
            }
        }
    }
    assert!(faults.is_empty(), "git is opened elsewhere: {faults:?}");
}
