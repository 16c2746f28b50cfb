//! Finding symbols and serving them: search, cards, slices, deltas and their wire formats.
//!
//! Everything here is a pure function of one version of the ledger (two for a delta), the commits before it, and a
//! request:
//!
//! * [`index`]: turns facts into search postings, and splits names and texts into terms;
//! * [`search`]: ranks symbols by postings;
//! * [`card`]: the description of one symbol;
//! * [`mod@slice`]: a task's seeds and their neighbourhood, cut to a budget;
//! * [`members`]: the members of a type, and the type of a member;
//! * [`cursor`]: pages of a list;
//! * [`diff`]: the changed symbols between two versions;
//! * [`layer`]: another state laid over a version;
//! * [`part`]: the files that a first index has read so far;
//! * [`refresh`]: the exact changes of a held slice up to a version;
//! * [`past`]: the history of files in commits;
//! * [`meaning`]: vectors of texts, if a model is provided;
//! * [`wire`]: slices as compact JSON and as text;
//! * [`plain`]: texts by other people, within lines of our own.

#![forbid(unsafe_code)]

pub mod card;
pub mod cursor;
pub mod diff;
mod error;
mod evidence;
mod history;
pub mod index;
pub mod layer;
pub mod meaning;
pub mod members;
mod message;
pub mod names;
pub mod numbers;
pub mod part;
pub mod past;
pub mod plain;
pub mod refresh;
pub mod search;
pub mod slice;
mod source;
pub mod wire;

pub use error::{Error, Result, UserError};
pub use evidence::{Evidence, LaneReport, LaneStatus, Missed, StartSymbol};
pub use history::History;
pub use source::{Listed, Outlines, Source, Sym};

/// Increase this when a change alters the postings of the same facts, or the files that have any. Ledgers built before
/// are then built again.
pub const INDEX_VERSION: u32 = 6;
