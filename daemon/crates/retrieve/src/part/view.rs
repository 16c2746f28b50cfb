//! A part of a tree, read as a version.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::ControlFlow;

use sdl_ledger::{Briefs, Counters, NameHit, Named, Result, SymbolHome, TermHit, View};
use sdl_model::{Edge, FileId, FileRow, InEdge, SymbolId, Version};

use super::{Part, Place};
use crate::Outlines;

/// A part of a tree, read as a version. Has files and symbols. Edges, names and postings come with the finished index:
/// here there are none, so only readers that know of [`PartView`] may use it.
pub struct PartView<'a> {
    part: &'a Part,
    outlines: &'a dyn Outlines,
    /// Whether the time for reading facts is over.
    stop: &'a dyn Fn() -> bool,
    /// Symbols that were found on the way, because finding one again would read the facts of many files.
    homes: RefCell<HashMap<SymbolId, SymbolHome>>,
    /// The place of each file among the rows.
    by_id: OnceCell<HashMap<FileId, Place>>,
    /// How many files the last walk that had to stop had read.
    stopped: Cell<Option<u64>>,
}

/// Called for each file of a walk.
type EachFile<'w> = dyn FnMut(FileId, &FileRow, &Briefs) -> Result<ControlFlow<()>> + 'w;

impl<'a> PartView<'a> {
    /// Reads `part` by the facts in `outlines`. A walk over all files ends early once `stop` returns true.
    pub fn new(part: &'a Part, outlines: &'a dyn Outlines, stop: &'a dyn Fn() -> bool) -> Self {
        Self {
            part,
            outlines,
            stop,
            homes: RefCell::default(),
            by_id: OnceCell::new(),
            stopped: Cell::new(None),
        }
    }

    /// How many files were read by a walk that ran out of time. None if every walk saw all files.
    pub fn stopped_after(&self) -> Option<u64> {
        self.stopped.get()
    }

    /// The files and their definitions, until `each` breaks or time is up.
    pub(crate) fn walk(&self, each: &mut EachFile<'_>) -> Result<()> {
        for (n, row) in self.part.rows().enumerate() {
            // A look at the clock costs about as much as a small file.
            if n % 16 == 0 && (self.stop)() {
                self.stopped.set(Some(n as u64));
                return Ok(());
            }
            let Some(briefs) = row.state.facts().map_or(Ok(None), |key| self.outlines.briefs(key))? else {
                continue;
            };
            if each(FileId::of(&row.path), row, &briefs)?.is_break() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Remembers where a symbol is that a walk has found.
    pub(crate) fn remember(&self, symbol: SymbolId, home: SymbolHome) {
        self.homes.borrow_mut().insert(symbol, home);
    }

    fn row(&self, file: FileId) -> Option<&FileRow> {
        let places = || self.part.places().map(|(place, row)| (FileId::of(&row.path), place)).collect();
        self.part.row_at(*self.by_id.get_or_init(places).get(&file)?)
    }

    fn files_where(&self, belongs: impl Fn(&FileRow) -> bool) -> Vec<FileId> {
        let mut files: Vec<FileId> =
            self.part.rows().filter(|row| belongs(row)).map(|row| FileId::of(&row.path)).collect();
        files.sort_unstable();
        files
    }
}

impl View for PartView<'_> {
    fn version(&self) -> Version {
        Version(0)
    }

    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        Ok(self.row(file).cloned())
    }

    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        let mut rows: Vec<&FileRow> =
            self.part.rows().filter(|row| row.path.as_str().starts_with(prefix)).collect();
        rows.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let _ = rows.into_iter().try_for_each(|row| each(FileId::of(&row.path), row.path.as_str()));
        Ok(())
    }

    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        Ok(self.files_where(|row| row.path.file_name() == file_name))
    }

    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        Ok(self.files_where(|row| row.path.dir() == dir))
    }

    fn files_of_package(&self, _package: &str) -> Result<Vec<FileId>> {
        Ok(Vec::new())
    }

    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        if let Some(known) = self.homes.borrow().get(&symbol) {
            return Ok(Some(*known));
        }
        let mut found = None;
        self.walk(&mut |file, _, briefs| {
            let Some(brief) = briefs.find(|key| file.symbol(key) == symbol)? else {
                return Ok(ControlFlow::Continue(()));
            };
            found = Some(SymbolHome { file, kind: brief.kind });
            Ok(ControlFlow::Break(()))
        })?;
        if let Some(home) = found {
            self.remember(symbol, home);
        }
        Ok(found)
    }

    fn named(&self, _name: &str) -> Result<Named> {
        Ok(Named::All(Vec::new()))
    }

    fn named_up_to(&self, _name: &str, _limit: usize) -> Result<Vec<NameHit>> {
        Ok(Vec::new())
    }

    fn out_edges(&self, _symbol: SymbolId) -> Result<Vec<Edge>> {
        Ok(Vec::new())
    }

    fn in_edges(&self, _symbol: SymbolId, _limit: usize) -> Result<Vec<InEdge>> {
        Ok(Vec::new())
    }

    fn fan_in(&self, _symbol: SymbolId) -> Result<u64> {
        Ok(0)
    }

    fn unresolved_files(&self, _name: &str) -> Result<Option<Vec<FileId>>> {
        Ok(None)
    }

    fn term_count(&self, _term: &str) -> Result<u64> {
        Ok(0)
    }

    fn postings(&self, _term: &str, _each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()> {
        Ok(())
    }

    fn terms(&self, _prefix: &str, _each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        Ok(())
    }

    fn term_from(&self, _from: &str) -> Result<Option<String>> {
        Ok(None)
    }

    fn counters(&self) -> Result<Counters> {
        Ok(self.part.counters())
    }
}
