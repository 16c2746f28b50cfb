//! Upstreams that run as children: starting them, their process groups, their logs.

pub(crate) mod environment;
pub(crate) mod group;
pub(crate) mod held;
pub(crate) mod log;
pub(crate) mod registry;
pub(crate) mod spawn;
