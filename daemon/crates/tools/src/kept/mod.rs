//! Data from agents that outlives a call: memories of a repository, facts in time, feedback on contexts.

pub(crate) mod fact_lines;
pub(crate) mod facts;
pub(crate) mod feedback;
pub(crate) mod memory;
pub(crate) mod work;
