//! Commands through the real shim and daemon: off until a person allows them, jailed, limited, ended with all they started,
//! their output kept across restarts.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sdl_tests::{McpClient, TestEnv};
use serde_json::{Value, json};

const APP: &str = "//- /src/a.py\ndef alpha():\n    return 1\n";

fn allow(env: &TestEnv, settings: &str) {
    let path = env.state_dir().join("runtime.json");
    fs::write(&path, settings).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn client(env: &TestEnv, root: &Path) -> McpClient {
    let mut client = env.mcp(root, &["--surface", "flat"]);
    client.call("sdl_repo_register", json!({"rootPath": root})).unwrap().ok();
    client.call("sdl_index_refresh", json!({"mode": "incremental"})).unwrap().ok();
    client
}

fn sh(client: &mut McpClient, script: &str, mut more: Value) -> Value {
    more["executable"] = json!("sh");
    more["args"] = json!(["-c", script]);
    more["outputMode"] = json!("full");
    client.call("sdl_runtime_execute", more).unwrap().ok()
}

fn refused(client: &mut McpClient, args: Value) -> String {
    let error = client.call("sdl_runtime_execute", args).unwrap().err();
    error["code"].as_str().unwrap().to_owned()
}

/// Waits until no process of that number runs; one that is dead and not reaped counts as gone.
fn assert_ends(pid: &str) {
    let deadline = Instant::now() + Duration::from_secs(30);
    let stat = PathBuf::from("/proc").join(pid).join("stat");
    let runs = || {
        let stat = fs::read_to_string(&stat).unwrap_or_default();
        stat.rsplit(')')
            .next()
            .and_then(|rest| rest.trim().chars().next())
            .is_some_and(|state| !"ZX".contains(state))
    };
    while runs() {
        assert!(Instant::now() < deadline, "process {pid} outlives its command");
        std::thread::yield_now();
    }
}

#[test]
fn commands_are_off_until_a_person_allows_them_and_then_only_those() {
    let env = TestEnv::new().with_var("SDL_TEST_PRIVATE", "not-for-commands");
    let root = env.repo("app", APP);
    let mut client = client(&env, &root);
    let call = json!({"executable": "sh", "args": ["-c", "echo ran > ran"]});
    assert_eq!(refused(&mut client, call.clone()), "denied");
    allow(&env, r#"{"enabled": false, "executables": ["sh"]}"#);
    assert_eq!(refused(&mut client, call.clone()), "denied");
    // The settings are read with every call; no restart is needed.
    allow(&env, r#"{"enabled": true, "executables": ["sh"], "allowEnv": ["MODE"]}"#);
    for executable in ["env", "/bin/sh", "../sh", "./sh"] {
        assert_eq!(refused(&mut client, json!({ "executable": executable })), "denied", "{executable}");
    }
    fs::set_permissions(env.state_dir().join("runtime.json"), fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(refused(&mut client, call.clone()), "denied");
    assert!(!root.join("ran").exists());
    fs::set_permissions(env.state_dir().join("runtime.json"), fs::Permissions::from_mode(0o600)).unwrap();

    // The jail, also through links.
    symlink("/", root.join("out")).unwrap();
    symlink("src", root.join("in")).unwrap();
    for folder in ["..", "/", "out", "out/tmp", "src/../..", "nowhere"] {
        let refused = refused(&mut client, json!({"executable": "sh", "relativeCwd": folder}));
        assert_eq!(refused, "unknownPath", "{folder}");
    }
    let inside = sh(&mut client, "pwd -P", json!({"relativeCwd": "in"}));
    let real = root.canonicalize().unwrap().join("src");
    assert_eq!(inside["digest"], format!("stdout:\n{}", real.display()));

    // The environment.
    let seen = sh(&mut client, "env", json!({"env": {"MODE": "fast"}}));
    let seen = seen["digest"].as_str().unwrap();
    assert!(
        seen.contains("MODE=fast") && !seen.contains("SDL_") && !seen.contains("not-for-commands"),
        "{seen}"
    );
    let preload = json!({"executable": "sh", "env": {"LD_PRELOAD": "x"}});
    assert_eq!(refused(&mut client, preload), "denied");
}

#[test]
fn commands_are_limited_in_time_and_memory_with_all_that_they_start() {
    let env = TestEnv::new();
    let root = env.repo("app", APP);
    let mut client = client(&env, &root);
    allow(&env, r#"{"enabled": true, "executables": ["sh"], "memoryMb": 64}"#);
    // One in the background, one below another shell, and the command itself.
    let script = "sleep 600 & echo $!; sh -c 'echo $$; sleep 600' & echo $$; wait";
    let late = sh(&mut client, script, json!({"timeoutMs": 300}));
    assert_eq!((&late["timedOut"], &late["signal"]), (&json!(true), &json!(9)), "{late:#}");
    let digest = late["digest"].as_str().unwrap();
    let pids: Vec<&str> = digest.lines().filter(|line| line.bytes().all(|b| b.is_ascii_digit())).collect();
    assert!(pids.len() >= 2, "{digest}");
    pids.into_iter().for_each(assert_ends);
    let left = sh(&mut client, "sleep 600 & echo $!", json!({}));
    assert_eq!((&left["exitCode"], &left["timedOut"]), (&json!(0), &json!(false)));
    assert_ends(left["digest"].as_str().unwrap().lines().last().unwrap());

    assert_eq!(sh(&mut client, "ulimit -v", json!({}))["digest"], "stdout:\n65536");
    let hungry = sh(&mut client, "x=$(head -c 100000000 /dev/zero | tr '\\0' a) && echo ${#x}", json!({}));
    assert_ne!(hungry["exitCode"], 0, "{hungry:#}");
    assert_eq!(hungry["stdoutLines"], 0, "{hungry:#}");
}

#[test]
fn output_is_kept_for_questions_without_its_secrets_and_across_restarts() {
    let env = TestEnv::new();
    let root = env.repo("app", APP);
    let mut daemon = env.daemon();
    let mut one = client(&env, &root);
    allow(&env, r#"{"enabled": true, "executables": ["sh"]}"#);
    let token = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    let script = format!(
        "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done; echo {token}; echo password=hunter2222 >&2; exit 3"
    );
    let ran = sh(&mut one, &script, json!({}));
    assert_eq!(
        (&ran["exitCode"], &ran["stdoutLines"], &ran["stderrLines"]),
        (&json!(3), &json!(3_001), &json!(1))
    );
    let handle = ran["artifactHandle"].clone();
    drop(one);
    env.ctl_ok(&["stop"]);
    daemon.wait();
    let _daemon = env.daemon();
    let mut client = env.mcp(&root, &["--surface", "flat"]);
    let mut query = |mut args: Value| {
        args["artifactHandle"] = handle.clone();
        client.call("sdl_runtime_queryOutput", args).unwrap().ok()["excerpts"].clone()
    };
    let lines = query(json!({"lines": {"from": 2_000, "to": 2_001}, "stream": "stdout"}));
    assert_eq!(
        lines,
        json!([{"stream": "stdout", "from": 2_000, "to": 2_001, "text": "line 2000\nline 2001"}])
    );
    let found = query(json!({"regex": "^line 15.0$", "lines": {"from": 1_505, "to": 1_525}}));
    assert_eq!(found[0]["text"], "line 1508\nline 1509\nline 1510\nline 1511\nline 1512", "{found:#}");
    let all = [
        query(json!({"lines": {"from": 2_990}})),
        query(json!({"stream": "stderr"})),
        query(json!({"queryTerms": ["AKIA", "hunter"]})),
    ];
    let told = format!("{ran} {all:?}");
    assert!(!told.contains(&token) && !told.contains("hunter2222"), "{told}");
    assert!(all[1].to_string().contains("password=***"), "{all:?}");
}
