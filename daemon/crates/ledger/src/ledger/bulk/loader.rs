//! Writes gathered rows in transactions of bounded size.

use super::gathered::{Items, Rows};
use crate::Result;
use crate::env::{Env, Table, Write};

/// A transaction is committed when it holds this much: The limit is low because LMDB keeps the pages of a running
/// transaction in memory, and never returns that memory.
const STAGE_BYTES: usize = 2 << 20;
/// The overhead of a row besides its key and value.
const ROW_COST: usize = 24;

/// Writes rows.
pub(super) struct Loader<'e> {
    env: &'e Env,
    txn: Option<Write<'e>>,
    bytes: usize,
}

impl<'e> Loader<'e> {
    /// Writes to `env`.
    pub(super) fn new(env: &'e Env) -> Self {
        Self { env, txn: None, bytes: 0 }
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

    /// Writes one row, after all others of the table.
    pub(super) fn row(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        self.txn(key.len() + value.len())?.append(table, key, value)
    }

    /// Writes rows to an empty table.
    pub(super) fn rows(&mut self, table: Table, rows: Rows) -> Result<()> {
        rows.in_order(&mut |key, value| self.row(table, key, value))
    }

    /// Writes one key's items, sorted and end to end, after all others of the table.
    pub(super) fn group(&mut self, table: Table, key: &[u8], items: &[u8]) -> Result<()> {
        self.txn(key.len() + items.len())?.append_items(table, key, items)
    }

    /// Writes items to an empty table.
    pub(super) fn groups<const N: usize>(&mut self, table: Table, items: Items<N>) -> Result<()> {
        items.in_order(&mut |key, items| self.group(table, key, items))
    }

    /// Commits the remaining rows.
    pub(super) fn done(self) -> Result<()> {
        self.txn.map_or(Ok(()), Write::commit)
    }
}
