//! Another state of a repository, laid over one version: the files and edges that differ, in memory.
//!
//! A past version is such a state, and so are a commit that was never checked out and a tree with unsaved buffers.
//! Readers of a [`View`] read it like a version of its own. But without a [`Search`] of it, searches and counts are
//! those of the version below.

mod between;
mod laid;
mod search;
mod state;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

pub use between::Between;
pub use laid::Laid;
pub use search::Search;
pub use state::{Done, Origin, State, StateFile};

use sdl_ledger::{Briefs, NameHit, SymbolHome, View};
use sdl_model::facts::{Inclusion, names_in};
use sdl_model::{Edge, FactsKey, FileId, FileRow, InEdge, Lang, Outline, RelPath, SymbolId, Version};

use crate::{History, Outlines, Result};

/// A file that differs in another state.
#[derive(Clone, Debug)]
pub struct LayerFile {
    /// Its path.
    pub path: RelPath,
    /// Its row there. None if the state does not have it.
    pub row: Option<FileRow>,
    /// Its outline there, if it has facts.
    pub outline: Option<Arc<Outline>>,
}

/// The differences of another state from the version that it is laid over.
#[derive(Debug, Default)]
pub struct Layer {
    files: BTreeMap<FileId, LayerFile>,
    /// The outgoing edges of every symbol whose edges may differ.
    edges: HashMap<SymbolId, Vec<Edge>>,
    homes: HashMap<SymbolId, SymbolHome>,
    names: HashMap<String, BTreeSet<NameHit>>,
    packages: HashMap<String, BTreeSet<FileId>>,
    /// The files with facts by the last part of their path, and by folder.
    file_names: HashMap<String, BTreeSet<FileId>>,
    dirs: HashMap<String, BTreeSet<FileId>>,
    inclusions: HashMap<FileId, (Lang, Vec<Inclusion>)>,
    /// The number of incoming edges of the version below that are not edges of this state.
    lost: HashMap<SymbolId, usize>,
    /// The names that each file which was resolved for this state left open, as marks, sorted.
    unresolved: HashMap<FileId, Arc<[u32]>>,
    /// Whether the names left open are unknown, because the state is a past version, which does not record them.
    forgets_unresolved: bool,
    /// Incoming edges of symbols in `edges`.
    gained: HashMap<SymbolId, BTreeSet<InEdge>>,
}

impl Layer {
    /// A layer of these files. Their edges are still those of the version below.
    pub fn of_files(files: impl IntoIterator<Item = LayerFile>) -> Self {
        let mut layer = Self::default();
        for file in files {
            layer.add(file);
        }
        layer
    }

    /// A version that `history` still has, laid over its newest.
    pub fn of_version(history: &dyn History, outlines: &dyn Outlines, version: Version) -> Result<Self> {
        let mut layer = Self::default();
        if version == history.version() {
            return Ok(layer);
        }
        layer.forgets_unresolved = true;
        let changes = history.changes_between(version, history.version())?;
        for change in changes.files {
            let Some(path) = change.old.as_ref().or(change.new.as_ref()).map(|row| row.path.clone()) else {
                continue;
            };
            let key = change.old.as_ref().and_then(|row| row.state.facts());
            let outline = key.map_or(Ok(None), |key| outlines.outline(key))?;
            layer.add(LayerFile { path, row: change.old, outline });
        }
        for symbol in changes.edges {
            layer.set_edges(history, symbol, history.out_edges_at(symbol, version)?)?;
        }
        Ok(layer)
    }

    /// This state, which was laid over `version`, laid over the newest version of `history`.
    pub fn moved_up(&self, history: &dyn History, outlines: &dyn Outlines, version: Version) -> Result<Self> {
        let below = Self::of_version(history, outlines, version)?;
        let files = below.files.iter().filter(|(id, _)| !self.files.contains_key(id)).chain(&self.files);
        let mut layer = Self::of_files(files.map(|(_, file)| file.clone()));
        layer.unresolved.clone_from(&self.unresolved);
        layer.forgets_unresolved = self.forgets_unresolved || below.forgets_unresolved;
        let edges = below.edges.iter().filter(|(id, _)| !self.edges.contains_key(id)).chain(&self.edges);
        for (symbol, edges) in edges {
            layer.set_edges(history, *symbol, edges.clone())?;
        }
        Ok(layer)
    }

    fn add(&mut self, file: LayerFile) {
        let outline = file.outline.clone();
        self.lay_file(file.path.clone(), file.row.clone(), outline.as_deref());
        self.files.insert(FileId::of(&file.path), file);
    }

    /// Adds a file that differs, without keeping its outline, for a layer of very many files. Searches and
    /// [`LaidOutlines`] need the outlines.
    pub fn lay_file(&mut self, path: RelPath, row: Option<FileRow>, outline: Option<&Outline>) {
        let id = FileId::of(&path);
        if row.as_ref().is_some_and(|row| row.state.facts().is_some()) {
            self.file_names.entry(path.file_name().to_owned()).or_default().insert(id);
            self.dirs.entry(path.dir().to_owned()).or_default().insert(id);
        }
        if let Some(outline) = outline {
            self.inclusions.insert(id, (outline.lang, outline.inclusions()));
            if let Some(package) = outline.package {
                self.packages.entry(outline.str(package).to_owned()).or_default().insert(id);
            }
            for def in &outline.defs {
                self.homes.insert(id.symbol(def.key), SymbolHome { file: id, kind: def.kind });
            }
            for (ix, published) in outline.published() {
                let Some(def) = outline.def(ix) else { continue };
                let hit = NameHit::of(id, def);
                for name in names_in(&published) {
                    self.names.entry(name.to_owned()).or_default().insert(hit);
                }
            }
        }
        self.files.insert(id, LayerFile { path, row, outline: None });
    }

    /// Sets a symbol's outgoing edges in this state. Call it once for each symbol.
    pub fn set_edges(
        &mut self,
        base: &(impl View + ?Sized),
        symbol: SymbolId,
        edges: Vec<Edge>,
    ) -> sdl_ledger::Result<()> {
        let below: BTreeSet<_> =
            base.out_edges(symbol)?.iter().map(|edge| (edge.to, incoming_edge(symbol, edge))).collect();
        for (to, _) in below {
            *self.lost.entry(to).or_default() += 1;
        }
        for edge in &edges {
            self.gained.entry(edge.to).or_default().insert(incoming_edge(symbol, edge));
        }
        self.edges.insert(symbol, edges);
        Ok(())
    }

    /// Sets the names that a file leaves open in this state, as marks, sorted.
    pub fn set_unresolved(&mut self, file: FileId, marks: Arc<[u32]>) {
        self.unresolved.insert(file, marks);
    }

    /// The files that differ.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (FileId, &LayerFile)> {
        self.files.iter().map(|(id, file)| (*id, file))
    }

    /// The symbols whose outgoing edges differ, with these edges.
    pub fn edges(&self) -> impl Iterator<Item = (SymbolId, &[Edge])> {
        self.edges.iter().map(|(symbol, edges)| (*symbol, edges.as_slice()))
    }

    /// Whether a file differs.
    pub(crate) fn has(&self, file: FileId) -> bool {
        self.files.contains_key(&file)
    }
}

fn incoming_edge(from: SymbolId, edge: &Edge) -> InEdge {
    let Edge { kind, resolution, strategy, confidence, .. } = *edge;
    InEdge { from, kind, resolution, strategy, confidence }
}

/// The outlines in layers, then those in the store.
pub struct LaidOutlines<'a> {
    held: HashMap<FactsKey, Arc<Outline>>,
    stored: &'a dyn Outlines,
}

impl<'a> LaidOutlines<'a> {
    /// The outlines of these layers and the store.
    pub fn new<'o>(layers: impl IntoIterator<Item = &'o Layer>, stored: &'a dyn Outlines) -> Self {
        let files = layers.into_iter().flat_map(|layer| layer.files.values());
        let held = files
            .filter_map(|file| Some((file.row.as_ref()?.state.facts()?, Arc::clone(file.outline.as_ref()?))));
        Self { held: held.collect(), stored }
    }
}

impl Outlines for LaidOutlines<'_> {
    fn outline(&self, key: FactsKey) -> sdl_ledger::Result<Option<Arc<Outline>>> {
        match self.held.get(&key) {
            Some(outline) => Ok(Some(Arc::clone(outline))),
            None => self.stored.outline(key),
        }
    }

    fn briefs(&self, key: FactsKey) -> sdl_ledger::Result<Option<Briefs>> {
        match self.held.get(&key) {
            Some(outline) => Ok(Some(Briefs::of(outline))),
            None => self.stored.briefs(key),
        }
    }
}
