//! What may leave, and what is kept of each decision: policies, the ceiling over them, the log.

pub mod audit;
pub(crate) mod leaving;
pub(crate) mod policy;
pub(crate) mod private_file;
