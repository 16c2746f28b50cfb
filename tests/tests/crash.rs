//! `kill -9` at any instant loses nothing: the ledger stays at its last version, and what changed meanwhile is in the
//! next one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;

use sdl_tests::TestEnv;

/// Enough to hit different moments, few enough for every run of the tests; `sdl-bench crash` does hundreds.
const ROUNDS: u32 = 10;

#[test]
fn a_killed_daemon_leaves_a_ledger_that_verifies() {
    let env = TestEnv::new();
    let root = env.repo("app", "//- /a.py\ndef a():\n    return 0\n");
    for n in 0..40 {
        fs::write(root.join(format!("m{n}.py")), format!("from a import a\n\ndef f{n}():\n    return a()\n"))
            .unwrap();
    }
    let mut daemon = env.daemon();
    env.ctl_ok(&["index", root.to_str().unwrap()]);
    for round in 0..ROUNDS {
        let mut client = env.mcp(&root, &[]);
        for n in 0..20 {
            let text = format!(
                "from a import a\n\ndef f{n}():\n    return a() + {round}\n\ndef g{round}():\n    f{n}()\n"
            );
            fs::write(root.join(format!("m{n}.py")), text).unwrap();
            if n == round * 2 {
                // Asks for the first half to be committed, and does not wait for it.
                client.send_call("sdl_repo_status", serde_json::json!({"sync": "require"})).unwrap();
            }
        }
        // The shim goes first: it would start the next daemon by itself.
        client.kill().unwrap();
        daemon.kill();
        daemon = env.daemon();
        env.ctl_ok(&["verify", "--repo", "app"]);
    }
    let status = env.ctl_ok(&["status", "--json"]);
    assert!(status.contains("\"warnings\": []"), "nothing was set aside or rebuilt: {status}");
}

#[test]
fn lost_facts_are_taken_anew() {
    let env = TestEnv::new();
    let root = env.repo("app", "//- /a.py\ndef alpha():\n    return 0\n\ndef beta():\n    return alpha()\n");
    let daemon = env.daemon();
    env.ctl_ok(&["index", root.to_str().unwrap()]);
    env.ctl_ok(&["stop"]);
    drop(daemon);
    fs::remove_dir_all(env.state_dir().join("facts")).unwrap();
    let _daemon = env.daemon();
    env.ctl_ok(&["verify", "--repo", "app"]);
    env.ctl_ok(&["card", "beta", "--repo", "app"]);
}
