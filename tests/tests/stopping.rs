//! A daemon can be ended, whatever state it is in, and `sdlctl stop` reports the truth.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::process::{Command, Stdio};

use sdl_tests::{Program, TestEnv};

fn signal(pid: u32, name: &str) {
    assert!(Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
}

#[test]
fn a_daemon_that_is_asked_is_gone_when_stop_returns() {
    let env = TestEnv::new();
    let mut daemon = env.daemon();
    let stopped = env.ctl(&["stop"]);
    assert!(!daemon.is_running(), "its process has ended");
    assert_eq!(stopped.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&stopped.stdout).contains("sdld stopped"));
    let again = env.ctl(&["stop"]);
    assert_eq!(again.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&again.stdout).contains("was not running"));
}

#[test]
fn a_daemon_that_does_not_answer_is_ended_and_named() {
    let env = TestEnv::new();
    let mut daemon = env.daemon();
    let root = env.repo("app", "//- /a.py\nx = 1\n");
    env.ctl_ok(&["index", root.to_str().unwrap()]);
    signal(daemon.pid(), "-STOP");
    // The command must not report that there is none, and must not wait for a second one.
    let asked = env.ctl(&["search", "x"]);
    let said = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert_eq!(asked.status.code(), Some(3), "{said}");
    assert!(said.contains(&format!("(process {}) does not answer", daemon.pid())), "{said}");

    let stopped = env.ctl(&["stop"]);
    let said = String::from_utf8_lossy(&stopped.stderr).into_owned();
    assert_eq!(stopped.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("(process {}) does not answer", daemon.pid())), "{said}");
    assert!(!daemon.is_running());
    // The ledger was closed, and the next one serves it.
    let _next = env.daemon();
    assert!(env.ctl_ok(&["repo", "ls"]).contains("live"));
}

#[test]
fn a_start_that_fails_late_leaves_no_ledger_in_use() {
    let env = TestEnv::new();
    let root = env.repo("app", "//- /a.py\nx = 1\n");
    let mut daemon = env.daemon();
    env.ctl_ok(&["index", root.to_str().unwrap()]);
    env.ctl_ok(&["stop"]);
    daemon.wait();
    // Another file is where the socket belongs.
    fs::create_dir(env.runtime_dir().join("sdl-v1.sock")).unwrap();
    for _ in 0..8 {
        let start = || {
            let mut command = env.command(Program::Daemon);
            command
                .arg("--foreground")
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let both = [start(), start()];
        for child in both {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("not a socket") && !said.contains("in use by another daemon"), "{said}");
        }
    }
}
