//! What happened to facts, in the order of time.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::cursor::{read_moment, write_moment};
use super::group::{Group, GroupKey};
use super::index::{
    Indexed, Place, entity_prefix, group_prefix, predicate_key, predicate_prefix, scan_index,
};
use super::names::hash_entity;
use super::pick::{find_row, unknown_id};
use super::query::shown_names;
use super::triple::Triple;
use super::view::View;
use crate::store::Tables;
use crate::times::FOREVER;
use crate::{Author, Result};

/// The facts that a timeline is about.
#[derive(Clone, Copy, Debug)]
pub enum TimelineOf<'a> {
    /// Those with this entity as subject or object.
    Entity(&'a str),
    /// One.
    Id(&'a str),
    /// Those with this predicate.
    Predicate(&'a str),
}

/// A question for a timeline.
#[derive(Clone, Copy, Debug)]
pub struct TimelineQuery<'a> {
    /// Which facts.
    pub of: TimelineOf<'a>,
    /// Events from this instant on.
    pub from: Option<i64>,
    /// Events before this instant.
    pub to: Option<i64>,
    /// What was known at this instant; [`FOREVER`] for now.
    pub known_at: i64,
    /// Most events.
    pub limit: usize,
    /// Continues after [`EventPage::next`] of the page before.
    pub after: Option<&'a str>,
}

/// What happened to a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// It ended to hold: at a time that was given for it, or because the next exclusive fact begins.
    Ended,
    /// It began to hold.
    Asserted,
    /// It was withdrawn, and another row says it right.
    Corrected,
    /// It was withdrawn.
    Retracted,
}

/// An event in the life of a fact.
#[derive(Clone, Debug, PartialEq)]
pub struct FactEvent {
    /// When: in valid time for a beginning and an end, in recorded time for a withdrawal.
    pub at: i64,
    /// When it was recorded.
    pub recorded_at: i64,
    /// What happened.
    pub kind: EventKind,
    /// The row.
    pub triple: Triple,
    /// The subject as it is shown.
    pub subject: String,
    /// The object as it is shown.
    pub object: String,
    /// Who recorded it.
    pub by: Author,
    /// Why, if that was said.
    pub reason: Option<String>,
    /// The row that ended or corrected it.
    pub by_triple: Option<String>,
}

/// Some of the events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventPage {
    /// In the order of `at`.
    pub events: Vec<FactEvent>,
    /// The place to continue from; none at the end.
    pub next: Option<String>,
}

/// An event without its row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    at: i64,
    kind: EventKind,
    id: String,
    by_triple: Option<String>,
}

impl Moment {
    fn place(&self) -> (i64, u8, &str) {
        (self.at, self.kind as u8, &self.id)
    }
}

/// Returns the events of facts, the earliest first.
pub fn read_timeline(tables: &impl Tables, view: &View, query: &TimelineQuery<'_>) -> Result<EventPage> {
    let after = query.after.map(read_moment).transpose()?;
    let mut moments = all_moments(tables, view, query)?;
    moments.retain(|moment| {
        query.from.is_none_or(|from| from <= moment.at)
            && query.to.is_none_or(|to| moment.at < to)
            && after.as_ref().is_none_or(|(at, kind, id)| moment.place() > (*at, *kind, id.as_str()))
    });
    moments.sort();
    let is_more = moments.len() > query.limit;
    moments.truncate(query.limit);
    let next = moments.last().filter(|_| is_more);
    let next = next.map(|last| write_moment(last.at, last.kind as u8, &last.id));
    let mut events = Vec::with_capacity(moments.len());
    for moment in moments {
        events.extend(read_event(tables, query.known_at, moment)?);
    }
    Ok(EventPage { events, next })
}

fn all_moments(tables: &impl Tables, view: &View, query: &TimelineQuery<'_>) -> Result<Vec<Moment>> {
    let mut rows: Vec<Indexed> = Vec::new();
    let mut seen = HashSet::new();
    let (prefixes, only) = match query.of {
        TimelineOf::Entity(name) => {
            let entity = hash_entity(name);
            (vec![entity_prefix(entity, Place::Subject), entity_prefix(entity, Place::Object)], None)
        }
        TimelineOf::Predicate(predicate) => (vec![predicate_prefix(predicate)], None),
        TimelineOf::Id(id) => {
            let row = find_row(tables, view, id)?.ok_or_else(|| unknown_id("tripleId", id))?;
            let subject = hash_entity(row.subject_entity());
            (vec![group_prefix(subject, Place::Subject, &predicate_key(&row.predicate))], Some(row.id))
        }
    };
    for prefix in prefixes {
        scan_index(tables, &prefix, None, &mut |indexed| {
            let entry = &indexed.entry;
            let is_asked = only.as_ref().is_none_or(|only| *only == entry.id);
            if is_asked
                && view.reads(&entry.scope)
                && entry.recorded <= query.known_at
                && seen.insert(entry.id.clone())
            {
                rows.push(indexed);
            }
            ControlFlow::Continue(())
        })?;
    }
    let mut groups: HashMap<GroupKey, Group> = HashMap::new();
    let mut moments = Vec::new();
    for indexed in rows {
        let key = GroupKey::of(view, &indexed);
        if !groups.contains_key(&key) {
            groups.insert(key.clone(), Group::load(tables, view, &key, query.known_at)?);
        }
        if let Some(group) = groups.get(&key) {
            moments.extend(moments_of(group, &indexed, query.known_at));
        }
    }
    Ok(moments)
}

/// The events of one row.
fn moments_of(group: &Group, indexed: &Indexed, known: i64) -> Vec<Moment> {
    let entry = &indexed.entry;
    let moment = |at, kind| Moment { at, kind, id: entry.id.clone(), by_triple: None };
    let mut moments = vec![moment(entry.from, EventKind::Asserted)];
    if entry.is_retracted(known) {
        moments.push(moment(entry.retracted, EventKind::Retracted));
        return moments;
    }
    let Some(span) = group.span_of(&entry.id) else { return moments };
    let holds_on = group.runs_of(entry.object).any(|run| run.from <= span.to && span.to < run.to);
    if span.to == FOREVER || holds_on {
        return moments;
    }
    let is_cut = span.to < entry.own_end(known);
    let next = group
        .entries
        .iter()
        .find(|next| is_cut && next.exclusive && next.from == span.to && next.is_believed(known));
    moments.push(Moment { by_triple: next.map(|next| next.id.clone()), ..moment(span.to, EventKind::Ended) });
    moments
}

fn read_event(tables: &impl Tables, known: i64, moment: Moment) -> Result<Option<FactEvent>> {
    let Some(triple) = tables.row::<Triple>(moment.id.as_bytes())? else { return Ok(None) };
    let Moment { at, mut kind, mut by_triple, .. } = moment;
    let (mut recorded_at, mut by, mut reason) = (triple.recorded_at, triple.by.clone(), None);
    match kind {
        EventKind::Ended => {
            let ends = triple.ends.iter().filter(|end| end.at == at && end.recorded_at <= known);
            let cause = match &by_triple {
                Some(id) => tables.row::<Triple>(id.as_bytes())?,
                None => None,
            };
            if let Some(next) = cause {
                (recorded_at, by) = (next.recorded_at, next.by);
            } else if let Some(end) = ends.min_by_key(|end| end.recorded_at) {
                (recorded_at, by, reason) = (end.recorded_at, end.by.clone(), end.reason.clone());
            }
        }
        EventKind::Retracted | EventKind::Corrected => {
            if let Some(retracted) = &triple.retracted {
                (recorded_at, by) = (retracted.at, retracted.by.clone());
                reason.clone_from(&retracted.reason);
                if retracted.corrected_by.is_some() {
                    kind = EventKind::Corrected;
                    by_triple.clone_from(&retracted.corrected_by);
                }
            }
        }
        EventKind::Asserted => {}
    }
    let (subject, object) = shown_names(tables, &triple)?;
    Ok(Some(FactEvent { at, recorded_at, kind, triple, subject, object, by, reason, by_triple }))
}
