//! A stream of bytes, cut into reads by its own first byte: never a panic, never more memory than the bytes that
//! arrived.
#![no_main]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a fault that is found ends the run"
)]

use libfuzzer_sys::fuzz_target;
use sdl_proto::{FrameDecoder, MAX_FRAME, decode_client, decode_server, encode_client, encode_server};

fuzz_target!(|data: &[u8]| {
    let Some((&step, stream)) = data.split_first() else { return };
    let mut decoder = FrameDecoder::new(MAX_FRAME);
    let mut arrived = 0;
    for chunk in stream.chunks(usize::from(step).max(1)) {
        decoder.space().extend_from_slice(chunk);
        arrived += chunk.len();
        loop {
            match decoder.next_frame() {
                Ok(Some(payload)) => {
                    // A message that is understood is written back to bytes with the same meaning.
                    if let Ok(message) = decode_client(payload) {
                        let mut again = Vec::new();
                        encode_client(&message, MAX_FRAME, &mut again).expect("it came from a frame");
                        assert_eq!(decode_client(&again[4..]).expect("our own bytes"), message);
                    }
                    if let Ok(message) = decode_server(payload) {
                        let mut again = Vec::new();
                        encode_server(&message, MAX_FRAME, &mut again).expect("it came from a frame");
                        assert_eq!(decode_server(&again[4..]).expect("our own bytes"), message);
                    }
                }
                Ok(None) => break,
                Err(_) => return,
            }
        }
        assert!(decoder.capacity() <= 2 * (arrived + 8192));
    }
    let _ = decoder.finish();
});
