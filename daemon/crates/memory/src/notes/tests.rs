use sdl_ledger::{AgentStore, Options};
use serde_json::json;

use super::*;
use crate::store::{Asked, Change, change_store};
use crate::{Author, Result, Trouble};

struct Bed {
    store: AgentStore,
    _dir: tempfile::TempDir,
    now_ms: std::cell::Cell<u64>,
}

impl Bed {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (store, _) = AgentStore::open(dir.path(), crate::tables::ALL, &Options::default()).unwrap();
        Self { store, _dir: dir, now_ms: std::cell::Cell::new(1_000) }
    }

    fn change<T: serde::Serialize + serde::de::DeserializeOwned>(
        &self,
        work: impl FnMut(&mut Change<'_, '_>) -> Result<T>,
    ) -> Result<(T, u64)> {
        self.now_ms.set(self.now_ms.get() + 1);
        let by = Author { agent: Some("tester".to_owned()), ..Author::default() };
        let asked = Asked { by: &by, now_ms: self.now_ms.get(), once: None };
        change_store(&self.store, &asked, work).map(|changed| (changed.value, changed.revision))
    }

    fn store(&self, title: &str, id: Option<&str>) -> Result<(Stored, u64)> {
        self.change(|change| store_memory(change, id, &draft(title)))
    }

    fn get(&self, id: &str) -> Option<Memory> {
        self.store.read(|reader| find_memory(reader, None, id)).unwrap()
    }

    fn update(&self, id: &str, patch: &Patch) -> Result<(Vec<String>, u64)> {
        self.change(|change| {
            let before = find_memory(change.tables(), None, id)?.unwrap();
            update_memory(change, &before, patch)
        })
    }

    fn restore(&self, id: &str, revision: u64) -> Result<(Vec<String>, u64)> {
        let scopes = ["r".to_owned()];
        self.change(|change| restore_memory(change, Some(&scopes), id, revision, None))
    }
}

fn draft(title: &str) -> Draft {
    Draft {
        scope: "r".to_owned(),
        title: title.to_owned(),
        content: "The text.".to_owned(),
        tags: Some(vec!["a".to_owned()]),
        confidence: None,
        anchors: (None, None),
        confirmed: None,
        details: Details::of_kind(Kind::Bugfix),
        agent: None,
        expires_ms: None,
        supersedes: None,
        version: 1,
    }
}

fn refused(result: Result<impl std::fmt::Debug>) -> String {
    match result {
        Err(Trouble::Refused(refusal)) => refusal.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_text_is_one_memory() {
    let bed = Bed::new();
    let (first, _) = bed.store("Slow start", None).unwrap();
    let (again, _) = bed.store("slow  START", None).unwrap();
    assert_eq!((first.created, again.created, again.deduplicated), (true, false, true));
    assert_eq!(first.id, again.id);
    let (other, _) = bed.store("Other", None).unwrap();
    assert!(refused(bed.store("Slow start", Some(&other.id))).contains("says exactly that"));
    // A text that is free again is nobody's.
    let title = Some("Fast start".to_owned());
    bed.update(&first.id, &Patch { title, ..Patch::default() }).unwrap();
    bed.store("Slow start", Some(&other.id)).unwrap();
    let (third, _) = bed.store("Fast start", None).unwrap();
    assert_eq!(third.id, first.id);
}

#[test]
fn an_update_names_the_fields_that_differ_and_is_undone_by_its_revision() {
    let bed = Bed::new();
    let (stored, at) = bed.store("Slow start", None).unwrap();
    let fields = json!({"cause": "a lock"}).as_object().unwrap().clone();
    let patch = Patch { confidence: Some(0.5), fields, ..Patch::default() };
    assert_eq!(bed.update(&stored.id, &patch).unwrap().0, ["confidence", "cause"]);
    let (nothing, revision) = bed.update(&stored.id, &patch).unwrap();
    assert_eq!((nothing, revision), (Vec::<String>::new(), at + 1));
    let wrong = json!({"rationale": "r"}).as_object().unwrap().clone();
    assert!(refused(bed.update(&stored.id, &Patch { fields: wrong, ..Patch::default() })).contains("bugfix"));
    assert_eq!(bed.restore(&stored.id, at).unwrap().0, ["confidence", "cause"]);
    assert_eq!(bed.get(&stored.id).unwrap().confidence.to_bits(), 0.8_f64.to_bits());
    assert!(refused(bed.restore(&stored.id, 77)).contains("restoreRevision can be one of: 1, 2"));
}

#[test]
fn a_removed_memory_can_be_restored_for_a_while() {
    let bed = Bed::new();
    let (stored, at) = bed.store("Slow start", None).unwrap();
    let memory = bed.get(&stored.id).unwrap();
    bed.change(|change| remove_memory(change, &memory)).unwrap();
    assert_eq!(bed.get(&stored.id), None);
    // The same text may be stored meanwhile, under another id: restoring would say it twice.
    let (other, _) = bed.store("Slow start", None).unwrap();
    assert_ne!(other.id, stored.id);
    assert!(refused(bed.restore(&stored.id, at)).contains(&other.id));
    let memory = bed.get(&other.id).unwrap();
    bed.change(|change| remove_memory(change, &memory)).unwrap();
    bed.restore(&stored.id, at).unwrap();
    assert_eq!(bed.get(&stored.id).unwrap().title, "Slow start");
    let memory = bed.get(&stored.id).unwrap();
    bed.change(|change| remove_memory(change, &memory)).unwrap();
    bed.now_ms.set(bed.now_ms.get() + crate::limits::REMOVED_MS + 5);
    assert!(refused(bed.restore(&stored.id, at)).contains("no memory"));
}

#[test]
fn what_was_stored_in_a_revision_stays_readable() {
    let bed = Bed::new();
    let (stored, first) = bed.store("One", None).unwrap();
    bed.update(&stored.id, &Patch { title: Some("Two".to_owned()), ..Patch::default() }).unwrap();
    let (_, third) =
        bed.update(&stored.id, &Patch { title: Some("Three".to_owned()), ..Patch::default() }).unwrap();
    let memory = bed.get(&stored.id).unwrap();
    bed.change(|change| remove_memory(change, &memory)).unwrap();
    let titles = |revision| -> Vec<String> {
        let all = bed.store.read(|reader| Ok(memories_at(reader, None, revision))).unwrap().unwrap();
        all.into_iter().map(|memory| memory.title).collect()
    };
    assert_eq!(titles(first), ["One"]);
    assert_eq!(titles(first + 1), ["Two"]);
    assert_eq!(titles(third), ["Three"]);
    assert_eq!(titles(third + 1), Vec::<String>::new());
    assert_eq!(titles(first - 1), Vec::<String>::new());
}

#[test]
fn a_replaced_memory_names_its_successor() {
    let bed = Bed::new();
    let (old, _) = bed.store("Old", None).unwrap();
    let newer = Draft { supersedes: Some(old.id.clone()), ..draft("New") };
    let (new, _) = bed.change(|change| store_memory(change, None, &newer)).unwrap();
    assert_eq!(bed.get(&old.id).unwrap().superseded_by, Some(new.id));
    let missing = Draft { supersedes: Some("m_no".to_owned()), ..draft("Newer") };
    assert!(refused(bed.change(|change| store_memory(change, None, &missing))).contains("no memory"));
}

#[test]
fn a_revision_that_was_not_read_is_a_conflict() {
    let bed = Bed::new();
    let (stored, at) = bed.store("One", None).unwrap();
    let memory = bed.get(&stored.id).unwrap();
    assert!(check_revision(&memory, Some(at)).is_ok());
    assert!(refused(check_revision(&memory, Some(at + 1))).contains("tester changed it since"));
}

#[test]
fn a_head_is_a_note_without_its_texts() {
    let bed = Bed::new();
    for kind in Kind::ALL {
        let mut draft = draft(&format!("A {}", kind.name()));
        draft.details = Details::of_kind(kind);
        draft.agent = (kind == Kind::Lesson).then(|| "one".to_owned());
        draft.expires_ms = (kind != Kind::Note).then_some(9_000_000);
        draft.tags = Some(vec!["a tag".to_owned(), kind.name().to_owned()]);
        bed.change(|change| store_memory(change, None, &draft)).unwrap();
    }
    let mut rows = bed.store.read(|reader| memories_of(reader, None)).unwrap().into_iter();
    let mut each = |head: NoteHead<'_>| {
        let row = rows.next().unwrap();
        assert_eq!((row.id.as_str(), row.scope.as_str(), row.kind()), (head.id, head.scope, head.kind));
        assert_eq!((row.confidence, row.agent.as_deref()), (head.confidence, head.agent));
        assert_eq!((row.expires_ms, row.head.updated_ms), (head.expires_ms, head.updated_ms));
        assert_eq!(row.superseded_by.is_some(), head.is_superseded);
        assert!(head.tags().eq(row.tags.iter().map(String::as_str)));
    };
    bed.store.read(|reader| scan_heads(reader, None, &mut each)).unwrap();
    assert!(rows.next().is_none());
}
