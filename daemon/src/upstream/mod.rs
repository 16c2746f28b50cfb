//! Upstream MCP servers, on the daemon's side: the settings that a person writes, and the process that holds the connections.
//!
//! The connections are in a process of their own, so that a server that floods, hangs or crashes costs nobody else anything,
//! and so that this program has no network client in it.

mod clients;
mod exchange;
mod gate;
mod manager;
mod pending;
mod report;
mod since;

pub use clients::{Asker, Clients};
pub(crate) use manager::MOST_WAITING;
pub use manager::{ReloadError, UpstreamManager};
