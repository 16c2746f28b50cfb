//! The runs, one file each.

pub(crate) mod anchors;
pub(crate) mod burst;
pub(crate) mod clients;
pub(crate) mod cold;
pub(crate) mod crash;
pub(crate) mod deltas;
pub(crate) mod disk;
pub(crate) mod drift;
pub(crate) mod edits;
pub(crate) mod feedback;
pub(crate) mod freshness;
pub(crate) mod hooks;
pub(crate) mod idle;
pub(crate) mod latency;
pub(crate) mod memory;
pub(crate) mod questions;
pub(crate) mod reverts;
pub(crate) mod tokens;
pub(crate) mod upstream;
pub(crate) mod upstream_fidelity;
pub(crate) mod upstream_hung;
pub(crate) mod upstream_kill;
pub(crate) mod upstream_live;
pub(crate) mod upstream_soak;
pub(crate) mod upstream_stale;
pub(crate) mod worktrees;
