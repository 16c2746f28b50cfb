//! Data from agents that outlives a call: memories, scratch, facts in time, feedback on contexts; and its links to the code.

pub(crate) mod anchors;
pub(crate) mod fact_code;
pub(crate) mod fact_lines;
pub(crate) mod facts;
pub(crate) mod feedback;
pub(crate) mod linked;
pub(crate) mod memory;
pub(crate) mod scratch;
pub(crate) mod staled;
pub(crate) mod work;
