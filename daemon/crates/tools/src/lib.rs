//! The action registry: every action's types, schema and handler, and the surfaces that are generated from them.
//! Synchronous, and knows no transport: bytes in, bytes out.
//!
//! Folders are in layers. Each uses only those above it in this list, and a test checks that
//! (`tests/tests/modules.rs`):
//!
//! * `stored`: the stored form of rows that agents own; `guard`: policies, their ceiling, the log of decisions;
//! * [`host`]: the interface that the tools need from the daemon;
//! * `call`: one call, from its arguments to its answer: the definition of an action, the registry, the pipeline around
//!   a handler;
//! * `parts`, `source`, `slices`, `changes`, `kept`, `context`, `questions`: code that actions share;
//! * `hooks`: reminders for hooks of clients;
//! * `surface`: the list of tools, the manual, resources and prompts;
//! * `actions`: one file per action;
//! * [`Tools`]: the entry points that the daemon routes to.
#![forbid(unsafe_code)]
#![allow(clippy::doc_link_with_quotes, reason = "descriptions of properties show arrays of JSON")]

mod actions;
mod call;
mod changes;
mod context;
mod definitions;
pub mod error;
mod guard;
mod hooks;
pub mod host;
mod kept;
mod parts;
mod people;
mod questions;
mod slices;
mod source;
mod stored;
mod surface;
mod tools;

pub use call::origin::{Origin, Shown, ToolRequest};
pub use call::usage::file_tokens;
pub use error::{Candidate, Code, Damage, Explained, NextBestAction, ToolError};
pub use guard::audit;
pub use hooks::{HookCaller, HookInput, HookKind, HookTool};
pub use host::mask::Mask;
pub use host::{CallEnded, Host, Repo};
pub use kept::fact_lines::{FactLines, export_facts};
pub use people::WorkQuestion;
pub use sdl_contract::{Cancel, ClientRun, Names, NoProgress, Progress, Session, Surface};
pub use sdl_memory::prepare_store;
pub use stored::tables::AGENT_TABLES;
pub use surface::protocol::{MethodRequest, ProtocolError, is_protocol_method};
pub use tools::{OfferMarks, Tools, documentation_pages};

/// Policies: the permissions of a repository's readers, and the ceiling on them.
pub mod policy {
    pub use crate::guard::policy::{BudgetCaps, CapsPatch, Ceilings, Policy, PolicyPatch};
    pub use crate::host::policies::shown_policy;
}
