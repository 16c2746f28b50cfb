//! Finds the MCP clients of a machine, and adds the server to their configuration.
//!
//! The [`catalog`] says for each client where its file is and how an entry looks in it. [`plan`] compares that with the
//! files and returns the edits, without writing anything. [`apply`] writes them, each file in one step and with a backup.
//! [`edit`] changes a text so that all that was in it stays byte for byte, and refuses what it can't do that way.
//!
//! Besides the entry of the server there are two reminders for agents: [`rules`] that they read, and hooks, by which a client
//! asks `sdlctl hook`.
//!
//! What was made is kept in a [`record`], because removal restores the bytes from before where nothing else has changed since.

#![forbid(unsafe_code)]

pub mod apply;
pub mod catalog;
mod draft;
pub mod edit;
pub mod entry;
pub mod file;
pub mod jobs;
pub mod machine;
mod piece;
pub mod plan;
pub mod record;
pub mod rules;
pub mod snippet;

pub use catalog::{Client, clients, find_client};
pub use entry::Wanted;
pub use machine::{Machine, Os};
pub use plan::{Action, Part, Parts, Plan, Request, Scope, Step, make_plan};
pub use record::Records;

/// The name of our entry in every client's configuration.
pub const ENTRY_NAME: &str = "sdl";
