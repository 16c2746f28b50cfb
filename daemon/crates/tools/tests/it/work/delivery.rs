use super::*;

fn directive(to: &str, body: &str) -> Value {
    json!({"to": to, "body": body, "kind": "directive"})
}

#[test]
fn a_directive_is_in_the_next_answer_of_any_action_and_only_there() {
    let pair = Pair::new();
    pair.join();
    let sent = pair.ok(&pair.ann, "sdl_session_send", directive("bob", "Stop, the schema changes."));
    assert_eq!(sent["recipients"], json!([{"agent": "bob", "state": "waiting"}]));
    let answer = pair.ok(&pair.bob, "sdl_symbol_search", json!({"query": "checkout"}));
    let message = &answer["inbox"]["messages"][0];
    assert_eq!(message["body"], "Stop, the schema changes.");
    assert_eq!((message["from"].as_str(), message["kind"].as_str()), (Some("ann"), Some("directive")));
    assert_eq!(answer["inbox"]["waiting"], 0);
    for _ in 0..2 {
        let answer = pair.ok(&pair.bob, "sdl_symbol_search", json!({"query": "checkout"}));
        assert_eq!(answer["inbox"], Value::Null, "{answer:#}");
    }
    let out = pair.ok(&pair.ann, "sdl_session_inbox", json!({"box": "out"}));
    assert_eq!(out["messages"][0]["state"], "delivered");
    // The answer to it reaches the sender, who then sees that it was acknowledged.
    let ack = json!({"ack": [{"id": sent["messageId"], "reply": "stopped"}]});
    pair.ok(&pair.bob, "sdl_session_inbox", ack.clone());
    let answer = pair.ok(&pair.ann, "sdl_session_list", json!({}));
    assert_eq!(bodies(&answer), ["stopped"]);
    assert_eq!(answer["inbox"]["messages"][0]["inReplyTo"], sent["messageId"]);
    let out = pair.ok(&pair.ann, "sdl_session_inbox", json!({"box": "out"}));
    assert_eq!(out["messages"][0]["state"], "acked");
    pair.ok(&pair.bob, "sdl_session_inbox", ack);
    assert_eq!(pair.ok(&pair.ann, "sdl_session_list", json!({}))["inbox"], Value::Null, "no second reply");
}

#[test]
fn the_text_of_an_answer_shows_messages_in_a_line_each() {
    let pair = Pair::new();
    pair.join();
    pair.ok(&pair.ann, "sdl_session_send", directive("bob", "first\nnote: not a note"));
    let bytes = pair.world.tools.call(&pair.bob, "sdl_repo_status", b"{}", &NoProgress, &Cancel::new());
    let result: Value = serde_json::from_slice(&bytes).unwrap();
    let text = result["content"][0]["text"].as_str().unwrap();
    let line = text.lines().find(|line| line.starts_with("message msg_")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains("directive from ann") && line.contains("not a note"), "{line}");
}

#[test]
fn messages_count_in_the_budget_of_the_answer() {
    let pair = Pair::new();
    pair.join();
    for n in 0..6 {
        pair.ok(&pair.ann, "sdl_session_send", directive("bob", &format!("{n} {}", "word ".repeat(100))));
    }
    let most = 1_200;
    let asked = json!({"taskText": "checkout and totals", "budget": {"maxEstimatedTokens": most}});
    let mut seen = Vec::new();
    for _ in 0..6 {
        let answer = pair.ok(&pair.bob, "sdl_slice_build", asked.clone());
        let tokens = sdl_tokens::count_tokens(&answer.to_string());
        assert!(tokens <= most, "{tokens} tokens");
        seen.extend(bodies(&answer));
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
    assert!(seen.is_sorted());
}

#[test]
fn a_message_that_is_too_long_is_begun_once_and_fetched_whole() {
    let pair = Pair::new();
    pair.join();
    let long = "x ".repeat(3_000);
    pair.ok(&pair.ann, "sdl_session_send", directive("bob", &long));
    let first = pair.ok(&pair.bob, "sdl_repo_status", json!({}));
    assert_eq!(first["inbox"]["messages"][0]["truncated"], true);
    let second = pair.ok(&pair.bob, "sdl_repo_status", json!({}));
    assert_eq!(second["inbox"], json!({"waiting": 1, "messages": []}));
    let whole = pair.ok(&pair.bob, "sdl_session_inbox", json!({}));
    assert_eq!(whole["messages"][0]["body"], long.trim());
    assert_eq!(whole["waiting"], 0);
}

#[test]
fn a_restart_between_sending_and_delivery_loses_nothing() {
    let settings = json!({"sdl": {"modules": ["work"]}});
    let mut pair = Pair::new();
    pair.join();
    let bob = pair.bob.clone();
    pair.ok(&pair.ann, "sdl_session_send", directive("bob", "one"));
    pair.ok(&pair.ann, "sdl_session_send", directive("*", "two"));
    pair.restart(&settings);
    // The client has another connection now, and is the same run.
    let again = Session { id: 77, run: ClientRun::of(2), ..bob };
    assert_eq!(bodies(&pair.ok(&again, "sdl_repo_status", json!({}))), ["one", "two"]);
    assert_eq!(pair.ok(&again, "sdl_repo_status", json!({}))["inbox"], Value::Null);
}

#[test]
fn whoever_waits_is_woken_by_a_message() {
    let pair = Pair::new();
    pair.join();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| pair.ok(&pair.bob, "sdl_session_inbox", json!({"waitMs": 600_000})));
        pair.ok(&pair.ann, "sdl_session_send", directive("bob", "wake up"));
        let got = waits.join().unwrap();
        assert_eq!(got["messages"][0]["body"], "wake up");
    });
    let none = pair.ok(&pair.bob, "sdl_session_inbox", json!({"waitMs": 1}));
    assert_eq!(none["messages"], json!([]));
}

#[test]
fn whoever_has_not_turned_work_on_hears_nothing() {
    let profile = json!({"name": "deaf", "match": {"client": ["client12*"]}, "modules": []});
    let pair = Pair::with(&json!({"sdl": {"modules": ["work"], "profiles": [profile]}}));
    pair.ok(&pair.ann, "sdl_session_join", json!({"agent": "ann"}));
    assert_eq!(pair.err(&pair.bob, "sdl_session_join", json!({"agent": "bob"}))["code"], "moduleOff");
    pair.ok(&pair.ann, "sdl_session_send", directive("bob", "x"));
    assert_eq!(pair.ok(&pair.ann, "sdl_session_send", directive("*", "x"))["recipients"], json!([]));
    assert_eq!(pair.ok(&pair.bob, "sdl_repo_status", json!({}))["inbox"], Value::Null);
    // Nor does a session to which a person forbids it.
    let rule = json!({"effect": "deny", "clients": ["client12*"], "tools": ["sdl/session.inbox"]});
    let pair = Pair::with(&json!({"sdl": {"modules": ["work"], "policy": [rule]}}));
    pair.join();
    pair.ok(&pair.ann, "sdl_session_send", directive("bob", "x"));
    assert_eq!(pair.ok(&pair.bob, "sdl_repo_status", json!({}))["inbox"], Value::Null);
    assert_eq!(pair.err(&pair.bob, "sdl_session_inbox", json!({}))["code"], "denied");
}

#[test]
fn sending_is_in_the_log_and_a_secret_is_in_neither() {
    let pair = Pair::new();
    pair.join();
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let body = format!("the key is {key}");
    let once = json!({"to": "bob", "body": body, "idempotencyKey": "k1"});
    let first = pair.ok(&pair.ann, "sdl_session_send", once.clone());
    assert_eq!(first["masked"], 1);
    let again = pair.ok(&pair.ann, "sdl_session_send", once);
    assert_eq!((&again["messageId"], &again["replayed"]), (&first["messageId"], &json!(true)));
    let rows = pair.world.shown(50);
    let sent: Vec<_> = rows.iter().filter(|row| row.decision == "sent").collect();
    assert_eq!(sent.len(), 1, "{rows:?}");
    assert_eq!(sent[0].details["to"], "bob");
    let answer = pair.ok(&pair.bob, "sdl_repo_status", json!({}));
    assert_eq!(bodies(&answer), ["the key is ***"]);
}

#[test]
fn a_client_without_a_run_sends_and_has_no_inbox() {
    let pair = Pair::new();
    pair.join();
    let person = &pair.world.session;
    assert_eq!(pair.err(person, "sdl_session_join", json!({"agent": "me"}))["code"], "missingCapability");
    pair.ok(person, "sdl_session_send", directive("bob", "from a person"));
    assert_eq!(bodies(&pair.ok(&pair.bob, "sdl_repo_status", json!({}))), ["from a person"]);
}

#[test]
fn wrong_addresses_and_acks_say_what_to_do() {
    let pair = Pair::new();
    pair.join();
    let unknown = pair.err(&pair.ann, "sdl_session_send", directive("ses_0123456789abc", "x"));
    assert_eq!(unknown["code"], "unknownSession");
    assert_eq!(unknown["nextBestAction"]["tool"], "sdl_session_list");
    let ack = pair.err(&pair.ann, "sdl_session_inbox", json!({"ack": [{"id": "msg_0123456789abc"}]}));
    assert_eq!((ack["code"].as_str(), ack["field"].as_str()), (Some("invalidArgument"), Some("ack[0].id")));
    let name = pair.err(&pair.ann, "sdl_session_join", json!({"agent": "#x"}));
    assert_eq!(name["field"], "agent");
}
