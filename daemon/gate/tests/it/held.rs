//! Children are held until they are recorded.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use sdl_proto::code;
use sdl_proto::gate::{FromGate, Owner, ToGate};
use serde_json::json;

use crate::harness::{Gate, detail, entry, gone};

/// The first child of a process, as soon as there is one.
async fn child_of(parent: u32) -> u32 {
    let path = format!("/proc/{parent}/task");
    let find = || {
        let tasks = std::fs::read_dir(&path).unwrap();
        let children =
            tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        children.into_iter().find_map(|text| text.split_whitespace().next()?.parse::<u32>().ok())
    };
    let found = async {
        loop {
            if let Some(pid) = find() {
                return pid;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(15), found).await.expect("no child was started")
}

async fn begin_reading(gate: &mut Gate) {
    let id = gate.new_id();
    gate.send(ToGate::Read { id, key: "a".to_owned(), owner: Owner::Shared, client: None }).await;
}

/// Waits until the gate has prepared its folders.
async fn prepared(gate: &mut Gate) {
    gate.send(ToGate::Ping { nonce: 7 }).await;
    gate.wait(|message| matches!(message, FromGate::Pong { nonce: 7 }).then_some(())).await;
}

#[tokio::test]
async fn a_child_ends_with_a_gate_that_did_not_come_to_record_it() {
    let mut gate = Gate::start().await;
    prepared(&mut gate).await;
    // Writing the record waits for somebody who reads it, so the gate can be killed between start and record.
    let record = gate.children_file().with_extension("new");
    assert!(Command::new("mkfifo").arg(&record).status().unwrap().success());
    let journal = gate.folder.path().join("journal");
    let word = format!("journal={}", journal.display());
    gate.configure(json!({ "a": entry(&[&word, "stays"], json!({})) })).await;
    begin_reading(&mut gate).await;
    let child = child_of(gate.process.as_ref().unwrap().id().unwrap()).await;
    let children_file = gate.children_file();
    let _folder = gate.kill().await;
    gone(child).await;
    assert!(!children_file.exists() && !journal.exists(), "it was not recorded and did not run");
}

#[tokio::test]
async fn a_child_that_cannot_be_recorded_does_not_run() {
    let mut gate = Gate::start().await;
    prepared(&mut gate).await;
    let folder = gate.children_file().parent().unwrap().to_owned();
    std::fs::remove_dir_all(&folder).unwrap();
    let journal = gate.folder.path().join("journal");
    let word = format!("journal={}", journal.display());
    gate.configure(json!({ "a": entry(&[&word], json!({})) })).await;
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!(error.code, code::UPSTREAM_DOWN);
    assert!(
        error.message.contains("cannot be started") && error.message.contains("children-"),
        "{}",
        error.message
    );
    assert!(!journal.exists());
    gate.hang_up().await;
}

fn write_script(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn a_program_that_cannot_be_run_is_told_from_one_that_fails() {
    let mut gate = Gate::start().await;
    let script = gate.folder.path().join("script");
    write_script(&script, "#!/no/such/interpreter\n");
    gate.configure(json!({ "a": { "command": script } })).await;
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!(error.code, code::UPSTREAM_DOWN);
    let expected = format!("{} cannot be started: No such file or directory (os error 2)", script.display());
    assert_eq!(error.message, expected);
    assert!(detail(&error).get("exitCode").is_none() && detail(&error).get("stderr").is_none());
    gate.configure(json!({})).await;
    gate.state("off").await;
    write_script(&script, "#!/bin/sh\necho no configuration >&2\nexit 127\n");
    gate.configure(json!({ "a": { "command": script } })).await;
    let error = gate.call_err("echo", json!({})).await;
    assert!(error.message.ends_with("it ended with exit code 127"), "{}", error.message);
    assert_eq!(detail(&error)["stderr"], json!(["no configuration"]));
    gate.hang_up().await;
}
