//! Messages between the gate and an upstream, as text.
//!
//! rmcp decides the lifecycle, numbers requests and matches answers to them. It would parse results into its own types and
//! write them again, so it never sees the parameters and results of forwarded requests: they travel beside its messages.

pub(crate) mod flood;
pub(crate) mod link;
pub(crate) mod params;
pub(crate) mod skipped;
pub(crate) mod track;

#[cfg(unix)]
pub(crate) mod lines;
#[cfg(unix)]
pub(crate) mod pipes;

/// The longest line or body of an upstream that is taken.
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 << 20;
