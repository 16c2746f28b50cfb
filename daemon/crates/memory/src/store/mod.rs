//! One transaction over what agents own.
//!
//! The law: the store is a pure function of its changes, in the order of their revisions. A change is there whole or not
//! at all; it is durable before it is answered; a row changes against the state that the same transaction read. A request with
//! a key that was carried out within the last day changes nothing and gets the same answer.

pub(crate) mod anchored;
mod change;
pub(crate) mod ends;
mod replies;
mod revisions;
mod row;
#[cfg(test)]
mod tests;

pub use anchored::{Holder, Linked, linked_symbols, rows_about, rows_beside, rows_of_files};
pub use change::{Asked, Change, Changed, change_store, last_change_ms, put_followed, store_revision};
pub use replies::Once;
pub(crate) use revisions::forget_former;
pub use revisions::{Former, former_states, scan_former};
pub use row::{Head, Row, Tables, from_bytes, scoped_key, to_bytes};
pub(crate) use row::{own_fields, own_head};
