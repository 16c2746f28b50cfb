//! Calls that go well, and calls that are cancelled, late or too many.

use sdl_proto::gate::{FromGate, ToGate};
use sdl_proto::{Payload, code};
use serde_json::{Value, json};

use crate::harness::{Gate, detail, entry, lines_with, tool};

#[tokio::test]
async fn a_result_comes_back_as_the_text_that_it_was() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    for text in [
        r#"{"content":[{"type":"hologram","data":{"z":1,"a":2}}],"big":12345678901234567890,"x":1.50e+3}"#,
        r#"{ "b" : 1 , "a" : [ ] , "é" : "\u00e9\/" , "resultType":"input_required"}"#,
        "{}",
    ] {
        assert_eq!(gate.call("raw", json!({ "text": text })).await.unwrap(), text);
    }
    gate.hang_up().await;
}

#[tokio::test]
async fn parameters_arrive_as_they_were_written_with_our_keys_in_meta() {
    let mut gate = Gate::start().await;
    let journal = gate.folder.path().join("journal");
    gate.configure(json!({ "a": entry(&[&format!("journal={}", journal.display())], json!({})) })).await;
    let params = r#"{"name":"echo","arguments":{"z":1.0e2,"a":18446744073709551616},"_meta":{"v/k":[1, 2]}}"#;
    let id = gate.begin_with(|call| call.params = Payload(params.as_bytes().to_vec())).await;
    let result: Value = serde_json::from_str(&gate.answer(id).await.unwrap()).unwrap();
    assert!(result["params"]["_meta"]["progressToken"].is_number());
    let line = &lines_with(&journal, "tools/call").await[0];
    assert!(line.contains(r#""arguments":{"z":1.0e2,"a":18446744073709551616}"#), "{line}");
    assert!(line.contains(r#""v/k":[1, 2]"#), "{line}");
    gate.hang_up().await;
}

#[tokio::test]
async fn any_method_is_forwarded_and_an_error_of_the_protocol_comes_back_whole() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    let id = gate.begin_with(|call| call.method = "completion/complete".to_owned()).await;
    assert!(gate.answer(id).await.unwrap().contains("completion/complete"));
    let error = gate.call_err("no-such-tool", json!({})).await;
    assert_eq!(error.code, code::UPSTREAM_PROTOCOL);
    let expected = json!({ "code": -32602, "message": "no such tool", "data": { "tool": "no-such-tool" } });
    assert_eq!(detail(&error)["error"], expected);
    assert_eq!(detail(&error)["upstream"], "a");
    let id = gate.begin_with(|call| call.params = Payload(b"[]".to_vec())).await;
    assert_eq!(gate.answer(id).await.unwrap_err().code, code::INVALID_PARAMS);
    let id = gate.begin_with(|call| call.key = "b".to_owned()).await;
    assert_eq!(gate.answer(id).await.unwrap_err().code, code::MISCONFIGURED);
    gate.hang_up().await;
}

#[tokio::test]
async fn progress_goes_only_forward_and_not_too_often() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    let mut values: Vec<Value> = vec![json!(1), json!(1), json!(0)];
    values.extend((2..2_000).map(|value| json!(value)));
    let id = gate.begin("progress", json!({ "values": values })).await;
    let mut seen = Vec::new();
    let mut take = |message: &FromGate| match message {
        FromGate::Progress { id: of, bytes: Payload(bytes) } if *of == id => {
            let params: Value = serde_json::from_slice(bytes).unwrap();
            assert_eq!(params["message"], "on it");
            assert!(params.get("progressToken").is_none());
            seen.push(params["progress"].as_u64().unwrap());
            None
        }
        FromGate::Answer { id: of, .. } if *of == id => Some(()),
        _ => None,
    };
    gate.wait(&mut take).await;
    assert!(!seen.is_empty() && seen.is_sorted_by(|a, b| a < b), "{seen:?}");
    assert!(seen.len() < 1_000, "{}", seen.len());
    let quiet = gate
        .begin_with(|call| {
            call.want_progress = false;
            call.params = Payload(tool("progress", json!({ "values": [1, 2] })).to_string().into_bytes());
        })
        .await;
    gate.answer(quiet).await.unwrap();
    assert_eq!(
        gate.count_seen(|message| matches!(message, FromGate::Progress { id, .. } if *id == quiet)),
        0
    );
    gate.hang_up().await;
}

#[tokio::test]
async fn a_cancelled_call_is_answered_at_once_and_its_upstream_is_told() {
    let mut gate = Gate::start().await;
    let journal = gate.folder.path().join("journal");
    gate.configure(json!({ "a": entry(&[&format!("journal={}", journal.display())], json!({})) })).await;
    let id = gate.begin("hang", json!({})).await;
    let sent = lines_with(&journal, "\"hang\"").await;
    let sent: Value = serde_json::from_str(&sent[0]).unwrap();
    gate.send(ToGate::Cancel { id }).await;
    assert_eq!(gate.answer(id).await.unwrap_err().code, code::CANCELLED);
    let cancelled = lines_with(&journal, "notifications/cancelled").await;
    let cancelled: Value = serde_json::from_str(&cancelled[0]).unwrap();
    assert_eq!(cancelled["params"]["requestId"], sent["id"]);
    // An answer that comes all the same is counted and dropped.
    let late = json!({ "jsonrpc": "2.0", "id": sent["id"], "result": {} }).to_string();
    let own = r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#;
    assert!(gate.call("line", json!({ "text": format!("{late}\n{own}") })).await.is_ok());
    assert_eq!(gate.counted("lateAnswer").await, 1);
    gate.hang_up().await;
}

#[tokio::test]
async fn some_run_others_wait_and_the_next_is_refused() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({ "maxInFlight": 1 })) })).await;
    let mut calls = Vec::new();
    for _ in 0..65 {
        calls.push(gate.begin("hang", json!({})).await);
    }
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!(error.code, code::BUSY);
    for id in calls {
        gate.send(ToGate::Cancel { id }).await;
        assert_eq!(gate.answer(id).await.unwrap_err().code, code::CANCELLED);
    }
    assert!(gate.call("echo", json!({})).await.is_ok());
    gate.hang_up().await;
}

#[tokio::test]
async fn a_flood_on_one_upstream_does_not_hold_up_another() {
    let mut gate = Gate::start().await;
    let own = json!({ "maxInFlight": 64 });
    gate.configure(json!({ "a": entry(&[], own.clone()), "b": entry(&[], own) })).await;
    let flood = gate.begin("notify-for-ever", json!({})).await;
    for _ in 0..20 {
        let params = Payload(tool("long", json!({ "count": 1 })).to_string().into_bytes());
        let id = gate
            .begin_with(|call| {
                call.key = "b".to_owned();
                call.params = params;
            })
            .await;
        assert!(gate.answer(id).await.unwrap().len() > 1 << 20);
    }
    // Five full seconds of it are enough.
    assert_eq!(gate.answer(flood).await.unwrap_err().code, code::OUTCOME_UNKNOWN);
    assert_eq!(gate.counted("flood").await, 1);
    gate.hang_up().await;
}
