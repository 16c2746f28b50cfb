//! Questions during requests for prompts and resources of upstreams.

use sdl_tools::host::Client;
use sdl_tools::{Cancel, MethodRequest, NoProgress, ProtocolError, Shown};
use serde_json::{Value, json};

use crate::asking::{Person, answered, asked, input_required, replies, sent};
use crate::common::World;

/// What an upstream has of each kind: the method, its parameters, and the name under which the upstream knows it.
const KINDS: [(&str, &str, &str); 2] = [
    ("prompts/get", r#"{"name":"db_report","arguments":{"of":"1"}}"#, "report"),
    ("resources/read", r#"{"uri":"db://rows"}"#, "db://rows"),
];

fn world(era: &str, sdl: &Value) -> World {
    let world = World::shop();
    world.configure(&json!({
        "mcpServers": {"db": {"command": "db", "sdl": {"ask": ["elicitation"]}}}, "sdl": sdl
    }));
    world.lists_all(
        "db",
        &json!({
            "era": era, "capabilities": {"prompts": {}, "resources": {}, "completions": {}},
            "prompts": [{"name": "report"}], "resources": [{"uri": "db://rows", "name": "rows"}],
        }),
    );
    world
}

fn ask(world: &World, client: &dyn Client, method: &str, params: &Value) -> Result<Value, ProtocolError> {
    let params = params.to_string();
    let request = MethodRequest { method, params: params.as_bytes(), client, shown: Shown::default() };
    let bytes = world.tools.protocol(&world.session, &request, &NoProgress, &Cancel::new())?;
    Ok(serde_json::from_slice(&bytes).unwrap())
}

/// A request of a client that is asked in answers; `goes_on` is the answer that asked it, and what it says to that.
fn ask_within(
    world: &World,
    method: &str,
    params: &str,
    goes_on: Option<(&Value, Value)>,
) -> Result<Value, ProtocolError> {
    let mut params: Value = serde_json::from_str(params).unwrap();
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    if let Some((asks, responses)) = goes_on {
        params["requestState"] = asks["requestState"].clone();
        params["inputResponses"] = responses;
    }
    ask(world, &sdl_tools::host::NoClient, method, &params)
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"allow": true}})
}

#[test]
fn a_person_is_asked_by_request() {
    for (method, params, name) in KINDS {
        let params = serde_json::from_str(params).unwrap();
        let person = Person::who_says(yes());
        let legacy = world("2025-11-25", &json!({}));
        let question = asked(7, "elicitation/create", &json!({"message": "Which?"}));
        legacy.happens(name, vec![question, answered(&json!({"messages": [1]}))]);
        assert_eq!(ask(&legacy, &person, method, &params).unwrap(), json!({"messages": [1]}));
        assert_eq!(replies(&legacy), [(7, Ok(yes().to_string()))]);

        let newer = world("2026-07-28", &json!({}));
        newer.happens(name, vec![input_required("theirs")]);
        newer.happens(name, vec![answered(&json!({"messages": [2]}))]);
        assert_eq!(ask(&newer, &person, method, &params).unwrap(), json!({"messages": [2]}));
        let second = &sent(&newer)[1];
        assert_eq!((&second["requestState"], &second["inputResponses"]["sure"]), (&json!("theirs"), &yes()));
        let messages: Vec<Value> =
            person.questions().into_iter().map(|(_, asked)| asked["message"].clone()).collect();
        assert_eq!(messages, ["[db] Which?", "[db] Sure?"], "{method}");
    }
}

#[test]
fn a_person_is_asked_in_answers() {
    for (method, params, name) in KINDS {
        let newer = world("2026-07-28", &json!({}));
        newer.happens(name, vec![input_required("theirs")]);
        newer.happens(name, vec![answered(&json!({"messages": [2]}))]);
        let first = ask_within(&newer, method, params, None).unwrap();
        assert_eq!(first["inputRequests"]["sure"]["params"]["message"], "[db] Sure?");
        assert!(!first.to_string().contains("theirs"), "{first}");
        let last = ask_within(&newer, method, params, Some((&first, json!({"sure": yes()})))).unwrap();
        assert_eq!(last, json!({"messages": [2]}));
        let again = ask_within(&newer, method, params, Some((&first, json!({})))).unwrap_err();
        assert_eq!(again.code, "invalidParams", "it has gone on already: {}", again.message);

        let legacy = world("2025-11-25", &json!({}));
        let question = asked(7, "elicitation/create", &json!({"message": "Which?"}));
        legacy.happens(name, vec![question, answered(&json!({"messages": [3]}))]);
        let first = ask_within(&legacy, method, params, None).unwrap();
        let last = ask_within(&legacy, method, params, Some((&first, json!({"ask_7": yes()})))).unwrap();
        assert_eq!(last, json!({"messages": [3]}));
        assert_eq!(replies(&legacy), [(7, Ok(yes().to_string()))]);
        assert_eq!(sent(&legacy).len(), 1, "the upstream has got the request once");
    }
}

#[test]
fn a_state_is_good_for_one_request() {
    let world = world("2026-07-28", &json!({}));
    let [prompt, resource] = KINDS;
    world.happens(prompt.2, vec![input_required("theirs")]);
    let asks = ask_within(&world, prompt.0, prompt.1, None).unwrap();
    let other = r#"{"name":"db_report","arguments":{"of":"2"}}"#;
    for (method, params) in [(prompt.0, other), (resource.0, resource.1)] {
        let refused = ask_within(&world, method, params, Some((&asks, json!({"sure": yes()})))).unwrap_err();
        assert!(refused.message.contains("requestState"), "{}", refused.message);
    }
    assert_eq!(sent(&world).len(), 1);
}

#[test]
fn a_rule_leaves_a_request_to_the_person() {
    let rules =
        json!({"policy": [{"effect": "ask", "tools": ["db/prompt:*", "db/resource:*"], "why": "private"}]});
    for (method, params, name) in KINDS {
        let world = world("2025-11-25", &rules);
        world.answers(name, r#"{"messages":[]}"#);
        let asks = ask_within(&world, method, params, None).unwrap();
        let question = asks["inputRequests"]["sdl_confirm"]["params"]["message"].as_str().unwrap();
        assert!(question.starts_with("[sdl] Allow ") && question.ends_with("? (private)"), "{question}");
        assert!(sent(&world).is_empty(), "nothing was sent yet");
        let goes_on = Some((&asks, json!({"sdl_confirm": yes()})));
        assert_eq!(ask_within(&world, method, params, goes_on).unwrap(), json!({"messages": []}));
        let no = Person::who_says(json!({"action": "decline"}));
        let refused = ask(&world, &no, method, &serde_json::from_str(params).unwrap()).unwrap_err();
        assert_eq!(refused.details["whyDenied"], "private");
        assert_eq!(sent(&world).len(), 1);
        let decisions: Vec<String> = world.log_rows().into_iter().map(|row| row.decision).collect();
        assert_eq!(decisions, ["asked", "called", "denied"], "{method}");
    }
}

#[test]
fn nobody_is_asked_about_completions() {
    let rules = json!({"policy": [{"effect": "ask", "tools": ["db/prompt:report"]}]});
    let params =
        json!({"ref": {"type": "ref/prompt", "name": "db_report"}, "argument": {"name": "of", "value": ""}});
    let person = Person::who_says(yes());
    let ruled = world("2025-11-25", &rules);
    assert_eq!(ask(&ruled, &person, "completion/complete", &params).unwrap_err().code, "denied");
    let free = world("2025-11-25", &json!({}));
    let question = asked(1, "elicitation/create", &json!({"message": "Which?"}));
    free.happens("report", vec![question, answered(&json!({"completion": {"values": []}}))]);
    ask(&free, &person, "completion/complete", &params).unwrap();
    assert!(person.questions().is_empty() && replies(&free)[0].1.is_err());
}
