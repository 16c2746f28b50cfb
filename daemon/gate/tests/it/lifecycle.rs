//! Starting, stopping, changing and ending.

use std::os::unix::fs::PermissionsExt;

use sdl_proto::gate::{FromGate, Owner, ToGate};
use sdl_proto::{Payload, code};
use serde_json::{Value, json};

use crate::harness::{Gate, entry, gate_program, gone, is_running, lines_with, tool};

#[tokio::test]
async fn a_child_has_a_folder_and_an_environment_of_its_own() {
    let mut gate = Gate::start().await;
    let mut server = entry(&[], json!({}));
    server["env"] = json!({ "OWN": "value" });
    gate.configure(json!({ "a": server })).await;
    let result = gate.call_ok("where", json!({})).await;
    let folder = gate.state_dir().join("upstreams/a").canonicalize().unwrap();
    assert_eq!(result["cwd"], folder.to_str().unwrap());
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    let names: Vec<&str> =
        result["env"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    assert!(names.contains(&"OWN=value"), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("PATH=")));
    assert!(!names.iter().any(|name| name.starts_with("SDL_") || name.starts_with("CARGO")), "{names:?}");
    gate.hang_up().await;
}

#[tokio::test]
async fn owners_have_connections_of_their_own_until_they_are_gone() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    let owners = [Owner::Shared, Owner::Root("/r".to_owned()), Owner::Session(7)];
    let mut pids = Vec::new();
    for owner in &owners {
        let id = gate
            .begin_with(|call| {
                call.owner = owner.clone();
                call.params = Payload(tool("echo", json!({})).to_string().into_bytes());
            })
            .await;
        gate.answer(id).await.unwrap();
        let pid = gate.wait(|message| match message {
            FromGate::State(now) if now.owner == *owner => now.pid,
            _ => None,
        });
        pids.push(pid.await);
    }
    gate.send(ToGate::OwnerGone { owner: Owner::Session(7) }).await;
    let off = gate.state("off").await;
    assert_eq!(off.owner, Owner::Session(7));
    gone(pids[2]).await;
    assert!(is_running(pids[0]) && is_running(pids[1]) && pids[0] != pids[1]);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_changed_transport_drains_the_old_connection_and_own_options_change_nothing_that_runs() {
    let mut gate = Gate::start().await;
    let journal = gate.folder.path().join("journal");
    let word = format!("journal={}", journal.display());
    gate.configure(json!({ "a": entry(&[&word], json!({})) })).await;
    let running = gate.begin("hang", json!({})).await;
    let sent = lines_with(&journal, "\"hang\"").await;
    let old = gate.state("ready").await.pid.unwrap();
    gate.configure(json!({ "a": entry(&[&word], json!({ "maxInFlight": 2 })) })).await;
    gate.call_ok("echo", json!({})).await;
    assert!(is_running(old));
    gate.configure(json!({ "a": entry(&[&word, "stays"], json!({})) })).await;
    gate.call_ok("echo", json!({})).await;
    let new = gate.state("ready").await.pid.unwrap();
    assert!(new != old && is_running(old), "calls that run keep the old one");
    assert_eq!(gate.count_seen(|message| matches!(message, FromGate::Answer { .. })), 0);
    gate.send(ToGate::Cancel { id: running }).await;
    assert_eq!(gate.answer(running).await.unwrap_err().code, code::CANCELLED);
    gone(old).await;
    assert!(sent[0].contains("hang") && is_running(new));
    gate.hang_up().await;
}

#[tokio::test]
async fn what_is_removed_is_off_and_can_be_added_again() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    gate.call_ok("echo", json!({})).await;
    let pid = gate.state("ready").await.pid.unwrap();
    gate.configure(json!({})).await;
    gate.state("off").await;
    gone(pid).await;
    assert_eq!(gate.call_err("echo", json!({})).await.code, code::MISCONFIGURED);
    // A text that is refused changes nothing.
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    gate.configure(json!({ "a": 7 })).await;
    gate.call_ok("echo", json!({})).await;
    gate.hang_up().await;
}

#[tokio::test]
async fn a_restart_replaces_the_child() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    gate.call_ok("echo", json!({})).await;
    let old = gate.state("ready").await.pid.unwrap();
    let id = gate.new_id();
    gate.send(ToGate::Restart { id, key: "a".to_owned() }).await;
    let done = gate.wait(|message| match message {
        FromGate::Done { id: of, result } if *of == id => Some(result.clone()),
        _ => None,
    });
    assert_eq!(done.await, Ok(()));
    let new = gate.state("ready").await;
    assert_ne!(new.pid.unwrap(), old);
    assert_eq!(new.restarts, 1);
    gone(old).await;
    gate.hang_up().await;
}

#[tokio::test]
async fn the_next_gate_ends_what_a_killed_one_left_and_nothing_else() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&["stays"], json!({})) })).await;
    let result = gate.call_ok("fork", json!({})).await;
    let forked: u32 = result["content"][0]["text"].as_str().unwrap().parse().unwrap();
    let leader = gate.state("ready").await.pid.unwrap();
    let children_file = gate.children_file();
    let mut recorded: Value = serde_json::from_slice(&std::fs::read(&children_file).unwrap()).unwrap();
    assert_eq!(recorded[0]["pid"], leader);
    let folder = gate.kill().await;
    assert!(is_running(leader), "its input is closed, and it stays all the same");
    // A process with a recorded number and another start is somebody else's.
    let mut innocent = std::process::Command::new("sleep").arg("3600").spawn().unwrap();
    let row = json!({ "key": "a", "pid": innocent.id(), "started": 1 });
    recorded.as_array_mut().unwrap().push(row);
    std::fs::write(&children_file, recorded.to_string()).unwrap();
    let gate = Gate::start_in(folder).await;
    gone(leader).await;
    gone(forked).await;
    assert!(is_running(innocent.id()));
    innocent.kill().unwrap();
    innocent.wait().unwrap();
    gate.hang_up().await;
}

#[tokio::test]
async fn the_era_that_worked_is_remembered() {
    let mut gate = Gate::start().await;
    let journal = gate.folder.path().join("journal");
    gate.configure(json!({ "a": entry(&[&format!("journal={}", journal.display())], json!({})) })).await;
    gate.call_ok("echo", json!({})).await;
    assert_eq!(lines_with(&journal, "server/discover").await.len(), 1);
    let id = gate.new_id();
    gate.send(ToGate::Restart { id, key: "a".to_owned() }).await;
    gate.wait(|message| matches!(message, FromGate::Done { .. }).then_some(())).await;
    assert_eq!(lines_with(&journal, "\"initialize\"").await.len(), 2);
    assert_eq!(lines_with(&journal, "server/discover").await.len(), 1);
    // A later gate knows it too.
    lines_with(&journal, "notifications/initialized").await;
    let folder = gate.hang_up().await;
    let kept = std::fs::read_to_string(folder.path().join("state/upstreams.eras")).unwrap();
    assert!(kept.contains("initialize"), "{kept}");
}

#[tokio::test]
async fn a_gate_of_another_build_ends() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(theirs);
    let served = tokio::spawn(sdl_gate::serve(input, output, sdl_gate::Clock::real(), gate_program()));
    let (mut output, mut input) = tokio::io::split(ours);
    let hello =
        ToGate::Hello { build: "other".to_owned(), state_dir: String::new(), runtime_dir: String::new() };
    let mut frame = Vec::new();
    sdl_proto::gate::encode_to_gate(&hello, sdl_proto::MAX_FRAME, &mut frame).unwrap();
    input.write_all(&frame).await.unwrap();
    assert!(served.await.unwrap().unwrap_err().to_string().contains("build other"));
    let mut rest = Vec::new();
    output.read_to_end(&mut rest).await.unwrap();
    assert!(rest.len() > 4, "its own hello comes first");
}
