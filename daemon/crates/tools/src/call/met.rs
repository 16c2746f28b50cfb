//! One repository of a workspace, read so that damage is known to be its own.

use std::cell::RefCell;
use std::ops::ControlFlow;

use sdl_ledger::{Counters, NameHit, Named, Result, SymbolHome, TermHit, View};
use sdl_model::facts::Inclusion;
use sdl_model::{Edge, FileId, FileRow, InEdge, Lang, RelPath, SymbolId, Version};

use crate::error::Damage;

/// A view that remembers the damage it met. An error of a workspace's graph does not say whose ledger it is from, and
/// only the damaged one must be repaired.
pub(crate) struct Watched<'a> {
    view: &'a dyn View,
    met: &'a RefCell<Option<Damage>>,
}

impl<'a> Watched<'a> {
    /// Reads `view`, and leaves damage in `met`.
    pub(crate) fn new(view: &'a dyn View, met: &'a RefCell<Option<Damage>>) -> Self {
        Self { view, met }
    }

    fn heed<T>(&self, result: Result<T>) -> Result<T> {
        if let Some(damage) = result.as_ref().err().and_then(Damage::of) {
            self.met.borrow_mut().get_or_insert(damage);
        }
        result
    }
}

impl View for Watched<'_> {
    fn version(&self) -> Version {
        self.view.version()
    }
    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        self.heed(self.view.file(file))
    }
    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        self.heed(self.view.files_under(prefix, each))
    }
    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        self.heed(self.view.files_named(file_name))
    }
    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        self.heed(self.view.files_in_dir(dir))
    }
    fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
        self.heed(self.view.files_of_package(package))
    }
    fn files_importing(&self, module: &str) -> Result<Option<Vec<FileId>>> {
        self.heed(self.view.files_importing(module))
    }
    fn inclusions(&self, file: FileId) -> Result<Option<(Lang, Vec<Inclusion>)>> {
        self.heed(self.view.inclusions(file))
    }
    fn file_id(&self, path: &RelPath) -> FileId {
        self.view.file_id(path)
    }
    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        self.heed(self.view.symbol_home(symbol))
    }
    fn symbol_file(&self, symbol: SymbolId) -> Result<Option<FileId>> {
        self.heed(self.view.symbol_file(symbol))
    }
    fn named(&self, name: &str) -> Result<Named> {
        self.heed(self.view.named(name))
    }
    fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
        self.heed(self.view.named_up_to(name, limit))
    }
    fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
        self.heed(self.view.out_edges(symbol))
    }
    fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>> {
        self.heed(self.view.in_edges(symbol, limit))
    }
    fn fan_in(&self, symbol: SymbolId) -> Result<u64> {
        self.heed(self.view.fan_in(symbol))
    }
    fn unresolved_files(&self, name: &str) -> Result<Option<Vec<FileId>>> {
        self.heed(self.view.unresolved_files(name))
    }
    fn term_count(&self, term: &str) -> Result<u64> {
        self.heed(self.view.term_count(term))
    }
    fn postings(&self, term: &str, each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()> {
        self.heed(self.view.postings(term, each))
    }
    fn postings_among(&self, term: &str, symbols: &[SymbolId], each: &mut dyn FnMut(TermHit)) -> Result<()> {
        self.heed(self.view.postings_among(term, symbols, each))
    }
    fn terms(&self, prefix: &str, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        self.heed(self.view.terms(prefix, each))
    }
    fn term_from(&self, from: &str) -> Result<Option<String>> {
        self.heed(self.view.term_from(from))
    }
    fn counters(&self) -> Result<Counters> {
        self.heed(self.view.counters())
    }
}
