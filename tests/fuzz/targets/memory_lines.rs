//! Lines of an import into the agents' store, which may come from anywhere: a bad one is refused, a good one leaves words that agree with the rows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sdl_ledger::{AgentStore, Options};
use sdl_memory::store::{Asked, change_store};
use sdl_memory::transfer::{Imported, OnConflict, check_lines, import_line};
use sdl_memory::{Author, tables, verify_store};

fuzz_target!(|text: &str| {
    let _ = check_lines(&mut text.as_bytes());
    let Ok(dir) = tempfile::tempdir() else { return };
    let Ok((store, _)) = AgentStore::open(dir.path(), tables::ALL, &Options::default()) else { return };
    let by = Author::default();
    let asked = Asked { by: &by, now_ms: 1, once: None };
    let done = change_store(&store, &asked, |change| {
        let mut done = Imported::default();
        for line in text.lines() {
            import_line(change, line, OnConflict::Newer, &mut done)?;
        }
        Ok(done)
    });
    if done.is_err() {
        let rows: u64 = tables::ALL
            .iter()
            .map(|table| store.read(|reader| reader.count(table)).unwrap_or_default())
            .sum();
        assert_eq!(rows, 0, "a refused import wrote something");
        return;
    }
    // Rows that were taken are found by their words, and by nothing else.
    let verdict = store.read(|reader| Ok(verify_store(reader)));
    assert!(verdict.is_ok_and(|verdict| verdict.is_ok()), "the store can't be verified");
});
