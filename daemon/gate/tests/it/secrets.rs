//! Credentials reach the child and nobody else.

use sdl_proto::code;
use sdl_proto::gate::FromGate;
use sdl_settings::Secret;
use serde_json::{Value, json};

use crate::harness::{Gate, detail, entry, lines_with};

const SECRET: &str = "s3cr3t-\"quoted\"-token";

fn store(gate: &Gate, name: &str, value: &str) {
    sdl_settings::store_credential(&gate.state_dir(), name, &Secret::new(value.to_owned())).unwrap();
}

async fn gate_with_secret() -> Gate {
    let mut gate = Gate::start().await;
    store(&gate, "TOKEN", SECRET);
    let mut server = entry(&[], json!({}));
    server["env"] = json!({ "KEY": "Bearer ${TOKEN}", "OTHER": "${NOT_SET:-default}" });
    gate.configure(json!({ "a": server })).await;
    gate
}

#[tokio::test]
async fn a_credential_is_masked_in_answers_errors_logs_and_told_to_the_daemon() {
    let mut gate = gate_with_secret().await;
    let result = gate.call("where", json!({})).await.unwrap();
    assert!(result.contains("KEY=Bearer ***") && result.contains("OTHER=default"), "{result}");
    let values = gate.wait(|message| match message {
        FromGate::Secrets { values } => Some(values.clone()),
        _ => None,
    });
    assert_eq!(values.await, [SECRET]);
    let error = gate.call_err("die", json!({ "text": SECRET })).await;
    let detail = detail(&error);
    assert_eq!(detail["stderr"][0], "last words 2 ***");
    let log = gate.state_dir().join("log/upstream-a.log");
    let lines = lines_with(&log, "last words").await;
    assert!(lines[0].contains("***") && !lines.concat().contains("s3cr3t"), "{lines:?}");
    gate.hang_up().await;
}

#[tokio::test]
async fn a_rotated_credential_is_used_by_the_next_start() {
    let mut gate = gate_with_secret().await;
    gate.call_ok("where", json!({})).await;
    store(&gate, "TOKEN", "another-token");
    let id = gate.new_id();
    gate.send(sdl_proto::gate::ToGate::Restart { id, key: "a".to_owned() }).await;
    gate.wait(|message| matches!(message, FromGate::Done { .. }).then_some(())).await;
    let echoed = gate.call("echo", json!({ "now": "another-token", "before": SECRET })).await.unwrap();
    let echoed: Value = serde_json::from_str(&echoed).unwrap();
    assert_eq!(echoed["params"]["arguments"], json!({ "now": "***", "before": "***" }));
    gate.hang_up().await;
}

#[tokio::test]
async fn a_variable_without_a_value_is_named_and_tried_again_by_the_next_call() {
    let mut gate = Gate::start().await;
    let mut server = entry(&[], json!({}));
    server["env"] = json!({ "KEY": "${SDL_TEST_NOT_SET}" });
    gate.configure(json!({ "a": server })).await;
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!(error.code, code::MISCONFIGURED);
    assert!(error.message.contains("SDL_TEST_NOT_SET"), "{}", error.message);
    gate.state("misconfigured").await;
    store(&gate, "SDL_TEST_NOT_SET", "set-by-now");
    assert!(gate.call("echo", json!({})).await.is_ok());
    gate.hang_up().await;
}
