//! An action: its types, its description, and one of four ways to run it.
//!
//! The way decides which steps the pipeline adds around the handler, so no handler can forget one. A [`ReadAction`]
//! gets a snapshot taken after the barrier, and its answer carries the snapshot's freshness. A [`RepoAction`] gets a
//! repository. An [`OwnedAction`] gets what agents own, and a snapshot if there is a repository. A [`HostAction`] gets only
//! the host.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ToolError;
use crate::call::context::{Call, ReadCx, RepoCx};
use crate::call::freshness::{Stand, Sync};
use crate::call::leases::HandleKind;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use sdl_contract::Union;

/// A group of actions that share a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Namespace {
    /// Queries of the graph.
    Query,
    /// Source code.
    Code,
    /// Repositories, indexes, settings.
    Repo,
    /// Tasks, commands, memories.
    Agent,
    /// What agents remember, and contexts put together of it.
    Memory,
    /// Facts that hold for a time.
    Kg,
    /// Agents that work side by side.
    Work,
    /// Actions in every gateway that also have a tool of their own.
    Universal,
}

impl Namespace {
    /// The namespaces that have a gateway.
    pub(crate) const GATEWAYS: [Self; 7] =
        [Self::Query, Self::Code, Self::Repo, Self::Agent, Self::Memory, Self::Kg, Self::Work];

    /// The gateway's name without prefix.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Code => "code",
            Self::Repo => "repo",
            Self::Agent => "agent",
            Self::Memory => "memory",
            Self::Kg => "kg",
            Self::Work => "work",
            Self::Universal => "universal",
        }
    }
}

/// The description of an action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionDef {
    /// Its name, with dots.
    pub(crate) name: &'static str,
    /// Its gateway.
    pub(crate) namespace: Namespace,
    /// Whether calling it changes anything that outlives the call.
    pub(crate) mutating: bool,
    /// When to call it and what it returns. Begins with "Call this when".
    pub(crate) description: &'static str,
    /// The arguments that a call needs, for the gateway's list: `taskText|entrySymbols`.
    pub(crate) needs: &'static str,
    /// Calls that work, as JSON arguments.
    pub(crate) examples: &'static [&'static str],
    /// Other names of fields, beside their snake case: pairs of alias and field.
    pub(crate) aliases: &'static [(&'static str, &'static str)],
}

/// The types of an action.
pub(crate) trait Action: 'static {
    /// Its arguments, without those that the pipeline handles (`repoId`, `sync`, `syncTimeoutMs`).
    type Request: DeserializeOwned + JsonSchema;
    /// Its answer, without `freshness` and `notes`.
    type Response: Serialize + JsonSchema + Render;
    /// Its description.
    const DEF: ActionDef;
    /// Maximum number of tokens of its answer if the caller names no budget; none if the action takes no budget.
    const USUAL_TOKENS: Option<usize> = None;
    /// The module that it is a part of: where that is off, the action does not exist. None for an action that is always
    /// there.
    const MODULE: Option<Module> = None;
    /// The gateway that lists it where a module is on, instead of its own.
    const MOVES: Option<(Module, Namespace)> = None;
    /// Fields of its arguments and its answer that do not exist where a module is off. `field=value`: only this choice of it.
    const MODULE_FIELDS: &'static [(Module, &'static [&'static str])] = &[];
    /// The branches of its arguments, if they depend on one of them.
    const UNION: Option<fn() -> Union> = None;
}

/// The compact text of an answer.
pub(crate) trait Render {
    /// Renders the structured answer as text for a model, in fewer tokens than JSON.
    fn text(&self) -> String;
}

/// An action on one version of one repository. Never changes the repository.
pub(crate) trait ReadAction: Action {
    /// The default of `sync`.
    const SYNC: Sync = Sync::Prefer;
    /// Whether it can answer before the first index is done. All others wait for the index, or fail.
    const EARLY: bool = false;
    /// Whether it can answer from the files that a first index has read so far, see [`ReadCx::part`]. What it finds there
    /// must be in the answer of the finished index too. What it does not find is an error of its handler.
    const FROM_PART: bool = false;
    /// Whether it can be asked over a workspace. It must read files and symbols through its context's source alone.
    const ACROSS: bool = false;

    /// Returns the handle in the arguments. It names the repository. Its lease is read before the snapshot is taken,
    /// because a lease must not be ahead of its snapshot.
    fn handle(_request: &Self::Request) -> Option<(HandleKind, &str)> {
        None
    }

    /// Answers from a snapshot.
    fn run(cx: &ReadCx<'_>, request: Self::Request) -> Result<Self::Response, ToolError>;
}

/// An action on a repository that needs no snapshot.
pub(crate) trait RepoAction: Action {
    /// Runs the action. Returns its answer, with its version and whether that version is known to match the tree.
    fn run(cx: &RepoCx<'_>, request: Self::Request) -> Result<(Self::Response, Stand), ToolError>;
}

/// An action on what agents own. The repository is optional: without one nothing is known of the code.
pub(crate) trait OwnedAction: Action {
    /// Whether its rows belong to a repository or to the user, so that it takes `scope`.
    const SCOPED: bool = true;

    /// Whether the answer may depend on the code. Otherwise there is no snapshot, and it may wait for others.
    const READS_CODE: bool = true;

    /// How to wait for the tree. By default as long as the answer may depend on the code.
    fn sync(_request: &Self::Request) -> Sync {
        Sync::Prefer
    }

    /// Runs the action. What it writes, it writes by [`OwnedCx::change`].
    fn run(cx: &OwnedCx<'_>, request: Self::Request) -> Result<Self::Response, ToolError>;
}

/// An action that belongs to no repository.
pub(crate) trait HostAction: Action {
    /// Runs the action.
    fn run(cx: &Call<'_>, request: Self::Request) -> Result<Self::Response, ToolError>;
}
