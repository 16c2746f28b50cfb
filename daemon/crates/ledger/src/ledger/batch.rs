//! One batch: one write transaction, one version.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use sdl_model::facts::Inclusion;
use sdl_model::{
    Cause, Edge, FileChange, FileId, FileRow, GitHead, InEdge, Lang, RelPath, StatHint, SymbolId, Version,
    VersionRow,
};

use super::rows::Rows;
use super::state::{self, State};
use super::tally::Tally;
use super::{Ledger, history};
use crate::codec::{self, history_key, id_key, shorten_edges};
use crate::env::Write;
use crate::tables::LedgerTables;
use crate::{Counters, NameHit, Named, Result, SymbolHome, TermHit, View};

/// Hashes of the lookup keys (see [`crate::LookupKey::hash`]) whose answers a batch changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedKeys {
    /// Whoever asked one of these has another answer.
    pub keys: BTreeSet<u32>,
    /// Whoever asked both of a pair has another answer: a file's inclusions and a name among included files, or a file's
    /// interface and a name.
    pub pairs: BTreeSet<(u32, u32)>,
}

/// One write transaction. Implements [`View`] over its own writes. Dropping it changes nothing.
///
/// After an error, drop the batch: its writes so far may be incomplete. [`crate::Error::MapFull`] means that the same
/// batch will succeed when it is done again.
#[must_use]
pub struct Batch<'l> {
    pub(super) txn: Write<'l>,
    pub(super) ledger: &'l Ledger,
    /// The tables of the live generation.
    pub(super) tables: &'l LedgerTables,
    base: State,
    pub(super) tally: Tally,
    /// The rows of the files that this batch touched, as they were.
    pub(super) files: BTreeMap<FileId, Option<FileRow>>,
    /// The edges of the symbols that this batch touched, packed, as they were.
    pub(super) edges: BTreeMap<SymbolId, Vec<u8>>,
    /// Whether anything else changed that a version comprises: names, postings, questions.
    pub(super) derived: bool,
    /// Whether a hint was written.
    pub(super) hints: bool,
}

impl<'l> Batch<'l> {
    pub(super) fn new(ledger: &'l Ledger) -> Result<Self> {
        let txn = ledger.env.write()?;
        let base = State::load_existing(&txn, ledger.shared())?;
        let tally = Tally::from_counters(&state::read_counters(&txn, ledger.shared())?);
        Ok(Self {
            txn,
            ledger,
            tables: ledger.tables_of(base.live),
            base,
            tally,
            files: BTreeMap::new(),
            edges: BTreeMap::new(),
            derived: false,
            hints: false,
        })
    }

    pub(super) fn rows(&self) -> Rows<'_, Write<'l>> {
        Rows { reads: &self.txn, tables: self.tables, deadline: None }
    }

    /// Whether the tables hold rows of an unfinished load.
    pub(super) fn is_staged(&self) -> bool {
        self.base.staged
    }

    /// Whether there is history of a version that never came to be.
    pub(super) fn has_unborn(&self) -> Result<bool> {
        Ok(state::unborn(&self.txn, self.tables)?.is_some())
    }

    /// The file's `stat` when it was last read.
    pub fn stat(&self, file: FileId) -> Result<Option<StatHint>> {
        self.rows().stat(file)
    }

    /// The symbols that a file defines, sorted.
    pub fn symbols_of(&self, file: FileId) -> Result<Vec<SymbolId>> {
        let public = self.rows().public(file)?;
        Ok(public.map_or_else(Vec::new, |public| public.defs.into_iter().map(|def| def.symbol).collect()))
    }

    /// Notes what `stat` says of a file that has not changed. Makes no version.
    pub fn set_stat_only(&mut self, path: &RelPath, stat: &StatHint) -> Result<()> {
        let file = FileId::of(path);
        if self.rows().stat(file)?.as_ref() != Some(stat) {
            self.txn.put(self.tables.stats, &id_key(file.0), &codec::encode_record("stats", stat)?)?;
            self.hints = true;
        }
        Ok(())
    }

    /// Commits. None if nothing that belongs to a version changed: hints are kept all the same.
    pub fn commit(mut self, cause: Cause, head: Option<&GitHead>, time_ms: u64) -> Result<Option<Version>> {
        let tables = self.tables;
        let (changes, edge_changes) = self.differences()?;
        let moved = state::git_head(&self.txn, tables)?.as_ref() != head;
        let first = self.base.head.is_none();
        if !first && !moved && !self.derived && changes.is_empty() && edge_changes.is_empty() {
            if self.hints {
                self.txn.commit()?;
            }
            return Ok(None);
        }
        let version = self.base.last.next();
        let mut row = VersionRow {
            version,
            parent: self.base.head,
            cause,
            time_ms,
            head: head.cloned(),
            changes: Vec::new(),
            edge_changes: Vec::new(),
        };
        // Of the first version everything is new, and there is nothing before it to answer from.
        if !first {
            for change in &changes {
                let key = history_key(change.file.0, version);
                self.txn.put(
                    tables.file_history,
                    &key,
                    &codec::encode_record("file_history", &change.old)?,
                )?;
            }
            for symbol in &edge_changes {
                let old = self.edges.get(symbol).map(Vec::as_slice).unwrap_or_default();
                self.txn.put(tables.edge_history, &history_key(symbol.0, version), &shorten_edges(old))?;
            }
            row.changes = changes;
            row.changes.sort_unstable_by(|a, b| history::change_path(a).cmp(&history::change_path(b)));
            row.edge_changes = edge_changes;
        }
        self.txn.put(tables.versions, &id_key(version.0), &codec::encode_record("versions", &row)?)?;
        state::store_counters(&mut self.txn, tables, &self.tally.counters())?;
        state::store_git_head(&mut self.txn, tables, head)?;
        let state = State {
            last: version,
            head: Some(version),
            floor: self.base.floor.or(Some(version)),
            staged: false,
            ..self.base
        };
        state.store(&mut self.txn, tables)?;
        let Self { txn, ledger, .. } = self;
        txn.commit()?;
        ledger.publish(&state);
        ledger.inherited.store(false, Ordering::Release);
        Ok(Some(version))
    }

    /// The files and the symbols that are not as they were, by id.
    fn differences(&self) -> Result<(Vec<FileChange>, Vec<SymbolId>)> {
        let rows = self.rows();
        let mut changes = Vec::new();
        for (file, old) in &self.files {
            let new = rows.file(*file)?;
            if new != *old {
                changes.push(FileChange { file: *file, old: old.clone(), new });
            }
        }
        let mut edges = Vec::new();
        for (symbol, old) in &self.edges {
            if rows.packed_edges(*symbol)? != *old {
                edges.push(*symbol);
            }
        }
        Ok((changes, edges))
    }
}

impl View for Batch<'_> {
    fn version(&self) -> Version {
        self.base.head.unwrap_or(self.base.last)
    }
    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        self.rows().file(file)
    }
    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        self.rows().files_under(prefix, each)
    }
    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        self.rows().files_named(file_name)
    }
    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        self.rows().files_in_dir(dir)
    }
    fn files_importing(&self, module: &str) -> Result<Option<Vec<FileId>>> {
        self.rows().files_importing(module).map(Some)
    }
    fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
        self.rows().files_of_package(package)
    }
    fn inclusions(&self, file: FileId) -> Result<Option<(Lang, Vec<Inclusion>)>> {
        self.rows().inclusions(file)
    }
    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        self.rows().symbol_home(symbol)
    }
    fn named(&self, name: &str) -> Result<Named> {
        self.rows().named(name)
    }
    fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
        self.rows().named_up_to(name, limit)
    }
    fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
        self.rows().out_edges(symbol)
    }
    fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>> {
        self.rows().in_edges(symbol, limit)
    }
    fn fan_in(&self, symbol: SymbolId) -> Result<u64> {
        self.rows().fan_in(symbol)
    }
    fn unresolved_files(&self, name: &str) -> Result<Option<Vec<FileId>>> {
        self.rows().unresolved_files(name)
    }
    fn term_count(&self, term: &str) -> Result<u64> {
        self.rows().term_count(term)
    }
    fn postings(&self, term: &str, each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()> {
        self.rows().postings(term, each)
    }
    fn terms(&self, prefix: &str, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        self.rows().terms(prefix, each)
    }
    fn term_from(&self, from: &str) -> Result<Option<String>> {
        self.rows().term_from(from)
    }
    /// As the batch leaves them.
    fn counters(&self) -> Result<Counters> {
        Ok(self.tally.counters())
    }
}
