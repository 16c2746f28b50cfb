//! What the page gets of the daemon.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use sdl_client::proto::Request;
use sdl_client::testing::Reply;
use serde_json::{Value, json};

use super::{LONG, World, echo};

#[tokio::test(flavor = "multi_thread")]
async fn calls_and_questions_are_passed_on_and_their_answers_back() {
    let world = World::start(echo).await;
    let arguments = r#"{"query":"ä","n":1.50,"n":2}"#;
    let body = format!(r#"{{"action":"symbol.search","arguments":{arguments}}}"#);
    let answer = world.page_request("POST /api/call", &body).await;
    assert_eq!(answer.status, 200);
    assert!(answer.body.starts_with(r#"{"result":{"call":"#), "{answer:?}");
    let sent = world.daemon().heard().requests.pop().unwrap();
    let wanted = format!(r#"{{"name":"symbol.search","arguments":{arguments}}}"#);
    assert_eq!(String::from_utf8(sent.params).unwrap(), wanted, "as they came");
    let answer = world.page_request("POST /api/ask", r#"{"method":"daemon/status"}"#).await;
    assert_eq!(answer.json(), json!({ "result": { "asked": "daemon/status" } }));
    let hello = world.daemon().heard().hellos.pop().unwrap();
    assert!(hello.name.starts_with("sdl-ui ") && hello.token.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_keep_their_code_and_an_absent_daemon_is_503() {
    let script = |request: &Request| match request.method.as_str() {
        "tools/call" => Reply::ok(
            r#"{"content":[],"structuredContent":{"code":"unknownSymbol","message":"none","candidates":[]},"isError":true}"#,
        ),
        "audit/show" => Reply::error("denied", "no"),
        _ => Reply::ok("{}"),
    };
    let mut world = World::start(script).await;
    let answer = world.page_request("POST /api/call", r#"{"action":"symbol.getCard"}"#).await;
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (200, &json!("unknownSymbol")));
    assert!(answer.json()["error"]["candidates"].is_array());
    let answer = world.page_request("POST /api/ask", r#"{"method":"audit/show"}"#).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["error"], json!({ "code": "denied", "message": "no" }));
    world.daemon.take().unwrap().stop().await;
    for (line, body) in [
        ("POST /api/call", r#"{"action":"info"}"#),
        ("POST /api/ask", r#"{"method":"daemon/status"}"#),
        ("GET /api/graph?repo=a", ""),
        ("GET /api/events", ""),
    ] {
        let answer = world.page_request(line, body).await;
        assert_eq!(answer.status, 503, "{line}: {answer:?}");
        assert!(answer.json()["error"]["message"].is_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graph_is_gathered_from_pages_of_one_version() {
    let begun = std::sync::atomic::AtomicUsize::new(0);
    let script = move |request: &Request| {
        if request.method != "export/graph" {
            return Reply::ok("{}");
        }
        let asked: Value = serde_json::from_slice(&request.params).unwrap();
        if asked["repo"] == "my app" {
            return Reply::error("unknownRepo", "no repository is my app");
        }
        let nodes = |id: &str| json!({"id": [id], "name": [id], "kind": ["function"], "file": [0], "line": [3], "cluster": ["x"]});
        let page = |version: &str, file: &str, next: Option<&str>, id: &str, to: &str| {
            let edges = json!({"from": [id], "to": [to], "kind": ["call"]});
            json!({"repo": "app", "version": version, "next": next, "files": [file], "nodes": nodes(id), "edges": edges})
        };
        let first = begun.load(std::sync::atomic::Ordering::SeqCst) == 0;
        match asked["after"].as_str() {
            None if first => Reply::ok(page("v1", "a", Some("a"), "s_old", "s_2").to_string()),
            None => Reply::ok(page("v2", "a", Some("a"), "s_1", "s_2").to_string()),
            Some(_) if first => {
                begun.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                Reply::error("conflict", "the tree changed")
            }
            Some(_) => Reply::ok(page("v2", "b", None, "s_2", "s_gone").to_string()),
        }
    };
    let world = World::start(script).await;
    let answer = world.page_request("GET /api/graph?repo=app", "").await;
    let wanted = json!({
        "version": "v2",
        "nodes": {"id": ["s_1", "s_2"], "name": ["s_1", "s_2"], "kind": ["function", "function"], "file": [0, 1],
            "line": [3, 3], "cluster": ["x", "x"]},
        "files": ["a", "b"],
        "edges": {"from": [0], "to": [1], "kind": ["call"]}
    });
    assert_eq!((answer.status, answer.json()), (200, wanted));
    let answer = world.page_request("GET /api/graph?repo=my%20app", "").await;
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (200, &json!("unknownRepo")));
}

/// Reads the stream until an event of this kind; its data.
fn event_of(lines: &mut impl Iterator<Item = String>, kind: &str) -> Value {
    let wanted = format!("event: {kind}");
    let mut lines = lines.skip_while(|line| *line != wanted);
    assert!(lines.next().is_some(), "the stream ended before {kind}");
    let data = lines.next().unwrap();
    serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn events_reach_the_page_and_the_stream_ends_with_the_daemon() {
    let mut world = World::start(echo).await;
    let (address, token) = (world.address, world.token.clone());
    let lines = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        write!(
            stream,
            "GET /api/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
        .unwrap();
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let head: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        assert!(head[0].contains(" 200 "), "{head:?}");
        assert!(
            head.iter().any(|line| line.eq_ignore_ascii_case("content-type: text/event-stream")),
            "{head:?}"
        );
        assert!(head.iter().any(|line| line.eq_ignore_ascii_case("cache-control: no-store")), "{head:?}");
        let status = event_of(&mut lines, "status");
        assert_eq!(status, json!({ "asked": "daemon/status" }));
        lines
    });
    let mut lines = lines.await.unwrap();
    let sent =
        world.daemon().heard().requests.into_iter().find(|request| request.method == "feed/follow").unwrap();
    assert_eq!(String::from_utf8(sent.params).unwrap(), r#"{"calls":true,"recent":50}"#);
    for (method, params) in [
        ("feed/version", r#"{"repo":"app","version":"v2"}"#),
        ("feed/call", r#"{"action":"info"}"#),
        ("surface/changed", "{}"),
        ("feed/lost", r#"{"count":3}"#),
        ("feed/status", r#"{"repo":"app","state":"live"}"#),
    ] {
        world.daemon().notify(method, params.as_bytes());
    }
    let daemon = world.daemon.take().unwrap();
    tokio::task::spawn_blocking(move || {
        assert_eq!(event_of(&mut lines, "version"), json!({ "repo": "app", "version": "v2" }));
        assert_eq!(event_of(&mut lines, "call"), json!({ "action": "info" }));
        assert_eq!(event_of(&mut lines, "lost"), json!({ "count": 3 }));
        // States without a change may come before.
        let changed = std::iter::from_fn(|| Some(event_of(&mut lines, "status")))
            .find_map(|status| status.get("change").cloned());
        assert_eq!(changed, Some(json!({ "repo": "app", "state": "live" })));
        tokio::runtime::Handle::current().block_on(daemon.stop());
        assert!(lines.find(|line| line == "0").is_some() || lines.next().is_none(), "it ends");
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_bounded() {
    let world = World::start(echo).await;
    let mut held = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(world.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let (host, token) = (world.address, &world.token);
        write!(stream, "GET /api/events HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n")
            .unwrap();
        let mut lines = BufReader::new(stream);
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        assert!(first.contains(" 200 "), "{first}");
        held.push(lines);
    }
    let refused = world.page_request("GET /api/events", "").await;
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (429, &json!("busy")));
    assert_eq!(world.page_request("POST /api/call", r#"{"action":"info"}"#).await.status, 200);
}
