//! Ending and retracting facts.

use sdl_contract::{Code, Explained as _, Refusal};

use super::group::{Group, GroupKey};
use super::index::{predicate_key, write_fact};
use super::names::hash_entity;
use super::pick::{self, Picked};
use super::record::{Cut, recording_time, retract_one};
use super::triple::{End, Triple};
use super::view::View;
use crate::Result;
use crate::store::{Change, Tables as _};
use crate::times::{FOREVER, write_time};

/// The facts to end or to retract.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// The fact with this id.
    Id(&'a str),
    /// The fact with this subject, predicate and object: the open one, if it is to be ended.
    Spo(&'a str, &'a str, &'a str),
    /// All of those.
    AllOf(&'a str, &'a str, &'a str),
}

/// Ends facts at `at`, by default now. A fact that has ended before is not open. Returns the new ends.
pub fn end_facts(
    change: &mut Change<'_, '_>,
    view: &View,
    which: Which<'_>,
    at: Option<i64>,
    reason: Option<&str>,
) -> Result<Vec<Cut>> {
    let now = recording_time(change)?;
    let mut cuts = Vec::new();
    for picked in pick_open(change, view, which, now)? {
        let Some((from, to)) = picked.span else { continue };
        // A fact that was added in this millisecond can end, too.
        let at = at.unwrap_or(if from == now { now + 1 } else { now });
        let id = &picked.entry.id;
        if at <= from {
            let message = format!(
                "\"at\" {} must be after {}, when {id} begins; to say that it never held, give retract true",
                write_time(at),
                write_time(from)
            );
            return Err(Refusal::invalid("at", message).into());
        }
        if at >= to {
            let message = format!(
                "{id} ends at {} already, which is no later than {}; give an earlier \"at\"",
                write_time(to),
                write_time(at)
            );
            return Err(Refusal::new(Code::Conflict, message).at("at").into());
        }
        let Some(before) = change.tables().row::<Triple>(id.as_bytes())? else { continue };
        let mut row = before.clone();
        row.ends.push(End {
            at,
            recorded_at: now,
            by: change.by().clone(),
            reason: reason.map(str::to_owned),
        });
        write_fact(change, Some(&before), &mut row)?;
        cuts.push(Cut { triple_id: row.id, valid_to: Some(at) });
    }
    Ok(cuts)
}

/// Ends facts whose code is gone, each at its time, so that the end stays known when the versions of that time are no longer kept. Passes over
/// those that have ended before, or begin later.
pub fn end_gone_facts(change: &mut Change<'_, '_>, gone: &[(String, i64)]) -> Result<()> {
    let now = recording_time(change)?;
    for (id, at) in gone {
        let Some(before) = change.tables().row::<Triple>(id.as_bytes())? else { continue };
        let is_over = before.retracted.is_some()
            || *at <= before.valid_from
            || before.valid_to.is_some_and(|to| to <= *at)
            || before.ends.iter().any(|end| end.at <= *at);
        if is_over {
            continue;
        }
        let mut row = before.clone();
        let reason = Some("its code is gone".to_owned());
        row.ends.push(End { at: *at, recorded_at: now, by: change.by().clone(), reason });
        write_fact(change, Some(&before), &mut row)?;
    }
    Ok(())
}

/// Says of facts that they never held. What was believed before is still answered for an earlier `knownAt`.
pub fn retract_facts(
    change: &mut Change<'_, '_>,
    view: &View,
    which: Which<'_>,
    reason: Option<&str>,
) -> Result<Vec<Cut>> {
    let now = recording_time(change)?;
    let ids = match which {
        Which::Id(id) => vec![id.trim().to_owned()],
        Which::Spo(s, p, o) | Which::AllOf(s, p, o) => {
            let picked = pick::rows_of(change.tables(), view, (s, p, o), now)?;
            if picked.is_empty() {
                return Err(pick::no_such_fact(change.tables(), view, (s, p, o), &[])?.into());
            }
            if picked.len() > 1 && matches!(which, Which::Spo(..)) {
                return Err(pick::several_facts(change.tables(), &picked).into());
            }
            picked.into_iter().map(|one| one.entry.id).collect()
        }
    };
    let mut cuts = Vec::new();
    for id in ids {
        let Some(row) = pick::find_row(change.tables(), view, &id)? else {
            return Err(pick::unknown_id("tripleId", &id).into());
        };
        let row = retract_one(change, row, reason)?;
        cuts.push(Cut { triple_id: row.id, valid_to: None });
    }
    Ok(cuts)
}

fn pick_open(change: &Change<'_, '_>, view: &View, which: Which<'_>, now: i64) -> Result<Vec<Picked>> {
    let tables = change.tables();
    let (spo, is_all) = match which {
        Which::Id(id) => return Ok(vec![pick_id(change, view, id, now)?]),
        Which::Spo(s, p, o) => ((s, p, o), false),
        Which::AllOf(s, p, o) => ((s, p, o), true),
    };
    let picked = pick::rows_of(tables, view, spo, now)?;
    let is_open = |one: &&Picked| one.span.is_some_and(|(_, to)| to == FOREVER);
    let open: Vec<Picked> = picked.iter().filter(is_open).cloned().collect();
    if open.is_empty() {
        return Err(pick::no_such_fact(tables, view, spo, &picked)?.into());
    }
    if open.len() > 1 && !is_all {
        return Err(pick::several_facts(tables, &open).into());
    }
    Ok(open)
}

fn pick_id(change: &Change<'_, '_>, view: &View, id: &str, now: i64) -> Result<Picked> {
    let Some(row) = pick::find_row(change.tables(), view, id)? else {
        return Err(pick::unknown_id("tripleId", id).into());
    };
    let key = GroupKey {
        subject: hash_entity(row.subject_entity()),
        predicate: predicate_key(&row.predicate),
        world: view.world(&row.scope).to_owned(),
    };
    let group = Group::load(change.tables(), view, &key, now)?;
    if let Some(retracted) = &row.retracted {
        let message = format!("{} was retracted at {}: it has no end", row.id, write_time(retracted.at));
        return Err(Refusal::new(Code::Conflict, message).at("tripleId").into());
    }
    let Some(span) = group.span_of(&row.id) else {
        let message = format!("{} holds at no time, because another fact begins with it", row.id);
        return Err(Refusal::new(Code::Conflict, message).at("tripleId").into());
    };
    let entry = group.entries[span.place].clone();
    Ok(Picked { entry, span: Some((span.from, span.to)) })
}
