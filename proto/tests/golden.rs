//! The bytes on the wire, as files. They pin what released builds send: a change that moves one byte of a message
//! that exists needs a new protocol version, and one that moves a byte of the handshake is never right.
//!
//! `SDL_BLESS=1 cargo test -p sdl-proto --test golden` writes files for messages that are new.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

use std::fmt::Write;
use std::path::PathBuf;

use sdl_proto::{
    ClientIdentity, ClientKind, ClientMessage, Handshake, MAX_FRAME, Offer, Payload, Principal,
    PrincipalKind, Progress, Request, ServerMessage, SessionHello, Welcome, WireError, decode_client,
    decode_server, encode_client, encode_server,
};

/// Checks `bytes` against the golden file of that name, which holds them in hexadecimal.
fn check(name: &str, bytes: &[u8]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.hex"));
    let mut text = String::new();
    for line in bytes.chunks(16) {
        for (index, byte) in line.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(text, "{space}{byte:02x}").unwrap();
        }
        text.push('\n');
    }
    if let Ok(golden) = std::fs::read_to_string(&path) {
        assert_eq!(golden, text, "{name}: the bytes on the wire have changed");
    } else {
        assert!(std::env::var_os("SDL_BLESS").is_some(), "{} is missing", path.display());
        std::fs::write(&path, text).unwrap();
    }
}

fn check_client(name: &str, message: &ClientMessage) {
    let mut frame = Vec::new();
    encode_client(message, MAX_FRAME, &mut frame).unwrap();
    check(name, &frame);
    assert_eq!(decode_client(&frame[4..]).unwrap(), *message);
}

fn check_server(name: &str, message: &ServerMessage) {
    let mut frame = Vec::new();
    encode_server(message, MAX_FRAME, &mut frame).unwrap();
    check(name, &frame);
    assert_eq!(decode_server(&frame[4..]).unwrap(), *message);
}

#[test]
fn handshake() {
    let handshake = Handshake {
        offer: Offer { min: 1, max: 2 },
        build: "0.1.0+4f2c91a".into(),
        capabilities: vec!["cancel".into(), "progress".into()],
    };
    let bytes = handshake.encode().unwrap();
    check("handshake", &bytes);
    assert_eq!(Handshake::decode(&bytes).unwrap(), Some((handshake, bytes.len())));
}

#[test]
fn client_messages() {
    check_client(
        "client-hello",
        &ClientMessage::Hello(SessionHello {
            kind: ClientKind::Shim,
            name: "tester 1.2".into(),
            cwd: Some("/home/u/project".into()),
            repo: None,
            surface: "gateway".into(),
            output_schemas: true,
            token: Some("secret".into()),
            pid: 4711,
        }),
    );
    check_client(
        "client-request",
        &ClientMessage::Request(Request {
            id: 300,
            method: "tools/call".into(),
            params: br#"{"name":"sdl_query"}"#.to_vec(),
            deadline_ms: Some(2000),
            want_progress: true,
        }),
    );
    check_client(
        "client-hello-as",
        &ClientMessage::HelloAs(
            SessionHello {
                kind: ClientKind::Shim,
                name: String::new(),
                cwd: None,
                repo: None,
                surface: String::new(),
                output_schemas: false,
                token: None,
                pid: 4711,
            },
            Principal {
                kind: PrincipalKind::Token,
                name: "ci".into(),
                scopes: vec!["read".into(), "web".into()],
            },
        ),
    );
    check_client("client-cancel", &ClientMessage::Cancel { id: 300 });
    check_client("client-token", &ClientMessage::Token { token: None });
    check_client("client-ping", &ClientMessage::Ping { nonce: u64::MAX });
    let identity =
        ClientIdentity { era: "2025-11-25".into(), capabilities: Payload(br#"{"roots":{}}"#.to_vec()) };
    check_client("client-identity", &ClientMessage::Identity(identity));
    check_client("client-answer", &ClientMessage::Answer { ask: 3, result: Ok(Payload(b"{}".to_vec())) });
    check_client("client-run", &ClientMessage::Run { run: 1 << 40 });
    check_client("client-pong", &ClientMessage::Pong { nonce: 1 });
}

#[test]
fn server_messages() {
    check_server(
        "server-welcome",
        &ServerMessage::Welcome(Welcome {
            session: 3,
            pid: 99,
            max_frame: MAX_FRAME as u32,
            instance: 1 << 40,
        }),
    );
    check_server(
        "server-response-ok",
        &ServerMessage::Response { id: 300, result: Ok(Payload(br#"{"content":[]}"#.to_vec())) },
    );
    let error = WireError::new("deadlineExceeded", "too late").with_detail(br#"{"ms":2000}"#.to_vec());
    check_server("server-response-err", &ServerMessage::Response { id: 7, result: Err(error.clone()) });
    check_server(
        "server-progress",
        &ServerMessage::Progress(Progress { id: 7, bytes: b"{\"progress\":1}".to_vec() }),
    );
    check_server(
        "server-notify",
        &ServerMessage::Notify { method: "tools/list_changed".into(), params: Vec::new() },
    );
    check_server("server-ping", &ServerMessage::Ping { nonce: 0 });
    check_server("server-pong", &ServerMessage::Pong { nonce: 250 });
    check_server("server-closing", &ServerMessage::Closing(error));
}
