//! The action registry.
