//! The next version, loaded as a whole beside the newest one. For a change of a large part of the tree, for example a
//! branch switch. Building all tables again is then cheaper than changing rows one by one, and takes less memory: a transaction that changes most of a ledger
//! keeps most of it in memory, and LMDB gives none of that back.
//!
//! Rows of files that did not change are copied, as are resolutions that no changed answer can touch. The law is that of
//! a batch: the result equals a load of the new tree from scratch, and the past is answered as before.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use sdl_model::{
    Cause, FactsKey, FileChange, FileId, FileRow, GitHead, Outline, RelPath, StatHint, SymbolId, Version,
    VersionRow,
};

use super::loader::Loader;
use super::{Bulk, Loading};
use crate::codec::{
    self, history_key, id_at, id_key, shorten_edges, split_history_key, unpack_posting, unpack_resolved,
};
use crate::env::{Reads, Table};
use crate::ledger::questions::questions_of;
use crate::ledger::state::{self, State};
use crate::ledger::{Ledger, Snapshot, history};
use crate::{ChangedKeys, Error, FilePostings, Invalidation, Result, View as _};

/// Symbols whose old edges are read and written at a time.
const SYMBOLS_AT_ONCE: usize = 4_096;
/// Postings of a term that are copied between two looks at the memory.
const POSTINGS_AT_ONCE: usize = 65_536;

impl<'l> Bulk<'l> {
    pub(in crate::ledger) fn begin_next(ledger: &'l Ledger) -> Result<Self> {
        let loading = Loading::begin(ledger)?;
        ledger.clear_spare()?;
        let state = {
            let txn = ledger.env.read(None)?;
            State::load_existing(&txn, ledger.shared())?
        };
        if state.head.is_none() || state.staged {
            return Err(Error::Misuse("a next version needs one before it"));
        }
        Ok(Self::empty(loading, state.live.other()))
    }

    /// Adds a file as `newest` has it, with `stat` if that is known better.
    pub fn keep_file(&mut self, newest: &Snapshot<'_>, file: FileId, stat: Option<&StatHint>) -> Result<()> {
        let Some(rows) = newest.rows()? else { return Ok(()) };
        let Some(row) = rows.file(file)? else { return Ok(()) };
        let known = if stat.is_none() { rows.stat(file)? } else { None };
        self.add_rows(&row, stat.or(known.as_ref()), rows.public(file)?.as_ref())
    }

    /// Adds the postings that `newest` has, but for those of symbols that `gone` files define there.
    pub fn keep_postings(&mut self, newest: &Snapshot<'_>, gone: &[FileId]) -> Result<()> {
        let Some(rows) = newest.rows()? else { return Ok(()) };
        let mut symbols = HashSet::<SymbolId, foldhash::fast::RandomState>::default();
        for file in gone {
            symbols.extend(newest.symbols_of(*file)?);
        }
        let odd = |why| codec::corrupt_record("postings", why);
        // Postings of one term.
        let mut kept = FilePostings::default();
        rows.reads.scan(rows.tables.postings, &[], &mut |term, item| {
            let hit = unpack_posting(item.try_into().map_err(|_| odd("an item of odd size"))?);
            if symbols.contains(&hit.symbol) {
                return Ok(ControlFlow::Continue(()));
            }
            let goes_on = kept.terms.first().is_some_and(|before| before.as_bytes() == term);
            if !goes_on || kept.hits.len() == POSTINGS_AT_ONCE {
                self.add_postings(&kept)?;
                kept.hits.clear();
                let term = std::str::from_utf8(term).map_err(|_| odd("a term that is no text"))?;
                kept.terms = vec![term.into()];
            }
            kept.hits.push((0, hit));
            Ok(ControlFlow::Continue(()))
        })?;
        self.add_postings(&kept)
    }

    /// The questions whose answers differ between the newest version and this one, given the paths of all files that
    /// differ. `outline_of` may give the outline of a file by the key of its facts: with outlines, fewer answers count as changed.
    /// Call it after [`Self::files_done`].
    pub fn changed_keys(
        &self,
        newest: &Snapshot<'_>,
        paths: &[&RelPath],
        outline_of: &dyn Fn(&FactsKey) -> Result<Option<Arc<Outline>>>,
    ) -> Result<ChangedKeys> {
        let next = Snapshot::staged(self.ledger, self.tables)?;
        let (Some(old), Some(new)) = (newest.rows()?, next.rows()?) else {
            return Ok(ChangedKeys::default());
        };
        let mut changes = Invalidation::default();
        for path in paths {
            let file = FileId::of(path);
            let (was, is) = (old.public(file)?, new.public(file)?);
            let outline = |state: &Snapshot<'_>| {
                let key = state.file(file)?.and_then(|row| row.state.facts());
                key.map_or(Ok(None), |key| outline_of(&key))
            };
            changes.note_file(path, [was.as_ref(), is.as_ref()], || {
                let Some(was) = outline(newest)? else { return Ok(None) };
                Ok(outline(&next)?.map(|is| [was, is]))
            })?;
        }
        let before = changes.name_answers(|name| old.named(name))?;
        let after = changes.name_answers(|name| new.named(name))?;
        Ok(changes.changed_keys(&before, &after))
    }

    /// Adds a file's edges, questions and counts as `newest` has them. Right for a file that did not change and asked
    /// none of the [`Self::changed_keys`].
    pub fn keep_resolved(&self, newest: &Snapshot<'_>, file: FileId) -> Result<()> {
        let Some(rows) = newest.rows()? else { return Ok(()) };
        let Some(row) = rows.reads.get(rows.tables.resolved, &id_key(file.0))? else { return Ok(()) };
        let row = unpack_resolved(row)?;
        let edges = row
            .sources()
            .map(|source| Ok((source, rows.packed_edges(SymbolId(source))?)))
            .collect::<Result<Vec<_>>>()?;
        let asked = questions_of(rows.reads, rows.tables, file)?;
        let unresolved: Vec<u32> = row.unresolved().collect();
        self.lock_derived().add(file, row.counts, edges.into_iter(), (&asked, &unresolved))?;
        self.bound_derived()
    }

    /// Makes everything visible as the version after the newest one. What that one had in place of the changed rows is
    /// kept as its history.
    pub fn finish_next(mut self, cause: Cause, head: Option<&GitHead>, time_ms: u64) -> Result<Version> {
        self.files_done()?;
        self.write_derived()?;
        let (ledger, next) = (self.ledger, self.tables);
        let counters = self.lock_derived().tally.counters();
        let (base, changes, edge_changes) = {
            let newest = Snapshot::new(ledger, None)?;
            (newest.state, changed_files(&newest, next.files)?, changed_sources(&newest, next.out_edges)?)
        };
        let version = base.last.next();
        ledger.write_history(version, &changes, &edge_changes)?;
        let row = VersionRow {
            version,
            parent: base.head,
            cause,
            time_ms,
            head: head.cloned(),
            changes,
            edge_changes,
        };
        let row = codec::encode_record("versions", &row)?;
        let state = ledger.write_aside(|txn| {
            let shared = ledger.shared();
            // Read again, because old versions may have been forgotten since.
            let before = State::load_existing(txn, shared)?;
            txn.put(shared.versions, &id_key(version.0), &row)?;
            state::store_unborn(txn, shared, None)?;
            state::store_counters(txn, shared, &counters)?;
            state::store_git_head(txn, shared, head)?;
            let state = State { last: version, head: Some(version), live: before.live.other(), ..before };
            state.store(txn, shared)?;
            Ok(state)
        })?;
        ledger.publish(&state);
        ledger.clear_spare()?;
        Ok(version)
    }
}

/// The files whose rows in `next` differ from those of the newest version, in order of path.
fn changed_files(newest: &Snapshot<'_>, next: Table) -> Result<Vec<FileChange>> {
    let Some(rows) = newest.rows()? else { return Ok(Vec::new()) };
    let mut changes = Vec::new();
    each_difference(newest, rows.tables.files, next, &mut |key, old, new| {
        let row = |bytes: Option<&[u8]>| {
            bytes.map(|bytes| codec::decode_record::<FileRow>("files", bytes)).transpose()
        };
        changes.push(FileChange { file: FileId(id_at("files", key)?), old: row(old)?, new: row(new)? });
        Ok(())
    })?;
    changes.sort_unstable_by(|a, b| history::change_path(a).cmp(&history::change_path(b)));
    Ok(changes)
}

/// The symbols whose outgoing edges in `next` differ from those of the newest version, in order.
fn changed_sources(newest: &Snapshot<'_>, next: Table) -> Result<Vec<SymbolId>> {
    let Some(rows) = newest.rows()? else { return Ok(Vec::new()) };
    let mut symbols = Vec::new();
    each_difference(newest, rows.tables.out_edges, next, &mut |key, _, _| {
        symbols.push(SymbolId(id_at("out_edges", key)?));
        Ok(())
    })?;
    symbols.sort_unstable();
    Ok(symbols)
}

/// Takes a key with its old and its new value.
type EachDifference<'f> = &'f mut dyn FnMut(&[u8], Option<&[u8]>, Option<&[u8]>) -> Result<()>;

/// The keys whose values in two tables differ.
fn each_difference(newest: &Snapshot<'_>, old: Table, new: Table, each: EachDifference<'_>) -> Result<()> {
    let reads = &newest.txn;
    reads.scan(new, &[], &mut |key, value| {
        let before = reads.get(old, key)?;
        if before != Some(value) {
            each(key, before, Some(value))?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    reads.scan(old, &[], &mut |key, value| {
        if reads.get(new, key)?.is_none() {
            each(key, Some(value), None)?;
        }
        Ok(ControlFlow::Continue(()))
    })
}

impl Ledger {
    /// Begins a load of the next version beside the newest one, which stays as it is until the load is finished. For a
    /// change of a large part of the tree; needs a version. See [`Bulk::keep_file`] and those after it.
    pub fn bulk_next(&self) -> Result<Bulk<'_>> {
        Bulk::begin_next(self)
    }

    /// Writes ahead what the newest version has in place of the rows that `version` changes, in transactions of bounded
    /// size. `version` is noted as unborn, so that after a crash these rows are removed.
    fn write_history(
        &self,
        version: Version,
        changes: &[FileChange],
        edge_changes: &[SymbolId],
    ) -> Result<()> {
        let shared = self.shared();
        self.write_aside(|txn| state::store_unborn(txn, shared, Some(version)))?;
        let mut loader = Loader::new(&self.env);
        for change in changes {
            let old = codec::encode_record("file_history", &change.old)?;
            loader.put(shared.file_history, &history_key(change.file.0, version), &old)?;
        }
        loader.done()?;
        for symbols in edge_changes.chunks(SYMBOLS_AT_ONCE) {
            let old = {
                let newest = Snapshot::new(self, None)?;
                let Some(rows) = newest.rows()? else { return Ok(()) };
                let edges = symbols.iter().map(|symbol| Ok(shorten_edges(&rows.packed_edges(*symbol)?)));
                edges.collect::<Result<Vec<_>>>()?
            };
            let mut loader = Loader::new(&self.env);
            for (symbol, old) in symbols.iter().zip(&old) {
                loader.put(shared.edge_history, &history_key(symbol.0, version), old)?;
            }
            loader.done()?;
        }
        Ok(())
    }

    /// Removes the history of a version that never came to be.
    pub(in crate::ledger) fn forget_unborn(&self, version: Version) -> Result<()> {
        let shared = self.shared();
        self.write_aside(|txn| {
            for table in [shared.file_history, shared.edge_history] {
                let mut keys = Vec::new();
                txn.scan(table, &[], &mut |key, _| {
                    if split_history_key(table.spec.name, key)?.1 == version {
                        keys.push(key.to_vec());
                    }
                    Ok(ControlFlow::Continue(()))
                })?;
                for key in keys {
                    txn.delete(table, &key)?;
                }
            }
            state::store_unborn(txn, shared, None)
        })
    }
}
