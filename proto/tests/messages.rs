//! Every message survives the wire, and no bytes can hurt the decoder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

use proptest::prelude::*;
use sdl_proto::{
    ClientKind, ClientMessage, CodecError, FrameDecoder, FrameError, MAX_FRAME, Payload, Progress, Request,
    ServerMessage, SessionHello, Welcome, WireError, decode_client, decode_server, encode_client,
    encode_server,
};

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..600)
}

fn hello() -> impl Strategy<Value = SessionHello> {
    let kind = prop_oneof![Just(ClientKind::Shim), Just(ClientKind::Ctl), Just(ClientKind::Other)];
    let text = || prop::option::of("\\PC{0,30}");
    (kind, "\\PC{0,30}", text(), text(), "[a-z]{0,9}", any::<bool>(), text(), any::<u32>()).prop_map(
        |(kind, name, cwd, repo, surface, output_schemas, token, pid)| SessionHello {
            kind,
            name,
            cwd,
            repo,
            surface,
            output_schemas,
            token,
            pid,
        },
    )
}

fn client_message() -> impl Strategy<Value = ClientMessage> {
    let request = (any::<u64>(), "\\PC{0,30}", bytes(), any::<Option<u64>>(), any::<bool>()).prop_map(
        |(id, method, params, deadline_ms, want_progress)| {
            ClientMessage::Request(Request { id, method, params, deadline_ms, want_progress })
        },
    );
    prop_oneof![
        hello().prop_map(ClientMessage::Hello),
        request,
        any::<u64>().prop_map(|id| ClientMessage::Cancel { id }),
        prop::option::of("\\PC{0,30}").prop_map(|token| ClientMessage::Token { token }),
        any::<u64>().prop_map(|nonce| ClientMessage::Ping { nonce }),
        any::<u64>().prop_map(|nonce| ClientMessage::Pong { nonce }),
    ]
}

fn error() -> impl Strategy<Value = WireError> {
    ("[a-zA-Z]{0,20}", "\\PC{0,60}", bytes()).prop_map(|(code, message, detail)| WireError {
        code,
        message,
        detail,
    })
}

fn server_message() -> impl Strategy<Value = ServerMessage> {
    let result = prop_oneof![bytes().prop_map(|bytes| Ok(Payload(bytes))), error().prop_map(Err)];
    prop_oneof![
        (any::<u64>(), any::<u32>(), any::<u32>(), any::<u64>()).prop_map(
            |(session, pid, max_frame, instance)| {
                ServerMessage::Welcome(Welcome { session, pid, max_frame, instance })
            }
        ),
        (any::<u64>(), result).prop_map(|(id, result)| ServerMessage::Response { id, result }),
        (any::<u64>(), bytes()).prop_map(|(id, bytes)| ServerMessage::Progress(Progress { id, bytes })),
        ("\\PC{0,30}", bytes()).prop_map(|(method, params)| ServerMessage::Notify { method, params }),
        any::<u64>().prop_map(|nonce| ServerMessage::Ping { nonce }),
        any::<u64>().prop_map(|nonce| ServerMessage::Pong { nonce }),
        error().prop_map(ServerMessage::Closing),
    ]
}

proptest! {
    #[test]
    fn messages_of_clients_survive(messages in prop::collection::vec(client_message(), 1..5)) {
        let mut stream = Vec::new();
        for message in &messages {
            encode_client(message, MAX_FRAME, &mut stream).unwrap();
        }
        let mut decoder = FrameDecoder::new(MAX_FRAME);
        decoder.push(&stream);
        for message in &messages {
            prop_assert_eq!(&decode_client(decoder.next_frame().unwrap().unwrap()).unwrap(), message);
        }
        prop_assert_eq!(decoder.next_frame(), Ok(None));
    }

    #[test]
    fn messages_of_the_server_survive(messages in prop::collection::vec(server_message(), 1..5)) {
        let mut stream = Vec::new();
        for message in &messages {
            encode_server(message, MAX_FRAME, &mut stream).unwrap();
        }
        let mut decoder = FrameDecoder::new(MAX_FRAME);
        decoder.push(&stream);
        for message in &messages {
            prop_assert_eq!(&decode_server(decoder.next_frame().unwrap().unwrap()).unwrap(), message);
        }
        prop_assert_eq!(decoder.finish(), Ok(()));
    }

    #[test]
    fn random_payloads_never_panic(payload in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = decode_client(&payload);
        let _ = decode_server(&payload);
    }

    /// Like random bytes, but far deeper into the decoder: one byte of a good message is changed.
    #[test]
    fn damaged_messages_never_panic(
        client in client_message(), server in server_message(), at: prop::sample::Index, to: u8, cut: prop::sample::Index,
    ) {
        let mut frame = Vec::new();
        encode_client(&client, MAX_FRAME, &mut frame).unwrap();
        let mut payload = frame.split_off(4);
        let _ = decode_client(&payload[..cut.index(payload.len())]);
        let index = at.index(payload.len());
        payload[index] = to;
        let _ = decode_client(&payload);

        let mut frame = Vec::new();
        encode_server(&server, MAX_FRAME, &mut frame).unwrap();
        let mut payload = frame.split_off(4);
        let index = at.index(payload.len());
        payload[index] = to;
        let _ = decode_server(&payload);
    }
}

#[test]
fn a_length_inside_of_a_message_can_claim_no_more_than_a_frame_holds() {
    // A request whose method claims 2^63 bytes, then one whose parameters do.
    let claim = [253, 0, 0, 0, 0, 0, 0, 0, 0x80];
    for prefix in [&[1, 5][..], &[1, 5, 1, b'm']] {
        let payload = [prefix, &claim].concat();
        assert!(matches!(decode_client(&payload), Err(CodecError::Decode(_))));
    }
    // The same with a claim below the limit, but beyond the bytes that exist.
    let payload = [&[1, 5][..], &[252, 0, 0, 0, 1]].concat();
    assert!(matches!(decode_client(&payload), Err(CodecError::Decode(_))));
}

#[test]
fn what_does_not_fit_into_a_frame_is_not_sent() {
    let mut out = vec![1, 2, 3];
    let message = ServerMessage::Notify { method: "m".into(), params: vec![0; 100] };
    let error = encode_server(&message, 50, &mut out).unwrap_err();
    assert!(matches!(error, CodecError::Frame(FrameError::TooLarge { limit: 50, .. })), "{error}");
    assert_eq!(out, [1, 2, 3]);
    encode_server(&message, 200, &mut out).unwrap();
    assert_eq!(out.len(), 3 + 4 + 1 + 2 + 1 + 100);
}

#[test]
fn bytes_behind_a_message_are_refused() {
    let mut frame = Vec::new();
    encode_client(&ClientMessage::Cancel { id: 1 }, MAX_FRAME, &mut frame).unwrap();
    frame.push(0);
    assert!(matches!(decode_client(&frame[4..]), Err(CodecError::Trailing(1))));
}
