//! A folder outside, read as a version of a repository: each file when it is asked for.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use sdl_lang::{Judged, Rules, detect_lang, extract_guarded, is_secret_file};
use sdl_ledger::{Counters, NameHit, Named, Result, SymbolHome, TermHit, View};
use sdl_model::{
    ContentHash, Edge, Facts, FactsKey, FileId, FileRow, FileState, InEdge, RelPath, SymbolId, Version,
};

use crate::cache::{FactsCache, Parsed};

/// Most files that one question parses.
const MAX_FILES: usize = 64;
/// Most bytes that it parses.
const MAX_BYTES: u64 = 8 << 20;
/// Most files that it looks for.
const MAX_LOOKS: usize = 4_000;
/// The longest time that it may take.
const MAX_TIME: Duration = Duration::from_millis(500);
/// A larger file is not read.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Most entries of a folder that are looked at.
const MAX_ENTRIES: usize = 2_000;

/// What one question may read.
pub struct Reading {
    files: Cell<usize>,
    bytes: Cell<u64>,
    looks: Cell<usize>,
    until: Instant,
    is_cut: Cell<bool>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            files: Cell::new(MAX_FILES),
            bytes: Cell::new(MAX_BYTES),
            looks: Cell::new(MAX_LOOKS),
            until: Instant::now() + MAX_TIME,
            is_cut: Cell::new(false),
        }
    }
}

impl Reading {
    /// Whether a limit was reached.
    pub fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    fn may_look(&self) -> bool {
        let may = self.looks.get() > 0 && Instant::now() < self.until;
        self.looks.set(self.looks.get().saturating_sub(1));
        self.is_cut.set(self.is_cut.get() || !may);
        may
    }

    fn may_parse(&self, bytes: u64) -> bool {
        let may = self.files.get() > 0 && self.bytes.get() >= bytes && Instant::now() < self.until;
        if may {
            self.files.set(self.files.get() - 1);
            self.bytes.set(self.bytes.get() - bytes);
        }
        self.is_cut.set(self.is_cut.get() || !may);
        may
    }
}

/// A folder outside, read as a version of a repository.
pub struct DiskTree<'a> {
    root: PathBuf,
    allowed: &'a [PathBuf],
    reading: &'a Reading,
    cache: &'a FactsCache,
    paths: RefCell<HashMap<FileId, RelPath>>,
    rows: RefCell<HashMap<FileId, Option<FileRow>>>,
}

impl<'a> DiskTree<'a> {
    /// The folder `root`. Real paths of its files must be below one of `allowed`.
    pub fn new(root: &Path, allowed: &'a [PathBuf], reading: &'a Reading, cache: &'a FactsCache) -> Self {
        let (paths, rows) = Default::default();
        Self { root: root.to_owned(), allowed, reading, cache, paths, rows }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn remember(&self, path: &RelPath) -> FileId {
        let id = FileId::of(path);
        self.paths.borrow_mut().entry(id).or_insert_with(|| path.clone());
        id
    }

    fn look(&self, path: &RelPath) -> Option<FileRow> {
        if is_secret_file(path.as_str()) || !self.reading.may_look() {
            return None;
        }
        let place = fs::canonicalize(self.root.join(path.as_str())).ok()?;
        if !self.allowed.iter().any(|root| place.starts_with(root)) {
            return None;
        }
        let meta = fs::metadata(&place).ok()?;
        if !meta.is_file() || meta.len() > MAX_FILE_BYTES {
            return None;
        }
        let lang = detect_lang(path, b"")?;
        let changed = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let stands_for = format!("{} {} {}", place.display(), meta.len(), changed.as_nanos());
        let key = FactsKey { lang, content: ContentHash::of(stands_for.as_bytes()) };
        self.cache.set_place(key, place);
        Some(FileRow { path: path.clone(), state: FileState::Indexed(key), size: meta.len() })
    }

    fn is_file(&self, path: &RelPath) -> bool {
        let id = self.remember(path);
        self.file(id).is_ok_and(|row| row.is_some())
    }
}

/// The facts of a file that a tree has shown. None if it can't be read or parsed, or a limit is reached.
pub(crate) fn read_facts(cache: &FactsCache, reading: &Reading, key: FactsKey) -> Option<Arc<Facts>> {
    if let Some(known) = cache.known(key) {
        return known.facts();
    }
    let place = cache.place(key)?;
    let file = File::open(&place).ok()?;
    let meta = file.metadata().ok().filter(|meta| meta.is_file() && meta.len() <= MAX_FILE_BYTES)?;
    if !reading.may_parse(meta.len()) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    let name = place.file_name()?.to_str()?;
    let judged = Rules::default().judge(&RelPath::new(name)?, &bytes, Some(key.lang));
    let facts = match judged {
        Judged::Read(found) => extract_guarded(found.lang, &bytes).ok().map(Arc::new),
        _ => None,
    };
    cache.keep(key, facts.clone().map_or(Parsed::Nothing, Parsed::Facts));
    facts
}

impl View for DiskTree<'_> {
    fn version(&self) -> Version {
        Version(0)
    }

    fn file_id(&self, path: &RelPath) -> FileId {
        self.remember(path)
    }

    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        if let Some(known) = self.rows.borrow().get(&file) {
            return Ok(known.clone());
        }
        let Some(path) = self.paths.borrow().get(&file).cloned() else { return Ok(None) };
        let row = self.look(&path);
        self.rows.borrow_mut().insert(file, row.clone());
        Ok(row)
    }

    fn files_under(&self, _: &str, _: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        Ok(())
    }

    /// Manifests are looked for at the root alone.
    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        let path = RelPath::new(file_name).filter(|path| self.is_file(path));
        Ok(path.iter().map(FileId::of).collect())
    }

    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        if !self.reading.may_look() {
            return Ok(Vec::new());
        }
        let Ok(entries) = fs::read_dir(self.root.join(dir)) else { return Ok(Vec::new()) };
        let mut paths: Vec<RelPath> = entries
            .take(MAX_ENTRIES)
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name();
                let name = name.to_str()?;
                RelPath::new(&if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") })
            })
            .filter(|path| detect_lang(path, b"").is_some())
            .collect();
        paths.sort();
        Ok(paths.iter().filter(|path| self.is_file(path)).map(FileId::of).collect())
    }

    fn files_of_package(&self, _: &str) -> Result<Vec<FileId>> {
        Ok(Vec::new())
    }

    /// Of the files that were opened.
    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        for (file, row) in self.rows.borrow().iter() {
            let Some(key) = row.as_ref().and_then(|row| row.state.facts()) else { continue };
            let Some(Parsed::Facts(facts)) = self.cache.known(key) else { continue };
            if let Some(def) = facts.outline.find(*file, symbol).and_then(|ix| facts.outline.def(ix)) {
                return Ok(Some(SymbolHome { file: *file, kind: def.kind }));
            }
        }
        Ok(None)
    }

    fn named(&self, _: &str) -> Result<Named> {
        Ok(Named::All(Vec::new()))
    }

    fn named_up_to(&self, _: &str, _: usize) -> Result<Vec<NameHit>> {
        Ok(Vec::new())
    }

    fn out_edges(&self, _: SymbolId) -> Result<Vec<Edge>> {
        Ok(Vec::new())
    }

    fn in_edges(&self, _: SymbolId, _: usize) -> Result<Vec<InEdge>> {
        Ok(Vec::new())
    }

    fn fan_in(&self, _: SymbolId) -> Result<u64> {
        Ok(0)
    }

    fn unresolved_files(&self, _: &str) -> Result<Option<Vec<FileId>>> {
        Ok(None)
    }

    fn term_count(&self, _: &str) -> Result<u64> {
        Ok(0)
    }

    fn postings(&self, _: &str, _: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()> {
        Ok(())
    }

    fn terms(&self, _: &str, _: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        Ok(())
    }

    fn term_from(&self, _: &str) -> Result<Option<String>> {
        Ok(None)
    }

    fn counters(&self) -> Result<Counters> {
        Ok(Counters::default())
    }
}
