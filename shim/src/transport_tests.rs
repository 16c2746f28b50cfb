use rmcp::model::{ClientNotification, ClientRequest};
use tokio::io::duplex;

use super::*;

fn read_incoming(line: &str, started: bool) -> Incoming {
    let mut started = started;
    read_line(line.as_bytes(), &mut started)
}

fn read_request(line: &str) -> (ClientRequest, RawParams) {
    match read_incoming(line, false) {
        Incoming::Message(message) => match *message {
            JsonRpcMessage::Request(request) => {
                let raw = request.request.extensions().get::<RawParams>().cloned().expect("raw parameters");
                (request.request, raw)
            }
            other => panic!("{line}: {other:?}"),
        },
        Incoming::Reply(reply) => panic!("{line}: {}", String::from_utf8_lossy(&reply)),
        Incoming::Nothing => panic!("{line}: nothing"),
    }
}

fn expect_reply(line: &str) -> String {
    match read_incoming(line, true) {
        Incoming::Reply(reply) => String::from_utf8(reply).unwrap(),
        _ => panic!("{line} was not replied to"),
    }
}

#[test]
fn parameters_are_kept_as_they_were_written() {
    let params = r#"{ "name":"t","arguments":{"z":1e400,"a":123456789012345678901234567890,"e":"\u0041"},"_meta":{"progressToken":7} }"#;
    let (request, raw) =
        read_request(&format!(r#"{{"jsonrpc":"2.0","params":{params},"id":"x","method":"tools/call"}}"#));
    assert_eq!(&*raw.json, params);
    assert!(raw.ambiguous.is_none());
    let ClientRequest::CallToolRequest(call) = request else { panic!("{request:?}") };
    assert_eq!(call.params.name, "t");
    assert!(call.params.arguments.is_none(), "rmcp does not get to see them");
}

#[test]
fn ambiguous_calls_are_marked() {
    for params in [
        r#"{"name":"t","arguments":{"a":1,"a":2}}"#,
        r#"{"name":"t","arguments":{"a":"\udfff"}}"#,
        r#"{"name":"t","arguments":{},"arguments":{}}"#,
    ] {
        let (_, raw) =
            read_request(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#));
        assert!(raw.ambiguous.is_some(), "{params}");
    }
}

#[test]
fn requests_without_parameters_have_empty_ones() {
    let (request, raw) = read_request(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert!(matches!(request, ClientRequest::ListToolsRequest(_)));
    assert_eq!(&*raw.json, "{}");
}

#[test]
fn what_makes_no_sense_is_replied_to_if_it_names_somebody() {
    for (line, expected) in [
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"arguments":{}}}"#,
            r#""id":5,"error":{"code":-32602"#,
        ),
        (r#"{"jsonrpc":"2.0","id":"a\"b","method":"tools/call"}"#, r#""id":"a\"b","error":{"code":-32602"#),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "batches are not supported"),
        (r#"{"jsonrpc":"2.0","id":{"x":1},"method":"ping"}"#, r#"{"jsonrpc":"2.0","error""#),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "-32600"),
    ] {
        let reply = expect_reply(line);
        assert!(reply.contains(expected), "{line}: {reply}");
        assert!(
            reply.ends_with("}}\n") && serde_json::from_str::<serde_json::Value>(&reply).is_ok(),
            "{reply}"
        );
    }
    for line in ["", "   ", "\u{feff}"] {
        assert!(matches!(read_incoming(line, true), Incoming::Nothing), "{line}");
    }
    for line in ["hello", "{", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/other\""] {
        let reply = expect_reply(line);
        assert!(reply.contains("-32700"), "{line}: {reply}");
    }
    let Incoming::Reply(reply) = read_line(&[0xff, 0xfe], &mut true) else { panic!("no reply") };
    assert!(String::from_utf8(reply).unwrap().contains("-32700"));
}

#[test]
fn notifications_before_the_first_request_mean_nothing() {
    let line = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert!(matches!(read_incoming(line, false), Incoming::Nothing));
    let Incoming::Message(message) = read_incoming(line, true) else { panic!() };
    let JsonRpcMessage::Notification(notification) = *message else { panic!() };
    assert!(matches!(notification.notification, ClientNotification::InitializedNotification(_)));
}

#[tokio::test]
async fn lines_come_out_whole_however_they_arrive_and_long_ones_are_skipped() {
    let (input, mut client) = duplex(1 << 20);
    let (output, mut replies) = duplex(1 << 20);
    let (mut stdio, writer) = Stdio::new(Box::new(input), Box::new(output), Closing::new());
    let ping = |id: u32| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\r\n");
    let sending = tokio::spawn(async move {
        for byte in ping(1).bytes() {
            client.write_all(&[byte]).await.unwrap();
        }
        client.write_all(format!("\n{}{}", ping(2), ping(3)).as_bytes()).await.unwrap();
        let long = vec![b'x'; MAX_LINE / 8];
        client.write_all(br#"{"jsonrpc":"2.0","id":"long","params":""#).await.unwrap();
        for _ in 0..9 {
            client.write_all(&long).await.unwrap();
        }
        client.write_all(b"\n").await.unwrap();
        client.write_all(ping(4).as_bytes()).await.unwrap();
        client.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":9").await.unwrap();
    });
    for expected in 1..=4 {
        let Some(JsonRpcMessage::Request(request)) = stdio.receive().await else { panic!("{expected}") };
        assert_eq!(request.id.to_string(), expected.to_string());
    }
    assert!(stdio.receive().await.is_none(), "a line without an end is none");
    sending.await.unwrap();
    stdio.close().await.unwrap();
    writer.await.unwrap();
    let mut all = String::new();
    replies.read_to_string(&mut all).await.unwrap();
    assert!(all.contains("longer than") && all.contains(r#""id":"long""#), "{all}");
    assert_eq!(all.lines().count(), 1, "{all}");
    assert!(stdio.buffer.capacity() <= KEEP_CAPACITY * 2);
}

/// A transport with little room, and its client's two ends.
fn narrow_transport(most: usize) -> (Stdio, InFlight, tokio::io::DuplexStream, tokio::io::DuplexStream) {
    let (input, asks) = duplex(1 << 20);
    let (output, answers) = duplex(1 << 20);
    let in_flight = InFlight::new(most, 64);
    let (stdio, _) = Stdio::with_room(Box::new(input), Box::new(output), Closing::new(), in_flight.clone());
    (stdio, in_flight, asks, answers)
}

fn ping_line(id: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n")
}

async fn receive_request(stdio: &mut Stdio) -> RequestId {
    match stdio.receive().await {
        Some(JsonRpcMessage::Request(request)) => request.id,
        other => panic!("{other:?}"),
    }
}

/// Nothing comes however often one looks.
fn nothing_comes(stdio: &mut Stdio) {
    let mut receiving = std::pin::pin!(stdio.receive());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(std::future::Future::poll(receiving.as_mut(), &mut context).is_pending());
}

async fn send_answer(stdio: &mut Stdio, id: RequestId) {
    stdio.send(JsonRpcMessage::error(rmcp::ErrorData::internal_error("no", None), Some(id))).await.unwrap();
}

#[tokio::test]
async fn a_client_that_does_not_read_is_not_read_from() {
    let (mut stdio, in_flight, mut asks, mut answers) = narrow_transport(2);
    for id in 1..=4 {
        asks.write_all(ping_line(&id.to_string()).as_bytes()).await.unwrap();
    }
    let first = receive_request(&mut stdio).await;
    let second = receive_request(&mut stdio).await;
    nothing_comes(&mut stdio);
    assert_eq!(in_flight.len(), 2);
    send_answer(&mut stdio, first).await;
    let third = receive_request(&mut stdio).await;
    assert_eq!(third.to_string(), "3");
    // Who cancels has no answer to read.
    nothing_comes(&mut stdio);
    send_answer(&mut stdio, second).await;
    assert_eq!(receive_request(&mut stdio).await.to_string(), "4");
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#;
    asks.write_all(format!("{cancel}\n{}", ping_line("5")).as_bytes()).await.unwrap();
    assert!(matches!(stdio.receive().await, Some(JsonRpcMessage::Notification(_))));
    assert_eq!(receive_request(&mut stdio).await.to_string(), "5");
    let mut line = vec![0; 64];
    assert!(answers.read(&mut line).await.unwrap() > 0);
}

#[tokio::test]
async fn a_request_larger_than_the_room_waits_for_all_of_it() {
    let (mut stdio, _, mut asks, _answers) = narrow_transport(8);
    let padding = " ".repeat(100 << 10);
    asks.write_all(ping_line("1").as_bytes()).await.unwrap();
    asks.write_all(ping_line("2").replace("\"ping\"", &format!("{padding}\"ping\"")).as_bytes())
        .await
        .unwrap();
    let first = receive_request(&mut stdio).await;
    for _ in 0..64 {
        nothing_comes(&mut stdio);
    }
    send_answer(&mut stdio, first).await;
    assert_eq!(receive_request(&mut stdio).await.to_string(), "2");
}

#[tokio::test]
async fn each_of_three_requests_of_one_id_is_answered() {
    let (mut stdio, _, mut asks, mut answers) = narrow_transport(8);
    asks.write_all(format!("{0}{0}{0}{1}", ping_line("\"a\""), ping_line("2")).as_bytes()).await.unwrap();
    let first = receive_request(&mut stdio).await;
    assert_eq!(receive_request(&mut stdio).await.to_string(), "2", "the other two are answered already");
    send_answer(&mut stdio, first.clone()).await;
    assert_eq!(first, RequestId::String("a".into()));
    drop(stdio);
    let mut all = String::new();
    answers.read_to_string(&mut all).await.unwrap();
    let refused = all.lines().filter(|line| line.contains(r#""id":"a""#) && line.contains("taken")).count();
    assert_eq!((all.lines().count(), refused), (3, 2), "{all}");
}
