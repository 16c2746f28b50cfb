//! A layer and the version below, read as one.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use sdl_ledger::{Counters, NAME_LIMIT, NameHit, Named, Result, SymbolHome, TermHit, View, name_mark};
use sdl_model::facts::Inclusion;
use sdl_model::{Edge, FileId, FileRow, InEdge, Lang, RelPath, SymbolId, Version};

use super::{Layer, LayerFile, Search};

/// A layer and the version below, read as one.
#[derive(Clone, Copy)]
pub struct Laid<'a> {
    base: &'a dyn View,
    layer: &'a Layer,
    search: Option<&'a Search>,
}

impl<'a> Laid<'a> {
    /// Lays `layer` over the version that it was made for.
    pub fn new(base: &'a dyn View, layer: &'a Layer) -> Self {
        Self { base, layer, search: None }
    }

    /// The same, searched and counted as what it is.
    #[must_use]
    pub fn with_search(self, search: &'a Search) -> Self {
        Self { search: Some(search), ..self }
    }

    fn has_facts(file: &LayerFile) -> bool {
        file.row.as_ref().is_some_and(|row| row.state.facts().is_some())
    }

    /// The files of a list below that are not covered, and `own`, which are files of the layer.
    fn list<'o>(&self, below: Vec<FileId>, own: impl IntoIterator<Item = &'o FileId>) -> Vec<FileId> {
        let mut files: BTreeSet<FileId> = below.into_iter().collect();
        files.retain(|file| !self.layer.files.contains_key(file));
        files.extend(own);
        files.into_iter().collect()
    }
}

impl View for Laid<'_> {
    fn version(&self) -> Version {
        self.base.version()
    }

    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        match self.layer.files.get(&file) {
            Some(own) => Ok(own.row.clone()),
            None => self.base.file(file),
        }
    }

    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        let mut paths = BTreeSet::new();
        self.base.files_under(prefix, &mut |id, path| {
            if !self.layer.files.contains_key(&id) {
                paths.insert((path.to_owned(), id));
            }
            ControlFlow::Continue(())
        })?;
        for (id, file) in self.layer.files.iter().filter(|(_, file)| file.row.is_some()) {
            if file.path.as_str().starts_with(prefix) {
                paths.insert((file.path.as_str().to_owned(), *id));
            }
        }
        let _ = paths.into_iter().try_for_each(|(path, id)| each(id, &path));
        Ok(())
    }

    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        let own = self.layer.file_names.get(file_name);
        Ok(self.list(self.base.files_named(file_name)?, own.into_iter().flatten()))
    }

    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        let own = self.layer.dirs.get(dir);
        Ok(self.list(self.base.files_in_dir(dir)?, own.into_iter().flatten()))
    }

    fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
        let own = self.layer.packages.get(package);
        Ok(self.list(self.base.files_of_package(package)?, own.into_iter().flatten()))
    }

    fn files_importing(&self, module: &str) -> Result<Option<Vec<FileId>>> {
        // The imports of the layer's own files are not recorded, and any of them may import the module.
        let Some(below) = self.base.files_importing(module)? else { return Ok(None) };
        let own = self.layer.files.iter().filter(|(_, file)| Self::has_facts(file)).map(|(id, _)| id);
        Ok(Some(self.list(below, own)))
    }

    fn inclusions(&self, file: FileId) -> Result<Option<(Lang, Vec<Inclusion>)>> {
        if self.layer.files.contains_key(&file) {
            return Ok(self.layer.inclusions.get(&file).cloned());
        }
        self.base.inclusions(file)
    }

    fn file_id(&self, path: &RelPath) -> FileId {
        self.base.file_id(path)
    }

    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        if let Some(home) = self.layer.homes.get(&symbol) {
            return Ok(Some(*home));
        }
        let below = self.base.symbol_home(symbol)?;
        Ok(below.filter(|home| !self.layer.files.contains_key(&home.file)))
    }

    fn named(&self, name: &str) -> Result<Named> {
        let hits = self.named_up_to(name, NAME_LIMIT + 1)?;
        Ok(if hits.len() > NAME_LIMIT { Named::TooMany } else { Named::All(hits) })
    }

    fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
        let own = self.layer.names.get(name);
        // Hits in covered files don't count: more are read until enough of the others are found, or all are.
        let mut wanted = limit.saturating_add(self.layer.files.len().min(64));
        loop {
            let below = self.base.named_up_to(name, wanted)?;
            let all = below.len() < wanted;
            let mut hits: BTreeSet<NameHit> = below.into_iter().collect();
            hits.retain(|hit| !self.layer.files.contains_key(&hit.file));
            if all || hits.len() >= limit {
                hits.extend(own.into_iter().flatten().copied());
                return Ok(hits.into_iter().take(limit).collect());
            }
            wanted = wanted.saturating_mul(4);
        }
    }

    fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
        match self.layer.edges.get(&symbol) {
            Some(edges) => Ok(edges.clone()),
            None => self.base.out_edges(symbol),
        }
    }

    fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>> {
        let lost = self.layer.lost.get(&symbol).copied().unwrap_or(0);
        let mut edges = self.base.in_edges(symbol, limit.saturating_add(lost))?;
        edges.retain(|edge| !self.layer.edges.contains_key(&edge.from));
        edges.extend(self.layer.gained.get(&symbol).into_iter().flatten().copied());
        edges.sort_unstable();
        edges.truncate(limit);
        Ok(edges)
    }

    fn fan_in(&self, symbol: SymbolId) -> Result<u64> {
        let lost = self.layer.lost.get(&symbol).copied().unwrap_or(0);
        let gained = self.layer.gained.get(&symbol).map_or(0, BTreeSet::len);
        Ok((self.base.fan_in(symbol)? + gained as u64).saturating_sub(lost as u64))
    }

    fn unresolved_files(&self, name: &str) -> Result<Option<Vec<FileId>>> {
        if self.layer.forgets_unresolved {
            return Ok(None);
        }
        let Some(mut files) = self.base.unresolved_files(name)? else { return Ok(None) };
        let own = &self.layer.unresolved;
        let mark = name_mark(name);
        files.retain(|file| !own.contains_key(file) && !self.layer.files.contains_key(file));
        let leaving = own.iter().filter(|(_, marks)| marks.binary_search(&mark).is_ok());
        files.extend(leaving.map(|(file, _)| *file));
        files.sort_unstable();
        Ok(Some(files))
    }

    fn term_count(&self, term: &str) -> Result<u64> {
        match self.search {
            Some(search) => search.count(self.base, term),
            None => self.base.term_count(term),
        }
    }

    fn postings(&self, term: &str, each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()> {
        match self.search {
            Some(search) => search.postings(self.base, term, each),
            None => self.base.postings(term, each),
        }
    }

    fn postings_among(&self, term: &str, symbols: &[SymbolId], each: &mut dyn FnMut(TermHit)) -> Result<()> {
        match self.search {
            Some(search) => search.postings_among(self.base, term, symbols, each),
            None => self.base.postings_among(term, symbols, each),
        }
    }

    fn terms(&self, prefix: &str, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        match self.search {
            Some(search) => search.terms(self.base, prefix, each),
            None => self.base.terms(prefix, each),
        }
    }

    fn term_from(&self, from: &str) -> Result<Option<String>> {
        match self.search {
            Some(search) => search.term_from(self.base, from),
            None => self.base.term_from(from),
        }
    }

    fn counters(&self) -> Result<Counters> {
        match self.search {
            Some(search) => Ok(search.totals.clone()),
            None => self.base.counters(),
        }
    }
}
