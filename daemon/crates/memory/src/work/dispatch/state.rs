//! The states of a dispatch.
//!
//! ```text
//! open ──claim──> claimed ──progress──> active <──progress──> blocked
//!  ^                 │                     │                     │
//!  └── lease is over ┴─────────────────────┴─────────────────────┘
//! any of these ──complete──> done | failed | cancelled
//! ```
//!
//! The law: the state is a pure function of the events, in their order, and of the time. A lease that is over makes a dispatch open: that
//! is computed when it is asked, and no event says so. What was reported before stays. Progress and completion of an open dispatch
//! claim it. While a lease holds, only its holder reports; anyone may cancel an open one, and whoever started it may always, because it is theirs.

use serde::{Deserialize, Serialize};

use crate::Author;
use crate::work::keys::fold_name;

/// The length of a lease, unless the claim says otherwise.
pub const DEFAULT_LEASE_MS: u64 = 1_800_000;

/// The state of a dispatch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nobody works on it.
    #[default]
    Open,
    /// Somebody has claimed it.
    Claimed,
    /// Somebody works on it.
    Active,
    /// It waits for something else.
    Blocked,
    /// It has ended well, at least in part.
    Done,
    /// It has failed.
    Failed,
    /// It is not wanted any more.
    Cancelled,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 7] =
        [Self::Open, Self::Claimed, Self::Active, Self::Blocked, Self::Done, Self::Failed, Self::Cancelled];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Claimed => "claimed",
            Self::Active => "active",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing changes it any more.
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }

    /// Whether somebody holds a lease in it.
    pub fn is_held(self) -> bool {
        matches!(self, Self::Claimed | Self::Active | Self::Blocked)
    }
}

/// How a dispatch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// All of it is done.
    Success,
    /// A part of it is done.
    Partial,
    /// It has failed.
    Failed,
    /// It is not wanted any more.
    Cancelled,
}

impl Outcome {
    /// The state in which it leaves a dispatch.
    pub fn state(self) -> State {
        match self {
            Self::Success | Self::Partial => State::Done,
            Self::Failed => State::Failed,
            Self::Cancelled => State::Cancelled,
        }
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Something that happened to a dispatch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// When, in Unix milliseconds.
    pub at_ms: u64,
    /// By whom.
    pub by: Author,
    /// The change.
    pub step: Step,
}

/// A change of a dispatch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// Somebody claims it.
    #[serde(rename_all = "camelCase")]
    Claimed {
        /// The length of the lease, in milliseconds.
        lease_ms: u64,
    },
    /// Its holder reports.
    #[serde(rename_all = "camelCase")]
    Progressed {
        /// A report.
        note: String,
        /// How much is done.
        percent: Option<u8>,
        /// The places of milestones that are done now.
        milestones: Vec<usize>,
        /// Whether it waits for something else.
        blocked: bool,
        /// What it waits for.
        blocked_by: Option<String>,
    },
    /// It ends.
    #[serde(rename_all = "camelCase")]
    Completed {
        /// How.
        outcome: Outcome,
        /// What came of it.
        summary: String,
        /// What was made.
        artifacts: Vec<String>,
    },
}

/// Why a step can't be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Somebody else holds it until then, in Unix milliseconds.
    Held(Box<Author>, u64),
    /// It has ended.
    Ended(State),
}

/// What the events of a dispatch amount to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Standing {
    /// The state, as the last event left it.
    phase: State,
    /// Who claimed it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<Author>,
    /// When the lease is over, in Unix milliseconds.
    pub lease_until_ms: u64,
    /// The length of the lease, in milliseconds.
    pub lease_ms: u64,
    /// How much is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
    /// The places of the milestones that are done.
    pub milestones: Vec<usize>,
    /// The last report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_by: Option<String>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What was made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// When it ended, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<u64>,
}

/// Whether two authors are one: the same session, or the same agent in another one.
pub fn is_same_author(one: &Author, other: &Author) -> bool {
    let agent = |author: &Author| author.agent.as_deref().map(fold_name);
    if one.session.is_some() && one.session == other.session {
        return true;
    }
    match (agent(one), agent(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

impl Standing {
    /// The state at a time.
    pub fn state(&self, now_ms: u64) -> State {
        if self.phase.is_held() && now_ms >= self.lease_until_ms { State::Open } else { self.phase }
    }

    /// Who holds it at a time.
    pub fn holder_at(&self, now_ms: u64) -> Option<&Author> {
        self.holder.as_ref().filter(|_| self.state(now_ms).is_held())
    }

    /// Whether somebody may make a step.
    fn check(&self, by: &Author, at_ms: u64) -> Result<(), Unfit> {
        match self.state(at_ms) {
            ended if ended.is_ended() => Err(Unfit::Ended(ended)),
            held if held.is_held() => match &self.holder {
                Some(holder) if !is_same_author(holder, by) => {
                    Err(Unfit::Held(Box::new(holder.clone()), self.lease_until_ms))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Makes a step. Nothing changes if it can't be made. `starter` is who started the dispatch.
    pub fn apply(&mut self, event: &Event, starter: &Author) -> Result<(), Unfit> {
        let Event { at_ms, by, step } = event;
        let cancels = matches!(step, Step::Completed { outcome: Outcome::Cancelled, .. });
        match self.check(by, *at_ms) {
            Err(Unfit::Held(..)) if cancels && is_same_author(starter, by) => {}
            checked => checked?,
        }
        let was_open = self.state(*at_ms) == State::Open;
        match step {
            Step::Claimed { lease_ms } => {
                self.take(by, *at_ms, *lease_ms);
                if was_open || self.phase == State::Open {
                    self.phase = State::Claimed;
                }
            }
            Step::Progressed { note, percent, milestones, blocked, blocked_by } => {
                let lease_ms = if was_open || self.lease_ms == 0 { DEFAULT_LEASE_MS } else { self.lease_ms };
                self.take(by, *at_ms, lease_ms);
                self.phase = if *blocked { State::Blocked } else { State::Active };
                self.note = Some(note.clone());
                self.percent = percent.or(self.percent);
                self.milestones.extend(milestones);
                self.milestones.sort_unstable();
                self.milestones.dedup();
                self.blocked_by = blocked_by.clone().filter(|_| *blocked);
            }
            Step::Completed { outcome, summary, artifacts } => {
                if !cancels {
                    self.holder = Some(by.clone());
                }
                self.phase = outcome.state();
                self.outcome = Some(*outcome);
                self.summary = Some(summary.clone());
                self.artifacts.clone_from(artifacts);
                self.blocked_by = None;
                self.ended_ms = Some(*at_ms);
            }
        }
        Ok(())
    }

    fn take(&mut self, by: &Author, at_ms: u64, lease_ms: u64) {
        self.holder = Some(by.clone());
        self.lease_ms = lease_ms;
        self.lease_until_ms = at_ms.saturating_add(lease_ms);
    }
}
