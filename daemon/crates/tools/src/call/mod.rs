//! One call, from the bytes of its arguments to its answer.
//!
//! Modules are in layers, the lower ones first:
//!
//! * `stamp`, `freshness`, `answers`, `budget`, `names`, `memos`, `modules`: terms that all others use;
//! * `leases`, `buffers`, `usage`, `pins`: state that outlives a call, or is shared by the steps of a chain; `scoped`: what
//!   handles of workspaces hold; `met`: a repository of a workspace, read so that damage is known to be its own;
//! * `upstream`: the tools of upstream MCP servers, and calls of them;
//! * `across`: the repositories of a workspace; `family`: a repository and its other worktrees; `context`, `owned`: the context that a handler gets; `action`: the definition of an action;
//! * `registry`: every action, and the tools that are made of them; `services`: that and the state of the process;
//! * `pipeline`: the steps around a handler; `chain`: several calls as one.

pub(crate) mod across;
pub(crate) mod action;
pub(crate) mod answers;
pub(crate) mod budget;
pub(crate) mod buffers;
pub(crate) mod chain;
pub(crate) mod context;
pub(crate) mod family;
pub(crate) mod freshness;
pub(crate) mod leases;
pub(crate) mod memos;
pub(crate) mod met;
pub(crate) mod modules;
pub(crate) mod names;
pub(crate) mod origin;
pub(crate) mod outlines;
pub(crate) mod owned;
pub(crate) mod pins;
pub(crate) mod pipeline;
pub(crate) mod registry;
pub(crate) mod scoped;
pub(crate) mod services;
pub(crate) mod stamp;
pub(crate) mod upstream;
pub(crate) mod usage;
pub(crate) mod work;
