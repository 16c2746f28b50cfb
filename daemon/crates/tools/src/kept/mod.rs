//! Data from agents that outlives a call: memories of a repository, feedback on contexts, output of commands.

pub(crate) mod artifacts;
pub(crate) mod feedback;
pub(crate) mod memory;
