//! Sessions, messages, dispatches, activity.
//!
//! * [`session`]: a run of a client, the name of its agent, and the addresses that it answers to;
//! * [`message`]: what one session sends to others; [`inbox`]: who has got it, and when;
//! * [`dispatch`]: a piece of work that is handed over, claimed, reported on and ended;
//! * [`activity`]: a log of what happened;
//! * [`sweep`]: removes rows that are too old, or too many.
//!
//! Ids are in the order of time. Rows that are looked up by something else have keys in an index of their own
//! ([`crate::tables::WORK_KEYS`]), so that no lookup reads all rows.

pub mod activity;
pub mod address;
pub mod dispatch;
pub mod inbox;
mod keys;
pub mod message;
pub mod session;
pub mod sweep;
#[cfg(test)]
mod tests;

pub use keys::fold_name;
