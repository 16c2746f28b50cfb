//! The differences between two states of a repository: compared, cut to a budget, and rated for risk.

pub(crate) mod delta;
pub(crate) mod risk;
