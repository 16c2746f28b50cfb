//! What upstreams list, within limits.

use std::collections::BTreeMap;

use sdl_proto::gate::FromGate;
use serde_json::{Value, json};

use crate::harness::{Gate, Lists, entry};

fn names(lists: &Lists) -> Vec<String> {
    let name = |raw: &serde_json::value::RawValue| {
        serde_json::from_str::<Value>(raw.get()).unwrap()["name"].as_str().unwrap().to_owned()
    };
    lists.tools.iter().map(|tool| name(tool)).collect()
}

async fn lists_of(words: &[&str]) -> Lists {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(words, json!({})) })).await;
    let lists = gate.read_lists().await.unwrap();
    gate.hang_up().await;
    lists
}

#[tokio::test]
async fn definitions_are_what_the_upstream_wrote() {
    let lists = lists_of(&["odd-text"]).await;
    let tool = r#"{"name":"odd", "z":1.50e+3,"a":12345678901234567890,"inputSchema":{"b":1,"a":2}}"#;
    assert_eq!(lists.tools[0].get(), tool);
    assert_eq!(lists.prompts[0].get(), r#"{"name":"p"}"#);
    assert_eq!(lists.resources[0].get(), r#"{"uri":"a://b","name":"b"}"#);
    assert_eq!(lists.resource_templates[0].get(), r#"{"uriTemplate":"a://{x}","name":"x"}"#);
    assert_eq!((lists.era.as_str(), lists.instructions.as_deref()), ("2025-11-25", Some("be kind")));
    assert!(lists.server_info.unwrap().get().contains("hostile"));
    assert!(lists.announces.tools && !lists.announces.prompts);
    assert!(lists.skipped.is_empty() && lists.oversize.is_empty() && lists.unread.is_empty());
}

#[tokio::test]
async fn lists_name_the_start_that_they_are_of() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    let first = gate.read_lists().await.unwrap().run;
    assert!(!first.is_empty());
    assert_eq!(gate.read_lists().await.unwrap().run, first);
    // The same entry in another gate.
    let mut gate = Gate::start_in(gate.hang_up().await).await;
    gate.configure(json!({ "a": entry(&[], json!({})) })).await;
    assert_ne!(gate.read_lists().await.unwrap().run, first);
    gate.hang_up().await;
}

#[tokio::test]
async fn ten_thousand_tools_are_kept_and_the_next_is_counted() {
    let lists = lists_of(&["tools=10001"]).await;
    let all = names(&lists);
    assert_eq!((all.len(), all[0].as_str(), all[9_999].as_str()), (10_000, "tool0", "tool9999"));
    assert_eq!(lists.skipped, BTreeMap::from([("tooMany".to_owned(), 1)]));
}

#[tokio::test]
async fn cursors_that_go_round_or_on_for_ever_end() {
    let lists = lists_of(&["cursor-loop"]).await;
    assert_eq!(names(&lists), ["tool0", "tool1", "tool2"]);
    assert_eq!(lists.skipped["cursor"], 1);
    let lists = lists_of(&["endless-pages"]).await;
    assert_eq!(lists.tools.len(), 200);
    assert_eq!(lists.skipped["cursor"], 1);
}

#[tokio::test]
async fn odd_names_are_left_out_by_reason() {
    let lists = lists_of(&["odd-names"]).await;
    assert_eq!(names(&lists), ["echo"]);
    let expected = [("badName", 2), ("duplicate", 1), ("malformed", 1)];
    assert_eq!(lists.skipped, expected.map(|(reason, count)| (reason.to_owned(), count)).into());
}

#[tokio::test]
async fn large_and_deep_definitions_are_kept_short() {
    let lists = lists_of(&["big-schema", "deep-schema"]).await;
    assert_eq!(names(&lists), ["echo", "big", "deep"]);
    assert_eq!(lists.oversize, ["big", "deep"]);
    let big: Value = serde_json::from_str(lists.tools[1].get()).unwrap();
    assert_eq!(big["description"].as_str().unwrap().len(), 1_500);
}

#[tokio::test]
async fn a_list_that_cannot_be_read_is_named_and_the_others_are_read() {
    let lists = lists_of(&["lists-fail"]).await;
    assert!(lists.unread["tools"].contains("the catalogue is closed"));
    assert_eq!((lists.tools.len(), lists.prompts.len()), (0, 1));
}

#[tokio::test]
async fn lists_come_before_the_first_answer_and_after_each_change_once() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&["changes-at-once"], json!({})) })).await;
    let id = gate.begin("change", json!({ "count": 500 })).await;
    let mut before = Vec::new();
    gate.wait(|message| {
        if matches!(message, FromGate::Lists { .. }) {
            before.push("lists");
        }
        matches!(message, FromGate::Answer { id: of, .. } if *of == id).then_some(())
    })
    .await;
    assert!(before.contains(&"lists"));
    let first = gate.next_lists().await;
    assert_eq!(names(&first), ["echo"]);
    let second = gate.next_lists().await;
    assert_eq!(names(&second), ["echo", "new0"]);
    // Reading them by request proves that nothing else was under way.
    let third = gate.read_lists().await.unwrap();
    assert_eq!(names(&third), ["echo", "new0"]);
    assert!(gate.count_seen(|message| matches!(message, FromGate::Lists { .. })) <= 1);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_modern_server_is_read_and_listened_to() {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": entry(&["modern"], json!({})) })).await;
    let lists = gate.read_lists().await.unwrap();
    assert_eq!(lists.era, "2026-07-28");
    assert_eq!(names(&lists), ["echo"]);
    let echo = gate.call_ok("echo", json!({})).await;
    assert_eq!(echo["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    gate.forget_seen();
    gate.call_ok("change", json!({})).await;
    assert_eq!(names(&gate.next_lists().await), ["echo", "new0"]);
    gate.hang_up().await;
}
