//! A snapshot's past as retrieval asks it: an older version is the newest one with what changed since put back.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use sdl_ledger::{Counters, Error, NAME_LIMIT, NameHit, Named, Result, Snapshot, TermHit, View};
use sdl_model::facts::{Def, DefFlags};
use sdl_model::{Edge, FileId, FileRow, InEdge, Incarnation, SymbolId, SymbolKind, Version};
use sdl_retrieve::Outlines;
use sdl_retrieve::refresh::{Changes, History};

/// A snapshot's past.
pub(crate) struct Past<'a> {
    snapshot: &'a Snapshot<'a>,
    outlines: &'a dyn Outlines,
}

impl<'a> Past<'a> {
    /// The past of `snapshot`, as far as its ledger keeps it.
    pub(crate) fn new(snapshot: &'a Snapshot<'a>, outlines: &'a dyn Outlines) -> Self {
        Self { snapshot, outlines }
    }

    /// Whether the ledger can still answer from that version.
    fn keeps(&self, version: Version) -> bool {
        let (Some(floor), Some(head)) = (self.snapshot.floor(), self.snapshot.head()) else { return false };
        (floor..=head).contains(&version)
    }
}

impl History for Past<'_> {
    fn head(&self) -> &dyn View {
        self.snapshot
    }

    fn incarnation(&self) -> Incarnation {
        self.snapshot.incarnation()
    }

    fn at(&self, version: Version) -> Result<Option<Box<dyn View + '_>>> {
        if !self.keeps(version) {
            return Ok(None);
        }
        let past =
            PastView { snapshot: self.snapshot, outlines: self.outlines, version, since: OnceCell::new() };
        Ok(Some(Box::new(past)))
    }

    fn changes_since(&self, from: Version) -> Result<Option<Changes>> {
        if !self.keeps(from) {
            return Ok(None);
        }
        let changes = self.snapshot.changes_since(from)?;
        Ok(Some(Changes { files: changes.files, edges: changes.edges }))
    }
}

/// What changed after the version, indexed.
struct Since {
    /// Per changed file its row in the version.
    files: HashMap<FileId, Option<FileRow>>,
    /// The symbols of those files in the version.
    symbols: HashMap<SymbolId, FileId>,
    /// Symbols whose outgoing edges differ.
    edges: BTreeSet<SymbolId>,
}

/// One older version. Search postings and totals are not kept for the past.
struct PastView<'a> {
    snapshot: &'a Snapshot<'a>,
    outlines: &'a dyn Outlines,
    version: Version,
    since: OnceCell<Since>,
}

impl PastView<'_> {
    fn since(&self) -> Result<&Since> {
        if let Some(since) = self.since.get() {
            return Ok(since);
        }
        let changes = self.snapshot.changes_since(self.version)?;
        let mut symbols = HashMap::new();
        for change in &changes.files {
            let Some(key) = change.old.as_ref().and_then(|row| row.state.facts()) else { continue };
            let Some(outline) = self.outlines.outline(key)? else { continue };
            symbols.extend(outline.defs.iter().map(|def| (change.file.symbol(def.key), change.file)));
        }
        let files = changes.files.into_iter().map(|change| (change.file, change.old)).collect();
        let edges = changes.edges.into_iter().collect();
        Ok(self.since.get_or_init(|| Since { files, symbols, edges }))
    }

    /// The head's files without those that changed, and the changed ones as they were where `fits`.
    fn files_as_were(
        &self,
        head: Vec<FileId>,
        fits: impl Fn(&FileRow) -> Result<bool>,
    ) -> Result<Vec<FileId>> {
        let since = self.since()?;
        let mut files: Vec<FileId> =
            head.into_iter().filter(|file| !since.files.contains_key(file)).collect();
        for (file, row) in &since.files {
            if let Some(row) = row.as_ref().filter(|row| row.state.facts().is_some())
                && fits(row)?
            {
                files.push(*file);
            }
        }
        files.sort_unstable();
        Ok(files)
    }

    fn names_as_were(&self, head: Vec<NameHit>, name: &str) -> Result<Vec<NameHit>> {
        let since = self.since()?;
        let mut hits: Vec<NameHit> =
            head.into_iter().filter(|hit| !since.files.contains_key(&hit.file)).collect();
        for (file, row) in &since.files {
            let Some(key) = row.as_ref().and_then(|row| row.state.facts()) else { continue };
            let Some(outline) = self.outlines.outline(key)? else { continue };
            let named = |def: &&Def| outline.str(def.name) == name && is_named(def);
            hits.extend(outline.defs.iter().filter(named).map(|def| NameHit {
                symbol: file.symbol(def.key),
                file: *file,
                kind: def.kind,
            }));
        }
        hits.sort_unstable();
        Ok(hits)
    }
}

/// Whether the ledger's table of names has the definition.
fn is_named(def: &Def) -> bool {
    !matches!(def.kind, SymbolKind::Module | SymbolKind::Impl) && !def.flags.has(DefFlags::LOCAL)
}

const NOT_KEPT: Error = Error::Misuse("postings and totals of past versions are not kept");

impl View for PastView<'_> {
    fn version(&self) -> Version {
        self.version
    }

    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        self.snapshot.file_at(file, self.version)
    }

    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        let since = self.since()?;
        let mut files: Vec<(String, FileId)> = Vec::new();
        self.snapshot.files_under(prefix, &mut |file, path| {
            if !since.files.contains_key(&file) {
                files.push((path.to_owned(), file));
            }
            ControlFlow::Continue(())
        })?;
        let old = since
            .files
            .iter()
            .filter_map(|(file, row)| Some((row.as_ref()?.path.as_str().to_owned(), *file)));
        files.extend(old.filter(|(path, _)| path.starts_with(prefix)));
        files.sort_unstable();
        for (path, file) in files {
            if each(file, &path).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        self.files_as_were(self.snapshot.files_named(file_name)?, |row| Ok(row.path.file_name() == file_name))
    }

    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        self.files_as_were(self.snapshot.files_in_dir(dir)?, |row| Ok(row.path.dir() == dir))
    }

    fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
        self.files_as_were(self.snapshot.files_of_package(package)?, |row| {
            let outline = row.state.facts().map(|key| self.outlines.outline(key)).transpose()?.flatten();
            Ok(outline
                .is_some_and(|outline| outline.package.is_some_and(|name| outline.str(name) == package)))
        })
    }

    fn symbol_file(&self, symbol: SymbolId) -> Result<Option<FileId>> {
        let since = self.since()?;
        if let Some(file) = since.symbols.get(&symbol) {
            return Ok(Some(*file));
        }
        Ok(self.snapshot.symbol_file(symbol)?.filter(|file| !since.files.contains_key(file)))
    }

    fn named(&self, name: &str) -> Result<Named> {
        // The head may have too many where the past had few, so the bounded answer can't be taken from there.
        let hits = self.named_up_to(name, NAME_LIMIT + 1)?;
        Ok(if hits.len() > NAME_LIMIT { Named::TooMany } else { Named::All(hits) })
    }

    fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
        let mut hits = self.names_as_were(self.snapshot.named_up_to(name, usize::MAX)?, name)?;
        hits.truncate(limit);
        Ok(hits)
    }

    fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
        self.snapshot.out_edges_at(symbol, self.version)
    }

    fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>> {
        let since = self.since()?;
        let mut edges = self.snapshot.in_edges(symbol, usize::MAX)?;
        edges.retain(|edge| !since.edges.contains(&edge.from));
        for from in &since.edges {
            let out = self.snapshot.out_edges_at(*from, self.version)?;
            edges.extend(out.into_iter().filter(|edge| edge.to == symbol).map(|edge| InEdge {
                from: *from,
                kind: edge.kind,
                resolution: edge.resolution,
                strategy: edge.strategy,
                confidence: edge.confidence,
            }));
        }
        edges.sort_unstable();
        edges.truncate(limit);
        Ok(edges)
    }

    fn fan_in(&self, symbol: SymbolId) -> Result<u64> {
        Ok(self.in_edges(symbol, usize::MAX)?.len() as u64)
    }

    fn term_count(&self, _term: &str) -> Result<u64> {
        Err(NOT_KEPT)
    }

    fn postings(&self, _term: &str, _each: &mut dyn FnMut(TermHit) -> ControlFlow<()>) -> Result<()> {
        Err(NOT_KEPT)
    }

    fn terms(&self, _prefix: &str, _each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        Err(NOT_KEPT)
    }

    fn counters(&self) -> Result<Counters> {
        Err(NOT_KEPT)
    }
}
