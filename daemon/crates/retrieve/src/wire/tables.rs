//! The values that compact formats write once and then refer to by number.

use std::collections::HashMap;

use sdl_model::SymbolId;
use serde_json::{Value, json};

use crate::card::Card;
use crate::slice::SliceDoc;

/// A table of paths takes some five tokens before it names one, about what two paths take.
const LEAST_REPEATS: u32 = 3;

/// Numbers for ids, paths and names.
pub(super) struct Tables<'d> {
    pub(super) version: u8,
    ids: Vec<SymbolId>,
    numbers: HashMap<SymbolId, usize>,
    paths: Vec<&'d str>,
    path_numbers: HashMap<&'d str, usize>,
    names: HashMap<SymbolId, &'d str>,
}

impl<'d> Tables<'d> {
    pub(super) fn of(doc: &'d SliceDoc, version: u8) -> Self {
        let mut tables = Self {
            version,
            ids: Vec::new(),
            numbers: HashMap::new(),
            paths: Vec::new(),
            path_numbers: HashMap::new(),
            names: doc.cards.iter().map(|card| (card.symbol_id, card.qualified_name.as_str())).collect(),
        };
        for id in document_ids(doc) {
            let next = tables.ids.len();
            tables.numbers.entry(id).or_insert_with(|| {
                tables.ids.push(id);
                next
            });
        }
        if version >= 2 {
            tables.number_paths(doc);
        }
        tables
    }

    /// Paths that occur more than once, in order of occurrence; none if what they save would not pay for the table.
    fn number_paths(&mut self, doc: &'d SliceDoc) {
        let paths = || {
            let cards = doc.cards.iter().map(|card| card.file.as_str());
            let tests = doc.cards.iter().filter_map(test_file);
            cards.chain(tests).chain(doc.frontier.iter().map(|item| item.file.as_str()))
        };
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for path in paths() {
            *counts.entry(path).or_default() += 1;
        }
        let repeats: u32 = counts.values().map(|count| count - 1).sum();
        if repeats < LEAST_REPEATS {
            return;
        }
        for path in paths() {
            if counts.get(path).is_some_and(|count| *count > 1) && !self.path_numbers.contains_key(path) {
                self.path_numbers.insert(path, self.paths.len());
                self.paths.push(path);
            }
        }
    }

    pub(super) fn id(&self, id: SymbolId) -> Value {
        // Every id of the document was numbered.
        json!(self.numbers.get(&id).copied().unwrap_or(usize::MAX))
    }

    pub(super) fn path(&self, path: &str) -> Value {
        match self.path_numbers.get(path) {
            Some(number) => json!(number),
            None => json!(path),
        }
    }

    /// Whether the symbol's card says this very name, so that it need not be said again.
    pub(super) fn knows_name(&self, id: SymbolId, name: &str) -> bool {
        self.names.get(&id) == Some(&name)
    }

    pub(super) fn ids(&self) -> Value {
        self.ids.iter().map(ToString::to_string).collect()
    }

    pub(super) fn paths(&self) -> Option<Value> {
        (!self.paths.is_empty()).then(|| self.paths.iter().copied().collect())
    }
}

fn test_file(card: &Card) -> Option<&str> {
    Some(card.metrics.as_ref()?.canonical_test.as_ref()?.file.as_str())
}

/// Every id of a document: cards, card references, edges, dependencies, members, tests, frontier.
fn document_ids(doc: &SliceDoc) -> impl Iterator<Item = SymbolId> {
    let cards = doc.cards.iter().map(|card| card.symbol_id);
    let refs = doc.card_refs.iter().map(|held| held.symbol_id);
    let edges = doc.edges.iter().flat_map(|edge| [edge.from, edge.to]);
    let deps = doc.cards.iter().filter_map(|card| card.deps.as_ref()).flat_map(|deps| {
        [&deps.calls, &deps.imports, &deps.implements, &deps.config, &deps.refs]
            .into_iter()
            .flatten()
            .map(|dep| dep.symbol_id)
    });
    let members = doc.cards.iter().flat_map(|card| &card.members).map(|member| member.symbol_id);
    let tests = doc
        .cards
        .iter()
        .filter_map(|card| card.metrics.as_ref()?.canonical_test.as_ref())
        .map(|test| test.symbol_id);
    let frontier = doc.frontier.iter().map(|item| item.symbol_id);
    cards.chain(refs).chain(edges).chain(deps).chain(members).chain(tests).chain(frontier)
}
