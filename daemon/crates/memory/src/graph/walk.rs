//! What holds of an entity, of its neighbours, and of theirs.

use std::collections::HashSet;

use super::cursor::{read_offset, write_offset};
use super::names::entity_key;
use super::query::{Direction, EntityQuery, Fact, FactPage, query_entity};
use super::triple::ObjectType;
use super::view::View;
use crate::Result;
use crate::store::Tables;

/// Facts that one walk looks at, at most.
pub const MOST_WALKED: usize = 2_000;

/// Returns the facts of an entity, then those of its neighbours, `depth` steps far. Each fact once, the nearest first, at most
/// [`MOST_WALKED`] in all. [`FactPage::next`] is the number of facts before the next page.
pub fn walk_facts(
    tables: &impl Tables,
    view: &View,
    query: &EntityQuery<'_>,
    depth: usize,
) -> Result<FactPage> {
    if depth <= 1 {
        return query_entity(tables, view, query);
    }
    let skipped = read_offset(query.after)?;
    let wanted = (skipped + query.limit + 1).min(MOST_WALKED);
    let mut found: Vec<Fact> = Vec::new();
    let mut seen_facts: HashSet<String> = HashSet::new();
    let mut seen = HashSet::from([entity_key(query.entity)]);
    let mut edge = vec![query.entity.to_owned()];
    for _ in 0..depth {
        let mut next = Vec::new();
        for entity in &edge {
            let left = wanted.saturating_sub(found.len());
            if left == 0 {
                break;
            }
            let step = EntityQuery { entity, limit: left, after: None, ..*query };
            for fact in query_entity(tables, view, &step)?.facts {
                for neighbour in neighbours_of(&fact, query.direction) {
                    if seen.insert(entity_key(&neighbour)) {
                        next.push(neighbour);
                    }
                }
                if seen_facts.insert(fact.triple.id.clone()) {
                    found.push(fact);
                }
            }
        }
        edge = next;
    }
    let rest = found.split_off(skipped.min(found.len()));
    let mut facts = rest;
    let is_more = facts.len() > query.limit;
    facts.truncate(query.limit);
    let next = is_more.then(|| write_offset(skipped + query.limit));
    Ok(FactPage { facts, next })
}

/// The entities at which a walk goes on after a fact.
fn neighbours_of(fact: &Fact, direction: Direction) -> Vec<String> {
    let row = &fact.triple;
    let object = (row.object_type == ObjectType::Entity).then(|| row.object_entity().to_owned());
    let subject = Some(row.subject_entity().to_owned());
    match direction {
        Direction::Out => object.into_iter().collect(),
        Direction::In => subject.into_iter().collect(),
        Direction::Both => subject.into_iter().chain(object).collect(),
    }
}
