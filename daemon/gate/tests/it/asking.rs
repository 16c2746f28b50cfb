//! Upstreams that ask their client.

use sdl_proto::gate::{FromGate, Owner, ToGate};
use sdl_proto::{Payload, WireError, code};
use serde_json::{Value, json};

use crate::harness::{Gate, entry, lines_with, tool};

const CLIENT: &str = r#"{"elicitation":{"form":{}},"sampling":{},"roots":{"listChanged":true}}"#;

async fn begin_ask(gate: &mut Gate, method: &str) -> u64 {
    let arguments = json!({ "method": method, "params": { "message": "Really?", "n": 1 } });
    gate.begin_with(|call| {
        call.owner = Owner::Session(1);
        call.client = Some(Payload(CLIENT.as_bytes().to_vec()));
        call.params = Payload(tool("ask", arguments).to_string().into_bytes());
    })
    .await
}

async fn next_ask(gate: &mut Gate) -> (u64, Option<u64>, String, Value) {
    gate.wait(|message| match message {
        FromGate::Ask { ask, call, method, params: Payload(params), key, owner } => {
            assert_eq!((key.as_str(), owner), ("a", &Owner::Session(1)));
            Some((*ask, *call, method.clone(), serde_json::from_slice(params).unwrap()))
        }
        _ => None,
    })
    .await
}

#[tokio::test]
async fn a_question_reaches_the_daemon_and_its_answer_the_upstream_as_text() {
    let mut gate = Gate::start().await;
    let journal = gate.folder.path().join("journal");
    let words = format!("journal={}", journal.display());
    gate.configure(json!({ "a": entry(&[&words], json!({ "ask": ["elicitation"] })) })).await;
    let id = begin_ask(&mut gate, "elicitation/create").await;
    let (ask, call, method, params) = next_ask(&mut gate).await;
    assert_eq!((call, method.as_str()), (Some(id), "elicitation/create"));
    assert_eq!(params, json!({ "message": "Really?", "n": 1 }));
    let reply = r#"{"action":"accept","content":{"z":1.0e2,"a":2}}"#;
    gate.send(ToGate::Answer { ask, result: Ok(Payload(reply.as_bytes().to_vec())) }).await;
    let result: Value = serde_json::from_str(&gate.answer(id).await.unwrap()).unwrap();
    assert!(result["line"].as_str().unwrap().contains(reply), "{result}");
    let declared = &lines_with(&journal, "\"initialize\"").await[0];
    let declared: Value = serde_json::from_str(declared).unwrap();
    assert_eq!(declared["params"]["capabilities"], json!({ "elicitation": { "form": {} } }));
    // An error of the daemon is one of the protocol.
    let id = begin_ask(&mut gate, "elicitation/create").await;
    let (ask, ..) = next_ask(&mut gate).await;
    gate.send(ToGate::Answer { ask, result: Err(WireError::new("denied", "nobody is there")) }).await;
    let result: Value = serde_json::from_str(&gate.answer(id).await.unwrap()).unwrap();
    assert_eq!(result["reply"]["error"]["message"], "nobody is there");
    gate.hang_up().await;
}

#[tokio::test]
async fn what_may_not_be_asked_is_refused_at_once_and_counted() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&["asks-at-once"], json!({ "ask": ["elicitation"] })) })).await;
    for method in ["sampling/createMessage", "roots/list", "made/up"] {
        let id = begin_ask(&mut gate, method).await;
        let result: Value = serde_json::from_str(&gate.answer(id).await.unwrap()).unwrap();
        assert_eq!(result["reply"]["error"]["code"], -32601, "{method}");
    }
    assert_eq!(gate.count_seen(|message| matches!(message, FromGate::Ask { .. })), 0);
    assert!(gate.counted("askRefused").await >= 1);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_shared_connection_can_ask_nobody() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({ "ask": ["elicitation"] })) })).await;
    let arguments = json!({ "method": "elicitation/create", "params": {} });
    let id = gate
        .begin_with(|call| {
            call.client = Some(Payload(CLIENT.as_bytes().to_vec()));
            call.params = Payload(tool("ask", arguments).to_string().into_bytes());
        })
        .await;
    let result: Value = serde_json::from_str(&gate.answer(id).await.unwrap()).unwrap();
    assert_eq!(result["reply"]["error"]["code"], -32601);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_question_ends_with_its_call() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({ "ask": ["elicitation"] })) })).await;
    let id = begin_ask(&mut gate, "elicitation/create").await;
    let (ask, ..) = next_ask(&mut gate).await;
    gate.send(ToGate::Cancel { id }).await;
    assert_eq!(gate.answer(id).await.unwrap_err().code, code::CANCELLED);
    gate.wait(|message| matches!(message, FromGate::AskOver { ask: of, .. } if *of == ask).then_some(()))
        .await;
    // Too late.
    gate.send(ToGate::Answer { ask, result: Ok(Payload(b"{}".to_vec())) }).await;
    gate.hang_up().await;
}

#[tokio::test]
async fn a_connection_that_was_started_without_a_client_is_replaced_for_a_call_that_has_one() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({ "ask": ["elicitation"] })) })).await;
    let read = gate.new_id();
    gate.send(ToGate::Read { id: read, key: "a".to_owned(), owner: Owner::Session(1), client: None }).await;
    gate.wait(|message| matches!(message, FromGate::Done { result: Ok(()), .. }).then_some(())).await;
    let id = begin_ask(&mut gate, "elicitation/create").await;
    let (ask, ..) = next_ask(&mut gate).await;
    gate.send(ToGate::Answer { ask, result: Ok(Payload(br#"{"action":"decline"}"#.to_vec())) }).await;
    assert!(gate.answer(id).await.unwrap().contains("decline"));
    gate.hang_up().await;
}

#[tokio::test]
async fn a_modern_server_hears_with_each_call_what_its_client_can_do() {
    let mut gate = Gate::start().await;
    let journal = gate.folder.path().join("journal");
    let words = ["modern".to_owned(), format!("journal={}", journal.display())];
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    gate.configure(json!({ "a": entry(&words, json!({ "ask": ["elicitation", "sampling"] })) })).await;
    for (client, stated) in [
        (Some(r#"{"sampling":{},"roots":{}}"#), json!({ "sampling": {} })),
        (Some(CLIENT), json!({ "elicitation": { "form": {} }, "sampling": {} })),
        (Some(r#"{"elicitation":{}}"#), json!({ "elicitation": {} })),
        (None, json!({})),
    ] {
        let id = gate
            .begin_with(|call| {
                call.owner = Owner::Session(1);
                call.client = client.map(|client| Payload(client.as_bytes().to_vec()));
                call.params = Payload(tool("echo", json!({})).to_string().into_bytes());
            })
            .await;
        let result: Value = serde_json::from_str(&gate.answer(id).await.unwrap()).unwrap();
        assert_eq!(
            result["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"], stated,
            "{client:?}"
        );
    }
    // Over one connection, because none of them needs another.
    assert_eq!(lines_with(&journal, "server/discover").await.len(), 1);
    gate.hang_up().await;
}
