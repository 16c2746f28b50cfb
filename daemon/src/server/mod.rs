//! The daemon's end of the local IPC: accepts connections, checks who calls, runs requests through a [`Service`].
//!
//! ```text
//! bind (the instance lock is held) -> accept -> peer's user -> handshake -> hello -> requests … -> closed
//! ```
//!
//! Nothing here knows the meaning of a request. The server guarantees to the [`Service`]:
//!
//! * every request gets exactly one answer, also when its handler panics, its deadline passes or it is cancelled;
//! * a connection runs at most [`Options::max_running`] requests at once and holds at most [`Options::max_pending`]
//!   more; beyond that the daemon stops reading from it;
//! * a client that does not read its answers stops its own requests and nothing else: its queue is bounded, progress is
//!   dropped, equal notifications are merged, and after [`Options::write_stall`] the connection is closed;
//! * a malformed message closes its connection, with the reason, and no other.

mod accept;
mod auth;
mod catch;
mod connection;
mod handle;
mod instance;
mod listener;
mod opening;
mod outbox;
mod peer;
mod places;
mod questions;
mod report;
mod request;
mod service;
mod writer;

use std::time::Duration;

pub use accept::serve_listeners;
pub use auth::TokenSource;
pub use handle::{ServerHandle, make_server};
pub use instance::{Instance, InstanceError};
pub use listener::{BindError, Listener};
pub use peer::Peer;
pub use questions::Reply;
pub use report::StartupReport;
pub use service::{Call, ProgressFrames, Service};

/// Limits and times of the server. The defaults suit a person's machine.
#[derive(Debug, Clone)]
pub struct Options {
    /// Connections at once. For one more, whoever has been idle longest is asked to go.
    pub max_connections: usize,
    /// Beyond that, connections of people, for when all others are at work; what else comes is answered with `busy`.
    pub spare_connections: usize,
    /// Requests of one connection that run at once. A finished one counts until its answer is written.
    pub max_running: usize,
    /// Requests of one connection that are read but not answered, running ones included.
    pub max_pending: usize,
    /// Bytes of parameters that the pending requests of one connection may hold.
    pub max_pending_bytes: usize,
    /// Largest frame in either direction.
    pub max_frame: usize,
    /// How long a new connection may take for handshake and hello.
    pub opening_timeout: Duration,
    /// How long a write may make no progress at all before its connection is given up.
    pub write_stall: Duration,
    /// How long [`ServerHandle::shutdown`] waits for running requests before it cancels them.
    pub drain: Duration,
    /// Where the bearer token that clients must show comes from.
    pub token: TokenSource,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_connections: 512,
            spare_connections: 8,
            max_running: 64,
            max_pending: 4096,
            max_pending_bytes: 64 << 20,
            max_frame: sdl_proto::MAX_FRAME,
            opening_timeout: Duration::from_secs(5),
            write_stall: Duration::from_secs(30),
            drain: Duration::from_secs(10),
            token: TokenSource::from_env(),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
