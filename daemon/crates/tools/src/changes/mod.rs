//! What differs between two states of a repository: compared, cut to a budget, and judged for risk.

pub(crate) mod delta;
pub(crate) mod risk;
