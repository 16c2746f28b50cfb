//! Finding symbols and serving them: search, cards, slices, deltas and their wire formats.
//!
//! Everything here is a pure function of one version of the ledger (two for a delta), the commits behind it, and a request:
//!
//! * [`index`]: facts to search postings, and the splitting of names and texts into terms;
//! * [`search`]: postings to ranked symbols; * [`card`]: what is told of one symbol;
//! * [`mod@slice`]: a task's seeds, their neighbourhood, and a budget; * [`diff`]: two versions to changed symbols;
//! * [`layer`]: another state laid over a version; * [`refresh`]: a held slice and a version to exactly what changed;
//! * [`past`]: what commits tell of files; * [`meaning`]: vectors of texts, for those who bring a model;
//! * [`wire`]: slices as compact JSON and as text; * [`plain`]: what others wrote, within lines of text.

pub mod card;
pub mod diff;
mod error;
mod evidence;
mod history;
pub mod index;
pub mod layer;
pub mod meaning;
mod members;
mod message;
pub mod names;
pub mod numbers;
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
pub use source::{Outlines, Source, Sym};

/// Bump when a change alters the postings that the search index makes of the same facts, or which files have any: ledgers built before are then built again.
pub const INDEX_VERSION: u32 = 5;
