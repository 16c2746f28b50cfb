//! Damage that is found while the daemon runs: the ledger is set aside and built again, and callers get an error that
//! says so.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use sdl_tests::{McpClient, TestEnv};
use serde_json::{Value, json};

/// Simulates a bad disk: every page but the two that name the others comes back as zeros.
fn zero_all_pages(data: &Path) {
    const PAGE: u64 = 4096;
    let mut file = File::options().write(true).open(data).unwrap();
    let length = file.metadata().unwrap().len();
    file.seek(SeekFrom::Start(2 * PAGE)).unwrap();
    file.write_all(&vec![0; usize::try_from(length - 2 * PAGE).unwrap()]).unwrap();
}

/// Asks until there is an answer, as a client does that gets "ask again".
#[track_caller]
fn soon(client: &mut McpClient, tool: &str, arguments: &Value) -> (Value, usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut refusals = 0;
    loop {
        let answer = client.call(tool, arguments.clone()).unwrap();
        if !answer.is_error {
            return (answer.data, refusals);
        }
        let code = answer.data["code"].as_str().unwrap_or_default();
        assert!(["unavailable", "indexing", "notSynced"].contains(&code), "{}", answer.data);
        assert!(Instant::now() < deadline, "never answers: {}", answer.data);
        refusals += 1;
    }
}

/// A ledger that turns bad is met by `ask` first; then all is well again.
fn is_mended(ask: impl FnOnce(&Path, &mut McpClient) -> (Value, usize)) {
    let env = TestEnv::new();
    let root = env.repo("app", "//- /a.py\ndef alpha():\n    return beta()\n\n\ndef beta():\n    return 1\n");
    let mut daemon = env.daemon();
    let mut client = env.mcp(&root, &["--surface", "flat"]);
    client.call("sdl_repo_register", json!({"rootPath": root})).unwrap().ok();
    client.call("sdl_index_refresh", json!({"mode": "incremental"})).unwrap().ok();
    let slice = client.call("sdl_slice_build", json!({"taskText": "alpha"})).unwrap().ok();

    let ledger = env.state_dir().join("repos/app");
    zero_all_pages(&ledger.join("data.mdb"));
    let (found, refusals) = ask(&root, &mut client);
    assert!(refusals > 0, "the damage was not met: {found}");
    assert_eq!(found["freshness"]["synced"], true, "{found}");

    assert!(daemon.is_running(), "the daemon lives");
    assert!(ledger.join("set-aside-1/data.mdb").exists(), "nothing is deleted");
    let status = env.ctl_ok(&["status", "--json"]);
    assert!(status.contains("the ledger of app was damaged"), "a loud line: {status}");
    env.ctl_ok(&["verify", "--repo", "app"]);

    // The daemon that gave the handle knows its slice; one that was started since does not.
    let refresh = json!({"sliceHandle": slice["sliceHandle"], "knownVersion": slice["ledgerVersion"]});
    env.ctl_ok(&["stop"]);
    daemon.wait();
    let _daemon = env.daemon();
    let lost = client.call("sdl_slice_refresh", refresh).unwrap().err();
    assert_eq!(lost["code"], "unknownHandle", "{lost}");
    assert!(lost["message"].as_str().unwrap().contains("slice.build"), "{lost}");
}

#[test]
fn a_ledger_that_a_reader_finds_damaged_is_built_anew() {
    is_mended(|_, client| {
        soon(client, "sdl_symbol_search", &json!({"query": "alpha", "exact": true, "sync": "require"}))
    });
}

#[test]
fn a_ledger_that_the_worker_finds_damaged_is_built_anew() {
    is_mended(|root, client| {
        std::fs::write(root.join("b.py"), "def gamma():\n    return 2\n").unwrap();
        let (status, refusals) = soon(client, "sdl_repo_status", &json!({"sync": "require"}));
        let found = client.call("sdl_symbol_search", json!({"query": "gamma", "exact": true})).unwrap().ok();
        assert_eq!(found["total"], 1, "{found}");
        (status, refusals)
    });
}
