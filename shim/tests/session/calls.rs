//! Tool calls, and the ways in which they can go wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[tokio::test]
async fn arguments_and_results_pass_as_the_bytes_they_are() {
    let result =
        r#"{"structuredContent":{"n":1.10,"big":123456789012345678901234567890,"z":1,"a":2},"content":[]}"#;
    let fixture = Fixture::with(move |_| Reply::ok(result));
    let mut client = fixture.client();
    client.initialize().await;
    let params = r#"{"name":"sdl_query","arguments":{"b":1e400,"a":18446744073709551616,"text":"\u00e9\ud83d\ude00"}}"#;
    client.send(&format!(r#"{{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{params}}}"#)).await;
    assert_eq!(client.line().await, format!(r#"{{"jsonrpc":"2.0","id":"q","result":{result}}}"#));
    let heard = fixture.daemon().heard();
    assert_eq!(String::from_utf8_lossy(&heard.requests[0].params), params);
    assert_eq!(heard.requests[0].method, "tools/call");
}

#[tokio::test]
async fn ambiguous_arguments_never_reach_the_daemon() {
    let fixture = Fixture::with(|_| Reply::ok("{}"));
    let mut client = fixture.client();
    client.initialize().await;
    for (id, arguments) in
        [r#"{"a":1,"a":2}"#, r#"{"x":[{"k":0,"\u006b":1}]}"#, r#"{"s":"\ud800"}"#].iter().enumerate()
    {
        client
            .send(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t","arguments":{arguments}}}}}"#
            ))
            .await;
        let answer = client.receive().await;
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(answer["result"]["structuredContent"]["code"], "malformedJson");
    }
    assert!(fixture.daemon().heard().requests.is_empty());
}

#[tokio::test]
async fn what_is_no_result_of_a_tool_is_an_error_for_the_newest_revision_alone() {
    let fixture = Fixture::with(|_| {
        let error = sdl_client::proto::WireError::new("missingCapability", "it needs sampling")
            .with_detail(br#"{"requiredCapabilities":{"sampling":{}}}"#.to_vec());
        Reply::Answer(Err(error))
    });
    let mut client = fixture.client();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = client.request(1, "tools/call", json!({"name": "t", "_meta": meta})).await;
    assert_eq!(answer["error"]["code"], -32_021, "{answer}");
    assert_eq!(answer["error"]["data"]["requiredCapabilities"], json!({"sampling": {}}));
    let mut client = fixture.client();
    client.initialize().await;
    let answer = client.request(1, "tools/call", json!({"name": "t"})).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["code"], "missingCapability");
}

#[tokio::test]
async fn a_daemons_error_is_a_tools_result_with_its_details() {
    let fixture = Fixture::with(|_| {
        let error = sdl_client::proto::WireError::new("unknownSymbol", "no such symbol")
            .with_detail(br#"{"nextBestAction":{"action":"symbol.search"}}"#.to_vec());
        Reply::Answer(Err(error))
    });
    let mut client = fixture.client();
    client.initialize().await;
    let answer = client.request(1, "tools/call", json!({"name": "t"})).await;
    let expected = json!({
        "code": "unknownSymbol", "message": "no such symbol", "nextBestAction": {"action": "symbol.search"},
    });
    assert_eq!(answer["result"]["structuredContent"], expected);
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["content"][0]["text"], "unknownSymbol: no such symbol");
    // Elsewhere it is an error of the protocol.
    let answer = client.request(2, "resources/read", json!({"uri": "x:y"})).await;
    assert_eq!(answer["error"]["message"], "no such symbol");
    let expected = json!({"code": "unknownSymbol", "nextBestAction": {"action": "symbol.search"}});
    assert_eq!(answer["error"]["data"], expected);
}

#[tokio::test]
async fn progress_comes_before_the_answer() {
    let fixture = Fixture::with(|request| {
        assert!(request.want_progress);
        let steps =
            (1..=3).map(|step| format!(r#"{{"progress":{step},"total":3,"message":"step {step}"}}"#).into());
        Reply::Progress(steps.collect(), Box::new(Reply::ok(r#"{"content":[]}"#)))
    });
    let mut client = fixture.client();
    client.initialize().await;
    let mut seen =
        client.request(1, "tools/call", json!({"name": "t", "_meta": {"progressToken": "p1"}})).await;
    for step in 1..=3 {
        assert_eq!(seen["method"], "notifications/progress", "{seen}");
        assert_eq!(seen["params"]["progressToken"], "p1");
        assert_eq!(seen["params"]["progress"].as_f64(), Some(f64::from(step)), "{seen}");
        assert_eq!(seen["params"]["message"], format!("step {step}"));
        seen = client.receive().await;
    }
    assert_eq!(seen["id"], 1);
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_in_the_daemon() {
    let fixture = Fixture::with(|request| match request.method.as_str() {
        "tools/call" => Reply::Never,
        _ => Reply::ok(r#"{"tools":[]}"#),
    });
    let mut client = fixture.client();
    client.initialize().await;
    client.send(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}"#).await;
    while fixture.daemon().heard().requests.is_empty() {
        tokio::task::yield_now().await;
    }
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#).await;
    while fixture.daemon().heard().cancelled.is_empty() {
        tokio::task::yield_now().await;
    }
    let heard = fixture.daemon().heard();
    assert_eq!(heard.cancelled, [heard.requests[0].id]);
    assert_eq!(client.request(8, "tools/list", json!({})).await["id"], 8, "and it is not answered");
}

#[tokio::test]
async fn many_calls_are_under_way_at_once() {
    let fixture = Fixture::with(|request| Reply::ok(request.params.clone()));
    let mut client = fixture.client();
    client.initialize().await;
    for id in 0..500 {
        let call =
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "t", "id": id}});
        client.send(&call.to_string()).await;
    }
    let mut seen = vec![false; 500];
    for _ in 0..500 {
        let answer = client.receive().await;
        assert_eq!(answer["id"], answer["result"]["id"]);
        seen[answer["id"].as_u64().unwrap() as usize] = true;
    }
    assert!(seen.into_iter().all(|seen| seen));
}

/// A daemon that loses the connection under the first call, and knows which tool only reads.
fn forgetful(calls: &Arc<AtomicUsize>) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    let calls = Arc::clone(calls);
    move |request| match request.method.as_str() {
        "tools/call" if calls.fetch_add(1, Ordering::SeqCst) == 0 => Reply::HangUp,
        "tools/traits" => {
            let params: Value = serde_json::from_slice(&request.params).unwrap();
            Reply::ok(json!({"readOnly": params["name"] == "sdl_query"}).to_string())
        }
        _ => Reply::ok(r#"{"content":[]}"#),
    }
}

#[tokio::test]
async fn a_read_survives_a_lost_connection_and_a_mutation_is_not_repeated() {
    let calls = Arc::new(AtomicUsize::new(0));
    let fixture = Fixture::with(forgetful(&calls));
    let mut client = fixture.client();
    client.initialize().await;
    let answer = client.request(1, "tools/call", json!({"name": "sdl_query"})).await;
    assert_eq!(answer["result"], json!({"content": []}));
    assert_eq!(calls.load(Ordering::SeqCst), 2);

    let calls = Arc::new(AtomicUsize::new(0));
    let fixture = Fixture::with(forgetful(&calls));
    let mut client = fixture.client();
    client.initialize().await;
    let answer = client.request(1, "tools/call", json!({"name": "sdl_agent"})).await;
    assert_eq!(answer["result"]["structuredContent"]["code"], "outcomeUnknown");
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    let answer = client.request(2, "tools/call", json!({"name": "sdl_agent"})).await;
    assert_eq!(answer["result"], json!({"content": []}), "the session goes on");
}

#[tokio::test]
async fn the_session_goes_on_with_the_next_daemon() {
    let mut fixture = Fixture::with(|_| Reply::ok(r#"{"content":[],"from":1}"#));
    let mut client = fixture.client();
    client.initialize().await;
    assert_eq!(client.request(1, "tools/call", json!({"name": "t"})).await["result"]["from"], 1);
    fixture.daemon.take().unwrap().stop().await;
    let next =
        FakeDaemon::start(fixture.paths.socket(), "99.0.0", |_| Reply::ok(r#"{"content":[],"from":2}"#));
    fixture.daemon = Some(next.unwrap());
    client.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}"#).await;
    let mut answered = false;
    let mut announced = false;
    while !(answered && announced) {
        let message = client.receive().await;
        if message["id"] == 2 {
            assert_eq!(message["result"]["from"], 2);
            answered = true;
        } else {
            announced |= message["method"] == "notifications/tools/list_changed";
        }
    }
}
