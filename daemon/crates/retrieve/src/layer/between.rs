//! Two states over one version, as a history of two versions.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use sdl_ledger::{Changes, Counters, NameHit, Named, Result, SymbolHome, TermHit, View};
use sdl_model::{Edge, FileChange, FileId, FileRow, InEdge, Incarnation, SymbolId, Version};

use super::{Laid, Layer};
use crate::History;

/// Two states over one version, as a history of two versions: [`Between::FROM`] and, as its newest, [`Between::TO`]. It
/// does not matter which of the two is older.
pub struct Between<'a> {
    incarnation: Incarnation,
    from: (&'a Layer, Laid<'a>),
    to: (&'a Layer, Laid<'a>),
}

impl<'a> Between<'a> {
    /// The number of the first state.
    pub const FROM: Version = Version(1);
    /// The number of the second.
    pub const TO: Version = Version(2);

    /// Both layers were made for `base`.
    pub fn new(base: &'a dyn History, from: &'a Layer, to: &'a Layer) -> Self {
        Self {
            incarnation: base.incarnation(),
            from: (from, Laid::new(base, from)),
            to: (to, Laid::new(base, to)),
        }
    }

    /// Everything that differs.
    pub fn changes(&self) -> Result<Changes> {
        let ids: BTreeSet<FileId> = self.from.0.files.keys().chain(self.to.0.files.keys()).copied().collect();
        let mut files = Vec::new();
        for file in ids {
            let (old, new) = (self.from.1.file(file)?, self.to.1.file(file)?);
            if old != new {
                files.push(FileChange { file, old, new });
            }
        }
        files.sort_by(|a, b| change_path(a).cmp(&change_path(b)));
        let symbols: BTreeSet<SymbolId> =
            self.from.0.edges.keys().chain(self.to.0.edges.keys()).copied().collect();
        let mut edges = Vec::new();
        for symbol in symbols {
            if self.from.1.out_edges(symbol)? != self.to.1.out_edges(symbol)? {
                edges.push(symbol);
            }
        }
        Ok(Changes { files, edges })
    }

    /// The first state.
    pub fn then(&self) -> &Laid<'a> {
        &self.from.1
    }

    fn at(&self, version: Version) -> &Laid<'a> {
        if version == Self::FROM { &self.from.1 } else { &self.to.1 }
    }
}

fn change_path(change: &FileChange) -> Option<&str> {
    change.new.as_ref().or(change.old.as_ref()).map(|row| row.path.as_str())
}

impl History for Between<'_> {
    fn incarnation(&self) -> Incarnation {
        self.incarnation
    }

    fn floor(&self) -> Option<Version> {
        Some(Self::FROM)
    }

    fn file_at(&self, file: FileId, version: Version) -> Result<Option<FileRow>> {
        self.at(version).file(file)
    }

    fn out_edges_at(&self, symbol: SymbolId, version: Version) -> Result<Vec<Edge>> {
        self.at(version).out_edges(symbol)
    }

    fn changes_between(&self, from: Version, to: Version) -> Result<Changes> {
        if from < to { self.changes() } else { Ok(Changes::default()) }
    }
}

impl View for Between<'_> {
    fn version(&self) -> Version {
        Self::TO
    }
    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        self.to.1.file(file)
    }
    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        self.to.1.files_under(prefix, each)
    }
    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        self.to.1.files_named(file_name)
    }
    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        self.to.1.files_in_dir(dir)
    }
    fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
        self.to.1.files_of_package(package)
    }
    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        self.to.1.symbol_home(symbol)
    }
    fn named(&self, name: &str) -> Result<Named> {
        self.to.1.named(name)
    }
    fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
        self.to.1.named_up_to(name, limit)
    }
    fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
        self.to.1.out_edges(symbol)
    }
    fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>> {
        self.to.1.in_edges(symbol, limit)
    }
    fn fan_in(&self, symbol: SymbolId) -> Result<u64> {
        self.to.1.fan_in(symbol)
    }
    fn unresolved_files(&self, name: &str) -> Result<Option<Vec<FileId>>> {
        self.to.1.unresolved_files(name)
    }
    fn term_count(&self, term: &str) -> Result<u64> {
        self.to.1.term_count(term)
    }
    fn postings(&self, term: &str, each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()> {
        self.to.1.postings(term, each)
    }
    fn postings_among(&self, term: &str, symbols: &[SymbolId], each: &mut dyn FnMut(TermHit)) -> Result<()> {
        self.to.1.postings_among(term, symbols, each)
    }
    fn terms(&self, prefix: &str, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        self.to.1.terms(prefix, each)
    }
    fn term_from(&self, from: &str) -> Result<Option<String>> {
        self.to.1.term_from(from)
    }
    fn counters(&self) -> Result<Counters> {
        self.to.1.counters()
    }
}
