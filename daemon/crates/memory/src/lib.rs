//! What agents keep, in the store that no reindex touches: memories, facts, work, and the words that find them.
//!
//! * [`store`]: one transaction over it. A [`Change`](store::Change) writes rows, keeps what they were before, and answers
//!   a request that is sent twice with the first answer;
//! * [`notes`]: memories and lessons;
//! * [`scratch`]: notes that end by themselves;
//! * [`words`]: finds rows of all kinds by their text;
//! * [`graph`]: facts that hold for a time;
//! * [`work`]: sessions, messages, dispatches, activity;
//! * [`times`]: instants, as callers write them;
//! * [`transfer`]: all of it as lines, and back;
//! * [`weights`]: how useful what was shown turned out to be.
//!
//! A row belongs to a repository or to the user: its **scope** is the repository's id, or empty. Rows are about code
//! through **anchors** ([`SymbolAnchor`], [`FileAnchor`]); whether an anchor still holds is for those to say who know the
//! versions of the code.

#![forbid(unsafe_code)]

mod anchor;
mod author;
mod derived;
pub mod graph;
mod ids;
pub mod limits;
pub mod notes;
mod prepare;
pub mod scratch;
pub mod store;
mod sweep;
pub mod tables;
pub mod times;
pub mod transfer;
mod trouble;
mod verify;
pub mod weights;
pub mod words;
pub mod work;

pub use anchor::{Anchors, FileAnchor, SymbolAnchor};
pub use author::Author;
pub use ids::encode_number;
pub use prepare::prepare_store;
pub use sweep::{sweep_some, sweep_store};
pub use trouble::{Result, Trouble};
pub use verify::verify_store;
