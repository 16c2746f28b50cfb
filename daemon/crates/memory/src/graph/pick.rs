//! Finding the rows that a request is about, and refusing it where there are none or several.

use std::ops::ControlFlow;

use sdl_contract::{Candidate, Code, Explained as _, Refusal, nearest_names};

use super::group::{Group, GroupKey};
use super::index::{FactEntry, Place, group_prefix, predicate_key, scan_index};
use super::names::hash_entity;
use super::triple::Triple;
use super::view::View;
use crate::Result;
use crate::store::Tables;
use crate::times::{FOREVER, write_time};

/// Rows that a refusal lists.
const LISTED: usize = 10;

/// A row of a subject, a predicate and an object.
#[derive(Clone, Debug)]
pub(super) struct Picked {
    pub(super) entry: FactEntry,
    /// The interval in which it holds, if it holds at some time.
    pub(super) span: Option<(i64, i64)>,
}

/// Returns a row that the view reads.
pub(super) fn find_row(tables: &impl Tables, view: &View, id: &str) -> Result<Option<Triple>> {
    Ok(tables.row::<Triple>(id.trim().as_bytes())?.filter(|row| view.reads(&row.scope)))
}

pub(super) fn unknown_id(field: &str, id: &str) -> Refusal {
    let shown: String = id.chars().take(60).collect();
    let message = format!("no fact {shown:?} here; kg.query lists the facts of an entity with their ids");
    Refusal::new(Code::UnknownTriple, message).at(field)
}

/// Returns the believed rows of a subject, predicate and object, over all worlds.
pub(super) fn rows_of(
    tables: &impl Tables,
    view: &View,
    (subject, predicate, object): (&str, &str, &str),
    now: i64,
) -> Result<Vec<Picked>> {
    let (subject, object) = (hash_entity(subject), hash_entity(object));
    let mut groups: Vec<GroupKey> = Vec::new();
    let mut found = Vec::new();
    let prefix = group_prefix(subject, Place::Subject, &predicate_key(predicate));
    scan_index(tables, &prefix, None, &mut |indexed| {
        if view.reads(&indexed.entry.scope) && indexed.entry.is_believed(now) {
            let group = GroupKey::of(view, &indexed);
            if !groups.contains(&group) {
                groups.push(group);
            }
            found.push(indexed.entry.id);
        }
        ControlFlow::Continue(())
    })?;
    let mut picked = Vec::new();
    for group in groups {
        let group = Group::load(tables, view, &group, now)?;
        for entry in &group.entries {
            // The object may be given by a name that it has no more.
            let is_object = entry.object == object || is_named(tables, entry, object)?;
            if entry.is_believed(now) && is_object && found.contains(&entry.id) {
                let span = group.span_of(&entry.id).map(|span| (span.from, span.to));
                picked.push(Picked { entry: entry.clone(), span });
            }
        }
    }
    Ok(picked)
}

/// Whether a row is found under a name of its object.
fn is_named(tables: &impl Tables, entry: &FactEntry, object: [u8; 16]) -> Result<bool> {
    let Some(row) = tables.row::<Triple>(entry.id.as_bytes())? else { return Ok(false) };
    let names = [Some(row.object.as_str()), row.symbol_name(row.object_entity())];
    Ok(names.into_iter().flatten().any(|name| hash_entity(name) == object))
}

/// Returns the refusal for a subject, predicate and object of which no row fits. `picked` are the rows that don't.
pub(super) fn no_such_fact(
    tables: &impl Tables,
    view: &View,
    (subject, predicate, object): (&str, &str, &str),
    picked: &[Picked],
) -> Result<Refusal> {
    let fact = format!("{subject} {predicate} {object}");
    if let Some(last) = picked.iter().max_by_key(|one| one.span) {
        let since = last.span.map(|(_, to)| format!(" since {}", write_time(to))).unwrap_or_default();
        let message = format!(
            "{fact}: no open fact; {} has ended{since}. To say that it never held, give retract true",
            last.entry.id
        );
        return Ok(Refusal::new(Code::UnknownTriple, message)
            .at("object")
            .or_one_of(picked.iter().take(LISTED).map(|one| candidate_of(tables, one))));
    }
    let mut near = Vec::new();
    let prefix = super::index::entity_prefix(hash_entity(subject), Place::Subject);
    scan_index(tables, &prefix, None, &mut |indexed| {
        if view.reads(&indexed.entry.scope) && indexed.entry.retracted == FOREVER {
            near.push(indexed.entry.id);
        }
        if near.len() < 200 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let mut texts = Vec::new();
    for id in near {
        let Some(row) = tables.row::<Triple>(id.as_bytes())? else { continue };
        texts.push((format!("{} {}", row.predicate, row.object), row));
    }
    let wanted = format!("{predicate} {object}");
    let names = nearest_names(&wanted, texts.iter().map(|(text, _)| text.as_str()), 3);
    let near: Vec<_> = texts.iter().filter(|(text, _)| names.contains(&text.as_str())).take(3).collect();
    let hint = match near.first() {
        Some((text, row)) => format!("; did you mean {} {text} ({})?", row.subject, row.id),
        None if texts.is_empty() => format!("; nothing is known of {subject:?} as a subject"),
        None => format!("; {} other facts have this subject, see kg.query", texts.len()),
    };
    let refusal = Refusal::new(Code::UnknownTriple, format!("no fact {fact}{hint}")).at("subject");
    Ok(refusal.or_one_of(near.iter().map(|(_, row)| candidate_of_row(row))))
}

/// Returns the refusal for a subject, predicate and object of which several rows fit.
pub(super) fn several_facts(tables: &impl Tables, picked: &[Picked]) -> Refusal {
    let message = format!(
        "{} facts fit; give the tripleId of one, or all true: {}",
        picked.len(),
        picked.iter().take(LISTED).map(|one| one.entry.id.as_str()).collect::<Vec<_>>().join(", ")
    );
    Refusal::new(Code::AmbiguousTriple, message)
        .at("tripleId")
        .or_one_of(picked.iter().take(LISTED).map(|one| candidate_of(tables, one)))
}

fn candidate_of(tables: &impl Tables, picked: &Picked) -> Candidate {
    let mut candidate = Candidate::of("tripleId", picked.entry.id.clone());
    if let Ok(Some(row)) = tables.row::<Triple>(picked.entry.id.as_bytes()) {
        candidate = candidate_of_row(&row);
    }
    if let Some((from, to)) = picked.span {
        candidate = candidate.with("validFrom", write_time(from));
        if to != FOREVER {
            candidate = candidate.with("validTo", write_time(to));
        }
    }
    candidate
}

fn candidate_of_row(row: &Triple) -> Candidate {
    Candidate::of("tripleId", row.id.clone())
        .with("subject", row.subject.clone())
        .with("predicate", row.predicate.clone())
        .with("object", row.object.clone())
}
