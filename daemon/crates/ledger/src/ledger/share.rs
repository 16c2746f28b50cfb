//! The newest version as rows that travel, and a ledger made of such rows. See [`crate::share`].
//!
//! A ledger made so is never served. Another one inherits its rows ([`super::Opened::inherit`]), as a new worktree inherits
//! those of its sibling: every file is read and compared before anybody sees a row.

use std::ops::ControlFlow;
use std::path::Path;

use super::bulk::{Loader, Sink};
use super::state::{self, State};
use super::{Ledger, STORAGE_SCHEMA, Snapshot, Tally, UPGRADES};
use crate::codec::corrupt_record;
use crate::env::{Folder, Reads as _, Sync, Table};
use crate::share::rows::{Cutter, LEDGER_CHUNK_BYTES, Row, Rows};
use crate::share::tables::{TABLES, table_of};
use crate::share::{EachChunk, MAX_CHUNK_BYTES};
use crate::{Counters, Options, Result};

/// Items of one key in a row, in bytes. A key with more has several rows, because a chunk is held in memory.
const MAX_RUN_BYTES: usize = 64 << 10;
/// The items of a key that are held in memory until all have come. Those after them are added one by one, which is much slower.
const MAX_HELD_BYTES: usize = 256 << 20;

const GO_ON: Result<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

impl Snapshot<'_> {
    /// Gives the rows of the version in chunks, always the same for the same content. Without history, leases and hints of
    /// `stat`; nothing before the first version.
    ///
    /// # Errors
    /// Those of reading, of `sink`, and [`crate::Error::Misuse`] if a row is larger than [`MAX_CHUNK_BYTES`].
    pub fn export_rows(&self, sink: EachChunk<'_>) -> Result<()> {
        let Some(rows) = self.rows()? else { return Ok(()) };
        let mut cutter = Cutter::new(LEDGER_CHUNK_BYTES, sink);
        for (number, travelling) in TABLES.iter().enumerate() {
            let table = (travelling.pick)(rows.tables);
            let mut watch = rows.watch();
            let mut run = Run { number: number as u8, table, key: Vec::new(), items: Vec::new() };
            rows.reads.scan(table, &[], &mut |key, value| {
                watch.row()?;
                run.add_value(key, value, &mut cutter)?;
                GO_ON
            })?;
            run.finish(&mut cutter)?;
        }
        cutter.finish()
    }
}

/// The items of a key, gathered.
struct Run {
    number: u8,
    table: Table,
    key: Vec<u8>,
    items: Vec<u8>,
}

impl Run {
    fn add_value(&mut self, key: &[u8], value: &[u8], cutter: &mut Cutter<'_>) -> Result<()> {
        if self.table.spec.item == 0 {
            return cutter.add_row(Row { table: self.number, key, value });
        }
        if self.key != key || self.items.len() >= MAX_RUN_BYTES {
            self.finish(cutter)?;
            self.key.clear();
            self.key.extend_from_slice(key);
        }
        self.items.extend_from_slice(value);
        Ok(())
    }

    fn finish(&mut self, cutter: &mut Cutter<'_>) -> Result<()> {
        if self.items.is_empty() {
            return Ok(());
        }
        cutter.add_row(Row { table: self.number, key: &self.key, value: &self.items })?;
        self.items.clear();
        Ok(())
    }
}

/// A ledger in the making, from chunks of rows that came from elsewhere. Each row is decoded before it is stored.
pub struct Intake {
    ledger: Ledger,
    tally: Tally,
    /// Where the last row is: its table, its key, and its last item.
    last: Option<(u8, Vec<u8>, Vec<u8>)>,
    /// The items of the last key, until another key comes: a long list arrives in several rows, and is written at once.
    held: Option<Held>,
}

/// Items of one key, sorted and end to end.
struct Held {
    table: Table,
    key: Vec<u8>,
    items: Vec<u8>,
}

fn write_held(loader: &mut Loader<impl Sink>, held: &mut Option<Held>) -> Result<()> {
    held.take().map_or(Ok(()), |held| loader.group(held.table, &held.key, &held.items))
}

impl Intake {
    /// Makes an empty ledger in `dir`, which must not hold one.
    ///
    /// # Errors
    /// If the folder is in use or can't be written.
    pub fn begin(dir: &Path, options: &Options) -> Result<Self> {
        // Whatever a stop of the machine leaves of it is removed, so only the ledgers that are copied from it are synced.
        let schema = (STORAGE_SCHEMA, UPGRADES);
        let (ledger, _, _) = Ledger::open_folder(Folder::take(dir)?, Sync::WhenClosed, options, schema)?;
        if ledger.head().is_some() {
            return Err(crate::Error::Misuse("rows were to be added to a ledger with a version"));
        }
        Ok(Self { ledger, tally: Tally::default(), last: None, held: None })
    }

    /// Stores the rows of the next chunk.
    ///
    /// # Errors
    /// [`crate::Error::Corrupt`] if a row does not decode or is not after the one before; then the ledger is of no use.
    pub fn add_chunk(&mut self, chunk: &[u8]) -> Result<()> {
        if chunk.len() > MAX_CHUNK_BYTES {
            return Err(corrupt_record("chunk", "it is too large"));
        }
        let Self { ledger, tally, last, held } = self;
        let tables = ledger.shared();
        let mut loader = Loader::new(&ledger.env);
        for row in Rows::new(chunk) {
            let row = row?;
            let travelling = table_of(&row)?;
            let table = (travelling.pick)(tables);
            travelling.check_row(table, &row, tally)?;
            let size = table.spec.item;
            let goes_on = match &*last {
                Some((of, key, item)) if (*of, &key[..]) == (row.table, row.key) => {
                    if size == 0 || row.value.get(..size).is_none_or(|first| first <= &item[..]) {
                        return Err(out_of_order());
                    }
                    true
                }
                Some((of, key, _)) if (*of, &key[..]) > (row.table, row.key) => return Err(out_of_order()),
                _ => false,
            };
            match held {
                Some(held) if goes_on && held.items.len() < MAX_HELD_BYTES => {
                    held.items.extend_from_slice(row.value);
                }
                _ => {
                    write_held(&mut loader, held)?;
                    if size == 0 {
                        loader.row(table, row.key, row.value)?;
                    } else if goes_on {
                        row.value.chunks(size).try_for_each(|item| loader.put(table, row.key, item))?;
                    } else {
                        *held = Some(Held { table, key: row.key.to_vec(), items: row.value.to_vec() });
                    }
                }
            }
            let item = row.value.len().checked_sub(size).and_then(|at| row.value.get(at..));
            *last = Some((row.table, row.key.to_vec(), item.unwrap_or_default().to_vec()));
        }
        loader.done()
    }

    /// The totals of the rows so far.
    pub fn counters(&self) -> Counters {
        self.tally.counters()
    }

    /// Makes the rows a version, from which [`super::Opened::inherit`] can start another ledger.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn finish(self) -> Result<Ledger> {
        let Self { ledger, tally, mut held, .. } = self;
        let mut loader = Loader::new(&ledger.env);
        write_held(&mut loader, &mut held)?;
        loader.done()?;
        let state = ledger.write_aside(|txn| {
            let before = State::load_existing(txn, ledger.shared())?;
            let version = before.last.next();
            state::store_counters(txn, ledger.shared(), &tally.counters())?;
            let state =
                State { last: version, head: Some(version), floor: Some(version), staged: false, ..before };
            state.store(txn, ledger.shared())?;
            Ok(state)
        })?;
        ledger.publish(&state);
        Ok(ledger)
    }
}

fn out_of_order() -> crate::Error {
    corrupt_record("chunk", "its rows are not in order")
}
