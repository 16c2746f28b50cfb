//! Calls, and everything that can be done with them.

use sdl_client::proto::{FrameDecoder, Payload, Request, ServerMessage, decode_server};
use sdl_client::{CallOptions, ClientError, Event};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;

use super::*;

fn read_options() -> CallOptions {
    CallOptions::read().deadline(LONG)
}

fn wire_error(error: ClientError) -> WireError {
    match error {
        ClientError::Answer(error) => error,
        other => panic!("not an answer: {other}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_come_back_as_they_went() {
    let fixture = Fixture::start(test_options()).await;
    let client = fixture.client().await;
    for params in [Vec::new(), b"{\"a\":1,\"a\":2}".to_vec(), vec![0xff; 3 << 20]] {
        assert_eq!(client.call("echo", params.clone(), read_options()).await.unwrap(), params);
    }
    let error = wire_error(client.call("nonsense", vec![], read_options()).await.unwrap_err());
    assert_eq!(error.code, code::UNKNOWN_METHOD);
    let sessions = fixture.handle.sessions();
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0].requests(), 4);
    drop(client);
    let service = fixture.stop().await;
    assert_eq!(service.closed.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_requests_are_in_flight_and_few_run() {
    let fixture = Fixture::start(Options { max_running: 8, ..test_options() }).await;
    let client = fixture.client().await;
    let mut waiting = Vec::new();
    for number in 0..1000_u32 {
        waiting.push(client.start("wait", number.to_le_bytes(), read_options()).await.unwrap());
    }
    fixture.service.begun(8).await;
    fixture.service.gate.add_permits(1000);
    for (number, running) in waiting.into_iter().enumerate() {
        assert_eq!(running.finish().await.unwrap(), (number as u32).to_le_bytes());
    }
    assert_eq!(fixture.service.most_running.load(Ordering::SeqCst), 8);
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_greedy_client_is_slowed_down_and_still_served() {
    let limits = Options { max_running: 2, max_pending: 4, max_pending_bytes: 8 << 10, ..test_options() };
    let fixture = Fixture::start(limits).await;
    let client = fixture.client().await;
    let calls = (0..200).map(|_| {
        let client = client.clone();
        tokio::spawn(async move { client.call("echo", vec![7; 5000], read_options()).await })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap().unwrap().len(), 5000);
    }
    // One that is larger than all the room there is gets through as well.
    assert_eq!(client.call("echo", vec![7; 100_000], read_options()).await.unwrap().len(), 100_000);
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_call_stops_its_handler_and_nothing_else() {
    let fixture = Fixture::start(test_options()).await;
    let client = fixture.client().await;
    let dropped = client.start("wait", vec![], read_options()).await.unwrap();
    let kept = client.start("wait", vec![1], read_options()).await.unwrap();
    fixture.service.begun(2).await;
    drop(dropped);
    // The answer to a later request shows that the cancellation was read.
    client.call("echo", vec![], read_options()).await.unwrap();
    fixture.service.gate.add_permits(1);
    assert_eq!(kept.finish().await.unwrap(), [1]);
    while fixture.service.cancelled.load(Ordering::SeqCst) != 1 {
        tokio::task::yield_now().await;
    }
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_waits_for_its_turn_can_be_cancelled_too() {
    let fixture = Fixture::start(Options { max_running: 1, ..test_options() }).await;
    let mut stream = raw_connection(&fixture.socket()).await;
    let mut bytes = polite_opening();
    for id in [1, 2] {
        let (method, params) = ("wait".to_owned(), vec![id as u8]);
        let request = Request { id, method, params, deadline_ms: None, want_progress: false };
        bytes.extend(frame_message(&ClientMessage::Request(request)));
    }
    bytes.extend(frame_message(&ClientMessage::Cancel { id: 2 }));
    stream.write_all(&bytes).await.unwrap();

    let mut decoder = FrameDecoder::new(MAX_FRAME);
    let mut first = vec![0; Handshake::ours().encode().unwrap().len()];
    stream.read_exact(&mut first).await.unwrap();
    let mut answers = Vec::new();
    while answers.len() < 2 {
        stream.read_buf(decoder.space()).await.unwrap();
        while let Some(payload) = decoder.next_frame().unwrap() {
            if let ServerMessage::Response { id, result } = decode_server(payload).unwrap() {
                answers.push((id, result.map_err(|error| error.code)));
                // The one that runs may end only after the one that waits has been answered.
                fixture.service.gate.add_permits(1);
            }
        }
    }
    assert_eq!(answers, [(2, Err(code::CANCELLED.to_owned())), (1, Ok(Payload(vec![1])))]);
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deadline_ends_the_request_in_the_daemon() {
    let fixture = Fixture::start(test_options()).await;
    let client = fixture.client().await;
    let soon = CallOptions::read().deadline(Duration::from_millis(20));
    let error = wire_error(client.call("wait", vec![], soon).await.unwrap_err());
    assert_eq!(error.code, code::DEADLINE);
    assert_eq!(
        fixture.service.cancelled.load(Ordering::SeqCst),
        1,
        "the handler is told before it is dropped"
    );
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_is_an_error_of_its_request_alone() {
    let fixture = Fixture::start(test_options()).await;
    let client = fixture.client().await;
    let error = wire_error(client.call("panic", vec![], read_options()).await.unwrap_err());
    assert_eq!(error.code, code::INTERNAL);
    assert!(error.message.contains("as asked"), "{error}");
    assert_eq!(client.call("echo", vec![1], read_options()).await.unwrap(), [1]);
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_arrives_in_order_and_only_when_wanted() {
    let fixture = Fixture::start(test_options()).await;
    let client = fixture.client().await;
    assert_eq!(client.call("progress", "3", read_options()).await.unwrap(), b"false");
    let (sender, mut steps) = mpsc::channel(64);
    assert_eq!(client.call("progress", "20", read_options().progress(sender)).await.unwrap(), b"true");
    let mut seen = Vec::new();
    while let Some(step) = steps.recv().await {
        seen.push(String::from_utf8(step).unwrap().parse::<u32>().unwrap());
    }
    assert!(!seen.is_empty() && seen.is_sorted(), "{seen:?}");
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notifications_reach_every_session_and_equal_ones_are_merged() {
    let fixture = Fixture::start(test_options()).await;
    let (one, two) = (fixture.client().await, fixture.client().await);
    let (mut from_one, mut from_two) = (one.events(), two.events());
    two.call("echo", vec![], read_options()).await.unwrap();
    fixture.handle.broadcast("tools/list_changed", b"");
    let expected = Event::Notify { method: "tools/list_changed".into(), params: Vec::new().into() };
    assert_eq!(from_one.recv().await.unwrap(), expected);
    assert_eq!(from_two.recv().await.unwrap(), expected);

    one.call("notify", "100000", read_options()).await.unwrap();
    one.call("echo", vec![], read_options()).await.unwrap();
    assert!(matches!(from_one.try_recv(), Ok(Event::Notify { .. })), "at least one of them came");
    assert_eq!(one.call("surface", "flat", read_options()).await.unwrap(), b"flat");
    assert_eq!(two.call("surface", "search", read_options()).await.unwrap(), b"search");
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_too_large_is_an_error_and_not_the_end() {
    let fixture = Fixture::start(Options { max_frame: 1 << 20, ..test_options() }).await;
    let client = fixture.client().await;
    let error = wire_error(client.call("bytes", "2000000", read_options()).await.unwrap_err());
    assert_eq!(error.code, code::TOO_LARGE);
    let error = client.call("echo", vec![0; 2_000_000], read_options()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unsendable(_)), "{error}");
    assert_eq!(client.call("bytes", "3", read_options()).await.unwrap(), b"xxx");
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_can_be_refused_with_a_reason() {
    let fixture = Fixture::start(test_options()).await;
    let error = sdl_client::Client::connect(&fixture.socket(), test_hello("unwanted")).await.unwrap_err();
    assert!(matches!(&error, ClientError::Refused(reason) if reason.message == "not you"), "{error}");
    let service = fixture.stop().await;
    assert_eq!(service.closed.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bearer_token_is_read_again_for_every_request() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sdl-token");
    std::fs::write(&file, "first\n").unwrap();
    let fixture = Fixture::start(Options { token: TokenSource::File(file.clone()), ..test_options() }).await;
    let error = Client::connect(&fixture.socket(), test_hello("test")).await.unwrap_err();
    assert!(matches!(&error, ClientError::Refused(reason) if reason.code == code::UNAUTHORIZED), "{error}");
    let with_token = SessionHello { token: Some("first".into()), ..test_hello("test") };
    let client = Client::connect(&fixture.socket(), with_token).await.unwrap();
    client.call("echo", vec![], read_options()).await.unwrap();
    std::fs::write(&file, "second\n").unwrap();
    let error = wire_error(client.call("echo", vec![], read_options()).await.unwrap_err());
    assert_eq!(error.code, code::UNAUTHORIZED);
    assert!(fixture.handle.sessions()[0].hello().token.is_none(), "the token is not left lying about");
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_beyond_the_limit_are_told_so_while_all_are_at_work() {
    let fixture =
        Fixture::start(Options { max_connections: 1, spare_connections: 1, ..test_options() }).await;
    let first = fixture.client().await;
    let waiting = first.start("wait", vec![], read_options()).await.unwrap();
    fixture.service.begun(1).await;
    let error = Client::connect(&fixture.socket(), test_hello("test")).await.unwrap_err();
    assert!(matches!(&error, ClientError::Refused(reason) if reason.code == code::BUSY), "{error}");
    let person = SessionHello { kind: ClientKind::Ctl, ..test_hello("a person") };
    // The one that was refused may not be quite gone.
    let person = loop {
        match Client::connect(&fixture.socket(), person.clone()).await {
            Ok(person) => break person,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    person.call("echo", vec![], read_options()).await.unwrap();
    fixture.service.gate.add_permits(1);
    waiting.finish().await.unwrap();
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_nothing_makes_room() {
    let fixture = Fixture::start(Options { max_connections: 2, ..test_options() }).await;
    // One that says nothing at all, and one that only says hello.
    let mut silent = raw_connection(&fixture.socket()).await;
    silent.readable().await.unwrap();
    let idle = fixture.client().await;
    let mut events = idle.events();
    let first = fixture.client().await;
    first.call("echo", vec![], read_options()).await.unwrap();
    let mut rest = Vec::new();
    tokio::time::timeout(LONG, silent.read_to_end(&mut rest)).await.unwrap().unwrap();
    assert!(idle.is_open(), "it came later than the silent one");
    let second = fixture.client().await;
    while idle.is_open() {
        events.recv().await.unwrap();
    }
    second.call("echo", vec![], read_options()).await.unwrap();
    first.call("echo", vec![], read_options()).await.unwrap();
    let error = idle.call("echo", vec![], read_options()).await.unwrap_err();
    assert!(error.is_untouched() && error.to_string().contains("makes room"), "{error}");
    fixture.stop().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_socket_is_for_its_owner_alone_and_vanishes_with_the_server() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::start(test_options()).await;
    let socket = fixture.socket();
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    fixture.stop().await;
    assert!(!socket.exists());
}
