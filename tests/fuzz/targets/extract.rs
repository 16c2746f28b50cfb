//! Any bytes as any language: `cargo +nightly fuzz run --fuzz-dir tests/fuzz --features link extract`.

#![no_main]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a fault that is found ends the run"
)]

use libfuzzer_sys::fuzz_target;
use sdl_model::Lang;

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let lang = Lang::ALL[usize::from(choice) % Lang::ALL.len()];
    let first = sdl_lang::extract_facts(lang, bytes);
    assert_eq!(first, sdl_lang::extract_facts(lang, bytes), "not pure");
});
