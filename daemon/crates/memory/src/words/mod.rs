//! Finds rows by their text.
//!
//! * [`note_row`] keeps the index right, in the transaction that changes a row;
//! * [`search`] finds rows of some lanes in some scopes: by stemmed words and identifiers, weighed by BM25F, by related words, and by
//!   the words of the best rows; by the words of their neighbours in a session; by the times that a question names;
//! * [`verify`] compares the index with the rows, [`rebuild`] makes it again.
//!
//! The law: the index is a pure function of the rows. No row that its words do not find, no word without its row.
//! Nothing is cached: a search reads the postings of its terms, in its scopes and lanes only.

mod alike;
mod index;
mod layout;
mod matches;
mod near;
mod question;
mod related;
mod search;
mod spans;
mod stop;
mod terms;
#[cfg(test)]
mod tests;
mod text;
mod verify;
mod weigh;

pub use index::note_row;
pub use layout::{count_lanes, is_current};
pub use search::{Ask, Hit, Hits, Keep, LaneHealth, Reason, search};
pub use text::{Lane, Texts};
pub use verify::{Batch, Known, Verdict, batch_of, rebuild, verify};
