//! Questions during a call: of upstreams, and of rules that leave a call to the person.

use std::sync::Mutex;

use sdl_proto::code;
use sdl_tools::host::{Client, Event, OpenQuestion, Question, Reply};
use sdl_tools::{Cancel, Code, Explained as _, NoProgress, Origin, ToolError, ToolRequest};
use serde_json::{Map, Value, json};

use crate::common::World;

/// A client of the era in which servers ask by requests. It gives the same answer to each question.
pub(crate) struct Person {
    capabilities: Value,
    answer: Result<Value, String>,
    asked: Mutex<Vec<(String, Value)>>,
}

impl Person {
    pub(crate) fn who_says(answer: Value) -> Self {
        let capabilities = json!({"elicitation": {}, "sampling": {}, "roots": {"listChanged": true}});
        Self { capabilities, answer: Ok(answer), asked: Mutex::default() }
    }

    pub(crate) fn questions(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap().clone()
    }
}

impl Client for Person {
    fn capabilities(&self) -> Option<Map<String, Value>> {
        self.capabilities.as_object().cloned()
    }

    fn ask(&self, method: &str, params: Vec<u8>, reply: Reply) -> OpenQuestion {
        self.asked.lock().unwrap().push((method.to_owned(), serde_json::from_slice(&params).unwrap()));
        reply(self.answer.clone().map(|answer| answer.to_string().into_bytes()));
        OpenQuestion::default()
    }
}

/// A world with an upstream `db` that may ask for two of three kinds of things.
fn world(era: &str, sdl: &Value) -> World {
    let world = World::shop();
    world.configure(&json!({
        "mcpServers": {"db": {"command": "db", "sdl": {"ask": ["elicitation", "sampling"]}}},
        "sdl": sdl
    }));
    world.lists_all(
        "db",
        &json!({"era": era, "tools": [{"name": "drop", "inputSchema": {"type": "object"}}]}),
    );
    world
}

fn call(world: &World, args: &Value, origin: Origin<'_>) -> Value {
    let args = args.to_string();
    let request = ToolRequest { name: "db_drop", arguments: args.as_bytes(), origin };
    let bytes = world.tools.call_request(&world.session, &request, &NoProgress, &Cancel::new());
    serde_json::from_slice(&bytes).unwrap()
}

/// A call of a client of the era in which servers ask in their answers.
fn call_within(world: &World, args: &Value, goes_on: Option<(&Value, Value)>) -> Value {
    let meta = r#"{"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{}}}"#;
    let responses = goes_on.as_ref().map(|(_, responses)| responses.to_string());
    let origin = Origin {
        meta: Some(meta),
        input_responses: responses.as_deref(),
        request_state: goes_on.as_ref().and_then(|(asks, _)| asks["requestState"].as_str()),
        ..Origin::default()
    };
    call(world, args, origin)
}

pub(crate) fn asked(number: u64, method: &str, params: &Value) -> Event {
    Event::Asked(Question { number, method: method.to_owned(), params: params.to_string().into_bytes() })
}

pub(crate) fn answered(result: &Value) -> Event {
    Event::Answered(result.to_string().into_bytes())
}

pub(crate) fn replies(world: &World) -> Vec<(u64, Result<String, String>)> {
    world.host.upstreams.get().unwrap().replies.lock().unwrap().clone()
}

pub(crate) fn sent(world: &World) -> Vec<Value> {
    let sent = world.host.upstreams.get().unwrap().sent.lock().unwrap().clone();
    sent.iter().map(|(_, _, params)| serde_json::from_str(params).unwrap()).collect()
}

const YES: &str = r#"{"action":"accept","content":{"name":"x"}}"#;

#[test]
fn a_question_by_request_goes_to_a_client_that_takes_requests() {
    let world = world("2025-11-25", &json!({}));
    let person = Person::who_says(serde_json::from_str(YES).unwrap());
    let question = asked(7, "elicitation/create", &json!({"message": "Which?"}));
    let roots = asked(8, "roots/list", &json!({}));
    world.happens("drop", vec![question, roots, answered(&json!({"content": []}))]);
    let result = call(&world, &json!({}), Origin { client: &person, ..Origin::default() });
    assert_eq!(result, json!({"content": []}));
    assert_eq!(person.questions(), [("elicitation/create".to_owned(), json!({"message": "[db] Which?"}))]);
    let replies = replies(&world);
    assert_eq!(replies[0], (7, Ok(YES.to_owned())));
    assert!(replies[1].1.is_err(), "its entry does not allow it to ask for roots: {replies:?}");
    let clients = world.host.upstreams.get().unwrap().clients.lock().unwrap().clone();
    assert_eq!(clients, [json!({"elicitation": {}, "sampling": {}})], "what may be declared upstream");
}

#[test]
fn a_question_by_request_waits_for_a_client_that_is_asked_in_answers() {
    let world = world("2025-11-25", &json!({}));
    let question = |number| asked(number, "elicitation/create", &json!({"message": "Which?"}));
    world.happens("drop", vec![question(7), question(9), answered(&json!({"content": [1]}))]);
    let first = call_within(&world, &json!({"t": 1}), None);
    assert_eq!(first["resultType"], "input_required");
    let shown = &first["inputRequests"]["ask_7"];
    assert_eq!(
        (shown["method"].as_str(), shown["params"]["message"].as_str()),
        (Some("elicitation/create"), Some("[db] Which?"))
    );

    let other = call_within(&world, &json!({"t": 2}), Some((&first, json!({}))));
    assert_eq!(other["isError"], true, "other arguments are another call: {other}");
    let answer: Value = serde_json::from_str(YES).unwrap();
    let second = call_within(&world, &json!({"t": 1}), Some((&first, json!({"ask_7": answer}))));
    assert_eq!(second["resultType"], "input_required", "the next question: {second}");
    let last = call_within(&world, &json!({"t": 1}), Some((&second, json!({}))));
    assert_eq!(last, json!({"content": [1]}));
    let again = call_within(&world, &json!({"t": 1}), Some((&second, json!({}))));
    assert_eq!(again["isError"], true, "it has gone on already: {again}");
    let replies = replies(&world);
    assert_eq!(replies[0], (7, Ok(YES.to_owned())));
    assert!(matches!(&replies[1], (9, Err(_))), "a question without an answer is declined: {replies:?}");
    assert_eq!(sent(&world).len(), 1, "the upstream has got the call once");
}

/// An answer that asks, of an upstream of the newer era.
pub(crate) fn input_required(state: &str) -> Event {
    let request = json!({"method": "elicitation/create", "params": {"message": "Sure?"}});
    answered(
        &json!({"resultType": "input_required", "inputRequests": {"sure": request}, "requestState": state}),
    )
}

#[test]
fn a_question_in_an_answer_passes_with_a_state_of_ours() {
    let world = world("2026-07-28", &json!({}));
    world.happens("drop", vec![input_required("theirs")]);
    world.happens("drop", vec![answered(&json!({"content": [2], "resultType": "complete"}))]);
    let first = call_within(&world, &json!({}), None);
    assert_eq!(first["inputRequests"]["sure"]["params"]["message"], "[db] Sure?");
    assert!(!first.to_string().contains("theirs"), "{first}");
    let answer: Value = serde_json::from_str(YES).unwrap();
    let last = call_within(&world, &json!({}), Some((&first, json!({"sure": answer}))));
    assert_eq!(last["content"], json!([2]));
    let second = &sent(&world)[1];
    assert_eq!(
        (&second["requestState"], &second["inputResponses"]),
        (&json!("theirs"), &json!({"sure": answer}))
    );
}

#[test]
fn a_question_in_an_answer_is_asked_by_request_where_the_client_wants_that() {
    let world = world("2026-07-28", &json!({}));
    world.happens("drop", vec![input_required("theirs")]);
    world.happens("drop", vec![answered(&json!({"content": [3]}))]);
    let person = Person::who_says(serde_json::from_str(YES).unwrap());
    let result = call(&world, &json!({}), Origin { client: &person, ..Origin::default() });
    assert_eq!(result["content"], json!([3]));
    assert_eq!(person.questions()[0].1["message"], "[db] Sure?");
    assert_eq!(sent(&world)[1]["inputResponses"]["sure"]["action"], "accept");

    // A person who does not answer: the upstream hears of that in the protocol's way.
    world.happens("drop", vec![input_required("theirs")]);
    world.happens("drop", vec![answered(&json!({"content": [4]}))]);
    let gone = Person { answer: Err("gone".to_owned()), ..Person::who_says(json!({})) };
    call(&world, &json!({}), Origin { client: &gone, ..Origin::default() });
    assert_eq!(sent(&world)[3]["inputResponses"]["sure"], json!({"action": "cancel"}));
}

#[test]
fn answers_that_come_with_a_first_call_go_to_an_upstream_that_asks_in_its_answers() {
    let responses = json!({"name": {"action": "accept", "content": {"name": "x"}}});
    for (era, passes) in [("2026-07-28", true), ("2025-11-25", false)] {
        let world = world(era, &json!({}));
        world.answers("drop", r#"{"content":[]}"#);
        let first = call_within(&world, &json!({}), Some((&json!({}), responses.clone())));
        assert_eq!(first, json!({"content": []}));
        assert_eq!(sent(&world)[0].get("inputResponses"), passes.then_some(&responses), "{era}");
    }
}

#[test]
fn what_is_no_result_of_the_tool_is_an_error_of_the_protocol() {
    let world = world("2026-07-28", &json!({}));
    let answer = |state| {
        let request = ToolRequest {
            name: "db_drop",
            arguments: b"{}",
            origin: Origin { request_state: state, ..Origin::default() },
        };
        world.tools.answer_request(&world.session, &request, &NoProgress, &Cancel::new())
    };
    assert_eq!(answer(Some("sdl-00")).unwrap_err().code, code::INVALID_PARAMS);
    assert!(sent(&world).is_empty());
    let lacking = ToolError::new(Code::MissingCapability, "it needs sampling")
        .with("requiredCapabilities", json!({"sampling": {}}));
    world.host.upstreams.get().unwrap().answers.lock().unwrap().insert("drop".to_owned(), Err(lacking));
    let error = answer(None).unwrap_err();
    assert_eq!(error.code, code::MISSING_CAPABILITY);
    assert_eq!(error.details["requiredCapabilities"], json!({"sampling": {}}));
    // Everything else that goes wrong is a result of the tool.
    let down = ToolError::new(Code::UpstreamDown, "it does not run");
    world.host.upstreams.get().unwrap().answers.lock().unwrap().insert("drop".to_owned(), Err(down));
    assert!(answer(None).is_ok());
}

#[test]
fn an_upstream_that_only_asks_is_stopped() {
    let world = world("2026-07-28", &json!({}));
    for _ in 0..20 {
        world.happens("drop", vec![input_required("again")]);
    }
    let person = Person::who_says(json!({"action": "decline"}));
    let result = call(&world, &json!({}), Origin { client: &person, ..Origin::default() });
    assert_eq!(result["structuredContent"]["code"], "denied", "{result}");
    assert_eq!(person.questions().len(), 10);
}

#[test]
fn a_client_that_cant_be_asked_is_not_asked() {
    let world = world("2025-11-25", &json!({}));
    let question = asked(1, "elicitation/create", &json!({"message": "Which?"}));
    world.happens("drop", vec![question, answered(&json!({"content": []}))]);
    assert_eq!(call(&world, &json!({}), Origin::default()), json!({"content": []}));
    assert!(replies(&world)[0].1.is_err());
    let steps = json!({"steps": [{"action": "db_drop", "args": {}}]});
    let person = Person::who_says(serde_json::from_str(YES).unwrap());
    let question = asked(1, "elicitation/create", &json!({"message": "Which?"}));
    world.happens("drop", vec![question, answered(&json!({"content": []}))]);
    let text = steps.to_string();
    let origin = Origin { client: &person, ..Origin::default() };
    let request = ToolRequest { name: "sdl_chain", arguments: text.as_bytes(), origin };
    world.tools.call_request(&world.session, &request, &NoProgress, &Cancel::new());
    assert!(person.questions().is_empty(), "a step of a chain asks nobody");
}

#[test]
fn a_rule_denies_questions() {
    let world =
        world("2025-11-25", &json!({"policy": [{"effect": "deny", "tools": ["db/ask:elicitation"]}]}));
    let question = asked(1, "elicitation/create", &json!({"message": "Which?"}));
    world.happens("drop", vec![question, answered(&json!({"content": []}))]);
    let person = Person::who_says(serde_json::from_str(YES).unwrap());
    call(&world, &json!({}), Origin { client: &person, ..Origin::default() });
    assert!(person.questions().is_empty());
    let clients = world.host.upstreams.get().unwrap().clients.lock().unwrap().clone();
    assert_eq!(clients, [json!({"sampling": {}})]);
}

fn asks_first() -> Value {
    json!({"policy": [{"effect": "ask", "tools": ["db/drop"], "args": {"t": {"exists": true}}, "why": "takes data away"},
                      {"effect": "ask", "tools": ["sdl/repo.status"]}]})
}

#[test]
fn a_rule_that_asks_lets_the_person_decide() {
    let world = world("2025-11-25", &asks_first());
    world.answers("drop", r#"{"content":[]}"#);
    let yes = Person::who_says(json!({"action": "accept", "content": {"allow": true}}));
    let no = Person::who_says(json!({"action": "decline"}));
    let with = |person| Origin { client: person, ..Origin::default() };
    assert_eq!(call(&world, &json!({"t": 1}), with(&yes)), json!({"content": []}));
    let question = &yes.questions()[0].1;
    assert_eq!(question["message"], r#"[sdl] Allow db_drop with {"t":1}? (takes data away)"#);
    let refused = call(&world, &json!({"t": 1}), with(&no));
    assert_eq!(refused["structuredContent"]["whyDenied"], "takes data away", "{refused}");
    let nobody = call(&world, &json!({"t": 1}), Origin::default());
    assert_eq!(nobody["structuredContent"]["code"], "denied");
    assert_eq!(
        call(&world, &json!({}), with(&no)),
        json!({"content": []}),
        "the rule is not about this call"
    );
    assert_eq!(sent(&world).len(), 2);
}

#[test]
fn a_rule_that_asks_does_so_in_an_answer_too() {
    let world = world("2025-11-25", &asks_first());
    world.answers("drop", r#"{"content":[]}"#);
    let first = call_within(&world, &json!({"t": 1}), None);
    assert_eq!(first["resultType"], "input_required");
    assert!(sent(&world).is_empty(), "nothing was sent yet");
    let no =
        call_within(&world, &json!({"t": 1}), Some((&first, json!({"sdl_confirm": {"action": "decline"}}))));
    assert_eq!(no["structuredContent"]["code"], "denied");
    let first = call_within(&world, &json!({"t": 1}), None);
    let yes = json!({"sdl_confirm": {"action": "accept", "content": {"allow": true}}});
    let forged = json!({"requestState": "sdl-00"});
    assert_eq!(call_within(&world, &json!({"t": 1}), Some((&forged, yes.clone())))["isError"], true);
    assert_eq!(call_within(&world, &json!({"t": 1}), Some((&first, yes))), json!({"content": []}));
}

#[test]
fn a_rule_that_asks_reaches_our_own_actions() {
    let world = world("2025-11-25", &asks_first());
    let yes = Person::who_says(json!({"action": "accept", "content": {"allow": true}}));
    for (person, is_error) in [(&yes, None), (&Person::who_says(json!({"action": "decline"})), Some(true))] {
        let origin = Origin { client: person, ..Origin::default() };
        let request = ToolRequest { name: "sdl_repo_status", arguments: b"{}", origin };
        let bytes = world.tools.call_request(&world.session, &request, &NoProgress, &Cancel::new());
        let result: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(result["isError"].as_bool().filter(|is| *is), is_error, "{result}");
        assert_eq!(person.questions().len(), 1);
    }
}

#[test]
fn a_call_by_another_tool_is_asked_about_once() {
    let both = json!({"policy": [{"effect": "ask", "tools": ["*/*"], "why": "look first"},
                                 {"effect": "ask", "tools": ["db/drop"], "why": "takes data away"}]});
    let world = world("2025-11-25", &both);
    world.answers("drop", r#"{"content":[]}"#);
    let relayed = json!({"tool": "db_drop", "args": {"t": 1}}).to_string();
    let call = |origin: Origin<'_>| {
        let request = ToolRequest { name: "sdl_tool_call", arguments: relayed.as_bytes(), origin };
        let bytes = world.tools.call_request(&world.session, &request, &NoProgress, &Cancel::new());
        serde_json::from_slice::<Value>(&bytes).unwrap()
    };
    let yes = Person::who_says(json!({"action": "accept", "content": {"allow": true}}));
    assert_eq!(call(Origin { client: &yes, ..Origin::default() }), json!({"content": []}));
    let [(_, question)] = &yes.questions()[..] else { panic!("{:?}", yes.questions()) };
    assert_eq!(question["message"], r#"[sdl] Allow db_drop with {"t":1}? (look first)"#);

    let meta = r#"{"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;
    let asks = call(Origin { meta: Some(meta), ..Origin::default() });
    let responses = json!({"sdl_confirm": {"action": "accept", "content": {"allow": true}}}).to_string();
    let answer = Origin {
        meta: Some(meta),
        request_state: asks["requestState"].as_str(),
        input_responses: Some(&responses),
        ..Origin::default()
    };
    assert_eq!(call(answer), json!({"content": []}), "one answer is enough: {asks}");
    assert_eq!(sent(&world).len(), 2);
}

#[test]
fn a_rule_about_calls_of_others_denies_each_of_them() {
    let world = world("2025-11-25", &json!({"policy": [{"effect": "deny", "tools": ["sdl/tool.call"]}]}));
    world.answers("drop", r#"{"content":[]}"#);
    let refused = world.err("sdl_tool_call", json!({"tool": "db_drop", "args": {}}));
    assert_eq!(refused["code"], "denied");
    assert!(sent(&world).is_empty());
    assert_eq!(
        call(&world, &json!({}), Origin::default()),
        json!({"content": []}),
        "its own name is another way"
    );
}

#[test]
fn tools_that_are_listed_to_clients_that_can_be_asked_are_seen_by_those_alone() {
    let world = world("2025-11-25", &json!({}));
    let tool = |name: &str, text: &str| json!({"name": name, "description": text, "inputSchema": {"type": "object"}});
    let both = json!({"era": "2025-11-25", "declared": ["elicitation", "sampling"],
                      "tools": [tool("drop", "asks first"), tool("confirm", "")]});
    world.lists_all("db", &json!({"era": "2025-11-25", "tools": [tool("drop", ""), tool("plain", "")]}));
    world.lists_all("db", &both);
    let person = Person::who_says(json!({}));
    let listed = |origin: &Origin<'_>| {
        let list: Value = serde_json::from_slice(&world.tools.list_for(&world.session, origin)).unwrap();
        let text = list.to_string();
        let names = ["db_drop", "db_plain", "db_confirm"].into_iter().filter(|name| text.contains(name));
        names.collect::<Vec<_>>()
    };
    world.configure(&json!({"mcpServers": {"db": {"command": "db", "sdl": {
        "ask": ["elicitation", "sampling"], "mode": "passthrough"}}}}));
    let asked = Origin { client: &person, ..Origin::default() };
    assert_eq!(listed(&Origin::default()), ["db_drop", "db_plain"]);
    assert_eq!(listed(&asked), ["db_drop", "db_confirm"]);
    let elicits = r#"{"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;
    let unread = Origin { meta: Some(elicits), ..Origin::default() };
    assert_eq!(listed(&unread), ["db_drop", "db_plain"], "its list was not read yet");
    assert_eq!(world.tools.unread_for(&world.session, &unread, |of| of.client.len()), [1]);
    assert!(world.tools.unread_for(&world.session, &asked, |of| of.client.len()).is_empty());

    // A reading for one kind of client takes nothing from the other.
    world.lists_all("db", &json!({"era": "2025-11-25", "tools": [tool("plain", "")]}));
    assert_eq!(listed(&Origin::default()), ["db_plain"]);
    assert_eq!(listed(&asked), ["db_drop", "db_confirm"]);
}
