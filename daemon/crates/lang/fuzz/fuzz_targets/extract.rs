//! Any bytes as any language: `cargo +nightly fuzz run extract`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sdl_model::Lang;

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let lang = Lang::ALL[usize::from(choice) % Lang::ALL.len()];
    let first = sdl_lang::extract(lang, bytes);
    assert_eq!(first, sdl_lang::extract(lang, bytes), "not pure");
});
