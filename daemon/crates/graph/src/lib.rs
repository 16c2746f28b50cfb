//! Facts to edges.
//!
//! [`resolve_file`] turns one file's facts into the outgoing edges of its symbols. It sees other files only through a
//! [`World`], which answers the questions of [`sdl_ledger::LookupKey`] and records each that is asked; so its result is
//! a pure function of the file's facts and those answers.
//!
//! * `modules`: how each language finds what an import names; * `infer`: what type an expression has;
//! * [`strategies`]: the rules, by number; * [`confidence`]: how often each is right.

#![forbid(unsafe_code)]

pub mod clusters;
pub mod confidence;
mod driver;
mod hash;
mod infer;
mod languages;
mod modules;
mod own;
mod resolve;
mod stack;
pub mod strategies;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod values;
mod words;
mod world;

pub use driver::{FileFacts, HeldFacts, resolve_file, resolve_files, resolve_named, resolve_sites};
pub use modules::paths;
pub use resolve::{OpenSite, Site, Sites};
pub use world::{KeptIndexes, Limits, Outlines, SharedOutline, World};

/// Increase this when a change alters the edges that resolution finds for the same facts. Ledgers built before are then
/// built again.
pub const RESOLVER_VERSION: u32 = 25;
