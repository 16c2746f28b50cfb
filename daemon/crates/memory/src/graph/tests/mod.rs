mod naive;
mod order;
mod rules;

use sdl_ledger::{AgentStore, Options};

use super::*;
use crate::store::{Asked, change_store};
use crate::times::FOREVER;
use crate::{Author, tables};

/// A graph in a store of its own.
pub(super) struct World {
    _dir: tempfile::TempDir,
    store: AgentStore,
    view: View,
    by: Author,
}

impl World {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (store, _) = AgentStore::open(dir.path(), tables::ALL, &Options::default()).unwrap();
        let by = Author { client: "test".to_owned(), ..Author::default() };
        Self { _dir: dir, store, view: View::everything(), by }
    }

    pub(super) fn add(
        &self,
        now: u64,
        draft: &Draft,
    ) -> std::result::Result<Admitted, sdl_contract::Refusal> {
        let asked = Asked { by: &self.by, now_ms: now, once: None };
        refused(change_store(&self.store, &asked, |change| admit_fact(change, &self.view, draft)))
    }

    pub(super) fn end(
        &self,
        now: u64,
        which: Which<'_>,
        at: Option<i64>,
    ) -> std::result::Result<Vec<Cut>, sdl_contract::Refusal> {
        let asked = Asked { by: &self.by, now_ms: now, once: None };
        refused(change_store(&self.store, &asked, |change| end_facts(change, &self.view, which, at, None)))
    }

    pub(super) fn retract(
        &self,
        now: u64,
        which: Which<'_>,
    ) -> std::result::Result<Vec<Cut>, sdl_contract::Refusal> {
        let asked = Asked { by: &self.by, now_ms: now, once: None };
        refused(change_store(&self.store, &asked, |change| retract_facts(change, &self.view, which, None)))
    }

    pub(super) fn query(&self, query: &EntityQuery<'_>) -> FactPage {
        self.store.read(|reader| Ok(query_entity(reader, &self.view, query).unwrap())).unwrap()
    }

    /// (subject, predicate, object, from, to) of the facts of an entity.
    pub(super) fn facts(&self, entity: &str, when: When, known_at: i64) -> Vec<Told> {
        let query = EntityQuery { when, known_at, direction: Direction::Both, ..ask(entity) };
        self.query(&query).facts.into_iter().map(told).collect()
    }

    pub(super) fn timeline(&self, of: TimelineOf<'_>, known_at: i64) -> Vec<(i64, EventKind, String)> {
        let query = TimelineQuery { of, from: None, to: None, known_at, limit: 1_000, after: None };
        let page = self.store.read(|reader| Ok(read_timeline(reader, &self.view, &query).unwrap())).unwrap();
        page.events.into_iter().map(|event| (event.at, event.kind, event.object)).collect()
    }
}

pub(super) type Told = (String, String, String, i64, i64);

fn told(fact: Fact) -> Told {
    (fact.subject, fact.triple.predicate, fact.object, fact.from, fact.to.unwrap_or(FOREVER))
}

pub(super) fn ask(entity: &str) -> EntityQuery<'_> {
    EntityQuery {
        entity,
        direction: Direction::Out,
        predicates: &[],
        when: When::Ever,
        known_at: FOREVER,
        limit: 1_000,
        after: None,
    }
}

fn refused<T>(
    outcome: crate::Result<crate::store::Changed<T>>,
) -> std::result::Result<T, sdl_contract::Refusal> {
    match outcome {
        Ok(changed) => Ok(changed.value),
        Err(crate::Trouble::Refused(refusal)) => Err(refusal),
        Err(other) => panic!("{other}"),
    }
}

pub(super) fn draft(subject: &str, predicate: &str, object: &str, from: i64, to: Option<i64>) -> Draft {
    Draft {
        subject: subject.to_owned(),
        predicate: predicate.to_owned(),
        object: object.to_owned(),
        valid_from: Some(from),
        valid_to: to,
        ..Draft::default()
    }
}
