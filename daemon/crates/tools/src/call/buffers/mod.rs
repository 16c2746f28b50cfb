//! Unsaved editor buffers. They overlay the tree for every read of their repository while the connection that pushed
//! them lives, and a while after. They are never stored.
//!
//! * `push`: one event of an editor -> a buffer; * `buffer`: one buffer and its text; * `held`: the buffers of all repositories; * `overlay`: buffers over a version,
//!   as a layer that reads like a version of its own.

mod buffer;
mod held;
mod overlay;
mod push;

pub(crate) use held::{Buffers, Shown};
pub(crate) use overlay::Overlay;
pub(crate) use push::{Event, Push};
