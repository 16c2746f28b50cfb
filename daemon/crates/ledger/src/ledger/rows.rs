//! The present version's rows, read in a snapshot or in a batch.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Instant;

use sdl_model::facts::Inclusion;
use sdl_model::{Edge, FileId, FileRow, InEdge, Lang, StatHint, SymbolId};

use super::questions::{files_marked, marks_asking};
use crate::codec::{
    self, FILE_ITEM, IN_EDGE_ITEM, LONG_TEXT, NAME_ITEM, POSTING_ITEM, Public, expand_edges, id_key,
    question_key, symbol_key, text_key, unpack_edges, unpack_hit, unpack_in_edge, unpack_inclusions,
    unpack_item_hit, unpack_path_value, unpack_posting, unpack_resolved,
};
use crate::env::{Reads, Table};
use crate::lookup::name_mark;
use crate::tables::LedgerTables;
use crate::{Error, LookupKey, MAX_ASKING_FILES, NAME_LIMIT, NameHit, Named, Result, SymbolHome, TermHit};

/// How many rows are read between two looks at the clock.
const ROWS_PER_LOOK: u32 = 512;

/// The present version's rows.
pub(crate) struct Rows<'r, R> {
    pub(crate) reads: &'r R,
    pub(crate) tables: &'r LedgerTables,
    pub(crate) deadline: Option<Instant>,
}

/// Looks at the clock now and then.
pub(crate) struct Watch {
    deadline: Option<Instant>,
    rows: u32,
}

impl Watch {
    /// Counts a row.
    pub(crate) fn row(&mut self) -> Result<()> {
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_PER_LOOK) { in_time(self.deadline) } else { Ok(()) }
    }
}

/// Fails when the deadline has passed.
pub(crate) fn in_time(deadline: Option<Instant>) -> Result<()> {
    match deadline {
        Some(deadline) if Instant::now() >= deadline => Err(Error::Deadline),
        _ => Ok(()),
    }
}

/// What languages write between a module and one inside of it.
const INSIDE: [&str; 4] = [".", "/", "::", "\\"];

const GO_ON: Result<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

impl<R: Reads> Rows<'_, R> {
    pub(crate) fn watch(&self) -> Watch {
        Watch { deadline: self.deadline, rows: 0 }
    }

    /// The items of a key, one at a time.
    fn items<const N: usize>(
        &self,
        table: Table,
        key: &[u8],
        each: &mut dyn FnMut(&[u8; N]) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut watch = self.watch();
        self.reads.items(table, key, &mut |page| {
            let (items, rest) = page.as_chunks::<N>();
            if !rest.is_empty() {
                return Err(codec::corrupt_record(table.spec.name, "an item of odd size"));
            }
            for item in items {
                watch.row()?;
                if each(item)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            GO_ON
        })
    }

    fn files_of(&self, table: Table, text: &str) -> Result<Vec<FileId>> {
        let mut files = Vec::new();
        self.items::<FILE_ITEM>(table, &text_key(text), &mut |item| {
            files.push(FileId(u64::from_be_bytes(*item)));
            GO_ON
        })?;
        Ok(files)
    }

    pub(crate) fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        let row = self.reads.get(self.tables.files, &id_key(file.0))?;
        row.map(|bytes| codec::decode_record("files", bytes)).transpose()
    }

    pub(crate) fn stat(&self, file: FileId) -> Result<Option<StatHint>> {
        let row = self.reads.get(self.tables.stats, &id_key(file.0))?;
        row.map(|bytes| codec::decode_record("stats", bytes)).transpose()
    }

    pub(crate) fn public(&self, file: FileId) -> Result<Option<Public>> {
        let row = self.reads.get(self.tables.publics, &id_key(file.0))?;
        row.map(|bytes| codec::unpack_record("publics", bytes)).transpose()
    }

    pub(crate) fn inclusions(&self, file: FileId) -> Result<Option<(Lang, Vec<Inclusion>)>> {
        let row = self.reads.get(self.tables.inclusions, &id_key(file.0))?;
        row.map(unpack_inclusions).transpose()
    }

    pub(crate) fn files_under(
        &self,
        prefix: &str,
        each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>,
    ) -> Result<()> {
        let start = &prefix.as_bytes()[..prefix.len().min(LONG_TEXT)];
        let mut watch = self.watch();
        // Keys that agree up to the cut are gathered and sorted, because keys of long paths are cut and their order
        // is not that of paths.
        let mut gathered: Vec<(String, FileId)> = Vec::new();
        let mut stopped = false;
        self.reads.scan(self.tables.paths, start, &mut |key, value| {
            watch.row()?;
            if !key.starts_with(start) {
                return Ok(ControlFlow::Break(()));
            }
            let (file, path) = unpack_path_value(key, value)?;
            let cut = key.get(..LONG_TEXT);
            if gathered.last().is_some_and(|(last, _)| last.as_bytes().get(..LONG_TEXT) != cut)
                && visit_sorted(&mut gathered, each).is_break()
            {
                stopped = true;
                return Ok(ControlFlow::Break(()));
            }
            if !path.starts_with(prefix) {
                return GO_ON;
            }
            if cut.is_some() {
                gathered.push((path.to_owned(), FileId(file)));
                return GO_ON;
            }
            let flow = each(FileId(file), path);
            stopped = flow.is_break();
            Ok(flow)
        })?;
        if !stopped {
            let _ = visit_sorted(&mut gathered, each);
        }
        Ok(())
    }

    pub(crate) fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        self.files_of(self.tables.file_names, file_name)
    }

    pub(crate) fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        self.files_of(self.tables.dirs, dir)
    }

    pub(crate) fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
        self.files_of(self.tables.packages, package)
    }

    /// The files that import `module`, or a module inside of it.
    pub(crate) fn files_importing(&self, module: &str) -> Result<Vec<FileId>> {
        let mut files = BTreeSet::from_iter(self.files_of(self.tables.imports, module)?);
        for separator in INSIDE {
            let prefix = format!("{module}{separator}");
            if prefix.len() > LONG_TEXT {
                continue;
            }
            let mut watch = self.watch();
            self.reads.scan(self.tables.imports, prefix.as_bytes(), &mut |key, item| {
                watch.row()?;
                if !key.starts_with(prefix.as_bytes()) {
                    return Ok(ControlFlow::Break(()));
                }
                files.insert(FileId(codec::id_at("imports", item)?));
                GO_ON
            })?;
        }
        Ok(files.into_iter().collect())
    }

    pub(crate) fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        let mut home = None;
        self.reads.items_of(self.tables.symbols, &symbol_key(symbol.0), &[symbol.0], &mut |item| {
            let NameHit { file, kind, .. } = unpack_item_hit("symbols", item)?;
            home = Some(SymbolHome { file, kind });
            GO_ON
        })?;
        Ok(home)
    }

    pub(crate) fn symbol_file(&self, symbol: SymbolId) -> Result<Option<FileId>> {
        Ok(self.symbol_home(symbol)?.map(|home| home.file))
    }

    pub(crate) fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
        let mut hits = Vec::new();
        if limit == 0 || name.is_empty() {
            return Ok(hits);
        }
        self.items::<NAME_ITEM>(self.tables.names, &text_key(name), &mut |item| {
            hits.push(unpack_hit("names", item)?);
            Ok(if hits.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(hits)
    }

    pub(crate) fn named(&self, name: &str) -> Result<Named> {
        let hits = self.named_up_to(name, NAME_LIMIT + 1)?;
        Ok(if hits.len() > NAME_LIMIT { Named::TooMany } else { Named::All(hits) })
    }

    pub(crate) fn packed_edges(&self, symbol: SymbolId) -> Result<Vec<u8>> {
        let row = self.reads.get(self.tables.out_edges, &id_key(symbol.0))?;
        expand_edges("out_edges", row.unwrap_or_default())
    }

    pub(crate) fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
        unpack_edges("out_edges", &self.packed_edges(symbol)?)
    }

    pub(crate) fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>> {
        let mut edges = Vec::new();
        if limit == 0 {
            return Ok(edges);
        }
        self.items::<IN_EDGE_ITEM>(self.tables.in_edges, &id_key(symbol.0), &mut |item| {
            edges.push(unpack_in_edge(item)?);
            Ok(if edges.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(edges)
    }

    pub(crate) fn fan_in(&self, symbol: SymbolId) -> Result<u64> {
        self.reads.count(self.tables.in_edges, &id_key(symbol.0))
    }

    pub(crate) fn unresolved_files(&self, name: &str) -> Result<Option<Vec<FileId>>> {
        let (hash, open) = (LookupKey::Name(name).hash(), name_mark(name));
        if self.reads.count(self.tables.asked, &question_key(hash))? > MAX_ASKING_FILES {
            return Ok(None);
        }
        let mut files = Vec::new();
        let mut watch = self.watch();
        for mark in marks_asking(self.reads, self.tables, hash)? {
            watch.row()?;
            for file in files_marked(self.reads, self.tables, mark)? {
                let row = self.reads.get(self.tables.resolved, &id_key(file.0))?;
                if row.map(unpack_resolved).transpose()?.is_some_and(|row| row.leaves_open(open)) {
                    files.push(file);
                }
            }
        }
        Ok(Some(files))
    }

    pub(crate) fn term_count(&self, term: &str) -> Result<u64> {
        self.reads.count(self.tables.postings, &text_key(term))
    }

    pub(crate) fn postings(
        &self,
        term: &str,
        each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut watch = self.watch();
        let mut hits = Vec::new();
        self.reads.items(self.tables.postings, &text_key(term), &mut |page| {
            let (items, rest) = page.as_chunks::<POSTING_ITEM>();
            if !rest.is_empty() {
                return Err(codec::corrupt_record("postings", "an item of odd size"));
            }
            watch.row()?;
            hits.clear();
            hits.extend(items.iter().map(unpack_posting));
            Ok(each(&hits))
        })
    }

    pub(crate) fn postings_among(
        &self,
        term: &str,
        symbols: &[SymbolId],
        each: &mut dyn FnMut(TermHit),
    ) -> Result<()> {
        let ids: Vec<u64> = symbols.iter().map(|symbol| symbol.0).collect();
        let mut watch = self.watch();
        self.reads.items_of(self.tables.postings, &text_key(term), &ids, &mut |item| {
            watch.row()?;
            let item =
                item.first_chunk().ok_or_else(|| codec::corrupt_record("postings", "a short posting"))?;
            each(unpack_posting(item));
            GO_ON
        })
    }

    pub(crate) fn terms(&self, prefix: &str, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        let mut watch = self.watch();
        self.reads.keys(self.tables.postings, prefix.as_bytes(), &mut |key| {
            watch.row()?;
            if !key.starts_with(prefix.as_bytes()) {
                return Ok(ControlFlow::Break(()));
            }
            Ok(each(term_of(key)?))
        })
    }

    pub(crate) fn term_from(&self, from: &str) -> Result<Option<String>> {
        in_time(self.deadline)?;
        let mut found = None;
        self.reads.keys(self.tables.postings, from.as_bytes(), &mut |key| {
            found = Some(term_of(key)?.to_owned());
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }
}

fn term_of(key: &[u8]) -> Result<&str> {
    std::str::from_utf8(key).map_err(|_| codec::corrupt_record("postings", "a term that is not UTF-8"))
}

fn visit_sorted(
    gathered: &mut Vec<(String, FileId)>,
    each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>,
) -> ControlFlow<()> {
    gathered.sort_unstable();
    gathered.drain(..).try_for_each(|(path, file)| each(file, &path))
}
