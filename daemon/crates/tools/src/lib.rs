//! The action registry: every action's types, schema and handler, and the surfaces that are generated from them.
//! Synchronous, and knows no transport: bytes in, bytes out.
//!
//! * [`host`]: what the tools need from the daemon; * [`Tools`]: what the daemon routes to;
//! * `actions`: one file per action; * `registry`: the tools made of them; * `pipeline`: what happens around a handler.
#![allow(clippy::doc_link_with_quotes, reason = "descriptions of properties show arrays of JSON")]

mod action;
mod actions;
mod answers;
mod assembly;
pub mod audit;
mod briefing;
mod budget;
mod buffers;
mod chain;
mod delta;
mod envelope;
pub mod error;
mod feedback;
mod find;
pub mod host;
mod input;
mod ladder;
mod leases;
mod manual;
mod mask;
mod memory;
mod outlines;
mod overview;
mod owned;
mod params;
mod pipeline;
pub mod policy;
mod private_file;
mod protocol;
mod recent;
mod redact;
mod registry;
mod risk;
mod runtime;
mod schema;
mod since;
mod slices;
mod source_text;
mod spill;
mod stamp;
mod stored;
mod symbols;
mod tools;
mod usage;

pub use error::{About, Candidate, Code, Damage, NextBestAction, ToolError};
pub use host::{Cancel, Host, Names, NoProgress, Progress, Repo, Session, Surface};
pub use mask::Mask;
pub use owned::AGENT_TABLES;
pub use protocol::{ProtocolError, is_protocol_method};
pub use tools::{Tools, pages};
