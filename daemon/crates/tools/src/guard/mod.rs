//! The guard of source and secrets: policies, the ceiling over them, and the log of each decision.

pub mod audit;
pub(crate) mod leaving;
pub(crate) mod policy;
mod random;

pub(crate) use random::random_key;
