//! The first bytes of a connection.
#![no_main]

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
