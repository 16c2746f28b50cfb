//! One repository's versions: an environment of its own.

mod age;
mod apply;
mod batch;
mod bulk;
mod check;
#[cfg(test)]
mod check_tests;
mod derived;
mod dump;
mod history;
mod inherit;
mod leases;
#[cfg(test)]
mod list_tests;
mod questions;
#[cfg(test)]
mod release_tests;
mod rows;
#[cfg(test)]
mod schema_tests;
mod share;
mod snapshot;
mod state;
mod tally;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use sdl_model::{Cause, GitHead, Incarnation, Version};

use crate::env::{Env, Folder, Reads, Sync, Write};
use crate::store::{self, How, Plan, Upgrade};
use crate::tables::LedgerTables;
use crate::{Error, Options, Release, Result, Retention, Space};

pub use age::AgedOut;
pub use batch::{Batch, ChangedKeys};
pub use bulk::Bulk;
pub use check::Finding;
pub use derived::PostingChanges;
pub use dump::DumpOptions;
pub use history::Changes;
pub use leases::Lease;
pub use share::Intake;
pub use snapshot::Snapshot;
use state::{Generation, State};
pub use tally::{Sign, Tally};

/// The number of the tables' and records' layout. A ledger with a greater one is refused, one with a smaller one is
/// upgraded.
pub const STORAGE_SCHEMA: u32 = 11;

/// The steps that upgrade an older ledger, in order.
const UPGRADES: &[Upgrade] = &[
    Upgrade { from: 2, run: |_, _| Ok(()) },
    Upgrade { from: 3, run: state::seal_leases },
    Upgrade { from: 4, run: state::start_over },
    Upgrade { from: 5, run: state::start_over },
    // Up to here there was one generation of the content tables. It is the live one.
    Upgrade { from: 6, run: |_, _| Ok(()) },
    Upgrade { from: 7, run: state::drop_former_lists },
    Upgrade { from: 8, run: state::start_over },
    Upgrade { from: 9, run: state::start_over },
    Upgrade { from: 10, run: state::start_over },
];

/// One repository's ledger. `Send + Sync`; keep it in an `Arc`.
pub struct Ledger {
    /// Both generations of tables; the shared ones are the same in both.
    generations: [LedgerTables; 2],
    incarnation: Incarnation,
    /// The newest version; 0 for none.
    head: AtomicU64,
    retention: Retention,
    gather_bytes: usize,
    loading: AtomicBool,
    /// See [`Self::is_inherited`].
    inherited: AtomicBool,
    env: Env,
}

/// An open ledger, and how it came to be open.
pub struct Opened {
    /// The ledger.
    pub ledger: Ledger,
    /// How it came to be open.
    pub how: How,
}

/// The space that a ledger uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerStats {
    /// Bytes of the data file that are or were in use.
    pub bytes: u64,
    /// Bytes of address space reserved.
    pub map_bytes: u64,
    /// Bytes of versions and history.
    pub past_bytes: u64,
    /// Versions that are kept.
    pub versions: u64,
    /// Every table with its number of rows.
    pub tables: Vec<(&'static str, u64)>,
}

impl Ledger {
    /// Opens the ledger in `dir`, creating it if need be. A ledger that is in use or has a newer schema is refused; a
    /// damaged one is set aside and replaced by an empty one.
    pub fn open(dir: &Path, options: &Options) -> Result<Opened> {
        Self::open_schema(dir, options, STORAGE_SCHEMA, UPGRADES)
    }

    fn open_schema(dir: &Path, options: &Options, schema: u32, upgrades: &[Upgrade]) -> Result<Opened> {
        let folder = Folder::take(dir)?;
        inherit::clear_nursery(folder.path());
        let (ledger, _, how) = Self::open_folder(folder, Sync::EachCommit, options, (schema, upgrades))?;
        Ok(Opened { ledger, how })
    }

    fn open_folder(
        folder: Folder,
        sync: Sync,
        options: &Options,
        (schema, upgrades): (u32, &[Upgrade]),
    ) -> Result<(Self, State, How)> {
        let specs = LedgerTables::both_specs();
        let plan = Plan { schema, tables: &specs, sync, upgrades };
        let (env, tables, how) = store::open_folder(folder, &plan, options)?;
        let generations = LedgerTables::bind_both(&tables).ok_or(Error::Misuse("tables missing"))?;
        let mut ledger = Self {
            generations,
            incarnation: Incarnation(0),
            head: AtomicU64::new(0),
            retention: options.retention,
            gather_bytes: options.gather_bytes,
            loading: AtomicBool::new(false),
            inherited: AtomicBool::new(false),
            env,
        };
        match ledger.start(options) {
            Ok(state) => Ok((ledger, state, how)),
            Err(error) if error.is_damage() && !matches!(how, How::Rebuilt { .. }) => {
                ledger.condemn(&error.to_string())?;
                Self::open_folder(ledger.env.close()?, sync, options, (schema, upgrades))
            }
            Err(error) => Err(error),
        }
    }

    /// Reads the state, or makes that of a new ledger, and removes the rest of a load that was cut short.
    fn start(&mut self, options: &Options) -> Result<State> {
        let state = self.env.retry(|| {
            let mut txn = self.env.write()?;
            if let Some(state) = State::load(&txn, self.shared())? {
                return Ok::<_, Error>(state);
            }
            let state = State::new(options.clock.unix_ms());
            state.store(&mut txn, self.shared())?;
            txn.commit()?;
            Ok(state)
        })?;
        self.incarnation = state.incarnation;
        self.publish(&state);
        self.clear_spare()?;
        Ok(state)
    }

    /// The tables that both generations share; those of content are of the first.
    fn shared(&self) -> &LedgerTables {
        &self.generations[0]
    }

    /// The tables of a generation.
    fn tables_of(&self, generation: Generation) -> &LedgerTables {
        &self.generations[generation as usize]
    }

    /// Empties the generation that is not live, a table at a time, and removes the history that a large change wrote
    /// before it was cut short.
    fn clear_spare(&self) -> Result<()> {
        let (live, unborn) = {
            let txn = self.env.read(None)?;
            (State::load_existing(&txn, self.shared())?.live, state::unborn(&txn, self.shared())?)
        };
        if let Some(version) = unborn {
            self.forget_unborn(version)?;
        }
        for table in self.tables_of(live.other()).of_content() {
            let empty = self.env.read(None)?.entries(table)? == 0;
            if !empty {
                self.write_aside(|txn| txn.clear(table))?;
            }
        }
        Ok(())
    }

    /// The newest version; none before the first is finished.
    pub fn head(&self) -> Option<Version> {
        match self.head.load(Ordering::Acquire) {
            0 => None,
            head => Some(Version(head)),
        }
    }

    fn publish(&self, state: &State) {
        self.head.store(state.head.map_or(0, |head| head.0), Ordering::Release);
    }

    /// Tells this ledger from another of the same tree: drawn at random when it was created.
    pub fn incarnation(&self) -> Incarnation {
        self.incarnation
    }

    /// Reads one version. Every call on the snapshot fails once `deadline` has passed. Return from `read` soon,
    /// because as long as it runs LMDB can't reuse the pages of its version and the file grows.
    pub fn read<T>(&self, deadline: Instant, read: impl FnOnce(&Snapshot<'_>) -> Result<T>) -> Result<T> {
        read(&Snapshot::new(self, Some(deadline))?)
    }

    /// As [`Self::read`], for closures with errors of their own.
    pub fn read_with<T>(&self, deadline: Instant, read: impl FnOnce(&Snapshot<'_>) -> T) -> Result<T> {
        Ok(read(&Snapshot::new(self, Some(deadline))?))
    }

    /// Begins a batch; waits for the write before it to end. See [`Self::write`].
    pub fn batch(&self) -> Result<Batch<'_>> {
        if self.loading.load(Ordering::Acquire) {
            return Err(Error::Misuse("a batch was begun during a load"));
        }
        let batch = Batch::new(self)?;
        let (staged, unborn) = (batch.is_staged() && !self.is_inherited(), batch.has_unborn()?);
        if !staged && !unborn {
            return Ok(batch);
        }
        // A load that was never finished left its rows.
        drop(batch);
        if staged {
            self.forget_everything()?;
        } else {
            self.clear_spare()?;
        }
        Batch::new(self)
    }

    /// Runs `fill` on a batch and commits the batch. Runs it again, on a fresh batch, when the map had to grow.
    pub fn write<E: From<Error>>(
        &self,
        cause: Cause,
        head: Option<&GitHead>,
        time_ms: u64,
        mut fill: impl FnMut(&mut Batch<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<Option<Version>, E> {
        self.env.retry(|| {
            let mut batch = self.batch()?;
            fill(&mut batch)?;
            Ok(batch.commit(cause, head, time_ms)?)
        })
    }

    /// Begins a load from scratch: the fast way to a first version, or to the next one when everything is made again.
    /// The old content is forgotten at once, except for leases; version numbers continue.
    pub fn bulk(&self) -> Result<Bulk<'_>> {
        Bulk::begin(self)
    }

    /// Empties all tables of content and forgets all versions, in one transaction. Version numbers continue.
    fn forget_everything(&self) -> Result<()> {
        let state = self.env.retry(|| {
            let mut txn = self.env.write()?;
            let shared = self.shared();
            let before = State::load_existing(&txn, shared)?;
            let state = State { head: None, floor: None, staged: false, ..before };
            let [first, second] = &self.generations;
            for table in first.of_content().chain(second.of_content()).chain(first.of_the_past()) {
                txn.clear(table)?;
            }
            state::store_unborn(&mut txn, shared, None)?;
            state::store_counters(&mut txn, shared, &crate::Counters::default())?;
            state::store_git_head(&mut txn, shared, None)?;
            state.store(&mut txn, shared)?;
            txn.commit()?;
            Ok::<_, Error>(state)
        })?;
        self.publish(&state);
        self.inherited.store(false, Ordering::Release);
        Ok(())
    }

    /// Runs `write` in a transaction of its own that makes no version.
    fn write_aside<T>(&self, mut write: impl FnMut(&mut Write<'_>) -> Result<T>) -> Result<T> {
        self.env.retry(|| {
            let mut txn = self.env.write()?;
            let value = write(&mut txn)?;
            txn.commit()?;
            Ok(value)
        })
    }

    /// The space that the ledger uses.
    pub fn stats(&self) -> Result<LedgerStats> {
        let txn = self.env.read(None)?;
        let mut past_bytes = 0;
        let live = State::load_existing(&txn, self.shared())?.live;
        for table in self.shared().of_the_past() {
            past_bytes += txn.bytes(table)?;
        }
        let mut tables = Vec::new();
        for table in self.tables_of(live).all() {
            tables.push((table.spec.name, txn.entries(table)?));
        }
        Ok(LedgerStats {
            bytes: self.env.used_bytes()?,
            map_bytes: self.env.map_size()? as u64,
            past_bytes,
            versions: txn.entries(self.shared().versions)?,
            tables,
        })
    }

    /// Measures how much room the ledger takes. Reads all of it.
    pub fn space(&self) -> Result<Space> {
        let [first, second] = &self.generations;
        Space::of(&self.env, first.all().chain(second.of_content()))
    }

    /// Gives the memory back that the store keeps for the pages of large transactions, for example after a branch switch. Waits
    /// for a writer, but not for readers.
    ///
    /// # Errors
    /// If the file can't be opened again. The store can't be used any more then.
    pub fn release_pages(&self) -> Result<Release> {
        self.env.release_pages()
    }

    /// Notes that the stored data is damaged: the next open sets it aside.
    pub fn condemn(&self, why: &str) -> Result<()> {
        self.env.condemn(why)
    }
}
