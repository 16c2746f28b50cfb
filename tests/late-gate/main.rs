//! A gate for tests between the daemon and the real one. It repeats the first lists that it saw after each later ones, as lists do that
//! were under way while the settings changed.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper of a test")]

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use sdl_proto::gate::{FromGate, decode_from_gate, encode_from_gate};
use sdl_proto::{FrameDecoder, MAX_FRAME};

fn main() {
    let real = std::env::var_os("LATE_GATE_REAL").expect("LATE_GATE_REAL names the real gate");
    let mut gate = Command::new(real).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = gate.stdin.take().unwrap();
    // Ends with the daemon, and the gate with it.
    thread::spawn(move || io::copy(&mut io::stdin(), &mut input));
    let mut output = gate.stdout.take().unwrap();
    let mut decoder = FrameDecoder::new(MAX_FRAME);
    let mut first: Option<FromGate> = None;
    let mut bytes = vec![0; 1 << 16];
    loop {
        while let Some(frame) = decoder.next_frame().unwrap() {
            let message = decode_from_gate(frame).unwrap();
            say(&message);
            match (&message, &first) {
                (FromGate::Lists { .. }, None) => first = Some(message),
                (FromGate::Lists { generation, .. }, Some(late)) if *generation > generation_of(late) => {
                    say(late)
                }
                _ => {}
            }
        }
        let count = output.read(&mut bytes).unwrap();
        if count == 0 {
            break;
        }
        decoder.space().extend_from_slice(&bytes[..count]);
    }
    gate.wait().unwrap();
}

fn generation_of(message: &FromGate) -> u64 {
    match message {
        FromGate::Lists { generation, .. } => *generation,
        _ => u64::MAX,
    }
}

fn say(message: &FromGate) {
    let mut bytes = Vec::new();
    encode_from_gate(message, MAX_FRAME, &mut bytes).unwrap();
    let mut out = io::stdout().lock();
    // A daemon that is gone needs nothing.
    let _ = out.write_all(&bytes).and_then(|()| out.flush());
}
