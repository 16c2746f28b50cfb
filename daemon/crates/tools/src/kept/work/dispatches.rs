//! Dispatches as answers show them.

use schemars::JsonSchema;
use sdl_memory::work::dispatch::Dispatch;
use sdl_memory::work::dispatch::state::State;
use serde::{Deserialize, Serialize};

use crate::call::answers::append_text;
use crate::call::work::sender_name;

/// A state, in requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum StateIn {
    /// Nobody works on it.
    Open,
    /// Somebody has claimed it.
    Claimed,
    /// Somebody works on it.
    Active,
    /// It waits for something else.
    Blocked,
    /// It ended well.
    Done,
    /// It failed.
    Failed,
    /// It is not wanted any more.
    Cancelled,
}

impl From<StateIn> for State {
    fn from(state: StateIn) -> Self {
        match state {
            StateIn::Open => Self::Open,
            StateIn::Claimed => Self::Claimed,
            StateIn::Active => Self::Active,
            StateIn::Blocked => Self::Blocked,
            StateIn::Done => Self::Done,
            StateIn::Failed => Self::Failed,
            StateIn::Cancelled => Self::Cancelled,
        }
    }
}

/// A milestone.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MilestoneOut {
    /// Its text.
    pub(crate) text: String,
    /// Whether it is done.
    pub(crate) done: bool,
}

/// A dispatch, without its brief.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DispatchOut {
    /// `d_…`.
    pub(crate) dispatch_id: String,
    /// One line.
    pub(crate) title: String,
    /// `open`, `claimed`, `active`, `blocked`, `done`, `failed` or `cancelled`.
    pub(crate) state: String,
    /// 1 for the first attempt.
    pub(crate) attempt: u32,
    /// The agent that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<String>,
    /// Who started it.
    pub(crate) from: String,
    /// The repository.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) repo_id: String,
    /// The plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan_slug: Option<String>,
    /// The kind of work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) domain: Option<String>,
    /// Greater is more urgent.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) priority: i32,
    /// The steps on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) milestones: Vec<MilestoneOut>,
    /// How much is done, as last reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) percent: Option<u8>,
    /// The last report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) blocked_by: Option<String>,
    /// Who holds it, or held it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) holder: Option<String>,
    /// When the holder's lease ends, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lease_until: Option<u64>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<String>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<String>,
    /// What was made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) artifacts: Vec<String>,
    /// The dispatch that this one tries again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_of: Option<String>,
    /// The dispatch that this one is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent_id: Option<String>,
    /// When it should be done, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) due_at: Option<u64>,
    /// When it was started, in Unix milliseconds.
    pub(crate) at: u64,
    /// When it was last changed, in Unix milliseconds.
    pub(crate) updated_at: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form that the serializer calls")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}

impl DispatchOut {
    /// A dispatch as it is at a time.
    pub(crate) fn of(row: &Dispatch, now_ms: u64) -> Self {
        let standing = &row.standing;
        let state = row.state(now_ms);
        let milestones = row.milestones.iter().enumerate().map(|(place, text)| MilestoneOut {
            text: text.clone(),
            done: standing.milestones.contains(&place),
        });
        Self {
            dispatch_id: row.id.clone(),
            title: row.title.clone(),
            state: state.name().to_owned(),
            attempt: row.attempt,
            to: row.to.clone(),
            from: sender_name(&row.started_by),
            repo_id: row.scope.clone(),
            plan_slug: row.plan.clone(),
            domain: row.domain.clone(),
            priority: row.priority,
            milestones: milestones.collect(),
            percent: standing.percent,
            note: standing.note.clone(),
            blocked_by: standing.blocked_by.clone(),
            holder: standing.holder.as_ref().map(sender_name),
            lease_until: state.is_held().then_some(standing.lease_until_ms),
            outcome: standing.outcome.map(|outcome| outcome.name().to_owned()),
            summary: standing.summary.clone(),
            artifacts: standing.artifacts.clone(),
            retry_of: row.retry_of.clone(),
            parent_id: row.parent.clone(),
            due_at: row.due_ms,
            at: row.head.created_ms,
            updated_at: row.head.updated_ms,
        }
    }
}

/// Appends a dispatch to the text of an answer, in one line.
pub(crate) fn dispatch_line(text: &mut String, row: &DispatchOut) {
    let DispatchOut { dispatch_id, title, state, .. } = row;
    append_text(text, format_args!("{dispatch_id} {state} {title}"));
    let done = row.milestones.iter().filter(|milestone| milestone.done).count();
    for (name, value) in [
        ("for", row.to.clone()),
        ("held by", row.holder.clone()),
        ("plan", row.plan_slug.clone()),
        ("domain", row.domain.clone()),
        ("done", row.percent.map(|percent| format!("{percent} %"))),
        ("milestones", (!row.milestones.is_empty()).then(|| format!("{done}/{}", row.milestones.len()))),
        ("blocked by", row.blocked_by.clone()),
        ("note", row.note.clone().filter(|_| row.summary.is_none())),
        ("outcome", row.outcome.clone()),
        ("summary", row.summary.clone()),
    ] {
        if let Some(value) = value {
            append_text(text, format_args!("; {name} {value}"));
        }
    }
}
