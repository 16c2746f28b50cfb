//! A load from scratch. Rows are gathered, sorted and appended in the order of their keys, in transactions of bounded
//! size that make no version; the last one makes the whole visible.

mod gathered;
mod loader;
mod terms;

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use sdl_model::{Cause, FileId, FileState, GitHead, SymbolId, Version, VersionRow};

use super::derived::{check_term, in_order, incoming_edges};
use super::state::{self, State};
use super::tally::{Sign, Tally};
use super::{Ledger, Snapshot};
use crate::codec::{Public, id_key, pack_edges, pack_home, pack_resolved, path_value, text_key};
use crate::{Error, FileUpdate, Posting, Resolved, Result, SymbolHome, TermHit, codec};

use gathered::{Arena, Items};
use loader::Loader;
use terms::Terms;

/// A load from scratch. `Sync`: once the files are in, several threads may [`Self::view`] them.
///
/// Call [`Self::add_file`] for every file, then [`Self::files_done`], resolve over [`Self::view`], hand in the results
/// with [`Self::add_resolved`], and [`Self::finish`]. Postings may come at any time. Dropped before that, it leaves an
/// empty ledger.
#[must_use]
pub struct Bulk<'l> {
    ledger: &'l Ledger,
    _loading: Loading<'l>,
    tally: Tally,
    seen: HashSet<FileId>,
    files: Files,
    files_done: bool,
    derived: Derived,
    postings: Terms,
    /// Whether derived rows, postings were written before: then their tables are no longer empty and rows are put in
    /// between others.
    derived_written: bool,
    postings_written: bool,
}

#[derive(Default)]
struct Files {
    rows: Arena,
    paths: Arena,
    stats: Arena,
    publics: Arena,
    file_names: Items<8>,
    dirs: Items<8>,
    packages: Items<8>,
    imports: Items<8>,
    names: Items<{ codec::NAME_ITEM }>,
    symbols: Vec<(SymbolId, SymbolHome)>,
}

#[derive(Default)]
struct Derived {
    out_edges: Arena,
    resolved: Arena,
    in_edges: Vec<(u64, codec::PackedInEdge)>,
    asked: Vec<(u64, u64)>,
}

impl Derived {
    fn bytes(&self) -> usize {
        self.out_edges.bytes() + self.resolved.bytes() + self.in_edges.len() * 24 + self.asked.len() * 16
    }
}

/// Keeps batches out while a load is under way.
struct Loading<'l> {
    ledger: &'l Ledger,
}

impl Drop for Loading<'_> {
    fn drop(&mut self) {
        self.ledger.loading.store(false, Ordering::Release);
    }
}

impl<'l> Bulk<'l> {
    pub(super) fn begin(ledger: &'l Ledger) -> Result<Self> {
        if ledger.loading.swap(true, Ordering::AcqRel) {
            return Err(Error::Misuse("a load from scratch was begun during another"));
        }
        let loading = Loading { ledger };
        ledger.forget_everything()?;
        ledger.write_aside(|txn| {
            let state = State::load_existing(txn, &ledger.tables)?;
            State { staged: true, ..state }.store(txn, &ledger.tables)
        })?;
        Ok(Self {
            ledger,
            _loading: loading,
            tally: Tally::default(),
            seen: HashSet::new(),
            files: Files::default(),
            files_done: false,
            derived: Derived::default(),
            postings: Terms::default(),
            derived_written: false,
            postings_written: false,
        })
    }

    /// Adds a file; each once. The facts are not kept.
    pub fn add_file(&mut self, update: &FileUpdate) -> Result<()> {
        if self.files_done {
            return Err(Error::Misuse("a file was added after files_done"));
        }
        let Some(row) = &update.row else { return Ok(()) };
        let file = FileId::of(&update.path);
        if row.path != update.path || !self.seen.insert(file) {
            return Err(Error::Misuse("a file was added twice, or under another path than its row's"));
        }
        let key = id_key(file.0);
        let path = &update.path;
        let files = &mut self.files;
        self.tally.row(row, Sign::Plus);
        files.rows.push(&key, |out| codec::encode_into("files", row, out))?;
        files.paths.push(&text_key(path.as_str()), |out| {
            out.extend_from_slice(&path_value(file.0, path.as_str()));
            Ok(())
        })?;
        if let Some(stat) = &update.stat {
            files.stats.push(&key, |out| codec::encode_into("stats", stat, out))?;
        }
        if !matches!(row.state, FileState::Indexed(_)) {
            return Ok(());
        }
        let Some(facts) = &update.facts else {
            return Err(Error::Misuse("an indexed file came without its facts"));
        };
        let public = Public::of_facts(file, facts);
        self.tally.public(&public, Sign::Plus);
        files.publics.push(&key, |out| codec::encode_into("publics", &public, out))?;
        files.file_names.push(&text_key(path.file_name()), key);
        files.dirs.push(&text_key(path.dir()), key);
        if let Some(package) = &public.package {
            files.packages.push(&text_key(package), key);
        }
        for module in &public.imports {
            files.imports.push(&text_key(module), key);
        }
        for (name, hit) in public.listed(file) {
            files.names.push(&text_key(name), hit);
        }
        files.symbols.extend(public.defs.iter().map(|def| (def.symbol, SymbolHome { file, kind: def.kind })));
        Ok(())
    }

    /// Closes the first part: from now on [`Self::view`] sees the files, symbols and names.
    pub fn files_done(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.files_done, true) {
            return Ok(());
        }
        self.seen = HashSet::new();
        let files = std::mem::take(&mut self.files);
        let tables = &self.ledger.tables;
        let mut loader = Loader::new(&self.ledger.env);
        loader.rows(tables.files, files.rows, true)?;
        loader.rows(tables.paths, files.paths, true)?;
        loader.rows(tables.stats, files.stats, true)?;
        loader.rows(tables.publics, files.publics, true)?;
        loader.groups(tables.file_names, files.file_names)?;
        loader.groups(tables.dirs, files.dirs)?;
        loader.groups(tables.packages, files.packages)?;
        loader.groups(tables.imports, files.imports)?;
        loader.groups(tables.names, files.names)?;
        let mut symbols = files.symbols;
        symbols.sort_unstable();
        // If the symbols of two files have the same hash, the later file gets the symbol, as in a batch.
        for (n, (symbol, home)) in symbols.iter().enumerate() {
            if symbols.get(n + 1).is_none_or(|(next, _)| next != symbol) {
                loader.row(tables.symbols, &id_key(symbol.0), &pack_home(*home), true)?;
            }
        }
        loader.done()
    }

    /// Reads the staged rows; several threads may read at once.
    pub fn view<T>(&self, read: impl FnOnce(&Snapshot<'_>) -> T) -> Result<T> {
        Ok(read(&Snapshot::staged(self.ledger)?))
    }

    /// Adds a file's edges, questions and counts; each file once.
    pub fn add_resolved(&mut self, resolved: &Resolved) -> Result<()> {
        let Some(file) = resolved.file else {
            return Err(Error::Misuse("a resolution came without its file"));
        };
        let derived = &mut self.derived;
        let mut sources = Vec::with_capacity(resolved.edges.len());
        for (symbol, edges) in &resolved.edges {
            if edges.is_empty() {
                continue;
            }
            sources.push(symbol.0);
            let edges = in_order(edges);
            self.tally.edges(edges.len(), Sign::Plus);
            let packed = derived.out_edges.push(&id_key(symbol.0), |out| {
                pack_edges(&edges, out);
                Ok(())
            })?;
            derived.in_edges.extend(incoming_edges(*symbol, packed));
        }
        sources.sort_unstable();
        let (asked, unresolved) = (in_order(&resolved.asked), in_order(&resolved.unresolved));
        derived.asked.extend(asked.iter().map(|hash| (*hash, file.0)));
        self.tally.resolved(resolved.counts, Sign::Plus);
        derived.resolved.push(&id_key(file.0), |out| {
            out.extend_from_slice(&pack_resolved(resolved.counts, sources.into_iter(), &asked, &unresolved));
            Ok(())
        })?;
        if self.derived.bytes() > self.ledger.gather_bytes {
            self.write_derived()?;
        }
        Ok(())
    }

    /// Adds postings, as [`Self::add_posting`] does.
    pub fn add_postings(&mut self, postings: &[Posting]) -> Result<()> {
        postings.iter().try_for_each(|posting| {
            self.add_posting(&posting.term, posting.symbol, posting.impact, posting.flags)
        })
    }

    /// Adds one posting, without an allocation for its term.
    pub fn add_posting(&mut self, term: &str, symbol: SymbolId, impact: u16, flags: u16) -> Result<()> {
        check_term(term)?;
        self.postings.push(term, TermHit { symbol, impact, flags });
        if self.postings.bytes() > self.ledger.gather_bytes {
            self.write_postings()?;
        }
        Ok(())
    }

    fn write_derived(&mut self) -> Result<()> {
        let append = !std::mem::replace(&mut self.derived_written, true);
        let tables = &self.ledger.tables;
        let mut derived = std::mem::take(&mut self.derived);
        let mut loader = Loader::new(&self.ledger.env);
        loader.rows(tables.out_edges, derived.out_edges, append)?;
        loader.rows(tables.resolved, derived.resolved, append)?;
        derived.in_edges.sort_unstable();
        loader.pairs(tables.in_edges, &derived.in_edges, |item| *item, append)?;
        derived.asked.sort_unstable();
        loader.pairs(tables.asked, &derived.asked, |file| id_key(*file), append)?;
        loader.done()
    }

    fn write_postings(&mut self) -> Result<()> {
        let append = !std::mem::replace(&mut self.postings_written, true);
        let table = self.ledger.tables.postings;
        let terms = std::mem::take(&mut self.postings);
        let mut loader = Loader::new(&self.ledger.env);
        terms.in_order(&mut |term, items| loader.items(table, term.as_bytes(), items, append))?;
        loader.done()
    }

    /// Makes everything visible as one version.
    pub fn finish(mut self, cause: Cause, head: Option<&GitHead>, time_ms: u64) -> Result<Version> {
        self.files_done()?;
        self.write_derived()?;
        self.write_postings()?;
        let ledger = self.ledger;
        let state = ledger.write_aside(|txn| {
            let before = State::load_existing(txn, &ledger.tables)?;
            let version = before.last.next();
            let row = VersionRow {
                version,
                parent: None,
                cause,
                time_ms,
                head: head.cloned(),
                changes: Vec::new(),
                edge_changes: Vec::new(),
            };
            txn.put(ledger.tables.versions, &id_key(version.0), &codec::encode_record("versions", &row)?)?;
            state::store_counters(txn, &ledger.tables, &self.tally.counters())?;
            state::store_git_head(txn, &ledger.tables, head)?;
            let state =
                State { last: version, head: Some(version), floor: Some(version), staged: false, ..before };
            state.store(txn, &ledger.tables)?;
            Ok(state)
        })?;
        ledger.publish(&state);
        Ok(state.last)
    }
}
