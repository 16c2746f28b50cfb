use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use sdl_ledger::{AgentReader, AgentStore, AgentWriter, Options};
use serde::{Deserialize, Serialize};

use super::*;
use crate::store::{Asked, Head, Row, change_store, scoped_key};
use crate::{Author, tables};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Note {
    id: String,
    scope: String,
    title: String,
    body: String,
    session: Option<String>,
    head: Head,
}

impl Row for Note {
    const TABLE: &'static str = tables::MEMORIES;
    const LANE: Option<Lane> = Some(Lane::Memory);

    fn key(&self) -> Vec<u8> {
        scoped_key(&self.scope, &self.id)
    }
    crate::store::own_fields!();
    fn texts(&self) -> Texts {
        Texts {
            title: self.title.clone(),
            body: self.body.clone(),
            at_ms: self.head.created_ms as i64,
            session: self.session.clone(),
            ..Texts::default()
        }
    }
    /// A row may move to another lane.
    fn lane(&self) -> Option<Lane> {
        Some(if self.title.contains("lesson") { Lane::Lesson } else { Lane::Memory })
    }
}

fn note(scope: &str, id: &str, title: &str, body: &str) -> Note {
    Note {
        id: id.to_owned(),
        scope: scope.to_owned(),
        title: title.to_owned(),
        body: body.to_owned(),
        session: None,
        head: Head::default(),
    }
}

fn open_store() -> (tempfile::TempDir, AgentStore) {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = AgentStore::open(dir.path(), tables::ALL, &Options::default()).unwrap();
    (dir, store)
}

fn put_all(store: &AgentStore, now_ms: u64, rows: &[Note]) {
    let by = Author::default();
    let asked = Asked { by: &by, now_ms, once: None };
    let put =
        change_store(store, &asked, |change| rows.iter().try_for_each(|row| change.put(&mut row.clone())));
    put.unwrap();
}

fn note_in(session: &str, id: &str, body: &str) -> Note {
    Note { session: Some(session.to_owned()), ..note("shop", id, "", body) }
}

fn find(store: &AgentStore, scopes: &[&str], text: &str) -> Vec<String> {
    let lanes = [Lane::Memory, Lane::Lesson];
    let ask = Ask { scopes, lanes: &lanes, text, now_ms: 0, since_ms: None, keep: None, limit: 10 };
    let hits = store.read(|reader| search(reader, &ask)).unwrap();
    hits.hits.into_iter().map(|hit| hit.id).collect()
}

fn faults(store: &AgentStore) -> Vec<String> {
    store.read(|reader| verify(reader, &[batch_of::<Note, AgentReader<'_>>])).unwrap().faults
}

#[test]
fn a_row_is_found_by_stems_and_identifiers_in_its_scope() {
    let (_dir, store) = open_store();
    put_all(
        &store,
        1,
        &[
            note("shop", "m_1", "Retries", "The client retries requests in fetchWithBackoff"),
            note("shop", "m_2", "Cache", "Entries are evicted by age"),
            note("bank", "m_3", "Retry", "Never retry payments"),
        ],
    );
    assert_eq!(find(&store, &["shop"], "how are requests retried?"), ["m_1"]);
    assert_eq!(find(&store, &["shop"], "fetchWithBackoff"), ["m_1"]);
    assert_eq!(find(&store, &["shop"], "backoff"), ["m_1"]);
    assert_eq!(find(&store, &["shop", "bank"], "retry payment"), ["m_3", "m_1"]);
    assert_eq!(find(&store, &["shop"], "the of"), Vec::<String>::new());
    assert_eq!(find(&store, &["other"], "retry"), Vec::<String>::new());
}

#[test]
fn neighbours_in_a_session_lend_their_words() {
    let (_dir, store) = open_store();
    put_all(
        &store,
        1,
        &[
            note_in("a", "m_1", "Which database does the billing service use?"),
            note_in("a", "m_2", "Postgres, since spring"),
            note_in("a", "m_3", "Thanks"),
            note_in("b", "m_4", "The weather is fine"),
            note("shop", "m_5", "", "A billing period is a month"),
        ],
    );
    let found = find(&store, &["shop"], "database of the billing service");
    // The answer has none of the words, but whoever asks does not know.
    assert_eq!(found[0], "m_2");
    assert!(found[..3].contains(&"m_1".to_owned()), "{found:?}");
    assert!(!found.contains(&"m_4".to_owned()), "{found:?}");
}

#[test]
fn related_and_mistyped_words_are_found_after_the_same() {
    let (_dir, store) = open_store();
    let rows = [
        note("shop", "m_1", "", "The login page is blue"),
        note("shop", "m_2", "", "Authentication needs a second factor"),
        note("shop", "m_3", "", "Colours of the shop"),
    ];
    put_all(&store, 1, &rows);
    assert_eq!(find(&store, &["shop"], "login"), ["m_1", "m_2"]);
    assert_eq!(find(&store, &["shop"], "autehntication"), ["m_2"]);
}

#[test]
fn rows_from_the_named_time_come_first() {
    const DAY_MS: u64 = 86_400_000;
    let (_dir, store) = open_store();
    for day in 1..=30 {
        put_all(&store, day * DAY_MS, &[note("shop", &format!("m_{day:02}"), "", "release of the shop")]);
    }
    let find_at = |text: &str| {
        let ask = Ask {
            scopes: &["shop"],
            lanes: &[Lane::Memory],
            text,
            now_ms: 29 * DAY_MS as i64 + 5,
            since_ms: None,
            keep: None,
            limit: 2,
        };
        let hits = store.read(|reader| search(reader, &ask)).unwrap().hits;
        hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
    };
    assert_eq!(find_at("release yesterday"), ["m_28", "m_30"]);
    assert_eq!(find_at("the release on 4 January 1970")[0], "m_03");
    // A question with nothing but a time.
    assert_eq!(find_at("What did we do 9 days ago?"), ["m_20"]);
}

#[test]
fn an_answer_says_how_each_lane_did() {
    let (_dir, store) = open_store();
    put_all(&store, 1, &[note("shop", "m_1", "a lesson", "retry"), note("shop", "m_2", "Cache", "by age")]);
    let lanes = [Lane::Memory, Lane::Lesson, Lane::Kg];
    let keep = |_: Lane, _: &str, id: &str| id != "m_2";
    let mut ask = Ask {
        scopes: &["shop"],
        lanes: &lanes,
        text: "retry by age",
        now_ms: 0,
        since_ms: None,
        keep: Some(&keep),
        limit: 10,
    };
    let found = store.read(|reader| search(reader, &ask)).unwrap();
    let health: Vec<_> = found.lanes.iter().map(|lane| (lane.lane, lane.rows, lane.matched)).collect();
    assert_eq!(health, [(Lane::Memory, 1, 1), (Lane::Lesson, 1, 1), (Lane::Kg, 0, 0)]);
    assert_eq!(found.hits.iter().map(|hit| hit.id.as_str()).collect::<Vec<_>>(), ["m_1"]);
    assert_eq!(found.hits[0].words[0], "retry");
    ask.since_ms = Some(2);
    assert_eq!(store.read(|reader| search(reader, &ask)).unwrap().hits, []);
}

#[test]
fn an_index_of_another_build_is_not_searched_until_it_is_made_again() {
    let (_dir, store) = open_store();
    put_all(&store, 1, &[note("shop", "m_1", "Retries", "often")]);
    store.write(|writer| writer.put(tables::MEMORY_META, b"words", &[0])).unwrap();
    let ask = Ask {
        scopes: &["shop"],
        lanes: &[Lane::Memory],
        text: "retry",
        now_ms: 0,
        since_ms: None,
        keep: None,
        limit: 10,
    };
    let found = store.read(|reader| search(reader, &ask)).unwrap();
    assert_eq!(found.hits, []);
    assert!(found.lanes[0].trouble.is_some());
    rebuild_index(&store);
    assert_eq!(find(&store, &["shop"], "retry"), ["m_1"]);
}

fn rebuild_index(store: &AgentStore) {
    store.write(|writer| rebuild(writer, &[batch_of::<Note, AgentWriter<'_>>])).unwrap();
}

#[test]
fn a_fault_is_named() {
    let (_dir, store) = open_store();
    put_all(&store, 1, &[note("shop", "m_1", "Retries", "often")]);
    assert_eq!(faults(&store), Vec::<String>::new());
    let stray = Texts { title: "stray".to_owned(), ..Texts::default() };
    store.write(|writer| note_row(writer, Lane::Memory, "shop", "m_2", None, Some(&stray))).unwrap();
    assert_eq!(faults(&store).len(), 2);
    let none = |texts: &Texts| texts.clone();
    let held = none(&note("shop", "m_1", "Retries", "often").texts());
    store.write(|writer| note_row(writer, Lane::Memory, "shop", "m_1", Some(&held), None)).unwrap();
    assert!(faults(&store).iter().any(|fault| fault.contains("m_1 is not in the index")));
    rebuild_index(&store);
    assert_eq!(faults(&store), Vec::<String>::new());
}

#[derive(Clone, Debug)]
enum Step {
    Put(Note),
    Remove(String, String),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let scope = prop_oneof![Just(""), Just("shop")];
    let id = (0..6_u8).prop_map(|n| format!("m_{n}"));
    let words = prop::collection::vec(
        prop::sample::select(vec!["cache", "retries", "lesson", "parseHTTP", "the", "age"]),
        0..5,
    );
    let session = prop::option::of(prop_oneof![Just("a"), Just("b")]);
    let put = (scope.clone(), id.clone(), words.clone(), words, session).prop_map(
        |(scope, id, title, body, session)| {
            let session = session.map(str::to_owned);
            Step::Put(Note { session, ..note(scope, &id, &title.join(" "), &body.join(" ")) })
        },
    );
    let remove = (scope, id).prop_map(|(scope, id)| Step::Remove(scope.to_owned(), id));
    prop::collection::vec(prop_oneof![3 => put, 1 => remove], 1..25)
}

type Searched = Vec<(Lane, String, String, f32)>;

fn search_all(store: &AgentStore) -> Vec<Searched> {
    let each = |text: &str| {
        let lanes = Lane::ALL;
        let ask = Ask {
            scopes: &["", "shop"],
            lanes: &lanes,
            text,
            now_ms: 9,
            since_ms: None,
            keep: None,
            limit: 5,
        };
        let hits = store.read(|reader| search(reader, &ask)).unwrap().hits;
        hits.into_iter().map(|hit| (hit.lane, hit.scope, hit.id, hit.score)).collect()
    };
    ["cache", "retry age", "http lesson", "parseHTTP"].iter().map(|text| each(text)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn after_any_history_the_index_is_that_of_the_rows(steps in steps()) {
        let (_dir, store) = open_store();
        let held = RefCell::new(BTreeMap::new());
        for (at, step) in steps.iter().enumerate() {
            match step {
                Step::Put(row) => {
                    put_all(&store, at as u64 / 3, std::slice::from_ref(row));
                    held.borrow_mut().insert(row.key(), row.clone());
                }
                Step::Remove(scope, id) => {
                    let by = Author::default();
                    let asked = Asked { by: &by, now_ms: at as u64, once: None };
                    let key = scoped_key(scope, id);
                    change_store(&store, &asked, |change| change.remove::<Note>(&key)).unwrap();
                    held.borrow_mut().remove(&key);
                }
            }
        }
        let verdict = store.read(|reader| verify(reader, &[batch_of::<Note, AgentReader<'_>>])).unwrap();
        prop_assert_eq!(&verdict.faults, &Vec::<String>::new());
        prop_assert_eq!(verdict.rows, held.borrow().len() as u64);
        // The same answers as those of a fresh index.
        let before = search_all(&store);
        rebuild_index(&store);
        prop_assert_eq!(faults(&store), Vec::<String>::new());
        prop_assert_eq!(before, search_all(&store));
    }
}

/// A neighbour in a session, for example `m_1` of the shop here, has no word of the question but a greater score than the
/// last answer.
#[test]
fn a_neighbour_without_words_pushes_out_no_answer() {
    let rows = |ids: [&str; 2]| {
        let (_dir, store) = open_store();
        let subject = Note { title: "cache cache".to_owned(), ..note_in("ses_1", "m_0", "") };
        put_all(&store, 0, &[note_in("ses_1", "m_1", ""), subject]);
        let of = |id: &&str| note("", id, if *id == "m_5" { "parseHTTP" } else { "" }, "retries cache");
        put_all(&store, 1, &ids.iter().map(of).collect::<Vec<_>>());
        search_all(&store)
    };
    assert_eq!(rows(["m_5", "m_0"]), rows(["m_0", "m_5"]));
}

#[test]
fn one_word_finds_no_notes_that_were_only_written_beside_it() {
    let (_dir, store) = open_store();
    let said =
        ["Hash passwords with argon2", "Show prices with tax", "Retry failed payments", "Cache the menu"];
    for (nth, body) in said.iter().enumerate() {
        put_all(&store, 1_000 + nth as u64, &[note_in("ses_1", &format!("m_{nth}"), body)]);
    }
    assert_eq!(find(&store, &["shop"], "argon2"), ["m_0"]);
    assert_eq!(find(&store, &["shop"], "menu"), ["m_3"]);
}
