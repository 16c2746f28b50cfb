//! Both ways to begin, and changes during a session.

use super::*;

#[tokio::test]
async fn initialize_is_answered_without_a_daemon_and_calls_say_what_is_wrong() {
    let fixture = Fixture::without_daemon();
    let mut client = fixture.client();
    let answer = client.initialize().await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answer["result"]["serverInfo"]["name"], "sdl");
    assert_eq!(answer["result"]["capabilities"]["tools"]["listChanged"], true);
    let answer = client.request(1, "tools/call", json!({"name": "sdl_query", "arguments": {}})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["structuredContent"]["code"], "unreachable");
    let message = answer["result"]["structuredContent"]["message"].as_str().unwrap();
    assert!(message.contains("/nowhere/sdld"), "{message}");
    let answer = client.request(2, "tools/list", json!({})).await;
    assert_eq!(answer["error"]["data"]["code"], "unreachable");
    assert!(client.end().await.success());
}

#[tokio::test]
async fn initialize_waits_for_no_answer_of_the_daemon() {
    let fixture = Fixture::with(|_| Reply::Never);
    let mut client = fixture.client();
    let answer = client.initialize().await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "sdl");
    assert!(client.end().await.success());
}

#[tokio::test]
async fn the_daemon_learns_who_is_there_and_what_was_wished_for() {
    let fixture = Fixture::with(|_| Reply::ok(r#"{"tools":[]}"#));
    let mut client = fixture.client_with(&["--surface", "flat", "--repo", "/some/repo", "--output-schemas"]);
    client.initialize().await;
    client.request(1, "tools/list", json!({})).await;
    let heard = fixture.daemon().heard();
    assert_eq!(heard.hellos.len(), 1);
    let hello = &heard.hellos[0];
    assert_eq!(
        (hello.name.as_str(), hello.surface.as_str(), hello.repo.as_deref()),
        ("tester 1", "flat", Some("/some/repo"))
    );
    assert!(hello.output_schemas);
    assert_eq!(hello.cwd.as_deref(), std::env::current_dir().unwrap().to_str());
    assert_eq!(heard.requests[0].params, b"{}");
}

#[tokio::test]
async fn the_stateless_revision_works_without_initialize() {
    let fixture = Fixture::with(|_| Reply::ok(r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#));
    let mut client = fixture.client();
    let found = client.request(1, "server/discover", json!({"_meta": meta()})).await;
    assert!(found["result"]["supportedVersions"].as_array().unwrap().contains(&json!(STATELESS)), "{found}");
    assert_eq!(found["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "sdl", "{found}");

    let list = client.request(2, "tools/list", json!({"_meta": meta()})).await;
    assert_eq!(list["result"]["tools"][0]["name"], "t");
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(list["result"]["cacheScope"], "private");
    assert_eq!(list["result"]["ttlMs"], 5000);

    let call = client.request(3, "tools/call", json!({"name": "t", "_meta": meta()})).await;
    assert_eq!(call["result"]["resultType"], "complete");
    assert!(call["result"]["ttlMs"].is_null());
    let bare = client.request(4, "tools/list", json!({})).await;
    assert_eq!(bare["error"]["code"], -32602, "{bare}");
    assert_eq!(fixture.daemon().heard().hellos[0].name, "tester 2");
    assert!(client.end().await.success());
}

#[tokio::test]
async fn the_initialize_era_gets_results_in_its_own_shape() {
    let fixture = Fixture::with(|_| Reply::ok(r#"{"tools":[]}"#));
    let mut client = fixture.client();
    client.initialize().await;
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    assert_eq!(client.line().await, r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#);
    let ping = client.request(2, "ping", json!({})).await;
    assert_eq!(ping["result"], json!({}));
}

#[tokio::test]
async fn changed_lists_are_announced_in_both_eras() {
    let fixture = Fixture::with(|_| Reply::ok(r#"{"tools":[]}"#));
    let mut client = fixture.client();
    client.initialize().await;
    client.request(1, "tools/list", json!({})).await;
    fixture.daemon().notify("tools/list_changed", b"");
    assert_eq!(client.receive().await["method"], "notifications/tools/list_changed");

    let mut stateless = fixture.client();
    let filter = json!({"toolsListChanged": true});
    let acknowledged =
        stateless.request(1, "subscriptions/listen", json!({"_meta": meta(), "notifications": filter})).await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    stateless.request(2, "tools/list", json!({"_meta": meta()})).await;
    fixture.daemon().notify("resources/list_changed", b"");
    fixture.daemon().notify("surface/changed", br#"{"surface":"flat"}"#);
    let told = stateless.receive().await;
    assert_eq!(told["method"], "notifications/tools/list_changed", "only what was asked for: {told}");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1, "{told}");
    // An open subscription does not keep the shim from ending with its client.
    assert!(stateless.end().await.success());
}

#[tokio::test]
async fn what_is_not_there_has_the_number_of_its_revision() {
    let fixture = Fixture::with(|request| match request.method.as_str() {
        "resources/read" => Reply::Answer(Err(sdl_client::proto::WireError::new("resourceNotFound", "none")
            .with_detail(br#"{"uri":"x:y"}"#.to_vec()))),
        _ => Reply::error("promptNotFound", "none"),
    });
    let mut client = fixture.client();
    client.initialize().await;
    let mut stateless = fixture.client();
    for (client, meta, resource) in [(&mut client, json!({}), -32002), (&mut stateless, meta(), -32602)] {
        let answer = client.request(1, "resources/read", json!({"uri": "x:y", "_meta": meta})).await;
        assert_eq!(answer["error"]["code"], resource, "{answer}");
        assert_eq!(answer["error"]["data"], json!({"code": "resourceNotFound", "uri": "x:y"}));
        let answer = client.request(2, "prompts/get", json!({"name": "x", "_meta": meta})).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[tokio::test]
async fn a_daemon_without_resources_has_none() {
    let fixture = Fixture::with(|_| Reply::error("unknownMethod", "no such method"));
    let mut client = fixture.client();
    client.initialize().await;
    assert_eq!(client.request(1, "resources/list", json!({})).await["result"]["resources"], json!([]));
    assert_eq!(client.request(2, "prompts/list", json!({})).await["result"]["prompts"], json!([]));
    assert_eq!(client.request(3, "prompts/get", json!({"name": "x"})).await["error"]["code"], -32601);
}
