//! Questions of the daemon to the client.

use sdl_client::testing::Reply;
use serde_json::{Value, json};

use crate::{Client, Fixture, meta};

/// A daemon that asks the client during each call.
fn asking() -> Fixture {
    Fixture::with(|_| Reply::Ask("elicitation/create".into(), br#"{"message":"Which?","x":1e400}"#.to_vec()))
}

async fn client_that_is_asked(fixture: &Fixture) -> Client {
    let mut client = fixture.client();
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {"form": {}}, "vendor/x": {"y": 1}},
        "clientInfo": {"name": "tester", "version": "1"},
    });
    client.request(0, "initialize", params).await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#).await;
    client
}

#[tokio::test]
async fn a_question_and_its_answer_pass_as_the_bytes_they_are() {
    let fixture = asking();
    let mut client = client_that_is_asked(&fixture).await;
    let line = client.line().await;
    assert!(line.contains(r#""message":"Which?","x":1e"#), "{line}");
    let question: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(question["method"], "elicitation/create");
    let id = &question["id"];
    client
        .send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"b":1.50,"a":[1e400], "action":"accept"}}}}"#
        ))
        .await;
    let answer = client.line().await;
    assert!(answer.contains(r#"{"b":1.50,"a":[1e400], "action":"accept"#), "{answer}");
    let identity = &fixture.daemon().heard().identities[0];
    assert_eq!(identity.era, "2025-11-25");
    assert_eq!(identity.capabilities.0, br#"{"elicitation":{"form":{}},"vendor/x":{"y":1}}"#);
}

#[tokio::test]
async fn a_client_that_refuses_to_answer_is_heard() {
    let fixture = asking();
    let mut client = client_that_is_asked(&fixture).await;
    let id = client.receive().await["id"].clone();
    client.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-1,"message":"not now"}}}}"#)).await;
    let answer = client.receive().await;
    assert!(answer.to_string().contains("not now"), "{answer}");
}

#[tokio::test]
async fn a_question_of_a_call_that_is_cancelled_is_taken_back() {
    let fixture = asking();
    let mut client = client_that_is_asked(&fixture).await;
    let id = client.receive().await["id"].clone();
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    let next = client.receive().await;
    assert_eq!(
        (next["method"].as_str(), &next["params"]["requestId"]),
        (Some("notifications/cancelled"), &id)
    );
}

#[tokio::test]
async fn a_client_of_the_stateless_revision_says_with_each_request_what_it_can_be_asked() {
    let fixture = Fixture::with(|request| Reply::ok(request.params.clone()));
    let mut client = fixture.client();
    let params =
        json!({"name": "t", "_meta": meta(), "requestState": "s", "inputResponses": {"a": {"x": 1}}});
    let answer = client.request(1, "tools/call", params).await;
    let heard = &answer["result"];
    assert_eq!(
        (&heard["requestState"], &heard["inputResponses"]["a"]["x"]),
        (&json!("s"), &json!(1)),
        "{answer}"
    );
    assert!(fixture.daemon().heard().identities.is_empty());
}
