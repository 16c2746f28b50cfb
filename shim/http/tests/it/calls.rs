use sdl_client::proto::{PrincipalKind, code};
use sdl_client::testing::Reply;
use serde_json::{Value, json};

use crate::{Fixture, LONG, TOKEN, client, message_of, texts_of};

/// What no serializer would write.
const RESULT: &str =
    r#"{"z":1.50, "big":1e400,"content":[{"type":"new","quote":"\"\\é\u0001\/"}],"_meta":{"a":null}}"#;

const CALL: &str =
    r#"{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"t","arguments":{"n":1.50,"a":[]}}}"#;

#[tokio::test]
async fn results_and_arguments_pass_as_they_were_written() {
    let fixture = Fixture::answering(RESULT).await;
    let id = fixture.initialize(TOKEN).await;
    let answer = fixture.in_session(&id, TOKEN, CALL).send().await.unwrap();
    assert_eq!(texts_of(answer).await, [format!(r#"{{"jsonrpc":"2.0","id":"c","result":{RESULT}}}"#)]);
    let params = r#"{"name":"t","arguments":{"n":1.50,"a":[]}}"#;
    let answer = fixture.ask(TOKEN, "tools/call", params).send().await.unwrap();
    let wanted = RESULT.strip_suffix('}').unwrap();
    assert_eq!(
        texts_of(answer).await,
        [format!(r#"{{"jsonrpc":"2.0","id":1,"result":{wanted},"resultType":"complete"}}}}"#)]
    );
    for request in fixture.daemon.heard().requests {
        let params = String::from_utf8(request.params).unwrap();
        assert!(params.contains(r#""arguments":{"n":1.50,"a":[]}"#), "{params}");
    }
}

#[tokio::test]
async fn the_daemon_is_told_whose_calls_they_are() {
    let fixture = Fixture::answering("{}").await;
    let id = fixture.initialize(TOKEN).await;
    for _ in 0..2 {
        let answer = fixture.ask(TOKEN, "tools/call", r#"{"name":"t"}"#).send().await.unwrap();
        assert!(answer.status().is_success());
        answer.text().await.unwrap();
        fixture.in_session(&id, TOKEN, CALL).send().await.unwrap().text().await.unwrap();
    }
    let heard = fixture.daemon.heard();
    assert_eq!((heard.principals.len(), heard.hellos.len()), (2, 2), "one for the session, one for the rest");
    for principal in &heard.principals {
        assert_eq!((principal.kind, principal.name.as_str()), (PrincipalKind::Token, "ci"));
        assert_eq!(principal.scopes, ["read"]);
    }
    let mut names: Vec<&str> = heard.hellos.iter().map(|hello| hello.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["tester 1", "tester 2"]);
}

#[tokio::test]
async fn progress_comes_before_its_answer() {
    let fixture = Fixture::new(&[], |request| {
        let steps = [1, 2].map(|at| json!({"progress": at, "total": 2}).to_string().into_bytes());
        if request.want_progress {
            Reply::Progress(steps.into(), Box::new(Reply::ok(r#"{"content":[]}"#)))
        } else {
            Reply::ok("{}")
        }
    })
    .await;
    let id = fixture.initialize(TOKEN).await;
    let call = CALL.replace(r#""name":"t""#, r#""name":"t","_meta":{"progressToken":"p"}"#);
    let answer = fixture.in_session(&id, TOKEN, &call).send().await.unwrap();
    let messages: Vec<Value> =
        texts_of(answer).await.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let steps: Vec<&Value> = messages.iter().map(|message| &message["params"]["progress"]).collect();
    assert_eq!(steps, [&json!(1.0), &json!(2.0), &Value::Null], "{messages:?}");
    assert_eq!(messages[2]["id"], "c");
}

#[tokio::test]
async fn a_client_that_leaves_cancels_its_call() {
    let fixture = Fixture::new(&[], |request| match request.method.as_str() {
        "tools/call" => Reply::Never,
        _ => Reply::ok("{}"),
    })
    .await;
    let call = tokio::spawn(fixture.ask(TOKEN, "tools/call", r#"{"name":"t"}"#).send());
    let seen = |fixture: &Fixture| fixture.daemon.heard();
    let waited = tokio::time::timeout(LONG, async {
        while seen(&fixture).requests.is_empty() {
            tokio::task::yield_now().await;
        }
        call.abort();
        while seen(&fixture).cancelled.is_empty() {
            tokio::task::yield_now().await;
        }
    });
    waited.await.expect("the daemon hears of it");
}

#[tokio::test]
async fn what_two_readers_could_read_differently_is_not_called() {
    let fixture = Fixture::answering("{}").await;
    let id = fixture.initialize(TOKEN).await;
    let twice = CALL.replace(r#""n":1.50"#, r#""n":1.50,"n":2"#);
    let told = message_of(fixture.in_session(&id, TOKEN, &twice).send().await.unwrap()).await;
    assert_eq!(told["result"]["structuredContent"]["code"], code::MALFORMED_JSON, "{told}");
    for (message, number) in [("[]", -32600), ("{", -32700), (r#"{"id":1,"method":"tools/call"}"#, -32602)] {
        let answer = fixture.in_session(&id, TOKEN, message).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{message}");
        let told = message_of(answer).await;
        assert_eq!(told["error"]["code"], number, "{message}: {told}");
    }
    let long = format!("{{\"x\":\"{}\"}}", "x".repeat(4 << 20));
    assert_eq!(fixture.in_session(&id, TOKEN, &long).send().await.unwrap().status(), 413);
    assert!(fixture.daemon.heard().requests.is_empty());
}

#[tokio::test]
async fn announcements_reach_the_stream_of_a_session() {
    let fixture = Fixture::answering("{}").await;
    let id = fixture.initialize(TOKEN).await;
    // The first request connects to the daemon.
    fixture.in_session(&id, TOKEN, CALL).send().await.unwrap().text().await.unwrap();
    let stream = client().get(fixture.url("/mcp")).bearer_auth(TOKEN);
    let stream = stream.header("accept", "text/event-stream").header("mcp-session-id", &id);
    let mut stream = stream.header("mcp-protocol-version", crate::STATEFUL).send().await.unwrap();
    assert_eq!(stream.status(), 200);
    fixture.daemon.notify("tools/list_changed", b"{}");
    let mut heard = String::new();
    let waited = tokio::time::timeout(LONG, async {
        while !heard.contains("notifications/tools/list_changed") {
            let piece = stream.chunk().await.unwrap().expect("the stream goes on");
            heard.push_str(&String::from_utf8_lossy(&piece));
        }
    });
    waited.await.expect("it is announced");
}
