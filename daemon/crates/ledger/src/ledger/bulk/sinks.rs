//! Where a load's rows go: into transactions of bounded size.

use crate::Result;
use crate::env::{Env, Table, Write};

/// A transaction is committed when it holds this much. The limit is low because LMDB keeps the pages of a running
/// transaction in memory, and never returns that memory.
const STAGE_BYTES: usize = 2 << 20;
/// The overhead of a row besides its key and value.
const ROW_COST: usize = 24;

/// The place of a row in its table.
#[derive(Clone, Copy)]
pub(in crate::ledger) enum Place {
    /// Anywhere.
    Any,
    /// After all others.
    Last,
    /// After all others, and the row is one that [`crate::env::Leaves`] made.
    LastLeaf,
}

/// Takes rows, one after the other.
pub(in crate::ledger) trait Sink {
    /// Takes a row.
    fn take(&mut self, table: Table, place: Place, key: &[u8], value: &[u8]) -> Result<()>;

    /// Ends it: all rows are stored, or on their way.
    fn end(self) -> Result<()>;
}

/// Stores rows in transactions of bounded size.
pub(in crate::ledger) struct Store<'e> {
    env: &'e Env,
    txn: Option<Write<'e>>,
    bytes: usize,
}

impl<'e> Store<'e> {
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
}

impl Sink for Store<'_> {
    fn take(&mut self, table: Table, place: Place, key: &[u8], value: &[u8]) -> Result<()> {
        let txn = self.txn(key.len() + value.len())?;
        match place {
            Place::Any => txn.put(table, key, value),
            Place::Last => txn.append(table, key, value),
            Place::LastLeaf => txn.append_row(table, key, value),
        }
    }

    fn end(self) -> Result<()> {
        self.txn.map_or(Ok(()), Write::commit)
    }
}
