//! A load from scratch. Rows are gathered, sorted and appended in the order of their keys, in transactions of bounded
//! size that make no version; the last one makes the whole visible. Rows that don't fit into the memory for gathering wait
//! in sorted runs in a temporary file beside the ledger, so each table is written once and in order whatever its size.

mod gathered;
mod loader;
mod runs;
mod terms;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use sdl_model::{Cause, FileId, FileState, GitHead, SymbolId, Version, VersionRow};

use super::derived::{check_term, in_order};
use super::state::{self, State};
use super::tally::{Sign, Tally};
use super::{Ledger, Snapshot};
use crate::codec::{
    EDGE_LEN, Public, id_key, in_edge_of, pack_edges, pack_home, pack_resolved, path_value, text_key,
};
use crate::{Error, FileUpdate, Posting, Resolved, Result, SymbolHome, TermHit, codec};

use gathered::{Gathers, Items, Rows};
use loader::Loader;
use terms::Terms;

/// A load from scratch. `Sync`: once the files are in, several threads may [`Self::view`] them and hand in what they
/// resolved.
///
/// Call [`Self::add_file`] for every file, then [`Self::files_done`], resolve over [`Self::view`], hand in the results
/// with [`Self::add_resolved`], and [`Self::finish`]. Postings may come at any time. Dropped before that, it leaves an
/// empty ledger.
#[must_use]
pub struct Bulk<'l> {
    ledger: &'l Ledger,
    _loading: Loading<'l>,
    seen: HashSet<FileId>,
    files: Files,
    files_done: bool,
    postings: Terms,
    derived: Mutex<Derived>,
}

#[derive(Default)]
struct Files {
    rows: Rows,
    paths: Rows,
    stats: Rows,
    publics: Rows,
    file_names: Items<8>,
    dirs: Items<8>,
    packages: Items<8>,
    imports: Items<8>,
    names: Items<{ codec::NAME_ITEM }>,
    symbols: Items<{ codec::HOME }>,
}

#[derive(Default)]
struct Derived {
    tally: Tally,
    out_edges: Rows,
    resolved: Rows,
    in_edges: Items<{ codec::IN_EDGE_ITEM }>,
    asked: Items<8>,
}

/// Spills the largest until all of them together take at most `most` bytes.
fn bound_memory(gathered: &mut [&mut dyn Gathers], most: usize, dir: &Path) -> Result<()> {
    let mut bytes: usize = gathered.iter().map(|one| one.bytes()).sum();
    while bytes > most
        && let Some(largest) = gathered.iter_mut().max_by_key(|one| one.bytes())
    {
        bytes -= largest.bytes();
        largest.spill(dir)?;
    }
    Ok(())
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
            seen: HashSet::new(),
            files: Files::default(),
            files_done: false,
            postings: Terms::default(),
            derived: Mutex::default(),
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
        let tally = &mut self.derived.get_mut().unwrap_or_else(PoisonError::into_inner).tally;
        tally.row(row, Sign::Plus);
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
        tally.public(&public, Sign::Plus);
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
        for def in &public.defs {
            files.symbols.push(&id_key(def.symbol.0), pack_home(SymbolHome { file, kind: def.kind }));
        }
        self.bound_files()
    }

    /// Keeps the rows of files and the postings within the memory for gathering.
    fn bound_files(&mut self) -> Result<()> {
        let Self { ledger, files, postings, .. } = self;
        bound_memory(
            &mut [
                &mut files.rows,
                &mut files.paths,
                &mut files.stats,
                &mut files.publics,
                &mut files.file_names,
                &mut files.dirs,
                &mut files.packages,
                &mut files.imports,
                &mut files.names,
                &mut files.symbols,
                postings,
            ],
            ledger.gather_bytes,
            ledger.env.path(),
        )
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
        loader.rows(tables.files, files.rows)?;
        loader.rows(tables.paths, files.paths)?;
        loader.rows(tables.stats, files.stats)?;
        loader.rows(tables.publics, files.publics)?;
        loader.groups(tables.file_names, files.file_names)?;
        loader.groups(tables.dirs, files.dirs)?;
        loader.groups(tables.packages, files.packages)?;
        loader.groups(tables.imports, files.imports)?;
        loader.groups(tables.names, files.names)?;
        // If the symbols of two files have the same hash, the later file gets the symbol, as in a batch.
        files.symbols.in_order(&mut |symbol, homes| {
            homes
                .as_chunks::<{ codec::HOME }>()
                .0
                .last()
                .map_or(Ok(()), |home| loader.row(tables.symbols, symbol, home))
        })?;
        loader.done()
    }

    /// Reads the staged rows; several threads may read at once.
    pub fn view<T>(&self, read: impl FnOnce(&Snapshot<'_>) -> T) -> Result<T> {
        Ok(read(&Snapshot::staged(self.ledger)?))
    }

    /// Adds a file's edges, questions and counts; each file once.
    pub fn add_resolved(&self, resolved: &Resolved) -> Result<()> {
        let Some(file) = resolved.file else {
            return Err(Error::Misuse("a resolution came without its file"));
        };
        let mut derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        let Derived { tally, out_edges, resolved: rows, in_edges, asked: questions } = &mut *derived;
        let mut sources = Vec::with_capacity(resolved.edges.len());
        for (symbol, edges) in &resolved.edges {
            if edges.is_empty() {
                continue;
            }
            sources.push(symbol.0);
            let edges = in_order(edges);
            tally.edges(edges.len(), Sign::Plus);
            let packed = out_edges.push(&id_key(symbol.0), |out| {
                pack_edges(&edges, out);
                Ok(())
            })?;
            for edge in packed.as_chunks::<EDGE_LEN>().0 {
                let (target, item) = in_edge_of(*symbol, edge);
                in_edges.push(&id_key(target), item);
            }
        }
        sources.sort_unstable();
        let (asked, unresolved) = (in_order(&resolved.asked), in_order(&resolved.unresolved));
        for hash in asked.iter() {
            questions.push(&id_key(*hash), id_key(file.0));
        }
        tally.resolved(resolved.counts, Sign::Plus);
        rows.push(&id_key(file.0), |out| {
            out.extend_from_slice(&pack_resolved(resolved.counts, sources.into_iter(), &asked, &unresolved));
            Ok(())
        })?;
        let Ledger { gather_bytes, env, .. } = self.ledger;
        bound_memory(&mut [out_edges, rows, in_edges, questions], *gather_bytes, env.path())
    }

    /// Adds postings, as [`Self::add_posting`] does.
    pub fn add_postings(&mut self, postings: &[Posting]) -> Result<()> {
        for posting in postings {
            self.gather_posting(&posting.term, posting.symbol, posting.impact, posting.flags)?;
        }
        self.bound_files()
    }

    /// Adds one posting, without an allocation for its term.
    pub fn add_posting(&mut self, term: &str, symbol: SymbolId, impact: u16, flags: u16) -> Result<()> {
        self.gather_posting(term, symbol, impact, flags)?;
        self.bound_files()
    }

    fn gather_posting(&mut self, term: &str, symbol: SymbolId, impact: u16, flags: u16) -> Result<()> {
        check_term(term)?;
        self.postings.push(term, TermHit { symbol, impact, flags });
        Ok(())
    }

    fn write_derived(&mut self) -> Result<()> {
        let tables = &self.ledger.tables;
        let derived = self.derived.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut loader = Loader::new(&self.ledger.env);
        loader.rows(tables.out_edges, std::mem::take(&mut derived.out_edges))?;
        loader.rows(tables.resolved, std::mem::take(&mut derived.resolved))?;
        loader.groups(tables.in_edges, std::mem::take(&mut derived.in_edges))?;
        loader.groups(tables.asked, std::mem::take(&mut derived.asked))?;
        let postings = std::mem::take(&mut self.postings);
        postings.in_order(&mut |term, items| loader.group(tables.postings, term, items))?;
        loader.done()
    }

    /// Makes everything visible as one version.
    pub fn finish(mut self, cause: Cause, head: Option<&GitHead>, time_ms: u64) -> Result<Version> {
        self.files_done()?;
        self.write_derived()?;
        let ledger = self.ledger;
        let counters = self.derived.get_mut().unwrap_or_else(PoisonError::into_inner).tally.counters();
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
            state::store_counters(txn, &ledger.tables, &counters)?;
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
