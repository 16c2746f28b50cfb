//! Finds the daemon, starts it when needed, and calls it.
//!
//! * [`Paths`]: the paths of all files.
//! * [`Client`]: one connection, any number of calls at once.
//! * [`ensure_daemon`]: makes sure that a daemon runs; never two.
//! * [`ReconnectingClient`]: a session that outlives daemons.
//! * [`Feed`]: what the daemon does, over its restarts.

mod alive;
mod call;
mod client;
mod connect;
mod error;
mod feed;
pub mod holder;
pub mod paths;
mod probe;
mod questions;
mod reconnect;
pub mod spawn;
mod start;
#[cfg(all(feature = "testing", unix))]
pub mod testing;
pub mod token;
mod trust;
mod wire;

pub use call::{CallOptions, Question, Repeat, Running};
pub use client::{Client, Event};
pub use connect::answering_build;
pub use error::ClientError;
pub use feed::{Feed, News};
pub use paths::{Paths, PathsError};
pub use probe::{Probe, probe_daemon};
pub use questions::Asked;
pub use reconnect::{ReconnectOptions, ReconnectingClient};
pub use sdl_proto as proto;
pub use spawn::Launch;
pub use start::ensure_daemon;
