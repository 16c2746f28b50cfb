//! A load. Rows are gathered, sorted and appended in the order of their keys, in transactions of bounded
//! size that make no version; the last one makes the whole visible. Rows that don't fit into the memory for gathering wait
//! in sorted runs in a temporary file beside the ledger, so each table is written once and in order whatever its size.
//!
//! A load from scratch fills an emptied ledger. A load of the next version (see [`next`]) fills the generation of tables
//! that is not live, while the newest version is still read from the other.

mod gathered;
mod loader;
mod next;
mod pairs;
mod runs;
mod sinks;
mod terms;
mod threads;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sdl_model::{Cause, FileId, FileRow, FileState, GitHead, StatHint, SymbolId, Version, VersionRow};

use super::derived::{check_term, in_order};
use super::state::{self, Generation, State};
use super::tally::{Sign, Tally};
use super::{Ledger, Snapshot};
use crate::codec::{
    EDGE_LEN, Public, file_mark, id_key, in_edge_of, pack_edges, pack_home, pack_resolved, path_value,
    short_item, shorten_edges, symbol_key, text_key,
};
use crate::tables::LedgerTables;
use crate::{Error, FilePostings, FileUpdate, ResolutionCounts, Resolved, Result, codec};

use gathered::{Gathers, Items, Rows};
pub(in crate::ledger) use loader::Loader;
use pairs::{Asking, Leading, Pairs};
pub(in crate::ledger) use sinks::Sink;
use terms::Terms;
use threads::load_on_threads;

/// A load of a whole version. `Sync`: once the files are in, several threads may [`Self::view`] them and hand in what they
/// resolved.
///
/// Call [`Self::add_file`] for every file, then [`Self::files_done`], resolve over [`Self::view`], hand in the results
/// with [`Self::add_resolved`], and [`Self::finish`]. Postings may come at any time. Dropped before that, it leaves an
/// empty ledger.
#[must_use]
pub struct Bulk<'l> {
    ledger: &'l Ledger,
    /// The tables that it fills.
    tables: &'l LedgerTables,
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
    inclusions: Rows,
    file_names: Items<8>,
    dirs: Items<8>,
    packages: Items<8>,
    imports: Items<8>,
    names: Items<{ codec::NAME_ITEM }>,
    symbols: Items<{ codec::NAME_ITEM }>,
}

#[derive(Default)]
struct Derived {
    tally: Tally,
    out_edges: Rows,
    resolved: Rows,
    in_edges: Pairs<Leading, { codec::IN_EDGE_ITEM }>,
    /// The questions of a file, four bytes each.
    questions: Rows,
    asked: Pairs<Asking, { codec::SHORT_ITEM }>,
}

impl Derived {
    /// Adds the result of resolving `file`: its counts, for each source of edges the packed edges, and the sorted lists
    /// of the keys it asked and of the names it left open.
    fn add<P: AsRef<[u8]>>(
        &mut self,
        file: FileId,
        counts: ResolutionCounts,
        edges: impl Iterator<Item = (u64, P)>,
        (asked, unresolved): (&[u32], &[u32]),
    ) -> Result<()> {
        let mut sources = Vec::new();
        for (symbol, packed) in edges {
            sources.push(symbol);
            let edges = packed.as_ref().as_chunks::<EDGE_LEN>().0;
            self.tally.edges(edges.len(), Sign::Plus);
            self.out_edges.push(&id_key(symbol), |out| {
                out.extend_from_slice(&shorten_edges(packed.as_ref()));
                Ok(())
            })?;
            for edge in edges {
                let (to, edge) = in_edge_of(SymbolId(symbol), edge);
                self.in_edges.push(Leading { to, edge });
            }
        }
        sources.sort_unstable();
        let mark = file_mark(file);
        for hash in asked {
            self.asked.push(Asking::new(*hash, mark));
        }
        if !asked.is_empty() {
            self.questions.push(&id_key(file.0), |out| {
                out.extend(asked.iter().flat_map(|hash| hash.to_be_bytes()));
                Ok(())
            })?;
        }
        self.tally.resolved(counts, Sign::Plus);
        let row = pack_resolved(counts, sources.into_iter(), unresolved);
        self.resolved.push(&id_key(file.0), |out| {
            out.extend_from_slice(&row);
            Ok(())
        })?;
        Ok(())
    }
}

/// Of definitions, sorted and end to end, the last one of each symbol.
fn last_of_each(hits: &[u8]) -> Vec<u8> {
    let (hits, _) = hits.as_chunks::<{ codec::NAME_ITEM }>();
    let next = hits.iter().skip(1).map(Some).chain([None]);
    let last = hits.iter().zip(next).filter(|(hit, next)| next.is_none_or(|next| hit[..8] != next[..8]));
    last.flat_map(|(hit, _)| *hit).collect()
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

impl<'l> Loading<'l> {
    fn begin(ledger: &'l Ledger) -> Result<Self> {
        if ledger.loading.swap(true, Ordering::AcqRel) {
            return Err(Error::Misuse("a load was begun during another"));
        }
        Ok(Self { ledger })
    }
}

impl Drop for Loading<'_> {
    fn drop(&mut self) {
        self.ledger.loading.store(false, Ordering::Release);
    }
}

impl<'l> Bulk<'l> {
    pub(super) fn begin(ledger: &'l Ledger) -> Result<Self> {
        let loading = Loading::begin(ledger)?;
        ledger.forget_everything()?;
        let live = ledger.write_aside(|txn| {
            let state = State::load_existing(txn, ledger.shared())?;
            State { staged: true, ..state }.store(txn, ledger.shared())?;
            Ok(state.live)
        })?;
        Ok(Self::empty(loading, live))
    }

    /// A load into the empty tables of `generation`.
    fn empty(loading: Loading<'l>, generation: Generation) -> Self {
        let ledger = loading.ledger;
        Self {
            ledger,
            tables: ledger.tables_of(generation),
            _loading: loading,
            seen: HashSet::new(),
            files: Files::default(),
            files_done: false,
            postings: Terms::default(),
            derived: Mutex::default(),
        }
    }

    /// Adds a file; each once. The facts are not kept.
    pub fn add_file(&mut self, update: &FileUpdate) -> Result<()> {
        let Some(row) = &update.row else { return Ok(()) };
        if row.path != update.path {
            return Err(Error::Misuse("a file was added under another path than its row's"));
        }
        let public = match (&row.state, &update.facts) {
            (FileState::Indexed(_), Some(facts)) => Some(Public::of_facts(FileId::of(&row.path), facts)),
            (FileState::Indexed(_), None) => {
                return Err(Error::Misuse("an indexed file came without its facts"));
            }
            _ => None,
        };
        self.add_rows(row, update.stat.as_ref(), public.as_ref())
    }

    fn add_rows(&mut self, row: &FileRow, stat: Option<&StatHint>, public: Option<&Public>) -> Result<()> {
        if self.files_done {
            return Err(Error::Misuse("a file was added after files_done"));
        }
        let (path, file) = (&row.path, FileId::of(&row.path));
        if !self.seen.insert(file) {
            return Err(Error::Misuse("a file was added twice"));
        }
        let key = id_key(file.0);
        let files = &mut self.files;
        let tally = &mut self.derived.get_mut().unwrap_or_else(PoisonError::into_inner).tally;
        tally.row(row, Sign::Plus);
        files.rows.push(&key, |out| codec::encode_into("files", row, out))?;
        files.paths.push(&text_key(path.as_str()), |out| {
            out.extend_from_slice(&path_value(file.0, path.as_str()));
            Ok(())
        })?;
        if let Some(stat) = stat {
            files.stats.push(&key, |out| codec::encode_into("stats", stat, out))?;
        }
        let Some(public) = public else { return Ok(()) };
        tally.public(public, Sign::Plus);
        files.publics.push(&key, |out| {
            out.extend_from_slice(&codec::pack_record("publics", public)?);
            Ok(())
        })?;
        if let Some(inclusions) = codec::pack_inclusions(public)? {
            files.inclusions.push(&key, |out| {
                out.extend_from_slice(&inclusions);
                Ok(())
            })?;
        }
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
            files.symbols.push(&symbol_key(def.symbol.0), pack_home(def.symbol, file, def.kind));
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
                &mut files.inclusions,
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
        let tables = self.tables;
        let Files { rows, paths, stats, publics, inclusions, .. } = files;
        let Files { file_names, dirs, packages, imports, names, symbols, .. } = files;
        load_on_threads(
            &self.ledger.env,
            |loader| loader.groups(tables.names, names),
            |loader| {
                loader.rows(tables.files, rows)?;
                loader.rows(tables.paths, paths)?;
                loader.rows(tables.stats, stats)?;
                loader.rows(tables.publics, publics)?;
                loader.rows(tables.inclusions, inclusions)?;
                loader.groups(tables.file_names, file_names)?;
                loader.groups(tables.dirs, dirs)?;
                loader.groups(tables.packages, packages)?;
                loader.groups(tables.imports, imports)?;
                // If the symbols of two files have the same hash, the later file gets the symbol, as in a batch.
                symbols.in_order(&mut |key, hits| loader.group(tables.symbols, key, &last_of_each(hits)))
            },
        )
    }

    /// Reads the staged rows; several threads may read at once.
    pub fn view<T>(&self, read: impl FnOnce(&Snapshot<'_>) -> T) -> Result<T> {
        Ok(read(&Snapshot::staged(self.ledger, self.tables)?))
    }

    /// Adds a file's edges, questions and counts; each file once.
    pub fn add_resolved(&self, resolved: &Resolved) -> Result<()> {
        let Some(file) = resolved.file else {
            return Err(Error::Misuse("a resolution came without its file"));
        };
        let edges = resolved.edges.iter().filter(|(_, edges)| !edges.is_empty());
        let edges = edges.map(|(symbol, edges)| {
            let mut packed = Vec::with_capacity(edges.len() * EDGE_LEN);
            pack_edges(&in_order(edges), &mut packed);
            (symbol.0, packed)
        });
        let (asked, unresolved) = (in_order(&resolved.asked), in_order(&resolved.unresolved));
        self.lock_derived().add(file, resolved.counts, edges, (&asked, &unresolved))?;
        self.bound_derived()
    }

    fn lock_derived(&self) -> MutexGuard<'_, Derived> {
        self.derived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bound_derived(&self) -> Result<()> {
        let Ledger { gather_bytes, env, .. } = self.ledger;
        let Derived { out_edges, resolved, in_edges, questions, asked, .. } = &mut *self.lock_derived();
        bound_memory(&mut [out_edges, resolved, in_edges, questions, asked], *gather_bytes, env.path())
    }

    /// Adds the postings of a file.
    pub fn add_postings(&mut self, postings: &FilePostings) -> Result<()> {
        postings.terms.iter().try_for_each(|term| check_term(term))?;
        self.postings.add_file(postings);
        self.bound_files()
    }

    fn write_derived(&mut self) -> Result<()> {
        let tables = self.tables;
        let derived = self.derived.get_mut().unwrap_or_else(PoisonError::into_inner);
        let tally = std::mem::take(&mut derived.tally);
        let Derived { out_edges, resolved, in_edges, questions, asked, .. } =
            std::mem::replace(derived, Derived { tally, ..Derived::default() });
        let postings = std::mem::take(&mut self.postings);
        load_on_threads(
            &self.ledger.env,
            |loader| postings.in_order(&mut |term, items| loader.group(tables.postings, term, items)),
            |loader| {
                loader.rows(tables.out_edges, out_edges)?;
                loader.rows(tables.resolved, resolved)?;
                in_edges.in_order(&mut |key, items| loader.group(tables.in_edges, key, items))?;
                questions.in_order(&mut |key, hashes| {
                    let hashes = hashes.as_chunks::<4>().0.iter().map(|hash| u32::from_be_bytes(*hash));
                    let items: Vec<_> = hashes.map(short_item).collect();
                    loader.group(tables.questions, key, items.as_flattened())
                })?;
                asked.in_order(&mut |key, items| loader.group(tables.asked, key, items))
            },
        )
    }

    /// Makes everything visible as one version.
    pub fn finish(mut self, cause: Cause, head: Option<&GitHead>, time_ms: u64) -> Result<Version> {
        self.files_done()?;
        self.write_derived()?;
        let ledger = self.ledger;
        let counters = self.derived.get_mut().unwrap_or_else(PoisonError::into_inner).tally.counters();
        let state = ledger.write_aside(|txn| {
            let before = State::load_existing(txn, ledger.shared())?;
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
            txn.put(ledger.shared().versions, &id_key(version.0), &codec::encode_record("versions", &row)?)?;
            state::store_counters(txn, ledger.shared(), &counters)?;
            state::store_git_head(txn, ledger.shared(), head)?;
            let state =
                State { last: version, head: Some(version), floor: Some(version), staged: false, ..before };
            state.store(txn, ledger.shared())?;
            Ok(state)
        })?;
        ledger.publish(&state);
        Ok(state.last)
    }
}
