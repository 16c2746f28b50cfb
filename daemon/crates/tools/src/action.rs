//! What an action is: its types, its description, and one of three ways to run it.
//!
//! The way decides what the pipeline does around the handler, so that no handler can forget it: a [`ReadAction`] gets a
//! snapshot taken behind the barrier and its answer carries the snapshot's freshness; a [`RepoAction`] gets a repository;
//! a [`HostAction`] gets the host alone.

use std::cell::RefCell;
use std::time::Duration;

use schemars::JsonSchema;
use sdl_ledger::{Clock as _, Snapshot, SystemClock};
use sdl_model::Version;
use sdl_retrieve::Source;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::audit::Decisions;
use crate::briefing::Briefings;
use crate::buffers::{Buffers, Overlay};
use crate::ladder::{Names, Structures};
use crate::leases::{HandleKind, Held, LeaseWrite, Leases};
use crate::overview::Overviews;
use crate::pipeline::Pins;
use crate::registry::Registry;
use crate::stamp::Stamp;
use crate::{Cancel, Host, Progress, Repo, Session, ToolError};

/// A group of actions that share a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Namespace {
    /// Asking the graph.
    Query,
    /// Reading source.
    Code,
    /// Repositories, indexes, settings.
    Repo,
    /// Tasks, commands, memories.
    Agent,
    /// In every gateway and on its own.
    Universal,
}

impl Namespace {
    /// The namespaces that have a gateway.
    pub(crate) const GATEWAYS: [Self; 4] = [Self::Query, Self::Code, Self::Repo, Self::Agent];

    /// The gateway's name without prefix.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Code => "code",
            Self::Repo => "repo",
            Self::Agent => "agent",
            Self::Universal => "universal",
        }
    }
}

/// What is said of an action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionDef {
    /// Its name, with dots.
    pub(crate) name: &'static str,
    /// Its gateway.
    pub(crate) namespace: Namespace,
    /// Whether calling it changes anything that outlives the call.
    pub(crate) mutating: bool,
    /// When to call it, what it gives. Begins with "Call this when".
    pub(crate) description: &'static str,
    /// What a call needs, for the gateway's list: `taskText|entrySymbols`.
    pub(crate) needs: &'static str,
    /// Calls that work, as JSON arguments.
    pub(crate) examples: &'static [&'static str],
    /// Other names of fields, beside their snake case: alias and field.
    pub(crate) aliases: &'static [(&'static str, &'static str)],
}

/// How hard to try that an answer reflects the tree as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Sync {
    /// Confirmed, or an error.
    Require,
    /// Confirmed if that comes in time; the answer says whether.
    #[default]
    Prefer,
    /// Don't wait.
    None,
}

/// The types of an action.
pub(crate) trait Action: 'static {
    /// Its arguments, without those that the pipeline takes care of (`repoId`, `sync`, `syncTimeoutMs`).
    type Request: DeserializeOwned + JsonSchema;
    /// Its answer, without `freshness` and `notes`.
    type Response: Serialize + JsonSchema + Render;
    /// What is said of it.
    const DEF: ActionDef;
    /// Tokens of its answer at most unless the caller names a budget; none if it takes no budget.
    const USUAL_TOKENS: Option<usize> = None;
}

/// The compact text of an answer.
pub(crate) trait Render {
    /// The same as the structured answer, for a reader, in fewer tokens.
    fn text(&self) -> String;
}

/// An action on one version of one repository. Changes nothing there.
pub(crate) trait ReadAction: Action {
    /// What `sync` is when it is not given.
    const SYNC: Sync = Sync::Prefer;
    /// Whether it has something to say before the first index is done. All others wait for that, or fail.
    const EARLY: bool = false;

    /// The handle in the arguments. It names the repository, and what it holds is read before the snapshot is taken, so
    /// that no lease is ahead of its snapshot.
    fn handle(_request: &Self::Request) -> Option<(HandleKind, &str)> {
        None
    }

    /// Answers from a snapshot.
    fn run(cx: &ReadCx<'_>, request: Self::Request) -> Result<Self::Response, ToolError>;
}

/// An action on a repository that needs no snapshot.
pub(crate) trait RepoAction: Action {
    /// Acts. Returns the version that the answer speaks of, and whether that is known to be the tree as it is.
    fn run(cx: &RepoCx<'_>, request: Self::Request) -> Result<(Self::Response, Stand), ToolError>;
}

/// An action that belongs to no repository.
pub(crate) trait HostAction: Action {
    /// Acts.
    fn run(cx: &Call<'_>, request: Self::Request) -> Result<Self::Response, ToolError>;
}

/// How an answer stands to the tree, where the handler alone knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stand {
    /// The version that the answer speaks of.
    pub(crate) version: Version,
    /// Whether everything written before the call is in it. None for an answer that says nothing of the tree.
    pub(crate) synced: Option<bool>,
    /// If not true, why not.
    pub(crate) reason: Option<String>,
}

/// The reason of an answer that says nothing of the tree.
const APART: &str = "the answer does not depend on the tree";

impl Stand {
    /// Of an answer that says nothing of the tree.
    pub(crate) fn apart(repo: &dyn Repo) -> Self {
        let reason = Some(APART.to_owned());
        Self { version: repo.ledger().head().unwrap_or(Version(0)), synced: None, reason }
    }

    /// Of such an answer, where there is no version either.
    pub(crate) fn nowhere() -> Self {
        Self { version: Version(0), synced: None, reason: Some(APART.to_owned()) }
    }

    /// Whether it is of such an answer.
    pub(crate) fn is_apart(&self) -> bool {
        self.synced.is_none()
    }
}

/// One call, as every handler sees it.
pub(crate) struct Call<'a> {
    /// The daemon.
    pub(crate) host: &'a dyn Host,
    /// Who calls.
    pub(crate) session: &'a Session,
    /// Where long work says how far it is.
    pub(crate) progress: &'a dyn Progress,
    /// Whether anyone still waits.
    pub(crate) cancel: &'a Cancel,
    pub(crate) registry: &'a Registry,
    pub(crate) leases: &'a Leases,
    pub(crate) usage: &'a crate::usage::Usage,
    /// What this call serves.
    pub(crate) served: &'a RefCell<crate::usage::Served>,
    /// What the caller should know beside the answer of an action without a snapshot.
    pub(crate) notes: &'a RefCell<Vec<String>>,
    /// What is decided on the way: written to the log before the answer goes out.
    pub(crate) decisions: &'a Decisions,
    /// What a step of a chain has in common with the steps before it.
    pub(crate) pins: Option<&'a Pins>,
    /// Summaries told lately.
    pub(crate) briefings: &'a Briefings,
    /// What stands where in texts looked at lately.
    pub(crate) structures: &'a Structures,
    /// Identifiers of texts looked at lately.
    pub(crate) names: &'a Names,
    /// Overviews made lately.
    pub(crate) overviews: &'a Overviews,
    /// Unsaved editor buffers.
    pub(crate) buffers: &'a Buffers,
}

impl Call<'_> {
    /// An error if no one waits any more. Loops over many things call it.
    pub(crate) fn check(&self) -> Result<(), ToolError> {
        if self.cancel.is_cancelled() {
            return Err(ToolError::new(
                crate::Code::Cancelled,
                "the request was cancelled or ran out of time",
            ));
        }
        Ok(())
    }

    /// Writes a row to the log at once, after those decided before it; its hash.
    pub(crate) fn log(&self, row: crate::audit::Row) -> Result<String, ToolError> {
        let (log, store) = (self.host.audit(), self.host.agent());
        self.decisions.settle(log, store)?;
        let row = crate::audit::Row {
            at_ms: SystemClock.unix_ms(),
            session: self.session.id,
            client: self.session.client.chars().take(200).collect(),
            ..row
        };
        let mut hashes = log.append(store, &[row])?;
        hashes.pop().ok_or_else(|| ToolError::internal("writing the audit log", "no row was written"))
    }

    /// Tells the caller something beside the answer. Reads have [`ReadCx::note`], which counts for their budget.
    pub(crate) fn note(&self, note: impl Into<String>) {
        self.notes.borrow_mut().push(note.into());
    }

    /// Adds to what this call serves. Losing count is no reason to fail.
    pub(crate) fn serves(&self, add: impl FnOnce(&mut crate::usage::Served)) {
        if let Ok(mut served) = self.served.try_borrow_mut() {
            add(&mut served);
        }
    }

    /// How long something that wants `wanted` may take.
    pub(crate) fn at_most(&self, wanted: Duration) -> Duration {
        self.cancel.at_most(wanted)
    }

    /// The advertised name of the action called `name`.
    pub(crate) fn tool(name: &str) -> String {
        crate::registry::names::underscored(name)
    }
}

/// A call on a repository.
pub(crate) struct RepoCx<'a> {
    /// The call.
    pub(crate) call: &'a Call<'a>,
    /// The repository.
    pub(crate) repo: &'a dyn Repo,
}

/// A call on one version of a repository.
pub(crate) struct ReadCx<'a> {
    /// The call.
    pub(crate) call: &'a Call<'a>,
    /// The repository.
    pub(crate) repo: &'a dyn Repo,
    /// What is answered from: the version, with unsaved buffers over it if there are any.
    pub(crate) source: &'a Source<'a>,
    /// The version alone: for its number, its past, and what is stored.
    pub(crate) snapshot: &'a Snapshot<'a>,
    /// Its number.
    pub(crate) version: Version,
    /// The unsaved buffers over it.
    pub(crate) overlay: Option<&'a Overlay>,
    /// How many tokens the pipeline's own fields take of an answer.
    pub(crate) reserved: usize,
    /// What the handle in the arguments holds.
    pub(crate) held: Option<Result<Held, ToolError>>,
    pub(crate) writes: &'a RefCell<Vec<LeaseWrite>>,
    pub(crate) notes: &'a RefCell<Vec<String>>,
}

impl ReadCx<'_> {
    /// What the handle in the arguments holds; an error for a handle that holds nothing.
    pub(crate) fn held(&self) -> Result<Held, ToolError> {
        let none = || Err(ToolError::internal("reading a lease", "the action names no handle"));
        self.held.clone().unwrap_or_else(none)
    }

    /// Which state is answered from, as a client may give it back.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { version: self.version, overlay: self.overlay.map(|overlay| overlay.seq) }
    }

    /// Tells the caller something beside the answer.
    pub(crate) fn note(&self, note: impl Into<String>) {
        self.notes.borrow_mut().push(note.into());
    }

    /// Tokens of what the pipeline adds to the answer: freshness and the notes so far.
    pub(crate) fn around(&self) -> Result<usize, ToolError> {
        Ok(self.reserved + crate::budget::of(&*self.notes.borrow())? + 4)
    }

    /// Leaves a decision on source for the log, with who asked for what and the version.
    pub(crate) fn decided(&self, row: crate::audit::Row) {
        self.call.decisions.add(crate::audit::Row {
            repo_id: self.repo.id().to_owned(),
            session: self.call.session.id,
            client: self.call.session.client.chars().take(200).collect(),
            version: self.version.to_string(),
            ..row
        });
    }

    /// Leaves a lease to be written once the snapshot is closed.
    pub(crate) fn write(&self, write: LeaseWrite) {
        self.writes.borrow_mut().push(write);
    }
}
