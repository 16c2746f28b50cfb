//! The rows of one subject and predicate in one world.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::index::{FactEntry, Indexed, Place, group_prefix, scan_index};
use super::names::NameHash;
use super::span::{Run, Span, effective_spans, find_span, join_spans, sort_entries};
use super::view::View;
use crate::Result;
use crate::store::Tables;

/// Which rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct GroupKey {
    pub(super) subject: NameHash,
    /// As [`super::index::predicate_key`] returns it.
    pub(super) predicate: Vec<u8>,
    pub(super) world: String,
}

impl GroupKey {
    /// The group of a row of the index.
    pub(super) fn of(view: &View, indexed: &Indexed) -> Self {
        Self {
            subject: indexed.entry.subject,
            predicate: indexed.predicate.clone(),
            world: view.world(&indexed.entry.scope).to_owned(),
        }
    }
}

/// The rows, and when they hold.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// All of them, also retracted ones.
    pub(super) entries: Vec<FactEntry>,
    /// As known at the time of the question.
    pub(super) spans: Vec<Span>,
    pub(super) runs: Vec<Run>,
    /// The place of a row, by its id.
    places: HashMap<String, usize>,
    /// The run that begins with the row at a place.
    begins: HashMap<usize, usize>,
}

impl Group {
    pub(super) fn of(mut entries: Vec<FactEntry>, known: i64) -> Self {
        sort_entries(&mut entries);
        let spans = effective_spans(&entries, known);
        let runs = join_spans(&entries, &spans);
        let places = entries.iter().enumerate().map(|(place, entry)| (entry.id.clone(), place)).collect();
        let begins = runs.iter().enumerate().map(|(at, run)| (run.places[0], at)).collect();
        Self { entries, spans, runs, places, begins }
    }

    /// Reads a group, as it was known at `known`.
    pub(super) fn load(tables: &impl Tables, view: &View, key: &GroupKey, known: i64) -> Result<Self> {
        let mut entries = Vec::new();
        let prefix = group_prefix(key.subject, Place::Subject, &key.predicate);
        scan_index(tables, &prefix, None, &mut |indexed| {
            let entry = indexed.entry;
            // Rows that were found here before their subject was renamed are in another group.
            let is_member = entry.subject == key.subject
                && view.reads(&entry.scope)
                && view.world(&entry.scope) == key.world;
            if is_member {
                entries.push(entry);
            }
            ControlFlow::Continue(())
        })?;
        Ok(Self::of(entries, known))
    }

    /// The interval in which a row holds; none if it holds at no time.
    pub(super) fn span_of(&self, id: &str) -> Option<Span> {
        find_span(&self.spans, *self.places.get(id)?)
    }

    /// The run that a row begins.
    pub(super) fn run_begun_by(&self, id: &str) -> Option<&Run> {
        self.runs.get(*self.begins.get(self.places.get(id)?)?)
    }

    /// The run that a row is in.
    pub(super) fn run_with(&self, id: &str) -> Option<&Run> {
        let place = self.places.get(id)?;
        self.runs.iter().find(|run| run.places.contains(place))
    }

    /// The runs of an object.
    pub(super) fn runs_of(&self, object: NameHash) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(move |run| run.object == object)
    }
}
