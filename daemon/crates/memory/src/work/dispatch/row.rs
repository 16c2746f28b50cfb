//! The rows of a dispatch: what it is now, its text, and its events.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::state::{Event, Standing, State};
use crate::store::{Change, Head, Row, Tables};
use crate::words::{Lane, Texts};
use crate::{Anchors, Author, Result, tables};

/// The prefix of ids.
pub const PREFIX: &str = "d_";

/// A dispatch, without its brief.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dispatch {
    /// `d_…`.
    pub id: String,
    /// The repository; empty for the user.
    pub scope: String,
    /// One line.
    pub title: String,
    /// The agent that it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The plan that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The kind of work, such as `frontend`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The steps on the way.
    #[serde(default)]
    pub milestones: Vec<String>,
    /// The dispatch that this one tries again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<String>,
    /// 1 for the first attempt.
    pub attempt: u32,
    /// The dispatch that this one is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Greater is more urgent.
    #[serde(default)]
    pub priority: i32,
    /// The assembled context that it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assembly: Option<String>,
    /// When it should be done, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_ms: Option<u64>,
    /// The code that it is about.
    #[serde(default)]
    pub anchors: Anchors,
    /// Who started it.
    pub started_by: Author,
    /// What its events amount to.
    pub standing: Standing,
    /// The number of its events.
    pub events: u32,
    /// When it was last changed, and by whom.
    pub head: Head,
}

impl Dispatch {
    /// Its state at a time.
    pub fn state(&self, now_ms: u64) -> State {
        self.standing.state(now_ms)
    }
}

impl Row for Dispatch {
    const TABLE: &'static str = tables::DISPATCHES;
    const LANE: Option<Lane> = None;
    const REVISED: bool = false;

    fn key(&self) -> Vec<u8> {
        self.id.as_bytes().to_vec()
    }

    crate::store::own_fields!();

    fn texts(&self) -> Texts {
        Texts::default()
    }
}

/// The text of a dispatch, apart from what changes with each report, so that a report does not index it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Brief {
    /// The dispatch.
    pub id: String,
    /// The repository; empty for the user.
    pub scope: String,
    /// One line.
    pub title: String,
    /// The task.
    pub brief: String,
    /// What came of it.
    #[serde(default)]
    pub summary: String,
    /// Words to find it by: plan, domain, agent.
    pub tags: Vec<String>,
    /// Names of symbols and paths.
    pub names: Vec<String>,
    /// When it was last changed, and by whom.
    pub head: Head,
}

fn brief_key(id: &str) -> Vec<u8> {
    [id.as_bytes(), b"\0b"].concat()
}

impl Row for Brief {
    const TABLE: &'static str = tables::DISPATCH_EVENTS;
    const LAYOUT: u8 = 2;
    const LANE: Option<Lane> = Some(Lane::Dispatch);
    const REVISED: bool = false;

    fn key(&self) -> Vec<u8> {
        brief_key(&self.id)
    }

    crate::store::own_fields!();

    fn texts(&self) -> Texts {
        Texts {
            title: self.title.clone(),
            body: format!("{}\n{}", self.brief, self.summary).trim().to_owned(),
            tags: self.tags.clone(),
            names: self.names.clone(),
            at_ms: i64::try_from(self.head.created_ms).unwrap_or(i64::MAX),
            session: self.head.by.session.clone(),
        }
    }
}

/// Returns a dispatch.
pub fn find_dispatch(tables: &impl Tables, id: &str) -> Result<Option<Dispatch>> {
    if !id.starts_with(PREFIX) || id.len() > 64 {
        return Ok(None);
    }
    Ok(tables.row(id.as_bytes())?)
}

/// Returns the text of a dispatch.
pub fn find_brief(tables: &impl Tables, id: &str) -> Result<Option<Brief>> {
    Ok(tables.row(&brief_key(id))?)
}

fn events_prefix(id: &str) -> Vec<u8> {
    [id.as_bytes(), b"\0e"].concat()
}

fn event_key(id: &str, nth: u32) -> Vec<u8> {
    [&events_prefix(id)[..], &nth.to_be_bytes()].concat()
}

/// Appends an event to those of a dispatch.
pub(super) fn add_event(change: &mut Change<'_, '_>, id: &str, nth: u32, event: &Event) -> Result<()> {
    change.put_bytes(tables::DISPATCH_EVENTS, &event_key(id, nth), &serde_json::to_vec(event)?)
}

/// Returns the events of a dispatch, in their order.
pub fn events_of(tables: &impl Tables, id: &str) -> Result<Vec<Event>> {
    let prefix = events_prefix(id);
    let mut events = Vec::new();
    tables.scan_bytes(tables::DISPATCH_EVENTS, &prefix, &mut |key, value| {
        if !key.starts_with(&prefix) {
            return ControlFlow::Break(());
        }
        events.extend(serde_json::from_slice::<Event>(value));
        ControlFlow::Continue(())
    })?;
    Ok(events)
}

/// Removes a dispatch with its text and its events.
pub(super) fn forget_dispatch(change: &mut Change<'_, '_>, dispatch: &Dispatch) -> Result<()> {
    for nth in 0..dispatch.events {
        change.delete_bytes(tables::DISPATCH_EVENTS, &event_key(&dispatch.id, nth))?;
    }
    change.remove::<Brief>(&brief_key(&dispatch.id))?;
    change.remove::<Dispatch>(dispatch.id.as_bytes()).map(drop)
}
