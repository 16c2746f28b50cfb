//! Upstreams over HTTP.

use std::sync::{Arc, Mutex};

use sdl_proto::code;
use sdl_proto::gate::FromGate;
use sdl_settings::Secret;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::harness::{Gate, detail};
use crate::listen::{CUT, NEVER, listen, whole};

/// A request that came: its first line and headers, and its body.
type Seen = Arc<Mutex<Vec<(String, String)>>>;

/// A server that answers calls as the name of the called tool says.
struct Web {
    url: String,
    seen: Seen,
}

impl Web {
    /// `is_streaming` makes every answer an event. `elsewhere` is where redirects lead.
    async fn start(is_streaming: bool, elsewhere: &str) -> Self {
        let seen = Seen::default();
        let (for_task, elsewhere) = (Arc::clone(&seen), elsewhere.to_owned());
        let address = listen(move |head, body| {
            for_task.lock().unwrap().push((head.to_owned(), body.to_owned()));
            respond(head, body, is_streaming, &elsewhere)
        });
        let url = format!("http://{}/mcp", address.await);
        Self { url, seen }
    }

    fn entry(&self, headers: Value) -> Value {
        json!({ "type": "http", "url": self.url, "headers": headers })
    }

    /// The heads of the requests whose body contains `what`.
    fn heads(&self, what: &str) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|(_, body)| body.contains(what)).map(|(head, _)| head.clone()).collect()
    }
}

fn respond(head: &str, body: &str, is_streaming: bool, elsewhere: &str) -> String {
    if !head.starts_with("POST") {
        return whole("405 Method Not Allowed", "", "");
    }
    let message: Value = serde_json::from_str(body).unwrap();
    let (id, params) = (&message["id"], &message["params"]);
    let result = match message["method"].as_str().unwrap_or_default() {
        "server/discover" => return whole("400 Bad Request", "", "what?"),
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": { "name": "web", "version": "1" },
        })
        .to_string(),
        "tools/list" => r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#.to_owned(),
        "tools/call" => {
            let text = params["arguments"]["text"].as_str().unwrap_or_default();
            match params["name"].as_str().unwrap() {
                "raw" => text.to_owned(),
                "long" => format!(r#"{{"content":"{}"}}"#, "x".repeat(17 << 20)),
                "redirect" => return whole("307 Temporary Redirect", &format!("Location: {elsewhere}\r\n"), ""),
                "status" => {
                    let headers = "Retry-After: 7\r\nWWW-Authenticate: Bearer scope=\"a b\"\r\n";
                    return whole(text, headers, "");
                }
                // Of the same length, because the text states it.
                "whole" => return text.replace("ID", &format!("{:>2}", id.to_string())),
                "progress" => {
                    let token = &params["_meta"]["progressToken"];
                    let params = json!({ "progressToken": token, "progress": 1 });
                    let progress = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
                    let body = format!("data: {progress}\n\ndata: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n\n");
                    return whole("200 OK", "Content-Type: text/event-stream\r\n", &body);
                }
                _ => json!({ "content": [] }).to_string(),
            }
        }
        _ => return whole("202 Accepted", "", ""),
    };
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    if is_streaming {
        whole("200 OK", "Content-Type: text/event-stream\r\n", &format!("event: message\ndata: {answer}\n\n"))
    } else {
        whole("200 OK", "Content-Type: application/json\r\n", &answer)
    }
}

#[tokio::test]
async fn results_over_http_are_the_text_that_they_were() {
    for is_streaming in [false, true] {
        let web = Web::start(is_streaming, "").await;
        let mut gate = Gate::start().await;
        gate.configure(json!({ "a": web.entry(json!({})) })).await;
        let lists = gate.read_lists().await.unwrap();
        assert_eq!((lists.tools.len(), lists.era.as_str()), (1, "2025-11-25"));
        let text = r#"{ "b" : 1.50e+3, "a" : 12345678901234567890, "content":[{"type":"hologram"}] }"#;
        assert_eq!(gate.call("raw", json!({ "text": text })).await.unwrap(), text, "{is_streaming}");
        let error = gate.call_err("raw", json!({ "text": "7" })).await;
        assert_eq!(error.code, code::UPSTREAM_PROTOCOL);
        let error = gate.call_err("long", json!({})).await;
        assert_eq!(error.code, code::RESULT_TOO_LARGE, "{is_streaming}");
        assert!(gate.call("progress", json!({})).await.is_ok());
        assert_eq!(gate.count_seen(|message| matches!(message, FromGate::Progress { .. })), 1);
        gate.hang_up().await;
    }
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let web = Web::start(false, "").await;
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": web.entry(json!({})) })).await;
    for (status, code) in [
        ("401 Unauthorized", code::NEEDS_LOGIN),
        ("403 Forbidden", code::UPSTREAM_DENIED),
        ("429 Too Many Requests", code::BUSY),
        ("503 Service Unavailable", code::UPSTREAM_DOWN),
        ("418 Teapot", code::UPSTREAM_PROTOCOL),
    ] {
        let error = gate.call_err("status", json!({ "text": status })).await;
        assert_eq!(error.code, code, "{status}");
        assert_eq!(detail(&error)["retryAfterMs"], 7_000);
        match code {
            code::NEEDS_LOGIN => assert!(error.message.contains("sdlctl upstream login a")),
            code::UPSTREAM_DENIED => {
                assert_eq!(detail(&error)["scope"], "a b");
                assert!(error.message.contains("sdlctl upstream login a --scope"), "{}", error.message);
            }
            _ => {}
        }
    }
    assert!(gate.call("echo", json!({})).await.is_ok());
    gate.hang_up().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_down() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": { "type": "http", "url": url } })).await;
    let error = gate.call_err("echo", json!({})).await;
    assert_eq!(error.code, code::UPSTREAM_DOWN);
    assert!(error.message.contains("cannot be reached"), "{}", error.message);
    gate.state("failing").await;
    gate.hang_up().await;
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_not_followed() {
    let other = Web::start(false, "").await;
    let web = Web::start(false, &other.url).await;
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": web.entry(json!({ "Authorization": "Bearer x-1234567" })) })).await;
    let error = gate.call_err("redirect", json!({})).await;
    assert_eq!(error.code, code::UPSTREAM_PROTOCOL);
    assert!(error.message.contains("another origin"), "{}", error.message);
    assert!(other.seen.lock().unwrap().is_empty());
    gate.hang_up().await;
}

#[tokio::test]
async fn headers_are_looked_up_for_each_request() {
    let web = Web::start(false, "").await;
    let mut gate = Gate::start().await;
    let store = |gate: &Gate, value: &str| {
        let secret = Secret::new(value.to_owned());
        sdl_settings::store_credential(&gate.state_dir(), "TOKEN", &secret).unwrap();
    };
    store(&gate, "first-token");
    gate.configure(json!({ "a": web.entry(json!({ "Authorization": "Bearer ${TOKEN}" })) })).await;
    gate.call("echo", json!({ "at": 1 })).await.unwrap();
    store(&gate, "second-token");
    gate.call("echo", json!({ "at": 2 })).await.unwrap();
    let heads = web.heads("tools/call");
    assert!(heads[0].contains("Bearer first-token") && heads[1].contains("Bearer second-token"), "{heads:?}");
    let text = r#"{"said":"first-token second-token"}"#;
    assert_eq!(gate.call("raw", json!({ "text": text })).await.unwrap(), r#"{"said":"*** ***"}"#);
    gate.hang_up().await;
}

fn json_page(body: &str) -> String {
    whole("200 OK", "Content-Type: application/json\r\n", body)
}

fn event_page(body: &str) -> String {
    whole("200 OK", "Content-Type: text/event-stream\r\n", body)
}

#[tokio::test]
async fn an_answer_that_is_none_is_told_at_once_and_the_next_call_works() {
    let web = Web::start(false, "").await;
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": web.entry(json!({})) })).await;
    let other = r#"{"jsonrpc":"2.0","id":77,"result":{"content":[]}}"#;
    let cut = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{\"jsonrpc\":";
    for (response, code) in [
        (format!("{cut}{CUT}"), code::OUTCOME_UNKNOWN),
        (CUT.to_owned(), code::OUTCOME_UNKNOWN),
        (json_page("no JSON"), code::UPSTREAM_PROTOCOL),
        (json_page(r#"{"jsonrpc":"2.0","id":ID,"result":[]}"#), code::UPSTREAM_PROTOCOL),
        (
            json_page(r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"no"}}"#),
            code::UPSTREAM_PROTOCOL,
        ),
        (json_page(other), code::UPSTREAM_PROTOCOL),
        (json_page(""), code::UPSTREAM_PROTOCOL),
        (event_page(""), code::OUTCOME_UNKNOWN),
        (event_page(&format!("data: {other}\n\n")), code::OUTCOME_UNKNOWN),
        (event_page("data: no JSON\n\n"), code::OUTCOME_UNKNOWN),
        (whole("200 OK", "Content-Type: text/html\r\n", "<p>"), code::UPSTREAM_PROTOCOL),
    ] {
        let error = gate.call_err("whole", json!({ "text": response })).await;
        assert_eq!(error.code, code, "{response}: {}", error.message);
        assert!(gate.call("echo", json!({})).await.is_ok(), "{response}");
    }
    gate.hang_up().await;
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up_in_time() {
    let web = Web::start(false, "").await;
    let (mut gate, hands) = Gate::with_clock().await;
    gate.configure(json!({ "a": web.entry(json!({})) })).await;
    gate.call("echo", json!({})).await.unwrap();
    let hanging = gate.begin("whole", json!({ "text": NEVER })).await;
    let is_there = async {
        while web.heads("whole").is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(15), is_there).await.unwrap();
    hands.advance(std::time::Duration::from_secs(61));
    assert_eq!(gate.answer(hanging).await.unwrap_err().code, code::UPSTREAM_TIMEOUT);
    assert!(gate.call("echo", json!({})).await.is_ok());
    gate.hang_up().await;
}
