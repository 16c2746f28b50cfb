//! What an action is: its types, its description, and one of three ways to run it.
//!
//! The way decides what the pipeline does around the handler, so that no handler can forget it: a [`ReadAction`] gets a
//! snapshot taken behind the barrier and its answer carries the snapshot's freshness; a [`RepoAction`] gets a repository;
//! a [`HostAction`] gets the host alone.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ToolError;
use crate::call::context::{Call, ReadCx, RepoCx};
use crate::call::freshness::{Stand, Sync};
use crate::call::leases::HandleKind;

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
