//! The one module that touches LMDB. It closes the hazards of the binding:
//!
//! * the map grows only while nobody is inside ([`gate`]), and only then the environment is closed and opened again, to give
//!   back the memory of large transactions ([`handle`]);
//! * cursors and their pointers never leave a call ([`txn`]);
//! * an environment is opened once, by one process ([`owner`]);
//! * a damaged file is recognized before it is mapped ([`pages`]);
//! * a pointer beyond the end of the map is refused ([`bounds`]), and so is a row that is not as it was written
//!   ([`seal`]);
//! * a store that syncs only when it is closed is not trusted after the machine stopped ([`Sync::WhenClosed`]);
//! * `NO_TLS`, a limit on readers with waiting instead of failing, dead readers cleared at the start and now and then;
//! * a full map or disk aborts the transaction and is an error of its own;
//! * keys that LMDB would refuse are refused here, by name.

mod block;
pub(crate) mod boot;
mod bounds;
mod copy;
mod file_lock;
mod gate;
mod handle;
mod leaf;
mod owner;
mod pages;
mod seal;
mod txn;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::Instant;

use lmdb::{Environment, EnvironmentFlags, Transaction as _};

use crate::faults::Faults;
use crate::{Error, Options, Result};

pub(crate) use copy::DATA;
pub use file_lock::lock_within;
pub(crate) use leaf::Leaves;

use bounds::Bounds;
use gate::{Gate, WriterLock};
use handle::{Handle, Opening};
use owner::{Left, Owner};
pub(crate) use txn::{Read, Reads, Write};

/// Longest key that LMDB takes.
pub(crate) const MAX_KEY: usize = 511;
/// Dead readers are looked for once in this many writes.
const READER_CHECK_EVERY: u32 = 64;
/// Slots for readers of other processes, such as a backup or `mdb_stat`.
const SPARE_READERS: u32 = 16;
/// From this many changes of rows on a transaction's pages are worth giving back: they take at least 16 MB if each is in a
/// page of its own.
const MANY_PUTS: u64 = 4_096;
/// The map never shrinks below this, whatever the options say.
const MIN_MAP: usize = 256 << 10;

/// The layout of a named database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableSpec {
    /// Its name.
    pub(crate) name: &'static str,
    /// Tells tables of one name apart: rows of the same kind, in another generation.
    pub(crate) generation: u8,
    /// The size of its values if a key has several, sorted: they are stored in blocks. 0 if a key has one value of any
    /// size.
    pub(crate) item: usize,
    /// Whether each value bears a checksum.
    pub(crate) sealed: bool,
}

/// An open named database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    db: lmdb::Database,
    /// Its layout.
    pub(crate) spec: TableSpec,
    /// The value from which the seals of its values are computed.
    seals: u32,
}

impl Table {
    fn new(db: lmdb::Database, spec: TableSpec) -> Self {
        Self { db, spec, seals: seal::of_table(spec.name) }
    }

    /// Whether the two are one table.
    pub(crate) fn is_same(self, other: Self) -> bool {
        (self.spec.name, self.spec.generation) == (other.spec.name, other.spec.generation)
    }

    /// The same table as an older schema wrote it: without checksums.
    pub(crate) fn unsealed(self) -> Self {
        Self { spec: TableSpec { sealed: false, ..self.spec }, ..self }
    }
}

/// When a commit reaches the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    /// With each commit.
    EachCommit,
    /// When the store is closed. The data survives its process, but not a stop of the machine: after that it is set
    /// aside. For data that can be computed again, such as facts.
    WhenClosed,
}

impl Sync {
    /// The setting that is possible here. `WhenClosed` needs an id of the machine's boot, because a store could not
    /// know otherwise that it must not be trusted.
    fn possible(self) -> Self {
        if boot::current_boot_id().is_some() { self } else { Self::EachCommit }
    }
}

/// An open environment.
pub(crate) struct Env {
    lmdb: Handle,
    path: PathBuf,
    gate: Gate,
    writer: WriterLock,
    grow: AtomicBool,
    /// Set when the map could not be grown: LMDB has unmapped the old one by then.
    unmapped: AtomicBool,
    /// Set by a transaction whose pages are worth giving back.
    wrote_much: AtomicBool,
    /// Where the map begins; 0 while that is not known.
    map_start: AtomicUsize,
    writes: AtomicU32,
    faults: Option<Arc<dyn Faults>>,
    sync: Sync,
    // The last field, because the folder must be released after the environment is closed. Always set until then.
    owner: Option<Owner>,
}

/// What became of the memory that was to be given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// There was none.
    Unneeded,
    /// It was given back.
    Done,
    /// Somebody reads, so it is still held. Try again later.
    Postponed,
}

/// A folder taken for one environment, not yet mapped.
pub(crate) struct Folder {
    owner: Owner,
}

impl Folder {
    /// Takes the folder, creating it if need be.
    pub(crate) fn take(dir: &Path) -> Result<Self> {
        Ok(Self { owner: Owner::take(dir)? })
    }

    /// Where it is, links resolved.
    pub(crate) fn path(&self) -> &Path {
        self.owner.dir()
    }

    /// The damage of the data file, if there is any.
    pub(crate) fn damage(&self, sync: Sync) -> Option<String> {
        if self.owner.left == Left::Lost && sync == Sync::WhenClosed && self.owner.has_data() {
            return Some("the machine stopped while it was open".to_owned());
        }
        self.owner
            .damage()
            .or_else(|| pages::probe_data_file(self.owner.dir(), self.owner.left != Left::Closed).err())
    }

    /// Moves the files into a folder beside them. If the data can be made again, only the newest such folder is kept.
    pub(crate) fn set_aside(&mut self, sync: Sync) -> Result<PathBuf> {
        if sync == Sync::WhenClosed {
            self.owner.forget_set_aside()?;
        }
        self.owner.set_aside()
    }
}

impl Env {
    /// Maps the environment in `folder`. On failure the folder is given back.
    pub(crate) fn open(
        mut folder: Folder,
        max_tables: usize,
        sync: Sync,
        options: &Options,
    ) -> std::result::Result<Self, (Folder, Error)> {
        let path = folder.owner.dir().to_owned();
        let sync = sync.possible();
        let flags = match sync {
            Sync::EachCommit => EnvironmentFlags::NO_TLS,
            Sync::WhenClosed => EnvironmentFlags::NO_TLS | EnvironmentFlags::NO_SYNC,
        };
        let mut size = options.map_size.max(MIN_MAP).next_multiple_of(64 << 10);
        let mut opening = Opening {
            path: path.clone(),
            flags,
            readers: options.max_readers.saturating_add(SPARE_READERS),
            tables: max_tables as u32,
        };
        let env = loop {
            match Handle::open(opening, size) {
                Ok(env) => break env,
                // Address space is limited here: reserve less.
                Err((again, lmdb::Error::Other(code))) if code == ENOMEM && size > 64 << 20 => {
                    size /= 2;
                    opening = again;
                }
                Err((_, source)) => {
                    let error = if is_disk_full(&path, source) {
                        Error::DiskFull { path }
                    } else {
                        Error::Lmdb { path, what: "open", source }
                    };
                    return Err((folder, error));
                }
            }
        };
        if let Err(error) = folder.owner.mark_running() {
            drop(env);
            return Err((folder, error));
        }
        let env = Self {
            lmdb: env,
            path,
            gate: Gate::new(options.max_readers as usize),
            writer: WriterLock::default(),
            grow: AtomicBool::new(false),
            unmapped: AtomicBool::new(false),
            wrote_much: AtomicBool::new(false),
            map_start: AtomicUsize::new(0),
            writes: AtomicU32::new(0),
            faults: options.faults.clone(),
            sync,
            owner: Some(folder.owner),
        };
        env.clear_dead_readers();
        Ok(env)
    }

    /// Unmaps it and keeps the folder.
    pub(crate) fn close(mut self) -> Result<Folder> {
        let owner = self.owner.take().ok_or(Error::Misuse("an environment was closed twice"))?;
        self.settle(&owner);
        drop(self);
        Ok(Folder { owner })
    }

    /// Syncs the data whose sync was put off until the end.
    fn settle(&self, owner: &Owner) {
        if self.sync == Sync::WhenClosed
            && let Err(error) = self.lmdb.with(|lmdb| lmdb.sync(true))
        {
            let why = format!("it could not be synced when it was closed: {error}");
            tracing::warn!(path = %self.path.display(), %error, "could not sync; the store will be set aside");
            let _ = owner.note_damage(&why);
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Notes damage: the next open sets the files aside.
    pub(crate) fn condemn(&self, why: &str) -> Result<()> {
        self.owner.as_ref().map_or(Ok(()), |owner| owner.note_damage(why))
    }

    /// Begins to read. Waits for a place until `deadline`.
    pub(crate) fn read(&self, deadline: Option<Instant>) -> Result<Read<'_>> {
        let slot = self.gate.enter(deadline)?;
        self.is_mapped()?;
        let lmdb = self.lmdb.inside(&slot).map_err(|source| self.fail("begin to read", source))?;
        let txn = match lmdb.begin_ro_txn() {
            Err(lmdb::Error::ReadersFull) => {
                self.clear_dead_readers();
                lmdb.begin_ro_txn()
            }
            other => other,
        };
        let txn = txn.map_err(|source| self.fail("begin to read", source))?;
        Ok(Read::for_reading(txn, self, self.bounds(false)?, slot))
    }

    /// Begins to write. Waits for the writer before, and grows the map first if it was full.
    pub(crate) fn write(&self) -> Result<Write<'_>> {
        let writer = self.writer.lock()?;
        self.is_mapped()?;
        if self.grow.load(Ordering::Relaxed) {
            if self.gate.holds() {
                return Err(Error::Misuse("a write inside a read found the map full"));
            }
            self.double()?;
            self.grow.store(false, Ordering::Relaxed);
        }
        if self.writes.fetch_add(1, Ordering::Relaxed) % READER_CHECK_EVERY == READER_CHECK_EVERY - 1 {
            self.clear_dead_readers();
        }
        let slot = self.gate.enter_writer();
        let begun = self.lmdb.inside(&slot).and_then(|lmdb| lmdb.begin_rw_txn());
        let txn = begun.map_err(|source| self.fail("begin to write", source))?;
        Ok(Write::for_writing(txn, self, self.bounds(true)?, slot, writer))
    }

    /// The part of the map that a transaction which has begun may see.
    fn bounds(&self, writes: bool) -> Result<Bounds> {
        let start = self.map_start.load(Ordering::Acquire);
        if start == 0 {
            return Ok(Bounds { writes, ..Bounds::UNKNOWN });
        }
        let info = self.lmdb.with(|lmdb| lmdb.info()).map_err(|source| self.fail("measure", source))?;
        let page = self.page_size()?;
        // A writer's pages that did not fit in memory are in the map, after the last one of the version before.
        let len = if writes { info.map_size() } else { (info.last_pgno() + 1).saturating_mul(page) };
        Ok(Bounds { start, end: start.saturating_add(len), page, writes })
    }

    /// Bytes of a page.
    pub(crate) fn page_size(&self) -> Result<usize> {
        Ok(self.lmdb.with(|lmdb| lmdb.stat()).map_err(|source| self.fail("measure", source))?.page_size()
            as usize)
    }

    /// Finds out where the map is. There must be a table.
    pub(crate) fn locate_map(&self) -> Result<()> {
        self.is_mapped()?;
        let page = self.page_size()?;
        let located = self.lmdb.with(|lmdb| {
            let (info, txn) = (lmdb.info()?, lmdb.begin_ro_txn()?);
            let start = txn::first_key(&txn, self).map(|key| {
                // SAFETY: LMDB has just filled it, and the transaction is open.
                key.and_then(|key| unsafe { bounds::map_start(&key, page, info.last_pgno()) })
            });
            txn.abort();
            Ok(start)
        });
        let start = located.map_err(|source| self.fail("find the map", source))??;
        let start = start.ok_or_else(|| crate::codec::corrupt_record("meta", "a page has another number"))?;
        self.map_start.store(start, Ordering::Release);
        Ok(())
    }

    /// Repeats `attempt` as long as it fails because the map is full, and grows the map in between.
    pub(crate) fn retry<T, E: From<Error>>(
        &self,
        mut attempt: impl FnMut() -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        loop {
            let result = attempt();
            // The flag is set where the map was found full and cleared where it grew.
            if result.is_ok() || !self.grow.load(Ordering::Relaxed) {
                return result;
            }
            drop(self.write().map_err(E::from)?);
        }
    }

    fn is_mapped(&self) -> Result<()> {
        if self.unmapped.load(Ordering::Relaxed) {
            return Err(self.fail("use", lmdb::Error::Panic));
        }
        Ok(())
    }

    fn double(&self) -> Result<()> {
        self.gate.alone(|| {
            let info = self.lmdb.with(|lmdb| lmdb.info()).map_err(|source| self.fail("measure", source))?;
            let size = info.map_size().saturating_mul(2);
            self.lmdb.with(|lmdb| lmdb.set_map_size(size)).map_err(|source| {
                self.unmapped.store(true, Ordering::Relaxed);
                self.fail("grow", source)
            })?;
            tracing::info!(path = %self.path.display(), size, "grew the map");
            // The map may have moved. An environment that is still being created has no known address yet.
            if self.map_start.load(Ordering::Acquire) == 0 { Ok(()) } else { self.locate_map() }
        })
    }

    /// Makes the next [`Self::release_pages`] do something.
    #[cfg(test)]
    pub(crate) fn claim_much(&self) {
        self.wrote_much.store(true, Ordering::Relaxed);
    }

    /// Gives the memory back that LMDB keeps for the pages of large transactions.
    pub(crate) fn release_pages(&self) -> Result<Release> {
        if !self.wrote_much.load(Ordering::Relaxed) {
            return Ok(Release::Unneeded);
        }
        if self.gate.holds() {
            return Ok(Release::Postponed);
        }
        let _writer = self.writer.lock()?;
        self.is_mapped()?;
        if !self.lmdb.can_reopen() {
            return Ok(Release::Unneeded);
        }
        let reopened = self.gate.try_alone(|| {
            self.wrote_much.store(false, Ordering::Relaxed);
            self.lmdb.reopen().map_err(|source| {
                self.unmapped.store(true, Ordering::Relaxed);
                self.fail("open again", source)
            })?;
            self.locate_map()
        });
        Ok(if reopened.transpose()?.is_some() { Release::Done } else { Release::Postponed })
    }

    /// Grows the map until `bytes` more fit after all pages that are or were in use.
    pub(crate) fn ensure_room(&self, bytes: usize) -> Result<()> {
        while self.used_bytes()? + bytes as u64 > self.map_size()? as u64 {
            self.grow.store(true, Ordering::Relaxed);
            drop(self.write()?);
        }
        Ok(())
    }

    /// Frees the slots of readers whose process died.
    fn clear_dead_readers(&self) {
        let mut dead = 0;
        // SAFETY: the environment is open during the call, which `dead` outlives.
        let check = |lmdb: &Environment| Ok(unsafe { lmdb_sys::mdb_reader_check(lmdb.env(), &raw mut dead) });
        let Ok(code) = self.lmdb.with(check) else { return };
        if code != 0 || dead > 0 {
            tracing::warn!(path = %self.path.display(), code, dead, "cleared the slots of dead readers");
        }
    }

    /// Bytes of the data file that are or were in use.
    pub(crate) fn used_bytes(&self) -> Result<u64> {
        self.is_mapped()?;
        let info = self.lmdb.with(|lmdb| lmdb.info()).map_err(|source| self.fail("measure", source))?;
        let stat = self.lmdb.with(|lmdb| lmdb.stat()).map_err(|source| self.fail("measure", source))?;
        Ok((info.last_pgno() as u64 + 1) * u64::from(stat.page_size()))
    }

    /// The present size of the map.
    pub(crate) fn map_size(&self) -> Result<usize> {
        self.is_mapped()?;
        Ok(self.lmdb.with(|lmdb| lmdb.info()).map_err(|source| self.fail("measure", source))?.map_size())
    }

    fn fail(&self, what: &'static str, source: lmdb::Error) -> Error {
        let path = self.path.clone();
        if source == lmdb::Error::MapFull {
            self.grow.store(true, Ordering::Relaxed);
            Error::MapFull { path }
        } else if is_disk_full(&path, source) {
            Error::DiskFull { path }
        } else {
            Error::Lmdb { path, what, source }
        }
    }
}

impl Drop for Env {
    fn drop(&mut self) {
        if let Some(owner) = &self.owner {
            self.settle(owner);
        }
    }
}

impl TableSpec {
    /// The name under which LMDB knows it.
    fn stored_name(self) -> Cow<'static, str> {
        match (self.item, self.generation) {
            (0, 0) => Cow::Borrowed(self.name),
            (0, generation) => Cow::Owned(format!("{}.{generation}", self.name)),
            // Up to schema 7 of the ledger, tables of several had the plain names and another form.
            (_, generation) => Cow::Owned(format!("{}.blocks.{generation}", self.name)),
        }
    }
}

const ENOMEM: i32 = if cfg!(windows) { 8 } else { 12 };

/// Whether LMDB's error means that there is no room. A write that was cut short is reported as an I/O error.
fn is_disk_full(path: &Path, error: lmdb::Error) -> bool {
    let lmdb::Error::Other(code) = error else { return false };
    if cfg!(windows) {
        return matches!(code, 39 | 112 | 28);
    }
    // ENOSPC, EFBIG (a limit on file size), EDQUOT (Linux, then the BSDs and macOS), and EIO (see above).
    matches!(code, 28 | 27)
        || code == (if cfg!(target_os = "linux") { 122 } else { 69 })
        || (code == 5 && little_room(path))
}

#[cfg(unix)]
fn little_room(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|fs| fs.f_bavail.saturating_mul(fs.f_frsize) < 1 << 20)
}

#[cfg(not(unix))]
fn little_room(_: &Path) -> bool {
    false
}
