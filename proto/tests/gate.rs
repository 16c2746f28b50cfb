//! Every message between the daemon and its gate survives the wire, and no bytes can hurt the decoder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use sdl_proto::gate::{
    FromGate, Owner, ToGate, UpstreamCall, UpstreamState, decode_from_gate, decode_to_gate, encode_from_gate,
    encode_to_gate,
};
use sdl_proto::{CodecError, FrameDecoder, MAX_FRAME, Payload, WireError};

fn text() -> impl Strategy<Value = String> {
    "\\PC{0,30}"
}

fn payload() -> impl Strategy<Value = Payload> {
    vec(any::<u8>(), 0..600).prop_map(Payload)
}

fn error() -> impl Strategy<Value = WireError> {
    (text(), text(), payload()).prop_map(|(code, message, Payload(detail))| WireError {
        code,
        message,
        detail,
    })
}

fn owner() -> impl Strategy<Value = Owner> {
    prop_oneof![Just(Owner::Shared), text().prop_map(Owner::Root), any::<u64>().prop_map(Owner::Session)]
}

fn result<T: std::fmt::Debug>(
    value: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Result<T, WireError>> {
    prop_oneof![value.prop_map(Ok), error().prop_map(Err)]
}

fn call() -> impl Strategy<Value = ToGate> {
    let place = (any::<u64>(), text(), owner(), text());
    (place, payload(), any::<bool>(), any::<bool>(), option::of(payload())).prop_map(
        |((id, key, owner, method), params, want_progress, is_repeatable, client)| {
            ToGate::Call(UpstreamCall {
                id,
                key,
                owner,
                method,
                params,
                want_progress,
                is_repeatable,
                client,
            })
        },
    )
}

fn to_gate() -> impl Strategy<Value = ToGate> {
    prop_oneof![
        (text(), text(), text()).prop_map(|(build, state_dir, runtime_dir)| ToGate::Hello {
            build,
            state_dir,
            runtime_dir
        }),
        (any::<u64>(), text()).prop_map(|(generation, text)| ToGate::Configure { generation, text }),
        call(),
        any::<u64>().prop_map(|id| ToGate::Cancel { id }),
        (any::<u64>(), result(payload())).prop_map(|(ask, result)| ToGate::Answer { ask, result }),
        (any::<u64>(), text(), owner(), any::<Option<Vec<u8>>>()).prop_map(|(id, key, owner, client)| {
            ToGate::Read { id, key, owner, client: client.map(Payload) }
        }),
        (any::<u64>(), text()).prop_map(|(id, key)| ToGate::Restart { id, key }),
        owner().prop_map(|owner| ToGate::OwnerGone { owner }),
        any::<u64>().prop_map(|nonce| ToGate::Ping { nonce }),
        Just(ToGate::Stop),
    ]
}

fn state() -> impl Strategy<Value = UpstreamState> {
    let place = (text(), owner(), text());
    let process = (any::<Option<u32>>(), any::<Option<u64>>(), option::of(text()), any::<u32>());
    let numbers = (any::<u64>(), any::<u64>(), any::<u32>(), any::<u32>());
    let rest =
        (option::of((text(), any::<u64>())), any::<Option<u64>>(), btree_map(text(), any::<u64>(), 0..4));
    (place, process, numbers, rest).prop_map(
        |((key, owner, state), (pid, rss_kb, era, restarts), (calls, failed, in_flight, waiting), rest)| {
            let (last_error, next_attempt_ms, counts) = rest;
            UpstreamState {
                key,
                owner,
                state,
                pid,
                rss_kb,
                era,
                restarts,
                calls,
                failed,
                in_flight,
                waiting,
                last_error_at_ms: last_error.as_ref().map(|(_, at)| *at),
                last_error: last_error.map(|(error, _)| error),
                next_attempt_ms,
                counts,
            }
        },
    )
}

fn ask() -> impl Strategy<Value = FromGate> {
    let place = (any::<u64>(), any::<Option<u64>>(), text(), owner());
    (place, text(), payload()).prop_map(|((ask, call, key, owner), method, params)| FromGate::Ask {
        ask,
        call,
        key,
        owner,
        method,
        params,
    })
}

fn from_gate() -> impl Strategy<Value = FromGate> {
    prop_oneof![
        (text(), any::<u32>()).prop_map(|(build, pid)| FromGate::Hello { build, pid }),
        (any::<u64>(), result(payload())).prop_map(|(id, result)| FromGate::Answer { id, result }),
        (any::<u64>(), payload()).prop_map(|(id, bytes)| FromGate::Progress { id, bytes }),
        ask(),
        (text(), owner(), any::<u64>(), payload())
            .prop_map(|(key, owner, generation, lists)| FromGate::Lists { key, owner, generation, lists }),
        state().prop_map(FromGate::State),
        vec(text(), 0..4).prop_map(|values| FromGate::Secrets { values }),
        (any::<u64>(), result(Just(()))).prop_map(|(id, result)| FromGate::Done { id, result }),
        any::<u64>().prop_map(|nonce| FromGate::Pong { nonce }),
        any::<(u64, Option<u64>)>().prop_map(|(ask, call)| FromGate::AskOver { ask, call }),
    ]
}

proptest! {
    #[test]
    fn messages_to_the_gate_survive(messages in vec(to_gate(), 1..5)) {
        let mut stream = Vec::new();
        for message in &messages {
            encode_to_gate(message, MAX_FRAME, &mut stream).unwrap();
        }
        let mut decoder = FrameDecoder::new(MAX_FRAME);
        decoder.push(&stream);
        for message in &messages {
            prop_assert_eq!(&decode_to_gate(decoder.next_frame().unwrap().unwrap()).unwrap(), message);
        }
        prop_assert_eq!(decoder.finish(), Ok(()));
    }

    #[test]
    fn messages_of_the_gate_survive(messages in vec(from_gate(), 1..5)) {
        let mut stream = Vec::new();
        for message in &messages {
            encode_from_gate(message, MAX_FRAME, &mut stream).unwrap();
        }
        let mut decoder = FrameDecoder::new(MAX_FRAME);
        decoder.push(&stream);
        for message in &messages {
            prop_assert_eq!(&decode_from_gate(decoder.next_frame().unwrap().unwrap()).unwrap(), message);
        }
        prop_assert_eq!(decoder.finish(), Ok(()));
    }

    #[test]
    fn damaged_messages_never_panic(to in to_gate(), from in from_gate(), at: prop::sample::Index, byte: u8) {
        for (is_to_gate, mut frame) in [
            (true, { let mut out = Vec::new(); encode_to_gate(&to, MAX_FRAME, &mut out).unwrap(); out }),
            (false, { let mut out = Vec::new(); encode_from_gate(&from, MAX_FRAME, &mut out).unwrap(); out }),
        ] {
            let mut payload = frame.split_off(4);
            let index = at.index(payload.len());
            if let Some(place) = payload.get_mut(index) { *place = byte; }
            let cut = payload.get(..index).unwrap_or_default();
            if is_to_gate {
                let _ = (decode_to_gate(&payload), decode_to_gate(cut));
            } else {
                let _ = (decode_from_gate(&payload), decode_from_gate(cut));
            }
        }
    }
}

#[test]
fn bytes_behind_a_message_are_refused() {
    let mut frame = Vec::new();
    encode_to_gate(&ToGate::Stop, MAX_FRAME, &mut frame).unwrap();
    frame.push(0);
    assert!(matches!(decode_to_gate(&frame[4..]), Err(CodecError::Trailing(1))));
}
