use sdl_contract::{Code, Explained as _, Refusal};
use sdl_ledger::{AgentStore, Options};
use serde::{Deserialize, Serialize};

use super::*;
use crate::words::{Lane, Texts};
use crate::{Author, Trouble, tables};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Note {
    id: String,
    text: String,
    head: Head,
}

impl Row for Note {
    const TABLE: &'static str = tables::MEMORIES;
    const LANE: Option<Lane> = Some(Lane::Memory);

    fn key(&self) -> Vec<u8> {
        scoped_key("shop", &self.id)
    }
    fn id(&self) -> &str {
        &self.id
    }
    fn scope(&self) -> &'static str {
        "shop"
    }
    crate::store::own_head!();
    fn texts(&self) -> Texts {
        Texts { body: self.text.clone(), ..Texts::default() }
    }
}

fn open_store() -> (tempfile::TempDir, AgentStore) {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = AgentStore::open(dir.path(), tables::ALL, &Options::default()).unwrap();
    (dir, store)
}

fn asked(by: &Author, now_ms: u64) -> Asked<'_> {
    Asked { by, now_ms, once: None }
}

fn write_note(store: &AgentStore, asked: &Asked<'_>, text: &str) -> Changed<String> {
    change_store(store, asked, |change| {
        let mut note = Note { id: "m_1".to_owned(), text: text.to_owned(), head: Head::default() };
        change.put(&mut note)?;
        Ok(change.new_id("m_"))
    })
    .unwrap()
}

fn read_note(store: &AgentStore) -> Option<Note> {
    store.read(|reader| reader.row(&scoped_key("shop", "m_1"))).unwrap()
}

#[test]
fn each_change_is_a_revision_and_keeps_what_was_before() {
    let (_dir, store) = open_store();
    let by = Author { agent: Some("ann".to_owned()), ..Author::default() };
    assert_eq!(write_note(&store, &asked(&by, 10), "one").revision, 1);
    assert_eq!(write_note(&store, &asked(&by, 20), "two").revision, 2);
    let note = read_note(&store).unwrap();
    assert_eq!(note.head, Head { revision: 2, created_ms: 10, updated_ms: 20, by: by.clone() });
    let removed =
        change_store(&store, &asked(&by, 30), |change| change.remove::<Note>(&scoped_key("shop", "m_1")));
    assert_eq!(removed.unwrap(), Changed { value: true, revision: 3, replayed: false });
    assert_eq!(read_note(&store), None);
    let former = store.read(|reader| Ok(former_states(reader, "m_1").unwrap())).unwrap();
    let told: Vec<_> =
        former.iter().map(|was| (was.revision, was.until, was.removed, was.row["text"].as_str())).collect();
    assert_eq!(told, [(1, 2, false, Some("one")), (2, 3, true, Some("two"))]);
}

#[test]
fn at_most_twenty_former_states_are_kept() {
    let (_dir, store) = open_store();
    let by = Author::default();
    for n in 0..30 {
        write_note(&store, &asked(&by, n), &n.to_string());
    }
    let former = store.read(|reader| Ok(former_states(reader, "m_1").unwrap())).unwrap();
    assert_eq!(former.first().map(|was| was.revision), Some(10));
    assert_eq!(former.len(), 20);
}

#[test]
fn a_refused_change_leaves_nothing() {
    let (_dir, store) = open_store();
    let by = Author::default();
    let refused = change_store::<()>(&store, &asked(&by, 1), |change| {
        change.put(&mut Note { id: "m_1".to_owned(), text: "x".to_owned(), head: Head::default() })?;
        Err(Refusal::new(Code::Conflict, "no").into())
    });
    assert!(matches!(refused, Err(Trouble::Refused(refusal)) if refusal.code == Code::Conflict));
    assert_eq!(read_note(&store), None);
    assert_eq!(store.read(|reader| store_revision(reader)).unwrap(), 0);
}

#[test]
fn a_request_that_is_sent_again_gets_the_first_answer() {
    let (_dir, store) = open_store();
    let (ann, bob) = (Author::default(), Author { principal: Some("bob".to_owned()), ..Author::default() });
    let once = |by, now_ms, request| Asked { by, now_ms, once: Some(Once { key: "k", request }) };
    let first = write_note(&store, &once(&ann, 5, 1), "one");
    let again = write_note(&store, &once(&ann, 6, 1), "two");
    assert_eq!((again.value, again.replayed), (first.value, true));
    assert_eq!(read_note(&store).unwrap().text, "one");
    let other = change_store(&store, &once(&ann, 7, 2), |_| Ok(()));
    assert!(matches!(other, Err(Trouble::Refused(refusal)) if refusal.code == Code::Conflict));
    // Keys are per principal, and for a day.
    assert!(!write_note(&store, &once(&bob, 8, 2), "three").replayed);
    assert!(!write_note(&store, &once(&ann, 5 + crate::limits::REPLY_MS + 1, 2), "four").replayed);
}
