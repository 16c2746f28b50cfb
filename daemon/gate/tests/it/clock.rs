//! What happens when time passes. The clock is turned by hand.

use std::time::Duration;

use sdl_proto::code;
use sdl_proto::gate::FromGate;
use serde_json::{Value, json};

use crate::harness::{Gate, detail, entry, gone, lines_with};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test]
async fn an_idle_child_is_stopped_and_the_next_call_starts_it() {
    let (mut gate, hands) = Gate::with_clock().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    gate.call_ok("echo", json!({})).await;
    let pid = gate.state("ready").await.pid.unwrap();
    hands.advance(seconds(599));
    gate.call_ok("echo", json!({})).await;
    hands.advance(seconds(599));
    // Answered by the same connection, so it was not stopped.
    gate.call_ok("echo", json!({})).await;
    assert_eq!(
        gate.count_seen(|message| matches!(message, FromGate::State(now) if now.state == "stopped")),
        0
    );
    hands.advance(seconds(601));
    gate.state("stopped").await;
    gone(pid).await;
    gate.call_ok("echo", json!({})).await;
    assert_ne!(gate.state("ready").await.pid.unwrap(), pid);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_call_that_hangs_times_out_and_three_in_a_row_replace_the_connection() {
    let (mut gate, hands) = Gate::with_clock().await;
    let journal = gate.folder.path().join("journal");
    gate.configure(json!({ "a": entry(&[&format!("journal={}", journal.display())], json!({})) })).await;
    for round in 1..=3 {
        let id = gate.begin("hang", json!({ "round": round })).await;
        lines_with(&journal, &format!("\"round\":{round}")).await;
        hands.advance(seconds(60));
        let error = gate.answer(id).await.unwrap_err();
        assert_eq!(error.code, code::UPSTREAM_TIMEOUT);
        assert!(error.message.contains("60000 ms"), "{}", error.message);
    }
    assert_eq!(gate.counted("restarted").await, 1);
    // The third may find the connection closed.
    assert!(lines_with(&journal, "notifications/cancelled").await.len() >= 2);
    gate.call_ok("echo", json!({})).await;
    gate.hang_up().await;
}

#[tokio::test]
async fn progress_begins_the_timeout_anew_up_to_the_total() {
    let (mut gate, hands) = Gate::with_clock().await;
    let own = json!({ "timeoutMs": 10_000, "maxTotalMs": 25_000, "maxInFlight": 2 });
    gate.configure(json!({ "a": entry(&[], own) })).await;
    let id = gate.begin("progress", json!({ "values": [1], "hang": true })).await;
    let is_progress = |message: &FromGate| matches!(message, FromGate::Progress { .. }).then_some(());
    gate.wait(is_progress).await;
    let meta = lines_of_progress(&mut gate, 2).await;
    hands.advance(seconds(9));
    gate.call_ok("line", json!({ "text": meta })).await;
    gate.wait(is_progress).await;
    hands.advance(seconds(9));
    let meta = lines_of_progress(&mut gate, 3).await;
    gate.call_ok("line", json!({ "text": meta })).await;
    gate.wait(is_progress).await;
    assert_eq!(gate.count_seen(|message| matches!(message, FromGate::Answer { .. })), 0);
    hands.advance(seconds(7));
    assert_eq!(gate.answer(id).await.unwrap_err().code, code::UPSTREAM_TIMEOUT);
    gate.hang_up().await;
}

/// Two lines for the tool `line`: progress for the call before, and its own answer. Tokens are given in order.
async fn lines_of_progress(gate: &mut Gate, value: u64) -> String {
    let echo = gate.call_ok("echo", json!({})).await;
    let own = echo["params"]["_meta"]["progressToken"].as_u64().unwrap();
    assert!(own > FIRST_CALL);
    let token = FIRST_CALL;
    let params = json!({ "progressToken": token, "progress": value });
    let progress = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
    format!("{progress}\n{{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{{}}}}")
}

/// The token of the first call: the four lists of the start have those before it.
const FIRST_CALL: u64 = 4;

#[tokio::test]
async fn failed_starts_back_off_and_a_person_may_try_at_once() {
    let (mut gate, hands) = Gate::with_clock().await;
    gate.configure(json!({ "a": entry(&["exit=1"], json!({})) })).await;
    let mut waits = Vec::new();
    for _ in 0..10 {
        let error = gate.call_err("echo", json!({})).await;
        let wait = detail(&error)["nextAttemptMs"].as_u64().unwrap();
        waits.push(wait);
        // Before that time nothing is started.
        let again = gate.call_err("echo", json!({})).await;
        assert_eq!(detail(&again)["nextAttemptMs"], wait);
        hands.advance(Duration::from_millis(wait + 1));
    }
    let starts =
        gate.count_seen(|message| matches!(message, FromGate::State(now) if now.state == "starting"));
    assert_eq!(starts, 10);
    let expected = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000];
    for (wait, expected) in waits.iter().zip(expected) {
        assert!((expected * 79 / 100..=expected * 121 / 100).contains(wait), "{wait} {expected}");
    }
    gate.hang_up().await;
}

#[tokio::test]
async fn the_fifth_death_in_two_minutes_is_failing() {
    let (mut gate, hands) = Gate::with_clock().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    for death in 1..=5 {
        gate.call_ok("echo", json!({})).await;
        assert_eq!(gate.call_err("die", json!({})).await.code, code::OUTCOME_UNKNOWN);
        if death < 5 {
            assert!(gate.state("stopped").await.next_attempt_ms.unwrap() <= 1_200);
            hands.advance(seconds(2));
        }
    }
    assert!(gate.state("failing").await.next_attempt_ms.unwrap() >= 12_000);
    gate.hang_up().await;
}

#[tokio::test]
async fn the_calls_of_a_minute_are_limited() {
    let (mut gate, hands) = Gate::with_clock().await;
    gate.configure(json!({ "a": entry(&[], json!({ "maxPerMinute": 2 })) })).await;
    gate.call_ok("echo", json!({})).await;
    gate.call_ok("echo", json!({})).await;
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!((error.code.as_str(), &detail(&error)["retryAfterMs"]), (code::BUSY, &json!(60_000)));
    hands.advance(seconds(60));
    gate.call_ok("echo", json!({})).await;
    gate.hang_up().await;
}

#[tokio::test]
async fn calls_on_a_removed_upstream_have_thirty_seconds() {
    let (mut gate, hands) = Gate::with_clock().await;
    let journal = gate.folder.path().join("journal");
    let words = format!("journal={}", journal.display());
    gate.configure(json!({ "a": entry(&[&words], json!({ "timeoutMs": 600_000 })) })).await;
    let id = gate.begin("hang", json!({})).await;
    lines_with(&journal, "\"hang\"").await;
    gate.configure(Value::Object(serde_json::Map::new())).await;
    // The keeper has begun to drain when it answers that it takes nothing more.
    gate.call_err("echo", json!({})).await;
    hands.advance(seconds(31));
    hands.advance(seconds(31));
    assert_eq!(gate.answer(id).await.unwrap_err().code, code::OUTCOME_UNKNOWN);
    gate.state("off").await;
    gate.hang_up().await;
}
