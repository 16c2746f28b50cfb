//! Data from agents that outlives a call: memories of a repository, feedback on contexts.

pub(crate) mod feedback;
pub(crate) mod memory;
