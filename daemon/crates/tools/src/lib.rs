//! The action registry: every action's types, schema and handler, and the surfaces that are generated from them.
//! Synchronous, and knows no transport: bytes in, bytes out.
//!
//! * [`host`]: what the tools need from the daemon; * [`Tools`]: what the daemon routes to.

pub mod error;
pub mod host;
mod tools;

pub use error::{Candidate, Code, NextBestAction, ToolError};
pub use host::{Cancel, Host, Names, NoProgress, Progress, Repo, Session, Surface};
pub use tools::Tools;
