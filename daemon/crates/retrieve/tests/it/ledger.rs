//! A ledger in memory: every version kept whole, edges by the real resolver, postings by the real index.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use sdl_graph::testing::Repo;
use sdl_ledger::{Changes, Counters, NameHit, Named, Result, SymbolHome, TermHit, View, name_mark};
use sdl_model::facts::{Body, Facts, imported_modules};
use sdl_model::{
    ContentHash, Edge, FactsKey, FileChange, FileId, FileRow, InEdge, Incarnation, Outline, RelPath,
    SymbolId, Version,
};
use sdl_retrieve::{History, Source};

/// One version, whole.
#[derive(Default)]
struct State {
    repo: Repo,
    rows: BTreeMap<FileId, FileRow>,
    out: HashMap<SymbolId, Vec<Edge>>,
    into: HashMap<SymbolId, Vec<InEdge>>,
    postings: BTreeMap<String, Vec<TermHit>>,
    unresolved: HashMap<u32, Vec<FileId>>,
    symbols: u64,
}

/// A repository's versions.
pub(crate) struct MemoryLedger {
    incarnation: Incarnation,
    first: Version,
    states: Vec<State>,
    outlines: HashMap<FactsKey, Arc<Outline>>,
    bodies: HashMap<FactsKey, Body>,
    pub(crate) floor: Version,
}

impl MemoryLedger {
    /// Version 1 of the repository that a fixture spells: `//- /path` before each file.
    pub(crate) fn new(fixture: &str) -> Self {
        let mut ledger = Self {
            incarnation: Incarnation(7),
            first: Version(1),
            states: Vec::new(),
            outlines: HashMap::new(),
            bodies: HashMap::new(),
            floor: Version(1),
        };
        let files = files(fixture);
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), Some(text.as_bytes()))).collect();
        ledger.write(&files);
        ledger
    }

    /// Adds a version in which these files have these contents, or none.
    pub(crate) fn write(&mut self, files: &[(&str, Option<&[u8]>)]) -> Version {
        let mut repo = self.states.last().map(|state| state.repo.clone()).unwrap_or_default();
        for (path, bytes) in files {
            let path = RelPath::new(path).unwrap();
            let Some(bytes) = bytes else {
                repo.remove(&path);
                continue;
            };
            let Some(lang) = sdl_lang::detect_lang(&path, bytes) else { continue };
            let Ok(facts) = sdl_lang::extract_facts(lang, bytes) else { continue };
            let key = FactsKey { lang, content: ContentHash::of(bytes) };
            self.outlines.insert(key, Arc::new(facts.outline.clone()));
            self.bodies.insert(key, facts.body.clone());
            repo.insert(path, key, Arc::new(facts));
        }
        self.states.push(State::of(repo));
        Version(self.first.0 + self.states.len() as u64 - 1)
    }

    /// The newest version.
    pub(crate) fn head(&self) -> At<'_> {
        At { ledger: self, at: self.states.len() - 1 }
    }

    /// A version.
    pub(crate) fn at(&self, version: Version) -> At<'_> {
        At { ledger: self, at: self.index(version) }
    }

    /// The second half of a file's facts.
    #[allow(dead_code, reason = "for tests of other crates")]
    pub(crate) fn body(&self, key: FactsKey) -> Option<Body> {
        self.bodies.get(&key).cloned()
    }

    pub(crate) fn outlines(&self) -> &HashMap<FactsKey, Arc<Outline>> {
        &self.outlines
    }

    fn index(&self, version: Version) -> usize {
        (version.0 - self.first.0) as usize
    }
}

/// The files of a fixture.
pub(crate) fn files(fixture: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in fixture.lines() {
        if let Some(path) = line.strip_prefix("//- /") {
            files.push((path.to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}

impl State {
    fn of(repo: Repo) -> Self {
        let mut state = Self::default();
        for (path, facts) in repo.files() {
            state.add_file(&repo, path, facts);
        }
        for hits in state.postings.values_mut() {
            hits.sort_by_key(|hit| hit.symbol);
        }
        for resolved in repo.resolve(|_| true).unwrap().into_values() {
            for (file, mark) in
                resolved.file.iter().flat_map(|file| resolved.unresolved.iter().map(|m| (*file, *m)))
            {
                state.unresolved.entry(mark).or_default().push(file);
            }
            for (from, edges) in resolved.edges {
                for edge in &edges {
                    let Edge { to, kind, resolution, strategy, confidence, .. } = *edge;
                    state.into.entry(to).or_default().push(InEdge {
                        from,
                        kind,
                        resolution,
                        strategy,
                        confidence,
                    });
                }
                state.out.insert(from, edges);
            }
        }
        state.into.values_mut().for_each(|edges| edges.sort());
        state.repo = repo;
        state
    }

    fn add_file(&mut self, repo: &Repo, path: &RelPath, facts: &Facts) {
        let file = FileId::of(path);
        self.rows.insert(file, repo.file(file).unwrap().unwrap());
        self.symbols += facts.outline.defs.len() as u64;
        let postings = sdl_retrieve::index::file_postings(path, file, &facts.outline, &facts.body);
        for (term, hit) in postings.iter() {
            self.postings.entry(term.into()).or_default().push(hit);
        }
    }
}

/// One version.
#[derive(Clone, Copy)]
pub(crate) struct At<'l> {
    ledger: &'l MemoryLedger,
    at: usize,
}

impl<'l> At<'l> {
    fn state(&self) -> &'l State {
        &self.ledger.states[self.at]
    }

    pub(crate) fn source(&'l self) -> Source<'l> {
        Source::new(self, self.ledger.outlines())
    }

    /// The id of a symbol by path and qualified name; an empty name is the module.
    pub(crate) fn id(&self, path: &str, qualified: &str) -> SymbolId {
        let file = FileId::of(&RelPath::new(path).unwrap());
        let source = Source::new(self, self.ledger.outlines());
        let all = source.symbols_of(file).unwrap();
        let wanted = all.iter().enumerate().find(|(i, sym)| {
            if qualified.is_empty() { *i == 0 } else { sym.qualified() == qualified && *i > 0 }
        });
        wanted.unwrap_or_else(|| panic!("no {qualified} in {path}")).1.id
    }

    /// A symbol's path and qualified name.
    pub(crate) fn name(&self, id: SymbolId) -> String {
        let source = Source::new(self, self.ledger.outlines());
        source.symbol(id).unwrap().map_or_else(|| "gone".to_owned(), |sym| sym.qualified().to_owned())
    }
}

impl View for At<'_> {
    fn version(&self) -> Version {
        Version(self.ledger.first.0 + self.at as u64)
    }
    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        self.state().repo.file(file)
    }
    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        self.state().repo.files_under(prefix, each)
    }
    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        self.state().repo.files_named(file_name)
    }
    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        self.state().repo.files_in_dir(dir)
    }
    fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
        self.state().repo.files_of_package(package)
    }
    fn files_importing(&self, module: &str) -> Result<Option<Vec<FileId>>> {
        let is_inside = |import: &String| {
            let rest = import.strip_prefix(module);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':', '\\']))
        };
        let imports = |facts: &Facts| imported_modules(&facts.outline, &facts.body).iter().any(is_inside);
        let importing = self.state().repo.files().filter(|(_, facts)| imports(facts));
        Ok(Some(importing.map(|(path, _)| FileId::of(path)).collect()))
    }
    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        self.state().repo.symbol_home(symbol)
    }
    fn named(&self, name: &str) -> Result<Named> {
        self.state().repo.named(name)
    }
    fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
        self.state().repo.named_up_to(name, limit)
    }
    fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
        Ok(self.state().out.get(&symbol).cloned().unwrap_or_default())
    }
    fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>> {
        Ok(self
            .state()
            .into
            .get(&symbol)
            .map(|edges| edges.iter().copied().take(limit).collect())
            .unwrap_or_default())
    }
    fn fan_in(&self, symbol: SymbolId) -> Result<u64> {
        Ok(self.state().into.get(&symbol).map_or(0, |edges| edges.len() as u64))
    }
    fn unresolved_files(&self, name: &str) -> Result<Option<Vec<FileId>>> {
        Ok(Some(self.state().unresolved.get(&name_mark(name)).cloned().unwrap_or_default()))
    }
    fn term_count(&self, term: &str) -> Result<u64> {
        Ok(self.state().postings.get(term).map_or(0, |hits| hits.len() as u64))
    }
    fn postings(&self, term: &str, each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()> {
        let hits = self.state().postings.get(term).map_or(&[][..], Vec::as_slice);
        for some in hits.chunks(7) {
            if each(some).is_break() {
                break;
            }
        }
        Ok(())
    }
    fn terms(&self, prefix: &str, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        for (term, _) in self.state().postings.range(prefix.to_owned()..) {
            if !term.starts_with(prefix) || each(term).is_break() {
                break;
            }
        }
        Ok(())
    }
    fn term_from(&self, from: &str) -> Result<Option<String>> {
        Ok(self.state().postings.range(from.to_owned()..).next().map(|(term, _)| term.clone()))
    }
    fn counters(&self) -> Result<Counters> {
        Ok(Counters { symbols: self.state().symbols, ..self.state().repo.counters()? })
    }
}

impl History for At<'_> {
    fn incarnation(&self) -> Incarnation {
        self.ledger.incarnation
    }
    fn floor(&self) -> Option<Version> {
        Some(self.ledger.floor)
    }
    fn file_at(&self, file: FileId, version: Version) -> Result<Option<FileRow>> {
        Ok(self.ledger.states[self.ledger.index(version)].rows.get(&file).cloned())
    }
    fn out_edges_at(&self, symbol: SymbolId, version: Version) -> Result<Vec<Edge>> {
        At { ledger: self.ledger, at: self.ledger.index(version) }.out_edges(symbol)
    }
    fn changes_between(&self, from: Version, to: Version) -> Result<Changes> {
        let (old, new) =
            (&self.ledger.states[self.ledger.index(from)], &self.ledger.states[self.ledger.index(to)]);
        let ids: BTreeSet<FileId> = old.rows.keys().chain(new.rows.keys()).copied().collect();
        let mut files: Vec<FileChange> = ids
            .into_iter()
            .map(|file| FileChange {
                file,
                old: old.rows.get(&file).cloned(),
                new: new.rows.get(&file).cloned(),
            })
            .filter(|change| change.old != change.new)
            .collect();
        files.sort_by_key(|change| change.new.as_ref().or(change.old.as_ref()).map(|row| row.path.clone()));
        let symbols: BTreeSet<SymbolId> = old.out.keys().chain(new.out.keys()).copied().collect();
        let edges = symbols.into_iter().filter(|symbol| old.out.get(symbol) != new.out.get(symbol)).collect();
        Ok(Changes { files, edges })
    }
}
