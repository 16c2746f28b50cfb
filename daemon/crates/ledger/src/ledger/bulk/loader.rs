//! Writes gathered rows in transactions of bounded size.

use super::gathered::{Items, Rows};
use crate::Result;
use crate::env::{Env, Leaves, Table, Write};

/// A transaction is committed when it holds this much: The limit is low because LMDB keeps the pages of a running
/// transaction in memory, and never returns that memory.
const STAGE_BYTES: usize = 2 << 20;
/// The overhead of a row besides its key and value.
const ROW_COST: usize = 24;

/// Writes rows.
pub(in crate::ledger) struct Loader<'e> {
    env: &'e Env,
    txn: Option<Write<'e>>,
    bytes: usize,
    /// The table of several that is being filled, and its row that is not full yet.
    filled: Option<(Table, Leaves)>,
}

impl<'e> Loader<'e> {
    /// Writes to `env`.
    pub(in crate::ledger) fn new(env: &'e Env) -> Self {
        Self { env, txn: None, bytes: 0, filled: None }
    }

    /// The running transaction, or the next one if that would grow too large. Room is made before, because a full map
    /// in the middle of a transaction would lose rows that are no longer in memory.
    fn txn(&mut self, bytes: usize) -> Result<&mut Write<'e>> {
        if self.bytes > 0
            && self.bytes + bytes > STAGE_BYTES
            && let Some(txn) = self.txn.take()
        {
            txn.commit()?;
            self.bytes = 0;
        }
        self.bytes += bytes + ROW_COST;
        match &mut self.txn {
            Some(txn) => Ok(txn),
            empty => {
                self.env.ensure_room(3 * bytes.max(STAGE_BYTES))?;
                Ok(empty.insert(self.env.write()?))
            }
        }
    }

    /// Writes one row, wherever its place is.
    pub(in crate::ledger) fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        // What waits to be appended comes before.
        if let Some((filled, leaves)) = self.filled.take() {
            self.end_leaves(filled, leaves)?;
        }
        self.txn(key.len() + value.len())?.put(table, key, value)
    }

    /// Writes one row, after all others of the table.
    pub(in crate::ledger) fn row(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        self.txn(key.len() + value.len())?.append(table, key, value)
    }

    /// Writes rows to an empty table.
    pub(super) fn rows(&mut self, table: Table, rows: Rows) -> Result<()> {
        rows.in_order(&mut |key, value| self.row(table, key, value))
    }

    /// Writes one key's items, sorted and end to end, after all others of the table.
    pub(in crate::ledger) fn group(&mut self, table: Table, key: &[u8], items: &[u8]) -> Result<()> {
        let mut leaves = match self.filled.take() {
            Some((filled, leaves)) if filled.is_same(table) => leaves,
            Some((filled, leaves)) => {
                self.end_leaves(filled, leaves)?;
                Leaves::default()
            }
            None => Leaves::default(),
        };
        leaves.push(table.spec.item, key, items, &mut |fence, leaf| self.leaf(table, fence, leaf))?;
        self.filled = Some((table, leaves));
        Ok(())
    }

    fn end_leaves(&mut self, table: Table, mut leaves: Leaves) -> Result<()> {
        leaves.end(&mut |fence, leaf| self.leaf(table, fence, leaf))
    }

    fn leaf(&mut self, table: Table, fence: &[u8], leaf: &[u8]) -> Result<()> {
        self.txn(fence.len() + leaf.len())?.append_row(table, fence, leaf)
    }

    /// Writes items to an empty table.
    pub(super) fn groups<const N: usize>(&mut self, table: Table, items: Items<N>) -> Result<()> {
        items.in_order(&mut |key, items| self.group(table, key, items))
    }

    /// Commits the remaining rows.
    pub(in crate::ledger) fn done(mut self) -> Result<()> {
        if let Some((table, leaves)) = self.filled.take() {
            self.end_leaves(table, leaves)?;
        }
        self.txn.map_or(Ok(()), Write::commit)
    }
}
