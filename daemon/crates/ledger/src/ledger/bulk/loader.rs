//! Writes gathered rows, and fills the rows of tables of several.

use super::gathered::{Items, Rows};
use super::sinks::{Place, Sink, Store};
use crate::Result;
use crate::env::{Env, Leaves, Table};

/// Writes rows.
pub(in crate::ledger) struct Loader<S> {
    sink: S,
    /// The table of several that is being filled, and its row that is not full yet.
    filled: Option<(Table, Leaves)>,
}

impl<'e> Loader<Store<'e>> {
    /// Stores in `env` at once.
    pub(in crate::ledger) fn new(env: &'e Env) -> Self {
        Self::to(Store::new(env))
    }
}

impl<S: Sink> Loader<S> {
    /// Passes rows on to `sink`.
    pub(super) fn to(sink: S) -> Self {
        Self { sink, filled: None }
    }

    /// Writes one row, wherever its place is.
    pub(in crate::ledger) fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        // What waits to be appended comes before.
        self.end_leaves()?;
        self.sink.take(table, Place::Any, key, value)
    }

    /// Writes one row, after all others of the table.
    pub(in crate::ledger) fn row(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        self.sink.take(table, Place::Last, key, value)
    }

    /// Writes rows to an empty table.
    pub(super) fn rows(&mut self, table: Table, rows: Rows) -> Result<()> {
        rows.in_order(&mut |key, value| self.row(table, key, value))
    }

    /// Writes one key's items, sorted and end to end, after all others of the table.
    pub(in crate::ledger) fn group(&mut self, table: Table, key: &[u8], items: &[u8]) -> Result<()> {
        if self.filled.as_ref().is_some_and(|(filled, _)| !filled.is_same(table)) {
            self.end_leaves()?;
        }
        let Self { sink, filled } = self;
        let (_, leaves) = filled.get_or_insert_with(|| (table, Leaves::default()));
        let mut leaf = |fence: &[u8], leaf: &[u8]| sink.take(table, Place::LastLeaf, fence, leaf);
        leaves.push(table.spec.item, key, items, &mut leaf)
    }

    fn end_leaves(&mut self) -> Result<()> {
        let Some((table, mut leaves)) = self.filled.take() else { return Ok(()) };
        leaves.end(&mut |fence, leaf| self.sink.take(table, Place::LastLeaf, fence, leaf))
    }

    /// Writes items to an empty table.
    pub(super) fn groups<const N: usize>(&mut self, table: Table, items: Items<N>) -> Result<()> {
        items.in_order(&mut |key, items| self.group(table, key, items))
    }

    /// Writes the row that is not full yet, and ends the sink.
    pub(in crate::ledger) fn done(mut self) -> Result<()> {
        self.end_leaves()?;
        self.sink.end()
    }
}
