//! Clients that mean harm, or are broken. Each hurts its own connection only.

use sdl_client::CallOptions;
use sdl_client::proto::{
    ClientMessage, FrameDecoder, Handshake, MAX_FRAME, Offer, Request, ServerMessage, decode_server,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::*;

/// Everything that the daemon sends until it closes.
async fn until_closed(stream: &mut UnixStream) -> Vec<ServerMessage> {
    let mut bytes = Vec::new();
    let read = tokio::time::timeout(LONG, stream.read_to_end(&mut bytes)).await.expect("the daemon closes");
    if let Err(error) = read {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{error}");
    }
    let (_, used) = Handshake::decode(&bytes).unwrap().expect("a handshake comes first");
    let mut decoder = FrameDecoder::new(MAX_FRAME);
    decoder.push(&bytes[used..]);
    let mut messages = Vec::new();
    while let Some(payload) = decoder.next_frame().unwrap() {
        messages.push(decode_server(payload).unwrap());
    }
    messages
}

fn closing_reason(messages: &[ServerMessage]) -> &WireError {
    match messages.last() {
        Some(ServerMessage::Closing(reason)) => reason,
        other => panic!("no reason given: {other:?}"),
    }
}

async fn send_after_hello(fixture: &Fixture, bytes: &[u8]) -> Vec<ServerMessage> {
    let mut stream = raw_connection(&fixture.socket()).await;
    stream.write_all(&polite_opening()).await.unwrap();
    let _ = stream.write_all(bytes).await;
    until_closed(&mut stream).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nonsense_closes_its_connection_with_a_reason_and_no_other() {
    let fixture = Fixture::start(test_options()).await;
    let bystander = fixture.client().await;
    let trailing = {
        let mut frame = frame_message(&ClientMessage::Ping { nonce: 1 });
        frame.push(0);
        frame[0] += 1;
        frame
    };
    let claims_too_much_inside =
        [&9_u32.to_le_bytes()[..], &[1, 0, 253, 255, 255, 255, 255, 255, 255]].concat();
    for (what, bytes, expected) in [
        ("a huge length", u32::MAX.to_le_bytes().to_vec(), code::TOO_LARGE),
        ("an empty frame", vec![0; 4], code::PROTOCOL),
        ("an unknown message", [&1_u32.to_le_bytes()[..], &[200]].concat(), code::PROTOCOL),
        ("bytes behind the message", trailing, code::PROTOCOL),
        ("a huge length inside", claims_too_much_inside, code::PROTOCOL),
        ("a second hello", frame_message(&ClientMessage::Hello(test_hello("again"))), code::PROTOCOL),
    ] {
        let messages = send_after_hello(&fixture, &bytes).await;
        assert_eq!(closing_reason(&messages).code, expected, "{what}: {messages:?}");
    }
    assert_eq!(bystander.call("echo", vec![5], CallOptions::read()).await.unwrap(), [5]);
    let service = fixture.stop().await;
    assert_eq!(service.opened.load(Ordering::SeqCst), service.closed.load(Ordering::SeqCst));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_that_is_taken_is_refused() {
    let fixture = Fixture::start(test_options()).await;
    let request =
        Request { id: 7, method: "wait".into(), params: vec![], deadline_ms: None, want_progress: false };
    let frame = frame_message(&ClientMessage::Request(request));
    let messages = send_after_hello(&fixture, &[frame.clone(), frame].concat()).await;
    assert!(closing_reason(&messages).message.contains("request id 7"), "{messages:?}");
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_breaks_off_takes_its_requests_along() {
    let fixture = Fixture::start(test_options()).await;
    for cut in ["between frames", "inside a frame"] {
        let mut stream = raw_connection(&fixture.socket()).await;
        let request =
            Request { id: 1, method: "wait".into(), params: vec![], deadline_ms: None, want_progress: false };
        let mut bytes = polite_opening();
        bytes.extend(frame_message(&ClientMessage::Request(request)));
        if cut == "inside a frame" {
            bytes.extend([100, 0, 0]);
        }
        stream.write_all(&bytes).await.unwrap();
        fixture.service.begun(1).await;
    }
    let service = fixture.stop().await;
    assert_eq!(service.cancelled.load(Ordering::SeqCst), 2);
    assert_eq!(service.closed.load(Ordering::SeqCst), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn before_the_hello_nothing_else_is_taken() {
    let fixture = Fixture::start(test_options()).await;
    let mut stream = raw_connection(&fixture.socket()).await;
    let early = frame_message(&ClientMessage::Ping { nonce: 3 });
    stream.write_all(&[our_handshake(), early].concat()).await.unwrap();
    assert!(closing_reason(&until_closed(&mut stream).await).message.contains("hello"));

    // Nor is there room for a hello without end.
    let mut stream = raw_connection(&fixture.socket()).await;
    let long = frame_message(&ClientMessage::Hello(test_hello(&"x".repeat(100_000))));
    stream.write_all(&our_handshake()).await.unwrap();
    let _ = stream.write_all(&long).await;
    assert_eq!(closing_reason(&until_closed(&mut stream).await).code, code::TOO_LARGE);

    // Another protocol gets our handshake and then the end.
    let mut stream = raw_connection(&fixture.socket()).await;
    let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(until_closed(&mut stream).await, []);

    // So do builds that are too old or too new; they can tell which from the handshake.
    for offer in [Offer { min: 0, max: 0 }, Offer { min: 900, max: 901 }] {
        let mut stream = raw_connection(&fixture.socket()).await;
        let bytes = Handshake { offer, ..Handshake::ours() }.encode().unwrap();
        let _ = stream.write_all(&bytes).await;
        assert_eq!(until_closed(&mut stream).await, []);
    }
    let service = fixture.stop().await;
    assert_eq!(service.opened.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_client_is_not_waited_for() {
    let fixture =
        Fixture::start(Options { opening_timeout: Duration::from_millis(50), ..test_options() }).await;
    let mut stream = raw_connection(&fixture.socket()).await;
    stream.write_all(&our_handshake()[..5]).await.unwrap();
    assert!(closing_reason(&until_closed(&mut stream).await).message.contains("in time"));
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_never_reads_is_bounded_and_given_up() {
    let limits = Options { max_running: 4, write_stall: Duration::from_millis(200), ..test_options() };
    let fixture = Fixture::start(limits).await;
    let mut stream = raw_connection(&fixture.socket()).await;
    stream.write_all(&polite_opening()).await.unwrap();
    let flood = async {
        for id in 0..1000 {
            let params = b"1000000".to_vec();
            let request =
                Request { id, method: "bytes".into(), params, deadline_ms: None, want_progress: true };
            stream.write_all(&frame_message(&ClientMessage::Request(request))).await?;
        }
        std::io::Result::Ok(())
    };
    let _ = tokio::time::timeout(LONG, flood).await.unwrap();
    let bystander = fixture.client().await;
    while fixture.service.closed.load(Ordering::SeqCst) == 0 {
        assert_eq!(bystander.call("echo", vec![5], CallOptions::read()).await.unwrap(), [5]);
    }
    fixture.stop().await;
}
