//! The first bytes of a connection.
#![no_main]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a fault that is found ends the run"
)]

use libfuzzer_sys::fuzz_target;
use sdl_proto::{Handshake, MAX_HANDSHAKE};

fuzz_target!(|data: &[u8]| {
    match Handshake::decode(data) {
        Ok(Some((handshake, used))) => {
            assert!(used <= MAX_HANDSHAKE && used <= data.len());
            let _ = handshake.agree();
            let _ = handshake.age();
        }
        Ok(None) => assert!(data.len() < MAX_HANDSHAKE),
        Err(_) => {}
    }
});
