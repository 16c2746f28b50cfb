//! One repository's versions.
#![allow(missing_docs, unused_variables, clippy::todo, reason = "signatures first")]

use std::collections::BTreeSet;
use std::io;
use std::ops::{ControlFlow, RangeBounds};
use std::path::{Path, PathBuf};
use std::time::Instant;

use sdl_model::{
    Cause, Edge, FactsKey, FileChange, FileId, FileRow, GitHead, InEdge, Incarnation, RelPath, StatHint,
    SymbolId, Version, VersionRow,
};

use crate::{Counters, FileUpdate, NameHit, Named, Options, Posting, Resolved, Result, TermHit, View};

/// How a store came to be open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    Created,
    Existing,
    Migrated { from: u32 },
    Rebuilt { set_aside: PathBuf, why: String },
}
pub struct Opened {
    pub ledger: Ledger,
    pub how: How,
}
/// One repository's ledger. `Send + Sync`; keep it in an `Arc`.
pub struct Ledger {}
/// One version, read. Implements [`View`].
pub struct Snapshot<'l> {
    ledger: &'l Ledger,
}
/// One write transaction. Implements [`View`] over its own writes. Dropping it changes nothing.
#[must_use]
pub struct Batch<'l> {
    ledger: &'l Ledger,
}
/// A load from scratch. Whatever the ledger held is forgotten (its numbers go on); nothing is visible until `finish`.
#[must_use]
pub struct Bulk<'l> {
    ledger: &'l Ledger,
}
/// Hashes of the lookup keys whose answers a batch changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedKeys(pub BTreeSet<u64>);
/// What changed between two versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Per file the first old and the last new row, in order of path; files that ended as they began are left out.
    pub files: Vec<FileChange>,
    /// Symbols whose edges differ, in order.
    pub edges: Vec<SymbolId>,
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub handle: String,
    pub holds_from: Version,
    pub expires_ms: u64,
    pub data: Vec<u8>,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgedOut {
    pub versions: u64,
    pub floor: Option<Version>,
}
#[derive(Clone, Copy, Debug)]
pub struct DumpOptions {
    pub postings: bool,
    pub asked: bool,
}
/// One inconsistency that [`Ledger::check`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub table: &'static str,
    pub what: String,
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerStats {
    pub bytes: u64,
    pub versions: u64,
    pub tables: Vec<(&'static str, u64)>,
}

impl Ledger {
    pub fn open(dir: &Path, options: &Options) -> Result<Opened> {
        todo!()
    }
    /// The newest version, and none before the first is finished.
    pub fn head(&self) -> Result<Option<Version>> {
        todo!()
    }
    pub fn incarnation(&self) -> Incarnation {
        todo!()
    }
    pub fn read<T>(&self, deadline: Instant, read: impl FnOnce(&Snapshot<'_>) -> Result<T>) -> Result<T> {
        todo!()
    }
    /// As [`Self::read`], for closures with errors of their own.
    pub fn read_with<T>(&self, deadline: Instant, read: impl FnOnce(&Snapshot<'_>) -> T) -> Result<T> {
        todo!()
    }
    /// Begins a batch; waits for another one to end.
    pub fn batch(&self) -> Result<Batch<'_>> {
        todo!()
    }
    /// Runs `fill` on a batch and commits it; runs it again on a fresh one when the map had to grow.
    pub fn write<E: From<crate::Error> + std::error::Error>(
        &self,
        cause: Cause,
        head: Option<&GitHead>,
        time_ms: u64,
        fill: impl FnMut(&mut Batch<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<Option<Version>, E> {
        todo!()
    }
    pub fn bulk(&self) -> Result<Bulk<'_>> {
        todo!()
    }
    pub fn put_lease(&self, lease: &Lease) -> Result<()> {
        todo!()
    }
    pub fn lease(&self, handle: &str) -> Result<Option<Lease>> {
        todo!()
    }
    pub fn renew_lease(&self, handle: &str, expires_ms: u64) -> Result<bool> {
        todo!()
    }
    pub fn delete_lease(&self, handle: &str) -> Result<bool> {
        todo!()
    }
    pub fn expire_leases(&self, now_ms: u64) -> Result<u64> {
        todo!()
    }
    pub fn age_out(&self, now_ms: u64) -> Result<AgedOut> {
        todo!()
    }
    pub fn check(&self) -> Result<Vec<Finding>> {
        todo!()
    }
    pub fn dump(&self, out: &mut dyn io::Write, options: DumpOptions) -> Result<()> {
        todo!()
    }
    pub fn digest(&self) -> Result<[u8; 32]> {
        todo!()
    }
    pub fn stats(&self) -> Result<LedgerStats> {
        todo!()
    }
    /// Notes that the stored data is damaged: the next open sets it aside.
    pub fn condemn(&self, why: &str) -> Result<()> {
        todo!()
    }
}

impl Snapshot<'_> {
    /// Whether there is a version at all; without one everything else is empty.
    pub fn head(&self) -> Option<Version> {
        todo!()
    }
    /// The oldest version that can be answered from.
    pub fn floor(&self) -> Option<Version> {
        todo!()
    }
    pub fn incarnation(&self) -> Incarnation {
        todo!()
    }
    pub fn stat(&self, file: FileId) -> Result<Option<StatHint>> {
        todo!()
    }
    pub fn file_at(&self, file: FileId, version: Version) -> Result<Option<FileRow>> {
        todo!()
    }
    pub fn out_edges_at(&self, symbol: SymbolId, version: Version) -> Result<Vec<Edge>> {
        todo!()
    }
    pub fn version_row(&self, version: Version) -> Result<Option<VersionRow>> {
        todo!()
    }
    pub fn versions(
        &self,
        range: impl RangeBounds<Version>,
        each: &mut dyn FnMut(VersionRow) -> ControlFlow<()>,
    ) -> Result<()> {
        todo!()
    }
    /// What changed after `version`, up to the snapshot's own.
    pub fn changes_since(&self, version: Version) -> Result<Changes> {
        todo!()
    }
    /// What changed after `from`, up to `to`.
    pub fn changes_between(&self, from: Version, to: Version) -> Result<Changes> {
        todo!()
    }
    /// The symbols that a file defines, sorted.
    pub fn symbols_of(&self, file: FileId) -> Result<Vec<SymbolId>> {
        todo!()
    }
    /// Every facts key that a kept version names, with repetitions: what a sweep must spare.
    pub fn facts_keys(&self, each: &mut dyn FnMut(FactsKey)) -> Result<()> {
        todo!()
    }
}

impl Batch<'_> {
    pub fn stat(&self, file: FileId) -> Result<Option<StatHint>> {
        todo!()
    }
    /// Updates files, symbols and names, and tells which answers changed. Files that are gone or no longer indexed lose
    /// their edges here; all others are to be resolved and handed to [`Self::set_resolved`].
    pub fn apply_files(&mut self, updates: &[FileUpdate]) -> Result<ChangedKeys> {
        todo!()
    }
    /// The files that asked one of `keys`, sorted.
    pub fn dependents(&self, keys: &ChangedKeys) -> Result<Vec<FileId>> {
        todo!()
    }
    pub fn set_resolved(&mut self, resolved: &Resolved) -> Result<()> {
        todo!()
    }
    pub fn set_postings(&mut self, file: FileId, old: &[Posting], new: &[Posting]) -> Result<()> {
        todo!()
    }
    pub fn set_stat_only(&mut self, path: &RelPath, stat: &StatHint) -> Result<()> {
        todo!()
    }
    /// Commits. None if nothing that belongs to a version changed (stat hints are kept all the same).
    pub fn commit(self, cause: Cause, head: Option<&GitHead>, time_ms: u64) -> Result<Option<Version>> {
        todo!()
    }
}

impl Bulk<'_> {
    pub fn add_file(&mut self, update: &FileUpdate) -> Result<()> {
        todo!()
    }
    /// Closes the first part: from now on [`Self::view`] sees the files, symbols and names.
    pub fn files_done(&mut self) -> Result<()> {
        todo!()
    }
    /// Reads what was staged; several threads may at once.
    pub fn view<T>(&self, read: impl FnOnce(&Snapshot<'_>) -> T) -> Result<T> {
        todo!()
    }
    pub fn add_resolved(&mut self, resolved: &Resolved) -> Result<()> {
        todo!()
    }
    pub fn add_posting(&mut self, term: &str, symbol: SymbolId, impact: u16, flags: u16) -> Result<()> {
        todo!()
    }
    pub fn add_postings(&mut self, postings: &[Posting]) -> Result<()> {
        todo!()
    }
    pub fn finish(self, cause: Cause, head: Option<&GitHead>, time_ms: u64) -> Result<Version> {
        todo!()
    }
}

macro_rules! view {
    ($of:ty) => {
        impl View for $of {
            fn version(&self) -> Version {
                todo!()
            }
            fn file(&self, file: FileId) -> Result<Option<FileRow>> {
                todo!()
            }
            fn files_under(
                &self,
                prefix: &str,
                each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>,
            ) -> Result<()> {
                todo!()
            }
            fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
                todo!()
            }
            fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
                todo!()
            }
            fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
                todo!()
            }
            fn symbol_file(&self, symbol: SymbolId) -> Result<Option<FileId>> {
                todo!()
            }
            fn named(&self, name: &str) -> Result<Named> {
                todo!()
            }
            fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
                todo!()
            }
            fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
                todo!()
            }
            fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>> {
                todo!()
            }
            fn fan_in(&self, symbol: SymbolId) -> Result<u64> {
                todo!()
            }
            fn term_count(&self, term: &str) -> Result<u64> {
                todo!()
            }
            fn postings(&self, term: &str, each: &mut dyn FnMut(TermHit) -> ControlFlow<()>) -> Result<()> {
                todo!()
            }
            fn terms(&self, prefix: &str, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
                todo!()
            }
            fn counters(&self) -> Result<Counters> {
                todo!()
            }
        }
    };
}
view!(Snapshot<'_>);
view!(Batch<'_>);
