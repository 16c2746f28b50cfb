//! The action registry: every action's types, schema and handler, and the surfaces that are generated from them.
//! Synchronous, and knows no transport: bytes in, bytes out.
//!
//! Folders lie on floors; each uses only those above it in this list, which a test holds (`tests/tests/modules.rs`):
//!
//! * `stored`: how rows that agents own are written; `guard`: policies, their ceiling, the log of decisions;
//! * [`host`]: what the tools need from the daemon;
//! * `call`: one call, from its arguments to its answer: what an action is, the registry, the pipeline around a handler;
//! * `parts`, `source`, `slices`, `changes`, `kept`, `context`: what actions share;
//! * `surface`: the list of tools, the manual, resources and prompts;
//! * `actions`: one file per action; * [`Tools`]: what the daemon routes to.
#![allow(clippy::doc_link_with_quotes, reason = "descriptions of properties show arrays of JSON")]

mod actions;
mod call;
mod changes;
mod context;
pub mod error;
mod guard;
pub mod host;
mod kept;
mod parts;
mod slices;
mod source;
mod stored;
mod surface;
mod tools;

pub use error::{About, Candidate, Code, Damage, NextBestAction, ToolError};
pub use guard::audit;
pub use host::mask::Mask;
pub use host::{Host, Repo};
pub use sdl_contract::{Cancel, Names, NoProgress, Progress, Session, Surface};
pub use stored::tables::AGENT_TABLES;
pub use surface::protocol::{ProtocolError, is_protocol_method};
pub use tools::{Tools, documentation_pages};

/// What a repository allows its readers, and the ceiling over that.
pub mod policy {
    pub use crate::guard::policy::{BudgetCaps, CapsPatch, Ceilings, Policy, PolicyPatch};
    pub use crate::host::policies::shown_policy;
}
