//! Finding entities by a part of their names, and facts by their words.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use memchr::memmem::Finder;

use super::group::{Group, GroupKey};
use super::index::predicate_key;
use super::index::{Place, entity_prefix, scan_index};
use super::names::{fold_name, hash_entity};
use super::pick::find_row;
use super::query::{Fact, When, read_fact};
use super::view::View;
use crate::store::Tables;
use crate::tables::ENTITIES;
use crate::times::FOREVER;
use crate::words::{Ask, Hit, Lane, search};
use crate::{Result, Trouble};

/// Names that are looked at, at most.
const MOST_NAMES: usize = 200_000;

/// Returns the names of entities that contain `text`, those that begin with it first, then the shortest. Only entities that the view
/// has a fact of.
pub fn find_entities(tables: &impl Tables, view: &View, text: &str, limit: usize) -> Result<Vec<String>> {
    let wanted = fold_name(text);
    // Made once, because it is asked for each name.
    let finder = Finder::new(&wanted);
    let mut hits: Vec<(bool, usize, String)> = Vec::new();
    let mut seen = 0;
    tables.scan_bytes(ENTITIES, &[0], &mut |key, value| {
        seen += 1;
        if let (Some(at), Ok(name)) = (finder.find(key), std::str::from_utf8(value)) {
            hits.push((at != 0, name.len(), name.to_owned()));
        }
        if seen < MOST_NAMES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    hits.sort();
    let mut found = Vec::new();
    for (_, _, name) in hits {
        if found.len() >= limit {
            break;
        }
        if is_known(tables, view, &name)? {
            found.push(name);
        }
    }
    Ok(found)
}

/// Which facts to find by their words.
#[derive(Clone, Copy, Debug)]
pub struct FactSearch<'a> {
    /// Those of the view.
    pub scopes: &'a [&'a str],
    /// The words.
    pub text: &'a str,
    /// Only facts with one of these predicates, in any spelling; all if there are none.
    pub predicates: &'a [String],
    /// Facts that hold then.
    pub when: When,
    /// As known at this time, in Unix milliseconds.
    pub known_at: i64,
    /// The time to which words such as "yesterday" refer, in Unix milliseconds.
    pub now: i64,
}

/// Returns the facts that have words of a text, the best first.
pub fn find_facts(
    tables: &impl Tables,
    view: &View,
    search_for: &FactSearch<'_>,
    limit: usize,
) -> Result<Vec<Fact>> {
    let FactSearch { scopes, text, predicates, when, known_at, now } = *search_for;
    let predicates: Vec<String> = predicates.iter().map(|name| fold_name(name)).collect();
    // The search asks which rows may be in the answer, the best first, and goes on until there are enough of them. It may ask twice about one.
    let asked = RefCell::new(Asked { predicates, ..Asked::default() });
    let keep = |_: Lane, _: &str, id: &str| asked.borrow_mut().holds(tables, view, id, (when, known_at));
    let ask = Ask { scopes, lanes: &[Lane::Kg], text, now_ms: now, since_ms: None, keep: Some(&keep), limit };
    let hits = search(tables, &ask)?.hits;
    let mut asked = asked.into_inner();
    if let Some(error) = asked.error.take() {
        return Err(error);
    }
    Ok(hits.into_iter().filter_map(|hit| asked.facts.remove(&hit.id).flatten()).collect())
}

/// The facts of the rows that a search asked about.
#[derive(Default)]
struct Asked {
    /// By row; none for a row that says nothing that holds, or the same as an earlier one.
    facts: HashMap<String, Option<Fact>>,
    seen: HashSet<String>,
    predicates: Vec<String>,
    error: Option<Trouble>,
}

impl Asked {
    fn holds(&mut self, tables: &impl Tables, view: &View, id: &str, at: (When, i64)) -> bool {
        if let Some(known) = self.facts.get(id) {
            return known.is_some();
        }
        let fact = find_fact(tables, view, id, at).unwrap_or_else(|error| {
            self.error.get_or_insert(error);
            None
        });
        let is_asked = |fact: &Fact| {
            self.predicates.is_empty() || self.predicates.contains(&fold_name(&fact.triple.predicate))
        };
        let fact = fact.filter(is_asked).filter(|fact| self.seen.insert(fact.triple.id.clone()));
        let holds = fact.is_some();
        self.facts.insert(id.to_owned(), fact);
        holds
    }
}

/// Returns the facts that rows say which words found, in the order of the hits: those that hold at a time, as known at another.
pub fn facts_of_hits(
    tables: &impl Tables,
    view: &View,
    hits: &[Hit],
    at: (When, i64),
    limit: usize,
) -> Result<Vec<Fact>> {
    let mut found = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    for hit in hits {
        if found.len() >= limit {
            break;
        }
        if let Some(fact) = find_fact(tables, view, &hit.id, at)?
            && seen.insert(fact.triple.id.clone())
        {
            found.push(fact);
        }
    }
    Ok(found)
}

/// Returns the fact that a row says, if it holds `when`, as known at `known_at`. Where other rows say it for the time before or after, the row of the
/// fact may be another one.
pub fn find_fact(
    tables: &impl Tables,
    view: &View,
    id: &str,
    (when, known_at): (When, i64),
) -> Result<Option<Fact>> {
    let Some(row) = find_row(tables, view, id)? else { return Ok(None) };
    let key = GroupKey {
        subject: hash_entity(row.subject_entity()),
        predicate: predicate_key(&row.predicate),
        world: view.world(&row.scope).to_owned(),
    };
    let group = Group::load(tables, view, &key, known_at)?;
    match group.run_with(&row.id).filter(|run| when.has(run)) {
        Some(run) => read_fact(tables, &group, run, when.instant()),
        None => Ok(None),
    }
}

/// Whether the view has a fact of an entity that was not retracted.
fn is_known(tables: &impl Tables, view: &View, name: &str) -> Result<bool> {
    let mut is_known = false;
    for place in [Place::Subject, Place::Object] {
        scan_index(tables, &entity_prefix(hash_entity(name), place), None, &mut |indexed| {
            is_known |= view.reads(&indexed.entry.scope) && indexed.entry.retracted == FOREVER;
            if is_known { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    }
    Ok(is_known)
}
