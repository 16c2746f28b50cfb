//! Which rows are too old, or too many.
//!
//! The law: a row is removed only if it is older than its kind is kept, or if there are more than the limit and it is the oldest. A write
//! removes a bounded number; after a start [`crate::sweep_store`] removes all.

use std::ops::ControlFlow;

use super::keys::first_id;
use crate::Result;
use crate::store::{Change, Row, Tables, from_bytes};

/// Rows of one kind that a write removes, at most.
pub const PER_WRITE: usize = 16;

/// How many rows are kept whose keys are ids in the order of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep<'a> {
    /// The prefix of the ids.
    pub(super) prefix: &'a str,
    /// Rows, including one that is about to be written.
    pub(super) keep: usize,
    /// Milliseconds.
    pub(super) age_ms: u64,
    /// Maximum number of rows to remove.
    pub(super) most: usize,
}

/// Returns the rows to be removed, the oldest first.
pub(super) fn oldest_rows<R: Row>(change: &Change<'_, '_>, sweep: Sweep<'_>) -> Result<Vec<R>> {
    let tables = change.tables();
    let count = usize::try_from(tables.count_rows(R::TABLE)?).unwrap_or(usize::MAX);
    let above = (count + 1).saturating_sub(sweep.keep);
    let alive = first_id(sweep.prefix, change.now_ms().saturating_sub(sweep.age_ms));
    let mut old = Vec::new();
    tables.scan_bytes(R::TABLE, sweep.prefix.as_bytes(), &mut |key, value| {
        let is_old = key < alive.as_bytes() || old.len() < above;
        if !key.starts_with(sweep.prefix.as_bytes()) || !is_old || old.len() >= sweep.most {
            return ControlFlow::Break(());
        }
        old.extend(from_bytes::<R>(value));
        ControlFlow::Continue(())
    })?;
    Ok(old)
}
