//! Any text as `mcp.json`, as a pasted block and as a file of another client: an error has a place in the text, and an
//! understood text can be edited, written and read back.

#![no_main]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a fault that is found ends the run"
)]

use libfuzzer_sys::fuzz_target;
use sdl_settings::edit::{Document, read_block};
use sdl_settings::import::import_text;
use sdl_settings::{Settings, changed};

fuzz_target!(|text: &str| {
    match Settings::parse(text) {
        Ok(parsed) => {
            assert!(changed(&parsed.settings, &parsed.settings).is_empty());
            let mut document = Document::parse(text).expect("it is JSON");
            // The edited text has other spaces, so it can be longer than a file may be.
            let Ok(written) = document.to_text() else { return };
            assert_eq!(Settings::parse(&written).expect("our own text").settings, parsed.settings);
            for upstream in &parsed.settings.upstreams {
                document.set_enabled(&upstream.key, !upstream.enabled).expect("it is there");
            }
            let Ok(written) = document.to_text() else { return };
            let read = Settings::parse(&written).expect("our own text").settings;
            let pairs = read.upstreams.iter().zip(&parsed.settings.upstreams);
            pairs.for_each(|(after, before)| assert_ne!(after.enabled, before.enabled));
        }
        Err(error) => {
            let line = text.lines().nth(error.line - 1).unwrap_or_default();
            assert!(error.column <= line.chars().count() + 1, "{error}");
        }
    }
    if let Ok(entries) = read_block(text) {
        let _ = Document::default().merge(entries, true);
    }
    if let Ok(imported) = import_text(None, text, false) {
        for entry in imported.entries {
            let mut document = Document::default();
            document.add(&entry.key, entry.entry).expect("a key of its own");
            let _ = document.to_text();
        }
    }
});
