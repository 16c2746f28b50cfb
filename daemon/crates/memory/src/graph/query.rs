//! What holds of an entity.

use std::collections::HashMap;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::cursor::{read_place, write_place};
use super::group::{Group, GroupKey};
use super::index::{Indexed, Place, entity_prefix, first_name, group_prefix, predicate_key, scan_index};
use super::names::{hash_entity, is_code};
use super::span::Run;
use super::triple::{ObjectType, Triple};
use super::view::View;
use crate::store::Tables;
use crate::times::FOREVER;
use crate::{Anchors, Result};

/// Rows of the index that are read at once.
const BATCH: usize = 256;

/// Which of its facts are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Those with the entity as their subject.
    #[default]
    Out,
    /// Those with the entity as their object.
    In,
    /// Both.
    Both,
}

/// The valid time that is asked for. Half-open, in Unix milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// What holds at this instant.
    At(i64),
    /// What holds at some instant from the first on, before the second.
    During(i64, i64),
    /// All that ever holds.
    Ever,
}

impl When {
    pub(super) fn has(self, run: &Run) -> bool {
        match self {
            Self::At(at) => run.from <= at && at < run.to,
            Self::During(from, to) => run.from < to && from < run.to,
            Self::Ever => true,
        }
    }

    pub(super) fn instant(self) -> Option<i64> {
        match self {
            Self::At(at) => Some(at),
            _ => None,
        }
    }
}

/// A question about an entity.
#[derive(Clone, Copy, Debug)]
pub struct EntityQuery<'a> {
    /// Its name, a symbol id, or `file:PATH`.
    pub entity: &'a str,
    /// Which of its facts.
    pub direction: Direction,
    /// Only facts with one of these predicates; empty for all.
    pub predicates: &'a [String],
    /// What held.
    pub when: When,
    /// What was believed at this instant; [`FOREVER`] for now.
    pub known_at: i64,
    /// Most facts.
    pub limit: usize,
    /// Continues after [`FactPage::next`] of the page before.
    pub after: Option<&'a str>,
}

/// A fact that holds for some time.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The row that says so: at the instant of the question, else the last of several that touch.
    pub triple: Triple,
    /// The subject, as it was first written; the name of a symbol.
    pub subject: String,
    /// The object, in the same way.
    pub object: String,
    /// When it begins to hold.
    pub from: i64,
    /// When it ends; none if it is open.
    pub to: Option<i64>,
    /// The greatest confidence of its rows.
    pub confidence: f64,
    /// Other rows that say it, for the time before or after.
    pub others: Vec<String>,
}

impl Fact {
    /// Takes over anchors that were followed, with the names of the code as it is now.
    pub fn follow(&mut self, anchors: Anchors) {
        self.triple.follow(anchors);
        let shown = |entity: &str, shown: &str| match self.triple.symbol_name(entity) {
            Some(name) => name.to_owned(),
            None if is_code(entity) => entity.to_owned(),
            None => shown.to_owned(),
        };
        let subject = shown(self.triple.subject_entity(), &self.subject);
        let object = shown(self.triple.object_entity(), &self.object);
        (self.subject, self.object) = (subject, object);
    }
}

/// Some of the facts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactPage {
    /// By direction, predicate and time.
    pub facts: Vec<Fact>,
    /// The place to continue from; none at the end.
    pub next: Option<String>,
}

/// Returns the facts of an entity.
pub fn query_entity(tables: &impl Tables, view: &View, query: &EntityQuery<'_>) -> Result<FactPage> {
    let entity = hash_entity(query.entity);
    let after = query.after.map(|cursor| read_place(tables, view, entity, cursor)).transpose()?;
    let mut reader =
        Reader { tables, view, query, after, groups: HashMap::new(), facts: Vec::new(), last: None };
    for prefix in prefixes_of(query) {
        if reader.after.as_ref().is_some_and(|after| *after > prefix && !after.starts_with(&prefix)) {
            continue;
        }
        if reader.read_prefix(&prefix)?.is_break() {
            return Ok(FactPage { facts: reader.facts, next: reader.last });
        }
    }
    Ok(FactPage { facts: reader.facts, next: None })
}

/// The parts of the index that a question reads, in the order of their keys.
fn prefixes_of(query: &EntityQuery<'_>) -> Vec<Vec<u8>> {
    let entity = hash_entity(query.entity);
    let places: &[Place] = match query.direction {
        Direction::Out => &[Place::Subject],
        Direction::In => &[Place::Object],
        Direction::Both => &[Place::Subject, Place::Object],
    };
    let mut prefixes: Vec<Vec<u8>> = Vec::new();
    for place in places {
        if query.predicates.is_empty() {
            prefixes.push(entity_prefix(entity, *place));
        }
        for predicate in query.predicates {
            prefixes.push(group_prefix(entity, *place, &predicate_key(predicate)));
        }
    }
    prefixes.sort();
    prefixes.dedup();
    prefixes
}

struct Reader<'r, T> {
    tables: &'r T,
    view: &'r View,
    query: &'r EntityQuery<'r>,
    /// The key of the last fact of the page before.
    after: Option<Vec<u8>>,
    groups: HashMap<GroupKey, Group>,
    facts: Vec<Fact>,
    /// The place of the last of them.
    last: Option<String>,
}

impl<T: Tables> Reader<'_, T> {
    fn read_prefix(&mut self, prefix: &[u8]) -> Result<ControlFlow<()>> {
        let mut after = self.after.clone();
        loop {
            let mut batch: Vec<Indexed> = Vec::with_capacity(BATCH);
            scan_index(self.tables, prefix, after.as_deref(), &mut |indexed| {
                batch.push(indexed);
                if batch.len() < BATCH { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            let is_last = batch.len() < BATCH;
            after = batch.last().map(|indexed| indexed.key.clone()).or(after);
            for indexed in batch {
                if self.read_one(&indexed)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            if is_last {
                return Ok(ControlFlow::Continue(()));
            }
        }
    }

    /// Adds the fact of which this is the first row.
    fn read_one(&mut self, indexed: &Indexed) -> Result<ControlFlow<()>> {
        let Self { tables, view, query, groups, facts, last, .. } = self;
        let known = query.known_at;
        if !view.reads(&indexed.entry.scope) || !indexed.entry.is_believed(known) {
            return Ok(ControlFlow::Continue(()));
        }
        let key = GroupKey::of(view, indexed);
        if !groups.contains_key(&key) {
            let group = Group::load(*tables, view, &key, known)?;
            groups.insert(key.clone(), group);
        }
        let Some(group) = groups.get(&key) else { return Ok(ControlFlow::Continue(())) };
        let Some(run) = group.run_begun_by(&indexed.entry.id).filter(|run| query.when.has(run)) else {
            return Ok(ControlFlow::Continue(()));
        };
        if facts.len() >= query.limit {
            // One more is there: it is the first of the next page.
            return Ok(ControlFlow::Break(()));
        }
        if let Some(fact) = read_fact(*tables, group, run, query.when.instant())? {
            facts.push(fact);
            *last = indexed.place().map(|place| write_place(place, &indexed.entry.id));
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Reads the rows of a fact.
pub(super) fn read_fact(
    tables: &impl Tables,
    group: &Group,
    run: &Run,
    at: Option<i64>,
) -> Result<Option<Fact>> {
    let place = run.place_at(at, &group.spans);
    let Some(entry) = group.entries.get(place) else { return Ok(None) };
    let Some(triple) = tables.row::<Triple>(entry.id.as_bytes())? else { return Ok(None) };
    let confidence = run.places.iter().map(|place| group.entries[*place].confidence).fold(0.0, f64::max);
    let others = run.places.iter().filter(|other| **other != place);
    let (subject, object) = shown_names(tables, &triple)?;
    Ok(Some(Fact {
        others: others.map(|other| group.entries[*other].id.clone()).collect(),
        subject,
        object,
        from: run.from,
        to: (run.to != FOREVER).then_some(run.to),
        confidence,
        triple,
    }))
}

/// Returns a row's subject and object as they are shown: the name of a symbol, the present path of a file, any other as it was first
/// written.
pub(super) fn shown_names(tables: &impl Tables, row: &Triple) -> Result<(String, String)> {
    let shown = |entity: &str, is_entity: bool| -> Result<String> {
        if let Some(name) = row.symbol_name(entity) {
            return Ok(name.to_owned());
        }
        let first = if is_entity && !is_code(entity) { first_name(tables, entity)? } else { None };
        Ok(first.unwrap_or_else(|| entity.to_owned()))
    };
    let subject = shown(row.subject_entity(), true)?;
    let object = shown(row.object_entity(), row.object_type == ObjectType::Entity)?;
    Ok((subject, object))
}
