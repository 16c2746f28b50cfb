//! A ledger that starts from another one's newest version: that of another worktree or clone, whose files are mostly
//! the same.
//!
//! The file is copied beside the ledger, made the new ledger's own there, and renamed into place: a crash leaves a
//! ledger without a version, or all of it. The rows belong to no version until the first batch has brought them to
//! the state of the new tree, so nothing of the other tree is ever an answer for this one. A process that dies before
//! that batch leaves rows that the next one takes for those of an unfinished load.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use sdl_model::Version;

use super::state::{self, State};
use super::{Ledger, Opened, STORAGE_SCHEMA, Snapshot, UPGRADES};
use crate::env::{DATA, Folder, Sync};
use crate::tables::LedgerTables;
use crate::{Error, Options, Result};

/// The folder in which a copy is made.
const NURSERY: &str = "inherit";

impl Opened {
    /// Gives a ledger that has no version a copy of the rows of `source`, see [`Ledger::is_inherited`]. If they can't
    /// be copied, it stays empty. A ledger with a version stays as it is.
    ///
    /// # Errors
    /// Those of [`Ledger::open`].
    pub fn inherit(self, source: &Ledger, options: &Options) -> Result<Self> {
        if self.ledger.head().is_some() {
            return Ok(self);
        }
        let folder = self.ledger.env.close()?;
        let copied = inherit_rows(&folder, source, options);
        if let Err(error) = &copied {
            tracing::warn!(path = %folder.path().display(), %error, "the rows of another ledger can't be copied");
        }
        let (mut ledger, state, _) =
            Ledger::open_folder(folder, Sync::EachCommit, options, (STORAGE_SCHEMA, UPGRADES))?;
        ledger.inherited = AtomicBool::new(copied.is_ok() && state.staged && state.head.is_none());
        Ok(Self { ledger, how: self.how })
    }
}

impl Ledger {
    /// Whether the rows are those of another ledger, and the first batch is still to make them those of this tree. They
    /// have neither versions nor leases, nor hints of `stat`. Readers don't see them; [`Self::read_inherited`] does.
    pub fn is_inherited(&self) -> bool {
        self.inherited.load(Ordering::Acquire)
    }

    /// Reads the rows that were inherited, for the batch that brings them to the state of this tree.
    ///
    /// # Errors
    /// Those of `read`, and [`Error::Misuse`] if there are none.
    pub fn read_inherited<T>(&self, read: impl FnOnce(&Snapshot<'_>) -> Result<T>) -> Result<T> {
        if !self.is_inherited() {
            return Err(Error::Misuse("a ledger that inherited nothing was read so"));
        }
        let newest = Snapshot::new(self, None)?;
        let tables = newest.tables;
        drop(newest);
        read(&Snapshot::staged(self, tables)?)
    }
}

/// Removes what an earlier copy left.
pub(super) fn clear_nursery(dir: &Path) {
    let nursery = dir.join(NURSERY);
    if let Err(error) = fs::remove_dir_all(&nursery)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(path = %nursery.display(), %error, "an unfinished copy can't be removed");
    }
}

/// Replaces the data file of the folder by one with the rows of `source`.
fn inherit_rows(folder: &Folder, source: &Ledger, options: &Options) -> Result<()> {
    let dir = folder.path();
    clear_nursery(dir);
    let nursery = dir.join(NURSERY);
    let made = Folder::take(&nursery).and_then(|taken| {
        let shared = source.env.copy_data(&taken.path().join(DATA))?;
        disown(taken, options)?;
        Ok(shared)
    });
    let placed = made.and_then(|shared| {
        let to = dir.join(DATA);
        fs::rename(nursery.join(DATA), &to).map_err(|source| Error::io("replace", &to, source))?;
        sync_folder(dir)?;
        tracing::debug!(path = %dir.display(), shared, "copied the rows of another ledger");
        Ok(())
    });
    clear_nursery(dir);
    placed
}

/// Makes a copy a ledger of its own: without versions, history, leases and hints, with an incarnation of its own, and
/// with numbers for versions that the other one has not given out.
fn disown(folder: Folder, options: &Options) -> Result<()> {
    let (ledger, before, _) =
        Ledger::open_folder(folder, Sync::EachCommit, options, (STORAGE_SCHEMA, UPGRADES))?;
    if before.head.is_none() || before.staged {
        return Err(Error::Misuse("a ledger without a version was to be inherited"));
    }
    let fresh = State::new(options.clock.unix_ms());
    ledger.write_aside(|txn| {
        let LedgerTables { leases, stats, .. } = *ledger.tables_of(before.live);
        for table in ledger.shared().of_the_past().into_iter().chain([leases, stats]) {
            txn.clear(table)?;
        }
        state::store_git_head(txn, ledger.shared(), None)?;
        let last = Version(before.last.0.max(fresh.last.0));
        State { last, staged: true, live: before.live, ..fresh }.store(txn, ledger.shared())
    })?;
    drop(ledger.env.close()?);
    Ok(())
}

/// Makes a rename durable: the commits that follow it are.
fn sync_folder(dir: &Path) -> Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    fs::File::open(dir).and_then(|dir| dir.sync_all()).map_err(|source| Error::io("sync", dir, source))
}
