//! Servers of 2026-07-28 announce changes to who subscribed, and a subscription may end.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Gate, entry, lines_with};
use crate::listen::{listen, whole};

const LISTEN: &str = "subscriptions/listen";

/// Waits for lists of a server that announces no changes of its tools.
async fn silent_lists(gate: &mut Gate) {
    while gate.next_lists().await.announces.tools {}
}

#[tokio::test]
async fn a_subscription_that_ended_is_made_again_when_somebody_asks() {
    let (mut gate, hands) = Gate::with_clock().await;
    let journal = gate.folder.path().join("journal");
    let word = format!("journal={}", journal.display());
    gate.configure(json!({ "a": entry(&["modern", &word], json!({})) })).await;
    assert!(gate.read_lists().await.unwrap().announces.tools);
    gate.forget_seen();
    // The change is found, because the end of the subscription is a reason to read.
    gate.call_ok("change", json!({ "count": 0 })).await;
    gate.call_ok("stop-telling", json!({})).await;
    silent_lists(&mut gate).await;
    assert_eq!(gate.counted("subscriptionEnded").await, 1);
    let lists = gate.read_lists().await.unwrap();
    assert!(!lists.announces.tools, "a moment later it is too early");
    assert_eq!(lists.tools.len(), 2);
    assert_eq!(lines_with(&journal, LISTEN).await.len(), 1);
    hands.advance(Duration::from_secs(2));
    assert!(gate.read_lists().await.unwrap().announces.tools);
    assert_eq!(lines_with(&journal, LISTEN).await.len(), 2);
    gate.forget_seen();
    gate.call_ok("change", json!({})).await;
    hands.advance(Duration::from_secs(1));
    assert_eq!(gate.next_lists().await.tools.len(), 3);
    gate.hang_up().await;
}

#[tokio::test]
async fn one_that_lasted_is_made_again_at_once() {
    let (mut gate, hands) = Gate::with_clock().await;
    let journal = gate.folder.path().join("journal");
    let word = format!("journal={}", journal.display());
    gate.configure(json!({ "a": entry(&["modern", &word], json!({})) })).await;
    gate.read_lists().await.unwrap();
    hands.advance(Duration::from_secs(61));
    gate.call_ok("stop-telling", json!({})).await;
    // The end may be noticed after the call is answered.
    while lines_with(&journal, LISTEN).await.len() < 2 {
        gate.read_lists().await.unwrap();
    }
    assert!(gate.read_lists().await.unwrap().announces.tools);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_server_that_refuses_it_announces_nothing() {
    let (mut gate, _hands) = Gate::with_clock().await;
    gate.configure(json!({ "a": entry(&["modern", "listens-not"], json!({})) })).await;
    let lists = gate.read_lists().await.unwrap();
    assert!(lists.capabilities.unwrap().get().contains(r#""listChanged":true"#));
    assert!(!lists.announces.tools);
    gate.hang_up().await;
}

/// A server over HTTP whose streams end once they have begun, for example because a proxy cuts them.
fn respond(body: &str) -> String {
    let message: Value = serde_json::from_str(body).unwrap_or_default();
    let id = &message["id"];
    let result = match message["method"].as_str().unwrap_or_default() {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
            "capabilities": { "tools": { "listChanged": true } },
        }),
        "tools/list" => json!({ "resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private" }),
        LISTEN => {
            let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
            let params = json!({ "_meta": meta, "notifications": message["params"]["notifications"] });
            let acknowledged = json!({
                "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params,
            });
            let events = format!("data: {acknowledged}\n\n");
            return whole("200 OK", "Content-Type: text/event-stream\r\n", &events);
        }
        _ => return whole("202 Accepted", "", ""),
    };
    let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
    whole("200 OK", "Content-Type: application/json\r\n", &answer.to_string())
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_noticed() {
    let address = listen(|head, body| {
        if head.starts_with("POST") { respond(body) } else { whole("405 Method Not Allowed", "", "") }
    });
    let url = format!("http://{}/mcp", address.await);
    let (mut gate, _hands) = Gate::with_clock().await;
    gate.configure(json!({ "a": { "type": "http", "url": url } })).await;
    gate.read_lists().await.unwrap();
    silent_lists(&mut gate).await;
    gate.hang_up().await;
}
