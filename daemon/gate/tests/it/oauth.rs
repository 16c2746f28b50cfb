//! Logins to a server that wants tokens.

use std::process::Stdio;
use std::time::Duration;

use sdl_proto::code;
use sdl_proto::gate::FromGate;
use sdl_settings::{Secret, find_login, store_login};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::harness::{Gate, detail};
use crate::issuer::Issuer;
use crate::listen::{get_page, whole};

const PATIENCE: Duration = Duration::from_secs(15);

/// A login in a process of its own, as a person starts it.
struct Person {
    process: Child,
    input: ChildStdin,
    events: Lines<BufReader<ChildStdout>>,
    /// All that it wrote.
    heard: String,
}

impl Person {
    fn begin(gate: &Gate, settings: &Value, more: Value) -> Self {
        let state = gate.state_dir();
        sdl_settings::trust::make_folder(&state).unwrap();
        let text = json!({ "mcpServers": settings }).to_string();
        sdl_settings::trust::write_private(&state.join(sdl_settings::FILE), text.as_bytes()).unwrap();
        let mut request = json!({ "stateDir": state, "key": "a" });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut process = Command::new(env!("CARGO_BIN_EXE_sdl-gate"))
            .args(["login", &request.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let input = process.stdin.take().unwrap();
        let events = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, input, events, heard: String::new() }
    }

    async fn event(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.events.next_line()).await.expect("no event in time");
        let line = line.unwrap().expect("the login has ended");
        self.heard.push_str(&line);
        serde_json::from_str(&line).unwrap()
    }

    /// The address to open in a browser.
    async fn address(&mut self) -> String {
        let event = self.event().await;
        assert_eq!(event["event"], "open", "{event}");
        event["url"].as_str().unwrap().to_owned()
    }

    /// The last event, and the end of the process.
    async fn end(mut self) -> (Value, String) {
        let event = self.event().await;
        let status = tokio::time::timeout(PATIENCE, self.process.wait()).await.expect("it stays").unwrap();
        assert_eq!(status.success(), event["event"] == "done", "{event}");
        (event, self.heard)
    }
}

/// A gate whose upstream `a` is this server.
async fn gate_of(issuer: &Issuer) -> Gate {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": issuer.entry() })).await;
    gate
}

/// Logs in as a person does whose browser works.
async fn log_in(gate: &Gate, issuer: &Issuer) -> Value {
    let mut person = Person::begin(gate, &json!({ "a": issuer.entry() }), json!({}));
    let back = issuer.visit(&person.address().await).await;
    let page = get_page(&back).await;
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("logged in"), "{page}");
    let (event, heard) = person.end().await;
    assert_eq!(event["event"], "done", "{event}");
    assert!(!heard.contains("access-") && !heard.contains("refresh-"), "{heard}");
    event
}

fn bearer(token: &str) -> Option<String> {
    Some(format!("Bearer {token}"))
}

#[tokio::test]
async fn after_a_login_requests_carry_its_token_and_nobody_sees_it() {
    let issuer = Issuer::start().await;
    let mut gate = gate_of(&issuer).await;
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!(error.code, code::NEEDS_LOGIN);
    assert!(error.message.contains("`sdlctl upstream login a`"), "{}", error.message);
    gate.state("needsLogin").await;
    assert!(issuer.grants().is_empty() && issuer.registered().is_empty(), "a call must not begin a login");

    let done = log_in(&gate, &issuer).await;
    assert_eq!((&done["scopes"], &done["isRenewable"]), (&json!(["tools:read"]), &json!(true)));
    let visited = issuer.visited();
    assert_eq!(visited["code_challenge_method"], "S256");
    assert_eq!((&visited["resource"], &visited["scope"]), (&issuer.url(), &"tools:read".to_owned()));
    let (form, _) = issuer.grant(0);
    assert!(form["code_verifier"].len() >= 43 && form["code_verifier"] != visited["code_challenge"]);
    assert_eq!(form["resource"], issuer.url());
    assert!(visited["redirect_uri"].starts_with("http://127.0.0.1:"));

    let text = gate.call("echo", json!({ "text": "access-0001 refresh-0001" })).await.unwrap();
    assert_eq!(text, r#"{"content":[{"type":"text","text":"*** ***"}]}"#);
    assert_eq!(issuer.answered(), [bearer("access-0001")]);
    assert_eq!(gate.state("ready").await.last_error, None);
    let values = gate.wait(|message| match message {
        FromGate::Secrets { values } => Some(values.clone()),
        _ => None,
    });
    assert_eq!(values.await, ["access-0001", "refresh-0001"]);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_token_that_is_about_to_end_is_renewed_before_it_is_used() {
    let issuer = Issuer::start().await;
    issuer.ways().lasts = Some(20);
    let mut gate = gate_of(&issuer).await;
    log_in(&gate, &issuer).await;
    issuer.ways().lasts = Some(3_600);
    let refused = issuer.refused().len();
    for _ in 0..2 {
        gate.call("echo", json!({ "text": "x" })).await.unwrap();
    }
    assert_eq!(issuer.grants(), ["authorization_code", "refresh_token"]);
    let (form, _) = issuer.grant(1);
    assert_eq!((&form["refresh_token"], &form["resource"]), (&"refresh-0001".to_owned(), &issuer.url()));
    assert_eq!(issuer.answered(), [bearer("access-0002"), bearer("access-0002")]);
    // Only the discovery asked without a token.
    assert!(issuer.refused()[refused..].iter().all(Option::is_none), "{:?}", issuer.refused());
    let stored = find_login(&gate.state_dir(), "a").unwrap().unwrap();
    assert_eq!(stored.refresh.unwrap().expose(), "refresh-0002");
    assert!(stored.expires_at.is_some());
    gate.hang_up().await;
}

#[tokio::test]
async fn calls_whose_token_was_refused_share_one_renewal_and_are_made_once() {
    let issuer = Issuer::start().await;
    let mut gate = gate_of(&issuer).await;
    log_in(&gate, &issuer).await;
    gate.call("echo", json!({ "text": "x" })).await.unwrap();
    issuer.ways().valid.clear();
    let mut calls = Vec::new();
    for _ in 0..8 {
        calls.push(gate.begin("echo", json!({ "text": "x" })).await);
    }
    for call in calls {
        gate.answer(call).await.unwrap();
    }
    assert_eq!(issuer.grants(), ["authorization_code", "refresh_token"]);
    let mut wanted = vec![bearer("access-0001")];
    wanted.extend(vec![bearer("access-0002"); 8]);
    assert_eq!(issuer.answered(), wanted);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_login_that_the_issuer_has_ended_is_not_tried_again_until_a_person_logs_in() {
    let issuer = Issuer::start().await;
    let mut gate = gate_of(&issuer).await;
    log_in(&gate, &issuer).await;
    let refusal =
        whole("400 Bad Request", "Content-Type: application/json\r\n", r#"{"error":"invalid_grant"}"#);
    issuer.ways().valid.clear();
    issuer.ways().refresh_answer = Some(refusal);
    for _ in 0..3 {
        let error = gate.call_err("echo", json!({})).await;
        assert_eq!(error.code, code::NEEDS_LOGIN);
        assert!(error.message.contains("`sdlctl upstream login a`"), "{}", error.message);
    }
    assert_eq!(issuer.grants(), ["authorization_code", "refresh_token"]);
    log_in(&gate, &issuer).await;
    assert!(gate.call("echo", json!({ "text": "x" })).await.is_ok());
    gate.hang_up().await;
}

#[tokio::test]
async fn a_server_that_refuses_fresh_tokens_too_costs_one_renewal() {
    let issuer = Issuer::start().await;
    let mut gate = gate_of(&issuer).await;
    log_in(&gate, &issuer).await;
    issuer.ways().refuses_all = true;
    for _ in 0..3 {
        assert_eq!(gate.call_err("echo", json!({})).await.code, code::NEEDS_LOGIN);
    }
    assert_eq!(issuer.grants(), ["authorization_code", "refresh_token"]);
    gate.hang_up().await;
}

#[tokio::test]
async fn an_issuer_that_fails_is_tried_again() {
    let issuer = Issuer::start().await;
    issuer.ways().lasts = Some(0);
    let mut gate = gate_of(&issuer).await;
    log_in(&gate, &issuer).await;
    issuer.ways().lasts = Some(3_600);
    issuer.ways().refresh_answer = Some(whole("500 Internal Server Error", "", ""));
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!(error.code, code::UPSTREAM_DOWN);
    assert!(error.message.contains("could not be renewed"), "{}", error.message);
    issuer.ways().refresh_answer = None;
    let id = gate.new_id();
    gate.send(sdl_proto::gate::ToGate::Restart { id, key: "a".to_owned() }).await;
    gate.wait(|message| matches!(message, FromGate::Done { result: Ok(()), .. }).then_some(())).await;
    assert!(gate.call("echo", json!({ "text": "x" })).await.is_ok());
    gate.hang_up().await;
}

#[tokio::test]
async fn a_token_is_sent_to_no_other_server() {
    let (issuer, other) = (Issuer::start().await, Issuer::start().await);
    let mut gate = gate_of(&issuer).await;
    log_in(&gate, &issuer).await;
    gate.configure(json!({ "a": other.entry() })).await;
    assert_eq!(gate.call_err("echo", json!({})).await.code, code::NEEDS_LOGIN);
    assert!(!other.refused().is_empty() && other.refused().iter().all(Option::is_none));
    // The server names another issuer now. It must not get the old one's tokens.
    gate.configure(json!({ "a": issuer.entry() })).await;
    issuer.ways().issuer = Some(other.base.clone());
    issuer.ways().valid.clear();
    assert_eq!(gate.call_err("echo", json!({})).await.code, code::NEEDS_LOGIN);
    assert!(other.grants().is_empty() && issuer.grants() == ["authorization_code"]);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_renewal_follows_no_redirect() {
    let (issuer, other) = (Issuer::start().await, Issuer::start().await);
    let mut gate = gate_of(&issuer).await;
    log_in(&gate, &issuer).await;
    issuer.ways().valid.clear();
    let location = format!("Location: {}/token\r\n", other.base);
    issuer.ways().refresh_answer = Some(whole("307 Temporary Redirect", &location, ""));
    assert_eq!(gate.call_err("echo", json!({})).await.code, code::UPSTREAM_DOWN);
    assert!(other.grants().is_empty());
    gate.hang_up().await;
}

#[tokio::test]
async fn a_client_that_is_known_by_its_secret_proves_it_each_time() {
    let issuer = Issuer::start().await;
    issuer.ways().gives_secret = true;
    let mut gate = gate_of(&issuer).await;
    log_in(&gate, &issuer).await;
    issuer.ways().valid.clear();
    gate.call("echo", json!({ "text": "x" })).await.unwrap();
    for at in 0..2 {
        let (_, authorization) = issuer.grant(at);
        assert!(authorization.unwrap().starts_with("Basic "), "{at}");
    }
    let text = gate.call("echo", json!({ "text": "registered-secret" })).await.unwrap();
    assert!(text.contains("***") && !text.contains("registered"), "{text}");
    gate.hang_up().await;
}

#[tokio::test]
async fn a_client_that_was_registered_by_hand_is_used() {
    let issuer = Issuer::start().await;
    issuer.ways().registers = false;
    let gate = gate_of(&issuer).await;
    let entry = json!({ "a": issuer.entry() });
    let (event, _) = Person::begin(&gate, &entry, json!({})).end().await;
    assert!(event["message"].as_str().unwrap().contains("--client-id"), "{event}");
    let missing = json!({ "clientId": "mine", "clientSecret": "MINE" });
    let (event, _) = Person::begin(&gate, &entry, missing.clone()).end().await;
    assert!(event["message"].as_str().unwrap().contains("sdlctl cred set MINE"), "{event}");
    let secret = Secret::new("my-own-secret".to_owned());
    sdl_settings::store_credential(&gate.state_dir(), "MINE", &secret).unwrap();
    let mut more = missing;
    more["scopes"] = json!(["admin"]);
    let mut person = Person::begin(&gate, &entry, more);
    let back = issuer.visit(&person.address().await).await;
    get_page(&back).await;
    assert_eq!(person.end().await.0["event"], "done");
    assert_eq!(
        (&issuer.visited()["client_id"], &issuer.visited()["scope"]),
        (&"mine".into(), &"admin".into())
    );
    let (_, authorization) = issuer.grant(0);
    assert!(authorization.unwrap().starts_with("Basic "));
    gate.hang_up().await;
}

#[tokio::test]
async fn only_the_browser_of_this_login_ends_it() {
    let issuer = Issuer::start().await;
    let gate = gate_of(&issuer).await;
    let mut person = Person::begin(&gate, &json!({ "a": issuer.entry() }), json!({}));
    let back = issuer.visit(&person.address().await).await;
    let (page, state) = back.split_once("?code=code-1&state=").unwrap();
    let forged = get_page(&format!("{page}?code=evil&state=other")).await;
    assert!(forged.starts_with("HTTP/1.1 400") && forged.contains("another login"), "{forged}");
    let elsewhere = get_page(&page.replace("/callback", "/x")).await;
    assert!(elsewhere.starts_with("HTTP/1.1 404"), "{elsewhere}");
    let denied = get_page(&format!("{page}?error=access_denied&state={state}")).await;
    assert!(denied.starts_with("HTTP/1.1 400") && denied.contains("terminal"), "{denied}");
    let (event, _) = person.end().await;
    assert!(event["message"].as_str().unwrap().ends_with("refused the login: access_denied"), "{event}");
    assert!(issuer.grants().is_empty());
    assert!(find_login(&gate.state_dir(), "a").unwrap().is_none());
    gate.hang_up().await;
}

#[tokio::test]
async fn the_address_where_a_browser_arrived_can_be_typed() {
    let issuer = Issuer::start().await;
    let gate = gate_of(&issuer).await;
    let mut person = Person::begin(&gate, &json!({ "a": issuer.entry() }), json!({ "readsInput": true }));
    let back = issuer.visit(&person.address().await).await;
    person.input.write_all(b"http://127.0.0.1/callback?code=evil&state=other\n").await.unwrap();
    let note = person.event().await;
    assert_eq!(note["event"], "note");
    person.input.write_all(format!("\n{back}\n").as_bytes()).await.unwrap();
    assert_eq!(person.end().await.0["event"], "done");
    gate.hang_up().await;
}

#[tokio::test]
async fn what_can_have_no_login_is_said_at_once() {
    let issuer = Issuer::start().await;
    let gate = gate_of(&issuer).await;
    let mut header = issuer.entry();
    header["headers"] = json!({ "authorization": "Bearer x-1234567" });
    for (entry, wanted) in [
        (json!({ "a": { "command": "true" } }), "started as a command"),
        (json!({ "a": header }), "remove it first"),
        (json!({ "b": issuer.entry() }), "no upstream has the key"),
        (json!({ "a": { "type": "http", "url": "${SDL_TEST_NOT_SET}" } }), "SDL_TEST_NOT_SET"),
    ] {
        let (event, _) = Person::begin(&gate, &entry, json!({})).end().await;
        assert!(event["message"].as_str().unwrap().contains(wanted), "{event}");
    }
    gate.hang_up().await;
}

#[tokio::test]
async fn a_header_of_the_person_goes_before_a_login() {
    let issuer = Issuer::start().await;
    let mut gate = gate_of(&issuer).await;
    log_in(&gate, &issuer).await;
    let mut entry = issuer.entry();
    entry["headers"] = json!({ "Authorization": "Bearer by-hand-1" });
    gate.configure(json!({ "a": entry })).await;
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!(error.code, code::NEEDS_LOGIN);
    assert!(error.message.contains("header Authorization of a"), "{}", error.message);
    issuer.ways().valid.push("by-hand-1".to_owned());
    gate.call("echo", json!({ "text": "x" })).await.unwrap();
    assert_eq!(issuer.answered(), [bearer("by-hand-1")]);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_server_that_asks_to_be_left_alone_is() {
    let issuer = Issuer::start().await;
    let mut gate = gate_of(&issuer).await;
    log_in(&gate, &issuer).await;
    issuer.ways().status = Some(("429 Too Many Requests", "Retry-After: 7\r\n"));
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!((error.code.as_str(), &detail(&error)["retryAfterMs"]), (code::BUSY, &json!(7_000)));
    assert!(gate.state("failing").await.next_attempt_ms.unwrap() > 6_000);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_login_that_cannot_be_read_is_a_fault_of_the_settings() {
    let issuer = Issuer::start().await;
    let mut gate = gate_of(&issuer).await;
    log_in(&gate, &issuer).await;
    let login = find_login(&gate.state_dir(), "a").unwrap().unwrap();
    let path = gate.state_dir().join("credentials/@a.login");
    std::fs::write(&path, "{}").unwrap();
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!(error.code, code::MISCONFIGURED);
    store_login(&gate.state_dir(), "a", &login).unwrap();
    assert!(gate.call("echo", json!({ "text": "x" })).await.is_ok());
    gate.hang_up().await;
}
