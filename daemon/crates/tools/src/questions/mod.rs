//! Questions about the graph: what the actions for callers, paths and impacts share.

pub(crate) mod changed;
pub(crate) mod completeness;
pub(crate) mod filter;
pub(crate) mod lines;
pub(crate) mod mentions;
pub(crate) mod outline;
pub(crate) mod page;
mod patched;
pub(crate) mod related;
pub(crate) mod rows;
pub(crate) mod state;
pub(crate) mod target;
