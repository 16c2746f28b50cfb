//! Sessions, messages, dispatches, activity.
//!
//! * [`session`]: a run of a client, the name of its agent, and the addresses that it answers to;
//! * [`message`]: what one session sends to others; [`inbox`]: who has got it, and when;
//! * [`dispatch`]: a piece of work that is handed over, claimed, reported on and ended;
//! * [`activity`]: a log of events;
//! * [`sweep`]: removes rows that are too old, or too many.
//!
//! Ids are in the order of time. Rows that are looked up by something else have keys in an index of their own
//! ([`crate::tables::WORK_KEYS`]), so that no lookup reads all rows.

pub mod activity;
pub mod address;
mod derived;
pub mod dispatch;
pub mod inbox;
mod keys;
pub mod message;
pub mod session;
pub mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use derived::{is_own_row, rebuild_keys, verify_keys};
pub use keys::fold_name;

/// Rows of one kind that one transaction of [`crate::sweep_store`] removes.
const PER_SWEEP: usize = 500;

/// Removes rows that are too old, or too many: a bounded number of each kind. Returns how many, which is 0 when all are gone.
pub(crate) fn sweep_rows(change: &mut crate::store::Change<'_, '_>) -> crate::Result<usize> {
    let activity = activity::make_room(change, PER_SWEEP)?;
    let messages = message::make_room(change, PER_SWEEP)?;
    let sessions = session::make_room(change, PER_SWEEP)?;
    Ok(activity + messages + sessions + dispatch::make_room(change, PER_SWEEP)?)
}
