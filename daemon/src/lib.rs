//! The symbol delta ledger daemon, as a library: the binary only starts it, the tests drive its parts.

pub mod admin;
pub mod engine;
pub mod feed;
pub mod git;
pub mod hook;
pub mod index;
pub mod lifecycle;
pub mod repo;
mod rest;
pub mod revision;
pub mod router;
pub mod server;
pub mod share;
pub mod turns;
pub mod upstream;
pub mod work;
