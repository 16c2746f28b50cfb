//! One version, read.

use std::ops::{Bound, ControlFlow, RangeBounds};
use std::time::Instant;

use sdl_model::facts::Inclusion;
use sdl_model::{
    Edge, FactsKey, FileId, FileRow, FileState, InEdge, Incarnation, Lang, StatHint, SymbolId, Version,
    VersionRow,
};

use super::Ledger;
use super::questions::find_dependents;
use super::rows::{Rows, in_time};
use super::state::{self, State};
use crate::codec::{self, Public, id_key};
use crate::env::{Read, Reads};
use crate::tables::LedgerTables;
use crate::{ChangedKeys, Counters, NameHit, Named, ResolutionCounts, Result, SymbolHome, TermHit, View};

/// One version, read: a read transaction. Fails every call once its deadline has passed.
pub struct Snapshot<'l> {
    pub(super) txn: Read<'l>,
    pub(super) ledger: &'l Ledger,
    /// The tables of the generation that is read.
    pub(super) tables: &'l LedgerTables,
    pub(super) state: State,
    deadline: Option<Instant>,
    /// Whether rows may be read: not while a load is unfinished, unless by that load.
    visible: bool,
}

impl<'l> Snapshot<'l> {
    pub(super) fn new(ledger: &'l Ledger, deadline: Option<Instant>) -> Result<Self> {
        let txn = ledger.env.read(deadline)?;
        let state = State::load_existing(&txn, ledger.shared())?;
        let tables = ledger.tables_of(state.live);
        Ok(Self { txn, ledger, tables, state, deadline, visible: state.head.is_some() })
    }

    /// The rows that an unfinished load has staged in `tables`.
    pub(super) fn staged(ledger: &'l Ledger, tables: &'l LedgerTables) -> Result<Self> {
        Ok(Self { visible: true, tables, ..Self::new(ledger, None)? })
    }

    /// The rows, if there are any to be seen and the deadline has not passed.
    pub(super) fn rows(&self) -> Result<Option<Rows<'_, Read<'l>>>> {
        in_time(self.deadline)?;
        let rows = Rows { reads: &self.txn, tables: self.tables, deadline: self.deadline };
        Ok(self.visible.then_some(rows))
    }

    /// The newest version. None before the first is finished: everything else is empty then.
    pub fn head(&self) -> Option<Version> {
        self.state.head
    }

    /// The oldest version that can be answered from.
    pub fn floor(&self) -> Option<Version> {
        self.state.floor
    }

    /// Tells this ledger from another of the same tree.
    pub fn incarnation(&self) -> Incarnation {
        self.state.incarnation
    }

    /// The file's `stat` when it was last read.
    pub fn stat(&self, file: FileId) -> Result<Option<StatHint>> {
        self.rows()?.map_or(Ok(None), |rows| rows.stat(file))
    }

    /// The symbols that a file defines, sorted.
    pub fn symbols_of(&self, file: FileId) -> Result<Vec<SymbolId>> {
        let Some(public) = self.public(file)? else {
            return Ok(Vec::new());
        };
        Ok(public.defs.into_iter().map(|def| def.symbol).collect())
    }

    /// What an indexed file publishes.
    pub fn public(&self, file: FileId) -> Result<Option<Public>> {
        self.rows()?.map_or(Ok(None), |rows| rows.public(file))
    }

    /// The files that asked one of `keys`, sorted.
    pub fn dependents(&self, keys: &ChangedKeys) -> Result<Vec<FileId>> {
        in_time(self.deadline)?;
        if self.visible { find_dependents(&self.txn, self.tables, keys) } else { Ok(Vec::new()) }
    }

    /// How the references of a file were resolved.
    pub fn resolution_of(&self, file: FileId) -> Result<ResolutionCounts> {
        let Some(rows) = self.rows()? else { return Ok(ResolutionCounts::default()) };
        let row = rows.reads.get(rows.tables.resolved, &id_key(file.0))?;
        row.map_or(Ok(ResolutionCounts::default()), |bytes| Ok(codec::unpack_resolved(bytes)?.counts))
    }

    /// A version's row.
    pub fn version_row(&self, version: Version) -> Result<Option<VersionRow>> {
        let Some(rows) = self.rows()? else { return Ok(None) };
        let row = rows.reads.get(rows.tables.versions, &id_key(version.0))?;
        row.map(|bytes| codec::decode_record("versions", bytes)).transpose()
    }

    /// The versions in `range`, oldest first, until `each` breaks.
    pub fn versions(
        &self,
        range: impl RangeBounds<Version>,
        each: &mut dyn FnMut(VersionRow) -> ControlFlow<()>,
    ) -> Result<()> {
        let Some(rows) = self.rows()? else { return Ok(()) };
        let from = match range.start_bound() {
            Bound::Included(version) => version.0,
            Bound::Excluded(version) => version.0.saturating_add(1),
            Bound::Unbounded => 0,
        };
        rows.reads.scan(rows.tables.versions, &id_key(from), &mut |_, value| {
            in_time(self.deadline)?;
            let row: VersionRow = codec::decode_record("versions", value)?;
            Ok(if range.contains(&row.version) { each(row) } else { ControlFlow::Break(()) })
        })
    }

    /// Every facts key that a kept version names, with repetitions, and whether that version has facts under it (a file
    /// that failed to parse has none). A sweep of the facts must spare them all.
    pub fn facts_keys(&self, each: &mut dyn FnMut(FactsKey, bool)) -> Result<()> {
        let Some(rows) = self.rows()? else { return Ok(()) };
        let mut give = |row: &FileRow| match row.state {
            FileState::Indexed(key) => each(key, true),
            FileState::Failed(key) => each(key, false),
            FileState::Skipped(_) => {}
        };
        let mut watch = rows.watch();
        rows.reads.scan(rows.tables.files, &[], &mut |_, value| {
            watch.row()?;
            give(&codec::decode_record("files", value)?);
            Ok(ControlFlow::Continue(()))
        })?;
        // Of older versions: each row that was replaced is kept as the one before.
        rows.reads.scan(rows.tables.file_history, &[], &mut |_, value| {
            watch.row()?;
            if let Some(row) = codec::decode_record::<Option<FileRow>>("file_history", value)? {
                give(&row);
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}

impl View for Snapshot<'_> {
    fn version(&self) -> Version {
        self.state.head.unwrap_or(self.state.last)
    }
    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        self.rows()?.map_or(Ok(None), |rows| rows.file(file))
    }
    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        self.rows()?.map_or(Ok(()), |rows| rows.files_under(prefix, each))
    }
    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        self.rows()?.map_or(Ok(Vec::new()), |rows| rows.files_named(file_name))
    }
    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        self.rows()?.map_or(Ok(Vec::new()), |rows| rows.files_in_dir(dir))
    }
    fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
        self.rows()?.map_or(Ok(Vec::new()), |rows| rows.files_of_package(package))
    }
    fn files_importing(&self, module: &str) -> Result<Option<Vec<FileId>>> {
        self.rows()?.map_or(Ok(Some(Vec::new())), |rows| rows.files_importing(module).map(Some))
    }
    fn inclusions(&self, file: FileId) -> Result<Option<(Lang, Vec<Inclusion>)>> {
        self.rows()?.map_or(Ok(None), |rows| rows.inclusions(file))
    }
    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        self.rows()?.map_or(Ok(None), |rows| rows.symbol_home(symbol))
    }
    fn named(&self, name: &str) -> Result<Named> {
        self.rows()?.map_or(Ok(Named::All(Vec::new())), |rows| rows.named(name))
    }
    fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
        self.rows()?.map_or(Ok(Vec::new()), |rows| rows.named_up_to(name, limit))
    }
    fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
        self.rows()?.map_or(Ok(Vec::new()), |rows| rows.out_edges(symbol))
    }
    fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>> {
        self.rows()?.map_or(Ok(Vec::new()), |rows| rows.in_edges(symbol, limit))
    }
    fn fan_in(&self, symbol: SymbolId) -> Result<u64> {
        self.rows()?.map_or(Ok(0), |rows| rows.fan_in(symbol))
    }
    fn unresolved_files(&self, name: &str) -> Result<Option<Vec<FileId>>> {
        self.rows()?.map_or(Ok(None), |rows| rows.unresolved_files(name))
    }
    fn term_count(&self, term: &str) -> Result<u64> {
        self.rows()?.map_or(Ok(0), |rows| rows.term_count(term))
    }
    fn postings(&self, term: &str, each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()> {
        self.rows()?.map_or(Ok(()), |rows| rows.postings(term, each))
    }
    fn postings_among(&self, term: &str, symbols: &[SymbolId], each: &mut dyn FnMut(TermHit)) -> Result<()> {
        self.rows()?.map_or(Ok(()), |rows| rows.postings_among(term, symbols, each))
    }
    fn terms(&self, prefix: &str, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        self.rows()?.map_or(Ok(()), |rows| rows.terms(prefix, each))
    }
    fn term_from(&self, from: &str) -> Result<Option<String>> {
        self.rows()?.map_or(Ok(None), |rows| rows.term_from(from))
    }
    fn counters(&self) -> Result<Counters> {
        self.rows()?.map_or(Ok(Counters::default()), |rows| state::read_counters(rows.reads, rows.tables))
    }
}
