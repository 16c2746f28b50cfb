use sdl_ledger::{AgentStore, Options};

use super::*;
use crate::Author;
use crate::store::{Asked, change_store};

#[test]
fn entries_are_replaced_end_and_are_cleared() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = AgentStore::open(dir.path(), crate::tables::ALL, &Options::default()).unwrap();
    let by = Author::default();
    let write = |now_ms: u64, key: &str, expires_ms: u64| {
        let draft = Draft {
            scope: "r".to_owned(),
            agent: String::new(),
            kind: "plan".to_owned(),
            key: key.to_owned(),
            fields: Map::from_iter([("steps".to_owned(), Value::from(now_ms))]),
            anchors: Anchors::default(),
            expires_ms,
        };
        let asked = Asked { by: &by, now_ms, once: None };
        change_store(&store, &asked, |change| {
            write_scratch(change, &draft).map(|(row, replaced)| (row.id, replaced))
        })
        .unwrap()
        .value
    };
    let read = |now_ms: u64, which: &Which<'_>| -> Vec<String> {
        let found = store.read(|reader| Ok(read_scratch(reader, which, now_ms))).unwrap().unwrap();
        found.into_iter().map(|row| row.key).collect()
    };
    let (id, replaced) = write(1, "main", 10);
    assert!(!replaced);
    assert_eq!(write(2, "main", 10), (id.clone(), true));
    write(3, "other", 100);
    assert_eq!(read(3, &Which::default()), ["other", "main"]);
    assert_eq!(read(10, &Which::default()), ["other"]);
    // One that is over is not replaced: there was nothing to read.
    assert_eq!(write(10, "main", 20), (id, false));
    assert_eq!(read(11, &Which { key: Some("main"), ..Which::default() }), ["main"]);
    assert_eq!(read(11, &Which { kind: Some("focus"), ..Which::default() }), Vec::<String>::new());
    let asked = Asked { by: &by, now_ms: 11, once: None };
    let cleared = change_store(&store, &asked, |change| clear_scratch(change, &Which::default())).unwrap();
    assert_eq!((cleared.value, read(11, &Which::default()).len()), (2, 0));
    write(12, "late", 13);
    let asked = Asked { by: &by, now_ms: 14, once: None };
    assert_eq!(change_store(&store, &asked, crate::sweep_store).unwrap().value, 1);
}
