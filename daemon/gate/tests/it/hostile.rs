//! What goes wrong, and what its caller gets.

use sdl_proto::code;
use serde_json::{Value, json};

use crate::harness::{Gate, detail, entry, gone, is_running, lines_with, peak_memory};

#[tokio::test]
async fn death_during_a_call_has_an_unknown_outcome_and_the_last_words() {
    let mut gate = Gate::start().await;
    let journal = gate.folder.path().join("journal");
    gate.configure(json!({ "a": entry(&[&format!("journal={}", journal.display())], json!({})) })).await;
    let other = gate.begin("hang", json!({})).await;
    // Calls that run at once may leave in any order, so the first has to arrive before the second begins.
    lines_with(&journal, "hang").await;
    let error = gate.call_err("die", json!({ "text": "argh" })).await;
    assert_eq!(error.code, code::OUTCOME_UNKNOWN);
    let detail_of = detail(&error);
    assert_eq!(detail_of["exitCode"], 3);
    assert_eq!(detail_of["stderr"].as_array().unwrap().len(), 5);
    assert_eq!(detail_of["stderr"][4], "last words 6 argh");
    assert_eq!(gate.answer(other).await.unwrap_err().code, code::OUTCOME_UNKNOWN);
    let state = gate.state("stopped").await;
    assert!(state.next_attempt_ms.is_some_and(|wait| wait <= 1_200), "{state:?}");
    // While attempts back off, calls fail at once.
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!(error.code, code::UPSTREAM_DOWN);
    assert!(detail(&error)["nextAttemptMs"].is_u64());
    gate.hang_up().await;
}

#[tokio::test]
async fn death_in_the_middle_of_an_answer_is_a_death_at_every_byte() {
    let mut gate = Gate::start().await;
    let entries: serde_json::Map<String, Value> =
        (0..6).map(|at| (format!("a{at}"), entry(&[], json!({})))).collect();
    gate.configure(Value::Object(entries)).await;
    for (at, bytes) in [0, 1, 17, 40, 60, 80].into_iter().enumerate() {
        let params = crate::harness::tool("die-at", json!({ "count": bytes, "text": "x".repeat(100) }));
        let id = gate
            .begin_with(|call| {
                call.key = format!("a{at}");
                call.params = sdl_proto::Payload(params.to_string().into_bytes());
            })
            .await;
        let error = gate.answer(id).await.unwrap_err();
        assert_eq!((error.code.as_str(), &detail(&error)["exitCode"]), (code::OUTCOME_UNKNOWN, &json!(4)));
    }
    gate.hang_up().await;
}

#[tokio::test]
async fn a_read_that_may_be_repeated_is_repeated_once() {
    let mut gate = Gate::start().await;
    let journal = gate.folder.path().join("journal");
    gate.configure(json!({ "a": entry(&[&format!("journal={}", journal.display())], json!({})) })).await;
    let params = crate::harness::tool("die", json!({})).to_string();
    let id = gate
        .begin_with(|call| {
            call.is_repeatable = true;
            call.params = sdl_proto::Payload(params.into_bytes());
        })
        .await;
    assert_eq!(gate.answer(id).await.unwrap_err().code, code::OUTCOME_UNKNOWN);
    assert_eq!(lines_with(&journal, "tools/call").await.len(), 2);
    gate.hang_up().await;
}

#[tokio::test]
async fn what_does_not_start_is_failing_and_others_are_unaffected() {
    let mut gate = Gate::start().await;
    let no_program = json!({ "command": "no-such-program-anywhere" });
    for (broken, what) in [
        (entry(&["exit=7"], json!({})), "exit code 7"),
        (no_program, "PATH"),
        (entry(&["not-mcp"], json!({})), "protocol"),
        (entry(&["silent"], json!({ "startTimeoutMs": 1_000 })), "startTimeoutMs"),
    ] {
        gate.configure(json!({ "a": broken, "b": entry(&[], json!({})) })).await;
        let error = gate.call_err("echo", json!({})).await;
        assert_eq!(error.code, code::UPSTREAM_DOWN, "{what}");
        assert!(error.message.contains(what), "{what}: {}", error.message);
        if what.contains('7') {
            assert_eq!(detail(&error)["exitCode"], 7);
            assert_eq!(detail(&error)["stderr"], json!(["cannot start: no configuration"]));
        }
        let state = gate.state("failing").await;
        assert!(state.next_attempt_ms.is_some() && state.last_error.is_some());
        let id = gate
            .begin_with(|call| {
                call.key = "b".to_owned();
                call.params =
                    sdl_proto::Payload(crate::harness::tool("echo", json!({})).to_string().into_bytes());
            })
            .await;
        assert!(gate.answer(id).await.is_ok());
    }
    gate.hang_up().await;
}

#[tokio::test]
async fn a_flood_without_line_ends_is_too_large_and_takes_no_memory() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    gate.call("echo", json!({})).await.unwrap();
    let pid = gate.process.as_ref().unwrap().id().unwrap();
    let before = peak_memory(pid);
    let error = gate.call_err("flood", json!({ "count": 1_024 })).await;
    assert_eq!(error.code, code::RESULT_TOO_LARGE);
    assert_eq!(gate.state("stopped").await.counts["flood"], 1);
    // A later call asked for nothing large.
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!(error.code, code::UPSTREAM_DOWN);
    assert!(error.message.contains("above 16 MiB"), "{}", error.message);
    let grown = (peak_memory(pid) - before) / 1_024;
    assert!(grown < 32, "{grown} MiB");
    gate.hang_up().await;
}

#[tokio::test]
async fn an_answer_that_is_too_long_fails_its_call_alone() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    let error = gate.call_err("long", json!({ "count": 17 })).await;
    assert_eq!(error.code, code::RESULT_TOO_LARGE);
    assert!(gate.call("long", json!({ "count": 15 })).await.unwrap().len() > 15 << 20);
    assert_eq!(gate.counted("tooLong").await, 1);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_burst_of_notifications_changes_no_answer() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    let result = gate.call_ok("notify", json!({ "count": 20_000 })).await;
    assert_eq!(result["content"][0]["text"], "after notifications");
    assert_eq!(gate.counted("otherNotification").await, 20_000);
    gate.hang_up().await;
}

#[tokio::test]
async fn noise_is_counted_and_logged_and_the_answer_comes() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    let result = gate.call_ok("noise", json!({})).await;
    assert_eq!(result["content"][0]["text"], "after noise");
    assert_eq!(gate.counted("noise").await, 6);
    let log = gate.state_dir().join("log/upstream-a.log");
    assert!(lines_with(&log, "hello").await[0].starts_with("[sdl] "));
    gate.hang_up().await;
}

#[tokio::test]
async fn a_result_that_is_no_object_is_an_error_of_the_protocol() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    for text in ["7", "null", "[]", "\"x\""] {
        let error = gate.call_err("raw", json!({ "text": text })).await;
        assert_eq!(error.code, code::UPSTREAM_PROTOCOL, "{text}");
    }
    // An answer whose id can be read although it is broken.
    for line in [r#"{"jsonrpc":"2.0","id":$ID,"result":{"a":}}"#, r#"{"jsonrpc":"2.0","id":$ID}"#] {
        let error = gate.call_err("line", json!({ "text": line })).await;
        assert_eq!(error.code, code::UPSTREAM_PROTOCOL, "{line}");
    }
    assert!(gate.call("echo", json!({})).await.is_ok());
    gate.hang_up().await;
}

#[tokio::test]
async fn the_first_answer_counts_and_a_hundred_strays_end_the_connection() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    assert_eq!(gate.call_ok("twice", json!({ "count": 2 })).await["content"][0]["text"], "0");
    assert_eq!(gate.call_ok("strays", json!({ "count": 90 })).await["content"][0]["text"], "after strays");
    let counts = gate.wait(|message| match message {
        sdl_proto::gate::FromGate::State(now) if now.counts.contains_key("unknownId") => {
            Some(now.counts.clone())
        }
        _ => None,
    });
    let counts = counts.await;
    assert_eq!((counts["duplicateAnswer"], counts["unknownId"]), (2, 90));
    let error = gate.call_err("strays", json!({ "count": 90 })).await;
    assert_eq!(error.code, code::OUTCOME_UNKNOWN);
    assert_eq!(gate.counted("strays").await, 1);
    gate.hang_up().await;
}

#[tokio::test]
async fn what_a_child_left_behind_ends_with_it() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&["stays"], json!({})) })).await;
    let result = gate.call_ok("fork", json!({})).await;
    let forked: u32 = result["content"][0]["text"].as_str().unwrap().parse().unwrap();
    let leader = gate.state("ready").await.pid.unwrap();
    assert!(is_running(forked) && is_running(leader));
    let folder = gate.hang_up().await;
    gone(leader).await;
    gone(forked).await;
    drop(folder);
}

#[tokio::test]
async fn a_child_that_takes_too_much_memory_is_replaced_after_its_call() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({ "memoryMb": 64 })) })).await;
    let result = gate.call_ok("eat", json!({ "count": 128 })).await;
    assert_eq!(result["content"][0]["text"], (128 << 20).to_string());
    let state = gate.state("stopped").await;
    assert!(state.last_error.unwrap().contains("memoryMb"));
    assert!(gate.call("echo", json!({})).await.is_ok());
    gate.hang_up().await;
}
