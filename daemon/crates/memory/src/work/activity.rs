//! The log of agents' activity.
//!
//! The law: an entry never changes. Entries are in the order in which they were logged, whatever time they name. The oldest make room:
//! there are at most [`limits::ACTIVITY`], none older than [`limits::ACTIVITY_MS`] but for those that the next sweep removes.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::keys::{self, Back, By, newest_rows};
use super::sweep::{self, Sweep};
use crate::store::{Change, Head, Row, Tables};
use crate::words::{Lane, Texts};
use crate::{Anchors, Result, limits, tables};

/// The prefix of ids.
pub const PREFIX: &str = "act_";

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum ActivityKind {
    Note,
    Decision,
    Command,
    Edit,
    Test,
    Error,
    Milestone,
    Review,
    Deploy,
}

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// `act_…`.
    pub id: String,
    /// The repository; empty for the user.
    pub scope: String,
    /// Its kind.
    pub kind: ActivityKind,
    /// What happened.
    pub message: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// The dispatch during which it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<String>,
    /// When it happened, in Unix milliseconds.
    pub at_ms: u64,
    /// The code that it is about.
    #[serde(default)]
    pub anchors: Anchors,
    /// When it was logged, and by whom.
    pub head: Head,
}

impl Row for Activity {
    const TABLE: &'static str = tables::ACTIVITY;
    const LANE: Option<Lane> = Some(Lane::Activity);
    const REVISED: bool = false;

    fn key(&self) -> Vec<u8> {
        self.id.as_bytes().to_vec()
    }

    crate::store::own_fields!();

    fn texts(&self) -> Texts {
        let symbols = self.anchors.symbols.iter().map(|symbol| symbol.name.clone());
        let files = self.anchors.files.iter().map(|file| file.path.clone());
        Texts {
            title: String::new(),
            body: self.message.clone(),
            tags: Vec::new(),
            names: symbols.chain(files).collect(),
            at_ms: i64::try_from(self.at_ms).unwrap_or(i64::MAX),
            session: self.head.by.session.clone(),
        }
    }
}

/// Something to log.
#[derive(Clone, Debug, PartialEq)]
pub struct NewActivity {
    /// The repository; empty for the user.
    pub scope: String,
    /// Its kind.
    pub kind: ActivityKind,
    /// What happened.
    pub message: String,
    /// More about it.
    pub details: Map<String, Value>,
    /// The dispatch during which it happened.
    pub dispatch: Option<String>,
    /// When it happened; none for now.
    pub at_ms: Option<u64>,
    /// The code that it is about.
    pub anchors: Anchors,
}

/// Logs something. Returns the id.
pub fn log_activity(change: &mut Change<'_, '_>, new: NewActivity) -> Result<String> {
    make_room(change, sweep::PER_WRITE)?;
    let id = change.new_id(PREFIX);
    let at_ms = new.at_ms.unwrap_or_else(|| change.now_ms());
    let NewActivity { scope, kind, message, details, dispatch, anchors, .. } = new;
    let head = Head::default();
    let mut row = Activity { id: id.clone(), scope, kind, message, details, dispatch, at_ms, anchors, head };
    change.put(&mut row)?;
    if let Some(session) = change.by().session.clone() {
        keys::add_key(change, By::Activity, &session, &id)?;
    }
    Ok(id)
}

/// Which entries are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ActivityFilter<'a> {
    /// Those of one session.
    pub session: Option<&'a str>,
    /// Those of one agent.
    pub agent: Option<&'a str>,
    /// Those during one dispatch.
    pub dispatch: Option<&'a str>,
    /// Those of one kind.
    pub kind: Option<ActivityKind>,
    /// Those logged since, in Unix milliseconds.
    pub since_ms: u64,
    /// Those before this one.
    pub before: Option<&'a str>,
}

/// Returns the newest entries, the newest first.
pub fn recent_activity(
    tables: &impl Tables,
    filter: ActivityFilter<'_>,
    reads: impl Fn(&str) -> bool,
    (now_ms, most): (u64, usize),
) -> Result<Vec<Activity>> {
    let agent = filter.agent.map(keys::fold_name);
    let wanted = |row: &Activity| {
        let by = &row.head.by;
        reads(&row.scope)
            && filter.kind.is_none_or(|kind| kind == row.kind)
            && filter.session.is_none_or(|session| by.session.as_deref() == Some(session))
            && filter.dispatch.is_none_or(|dispatch| row.dispatch.as_deref() == Some(dispatch))
            && agent
                .as_ref()
                .is_none_or(|agent| by.agent.as_deref().map(keys::fold_name).as_ref() == Some(agent))
    };
    let Some(session) = filter.session else {
        let ActivityFilter { since_ms, before, .. } = filter;
        return newest_rows(tables, Back { prefix: PREFIX, now_ms, before, since_ms, most }, wanted);
    };
    let ids = keys::ids_by(tables, By::Activity, session, usize::MAX)?;
    let since = keys::first_id(PREFIX, filter.since_ms);
    let asked = |id: &&String| **id >= since && filter.before.is_none_or(|before| id.as_str() < before);
    let mut found = Vec::new();
    for id in ids.iter().rev().filter(asked) {
        if found.len() == most {
            break;
        }
        found.extend(tables.row::<Activity>(id.as_bytes())?.filter(|row| wanted(row)));
    }
    Ok(found)
}

/// Removes the oldest entries that are too old, or above the limit: `most` of them at most. Returns how many.
pub fn make_room(change: &mut Change<'_, '_>, most: usize) -> Result<usize> {
    let sweep = Sweep { prefix: PREFIX, keep: limits::ACTIVITY, age_ms: limits::ACTIVITY_MS, most };
    let old: Vec<Activity> = sweep::oldest_rows(change, sweep)?;
    for row in &old {
        change.remove::<Activity>(&row.key())?;
        if let Some(session) = &row.head.by.session {
            keys::drop_key(change, By::Activity, session, &row.id)?;
        }
    }
    Ok(old.len())
}
