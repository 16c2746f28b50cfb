//! Whether the tables agree with one another.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::{fmt, mem};

use sdl_model::{FileId, FileRow, FileState, SymbolId, SymbolKind, Version, VersionRow};

use super::derived::{in_order, incoming_edges};
use super::questions::{files_marked, questions_of};
use super::rows::Rows;
use super::tally::{Sign, Tally};
use super::{Ledger, Snapshot, state};
use crate::codec::{
    self, NAME_ITEM, PackedInEdge, Public, expand_edges, file_mark, id_at, id_key, pack_hit, question_key,
    question_of_key, short_at, short_item, split_history_key, symbol_key, text_key, unpack_edges,
    unpack_item_hit, unpack_path_value, unpack_resolved,
};
use crate::env::{Read, Reads, Table};
use crate::{NameHit, Result};

/// The maximum number of findings, because more of them say nothing new.
const MOST: usize = 1_000;
/// The rows of a table that are compared at a time.
const PORTION: usize = 1 << 20;

/// One inconsistency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The table whose row is wrong, or lacks.
    pub table: &'static str,
    /// The fault.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.table, self.what)
    }
}

impl Ledger {
    /// Looks at every row and says which ones do not agree with others; nothing if all is well. Reads everything, and
    /// finds faults that no reader would notice, such as an edge without its reverse or a wrong total. The work grows with
    /// the rows; memory holds eight bytes for each symbol, and a portion of a table.
    pub fn check(&self) -> Result<Vec<Finding>> {
        let snapshot = Snapshot::new(self, None)?;
        let Some(rows) = snapshot.rows()? else { return Ok(Vec::new()) };
        let mut check = Check {
            rows,
            findings: Vec::new(),
            tally: Tally::default(),
            expected: Expected::default(),
            symbols: Vec::new(),
        };
        check.files()?;
        check.symbols()?;
        check.questions()?;
        check.edges()?;
        check.postings()?;
        check.counters()?;
        check.past(&snapshot)?;
        Ok(check.findings)
    }
}

struct Check<'s, 'l> {
    rows: Rows<'s, Read<'l>>,
    findings: Vec<Finding>,
    tally: Tally,
    expected: Expected,
    /// The ids of all symbols, sorted.
    symbols: Vec<u64>,
}

/// The number of rows that a table must have. As each of its rows is seen to belong there, it lacks none if it has as many.
#[derive(Default)]
struct Expected {
    symbols: u64,
    names: u64,
    sources: u64,
    reverses: u64,
}

fn add_finding(findings: &mut Vec<Finding>, table: &'static str, what: impl FnOnce() -> String) {
    if findings.len() < MOST {
        findings.push(Finding { table, what: what() });
    }
}

impl Check<'_, '_> {
    fn scan(
        &mut self,
        table: Table,
        mut each: impl FnMut(&mut Found<'_>, &Rows<'_, Read<'_>>, &[u8], &[u8]) -> Result<()>,
    ) -> Result<()> {
        let Self { rows, findings, tally, .. } = self;
        let mut found = Found { findings, tally, table: table.spec.name };
        rows.reads.scan(table, &[], &mut |key, value| {
            each(&mut found, rows, key, value)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Looks at the rows of `table` in groups, because rows of one group are compared with one record. `pick` gives the group
    /// of a row, and the part to compare. A large table comes in portions, and so may a group. Returns the number of rows.
    fn scan_grouped<T: Ord>(
        &mut self,
        table: Table,
        mut pick: impl FnMut(&[u8], &[u8]) -> Result<(u64, T)>,
        mut each: impl FnMut(&mut Found<'_>, &Rows<'_, Read<'_>>, u64, &[(u64, T)]) -> Result<()>,
    ) -> Result<u64> {
        let (mut portion, mut count) = (Vec::new(), 0);
        let mut end_portion =
            |found: &mut Found<'_>, rows: &Rows<'_, Read<'_>>, portion: &mut Vec<(u64, T)>| {
                portion.sort_unstable();
                for group in portion.chunk_by(|a, b| a.0 == b.0) {
                    each(found, rows, group[0].0, group)?;
                }
                portion.clear();
                Ok(())
            };
        self.scan(table, |found, rows, key, value| {
            count += 1;
            portion.push(pick(key, value)?);
            if portion.len() == PORTION { end_portion(found, rows, &mut portion) } else { Ok(()) }
        })?;
        let mut found =
            Found { findings: &mut self.findings, tally: &mut self.tally, table: table.spec.name };
        end_portion(&mut found, &self.rows, &mut portion)?;
        Ok(count)
    }

    fn files(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        let mut expected = Expected::default();
        self.scan(tables.files, |found, rows, key, value| {
            let (file, row): (_, FileRow) =
                (FileId(id_at("files", key)?), codec::decode_record("files", value)?);
            found.tally.row(&row, Sign::Plus);
            found.unless(FileId::of(&row.path) == file, || format!("{file:?} is not the id of {}", row.path));
            let path = rows.reads.get(tables.paths, &text_key(row.path.as_str()))?;
            found.unless(path.is_some_and(|path| path.starts_with(key)), || {
                format!("{} is not among the paths", row.path)
            });
            let public = rows.public(file)?;
            let indexed = matches!(row.state, FileState::Indexed(_));
            found.unless(public.is_some() == indexed, || {
                format!("{}: what it publishes does not fit its state", row.path)
            });
            let mut groups = vec![(tables.file_names, row.path.file_name()), (tables.dirs, row.path.dir())];
            if let Some(package) = public.as_ref().and_then(|public| public.package.as_deref()) {
                groups.push((tables.packages, package));
            }
            let imports = public.as_ref().map_or(&[][..], |public| &public.imports);
            groups.extend(imports.iter().map(|module| (tables.imports, module.as_str())));
            for (table, text) in groups {
                let has = rows.reads.has_item(table, &text_key(text), key)?;
                found.unless(has == indexed, || {
                    format!("{} is wrongly in or not in {} of {text:?}", row.path, table.spec.name)
                });
            }
            if let Some(public) = public {
                found.tally.public(&public, Sign::Plus);
                expected.symbols += homes_in(&public).len() as u64;
                expected.names += names_of(file, &public).len() as u64;
            }
            Ok(())
        })?;
        self.expected = expected;
        self.scan(tables.paths, |found, rows, key, value| {
            let (file, path) = unpack_path_value(key, value)?;
            let row = rows.file(FileId(file))?;
            found
                .unless(row.is_some_and(|row| row.path.as_str() == path), || format!("{path} leads nowhere"));
            Ok(())
        })?;
        for table in [tables.publics, tables.inclusions, tables.resolved] {
            self.scan(table, |found, rows, key, _| {
                let file = FileId(id_at("files", key)?);
                let indexed = rows.file(file)?.is_some_and(|row| matches!(row.state, FileState::Indexed(_)));
                found.unless(indexed, || format!("{file:?} is not indexed"));
                Ok(())
            })?;
        }
        for table in [tables.file_names, tables.dirs, tables.packages, tables.imports] {
            self.scan(table, |found, rows, key, value| {
                let file = FileId(id_at("files", value)?);
                let known = rows.reads.get(tables.publics, value)?.is_some();
                found.unless(known, || format!("{:?} has {file:?}, which is not indexed", lossy_text(key)));
                Ok(())
            })?;
        }
        Ok(())
    }

    fn symbols(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        let before = self.findings.len();
        let mut symbols = Vec::new();
        let pick = |key: &[u8], value: &[u8]| {
            let NameHit { symbol, file, kind, .. } = unpack_item_hit("symbols", value)?;
            symbols.push(symbol.0);
            Ok((file.0, (symbol, kind, key == symbol_key(symbol.0))))
        };
        let rows = self.scan_grouped(tables.symbols, pick, |found, rows, file, group| {
            let file = FileId(file);
            let homes = rows.public(file)?.map(|public| homes_in(&public)).unwrap_or_default();
            for (_, (symbol, kind, is_in_place)) in group {
                let has = homes.binary_search(&(*symbol, *kind)).is_ok();
                found.unless(has, || format!("{symbol} is not in its file {file:?}"));
                found.unless(*is_in_place, || format!("{symbol} is under other bits than its own"));
            }
            Ok(())
        })?;
        symbols.sort_unstable();
        self.symbols = symbols;
        let pick = |key: &[u8], value: &[u8]| {
            let hit = unpack_item_hit("names", value)?;
            Ok((hit.file.0, (key.to_vec(), pack_hit(hit))))
        };
        let names = self.scan_grouped(tables.names, pick, |found, rows, file, group| {
            let file = FileId(file);
            let public = rows.public(file)?;
            let known = public.as_ref().map(|public| names_of(file, public)).unwrap_or_default();
            for (_, (key, hit)) in group {
                let place = known.binary_search_by(|(name, of)| (&**name, of).cmp(&(key.as_slice(), hit)));
                found.unless(place.is_ok(), || {
                    format!("{:?} has a symbol of {file:?} that is not called so", lossy_text(key))
                });
            }
            Ok(())
        })?;
        let complete = (rows, names) == (self.expected.symbols, self.expected.names);
        if complete && self.findings.len() == before {
            return Ok(());
        }
        self.scan(tables.publics, |found, rows, key, _| {
            let file = FileId(id_at("publics", key)?);
            rows.public(file)?.map_or(Ok(()), |public| check_public(found, rows, file, &public))
        })
    }

    fn questions(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        let before = self.findings.len();
        let mut sources = 0;
        self.scan(tables.resolved, |found, rows, key, value| {
            let (file, row) = (FileId(id_at("resolved", key)?), unpack_resolved(value)?);
            found.tally.resolved(row.counts, Sign::Plus);
            sources += in_order(&row.sources().collect::<Vec<_>>()).len() as u64;
            for source in row.sources() {
                let has = rows.reads.get(tables.out_edges, &id_key(source))?.is_some();
                found.unless(has, || format!("{file:?} names {}, which has no edges", SymbolId(source)));
            }
            Ok(())
        })?;
        self.expected.sources = sources;
        let asked = self.asked_by_marks()?;
        let pick = |key: &[u8], value: &[u8]| {
            Ok((u64::from(short_at("asked", value)?), question_of_key("asked", key)?))
        };
        let rows = self.scan_grouped(tables.asked, pick, |found, rows, mark, group| {
            let mut known = Vec::new();
            for file in files_marked(rows.reads, tables, mark as u32)? {
                known.append(&mut questions_of(rows.reads, tables, file)?);
            }
            let known = in_order(&known);
            for (_, hash) in group {
                found.unless(known.binary_search(hash).is_ok(), || {
                    format!("the mark {mark:08x} is listed under {hash:08x}, which no file of it asked")
                });
            }
            Ok(())
        })?;
        if rows == asked && self.findings.len() == before {
            return Ok(());
        }
        self.scan(tables.questions, |found, rows, key, value| {
            let (file, hash) = (FileId(id_at("questions", key)?), short_at("questions", value)?);
            let mark = short_item(file_mark(file));
            let has = rows.reads.has_item(tables.asked, &question_key(hash), &mark)?;
            found.unless(has, || format!("{file:?} asked {hash:08x}, but is not listed there"));
            Ok(())
        })
    }

    /// How many questions files asked, those of files with the same mark counted together.
    fn asked_by_marks(&mut self) -> Result<u64> {
        let tables = self.rows.tables;
        let (mut asked, mut last, mut of_mark) = (0, None, Vec::new());
        // The questions of files with the same mark come one after the other, because a mark is how the file's id begins.
        self.scan(tables.questions, |found, rows, key, value| {
            let (file, hash) = (FileId(id_at("questions", key)?), short_at("questions", value)?);
            if last != Some(file) {
                let is_resolved = rows.reads.get(tables.resolved, key)?.is_some();
                found.unless(is_resolved, || format!("{file:?} asked questions, but is not resolved"));
                if last.is_some_and(|last| file_mark(last) != file_mark(file)) {
                    asked += in_order(&of_mark).len() as u64;
                    of_mark.clear();
                }
                last = Some(file);
            }
            of_mark.push(hash);
            Ok(())
        })?;
        Ok(asked + in_order(&of_mark).len() as u64)
    }

    fn edges(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        let before = self.findings.len();
        let symbols = mem::take(&mut self.symbols);
        let (mut sources, mut reverses) = (0, 0);
        self.scan(tables.out_edges, |found, _, key, value| {
            let from = SymbolId(id_at("out_edges", key)?);
            let packed = expand_edges("out_edges", value)?;
            let edges = unpack_edges("out_edges", &packed)?;
            found.tally.edges(edges.len(), Sign::Plus);
            let sorted = !edges.is_empty() && edges.is_sorted_by(|a, b| a < b);
            found.unless(sorted, || format!("those of {from} are not in order"));
            let incoming = incoming_edges(from, &packed);
            for (to, _) in &incoming {
                let known = symbols.binary_search(to).is_ok();
                found.unless(known, || format!("{from} leads to {}, which does not exist", SymbolId(*to)));
            }
            sources += 1;
            reverses += incoming.len() as u64;
            Ok(())
        })?;
        self.symbols = symbols;
        self.expected.reverses = reverses;
        let pick = |key: &[u8], value: &[u8]| {
            let item: PackedInEdge =
                value.try_into().map_err(|_| codec::corrupt_record("in_edges", "an item of odd size"))?;
            Ok((id_at("in_edges", value)?, (id_at("in_edges", key)?, item)))
        };
        let rows = self.scan_grouped(tables.in_edges, pick, |found, rows, from, group| {
            let from = SymbolId(from);
            let known = incoming_edges(from, &rows.packed_edges(from)?);
            for (_, edge) in group {
                let to = SymbolId(edge.0);
                found.unless(known.contains(edge), || {
                    format!("{to} has one from {from}, which has none to it")
                });
            }
            Ok(())
        })?;
        let complete = (sources, rows) == (self.expected.sources, self.expected.reverses);
        if complete && self.findings.len() == before {
            return Ok(());
        }
        self.scan(tables.out_edges, |found, rows, key, value| {
            let from = SymbolId(id_at("out_edges", key)?);
            check_source(found, rows, from, &expand_edges("out_edges", value)?)
        })
    }

    fn postings(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        let symbols = mem::take(&mut self.symbols);
        self.scan(tables.postings, |found, _, key, value| {
            let symbol = id_at("postings", value)?;
            found.unless(symbols.binary_search(&symbol).is_ok(), || {
                format!("{:?} has {}, which does not exist", lossy_text(key), SymbolId(symbol))
            });
            Ok(())
        })
    }

    fn counters(&mut self) -> Result<()> {
        let stored = state::read_counters(self.rows.reads, self.rows.tables)?;
        let counted = self.tally.counters();
        if stored != counted {
            add_finding(&mut self.findings, "meta", || {
                format!("the totals are {counted:?}, stored are {stored:?}")
            });
        }
        Ok(())
    }

    fn past(&mut self, snapshot: &Snapshot<'_>) -> Result<()> {
        let tables = self.rows.tables;
        let (floor, head) = (snapshot.floor(), snapshot.head());
        let mut last: Option<Version> = None;
        self.scan(tables.versions, |found, rows, key, value| {
            let row: VersionRow = codec::decode_record("versions", value)?;
            let version = row.version;
            found.unless(id_at("versions", key)? == version.0, || {
                format!("{version} is under another number")
            });
            let follows = last.is_none_or(|last| row.parent == Some(last) && last.next() == version);
            found.unless(follows, || format!("{version} does not follow the one before it"));
            found.unless(last.is_some() || Some(version) == floor, || format!("{version} is not the floor"));
            last = Some(version);
            for change in &row.changes {
                let key = codec::history_key(change.file.0, version);
                let kept = rows.reads.get(tables.file_history, &key)?;
                let kept = kept
                    .map(|row| codec::decode_record::<Option<FileRow>>("file_history", row))
                    .transpose()?;
                found.unless(kept.as_ref() == Some(&change.old), || {
                    format!("{version} changed {:?}, whose earlier row is not kept", change.file)
                });
            }
            for symbol in &row.edge_changes {
                let key = codec::history_key(symbol.0, version);
                let kept = rows.reads.get(tables.edge_history, &key)?.is_some();
                found
                    .unless(kept, || format!("{version} changed {symbol}, whose earlier edges are not kept"));
            }
            Ok(())
        })?;
        if last != head {
            add_finding(&mut self.findings, "versions", || {
                format!("the last is {last:?}, the head {head:?}")
            });
        }
        for table in [tables.file_history, tables.edge_history] {
            self.scan(table, |found, _, key, _| {
                let (_, version) = split_history_key(table.spec.name, key)?;
                let kept = Some(version) > floor && Some(version) <= head;
                found.unless(kept, || format!("a row of {version}, which is not kept"));
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// The definitions of a file as the table of symbols has them, sorted.
fn homes_in(public: &Public) -> Vec<(SymbolId, SymbolKind)> {
    let mut homes: Vec<_> = public.defs.iter().map(|def| (def.symbol, def.kind)).collect();
    homes.sort_unstable();
    homes.dedup();
    homes
}

/// The definitions of a file as the table of names has them, sorted.
fn names_of(file: FileId, public: &Public) -> Vec<(Cow<'_, [u8]>, [u8; NAME_ITEM])> {
    let mut names: Vec<_> = public.listed(file).map(|(name, hit)| (text_key(name), hit)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether a resolved file names the source of `packed` edges, and whether each of these has its reverse.
fn check_source(
    found: &mut Found<'_>,
    rows: &Rows<'_, Read<'_>>,
    from: SymbolId,
    packed: &[u8],
) -> Result<()> {
    let tables = rows.tables;
    let row = match rows.symbol_file(from)? {
        Some(file) => rows.reads.get(tables.resolved, &id_key(file.0))?,
        None => None,
    };
    let row = row.map(unpack_resolved).transpose()?;
    let listed = row.is_some_and(|row| row.sources().any(|source| source == from.0));
    found.unless(listed, || format!("{from} has edges, but no resolved file names it"));
    for (to, item) in incoming_edges(from, packed) {
        let reverse = rows.reads.has_item(tables.in_edges, &id_key(to), &item)?;
        found.unless(reverse, || format!("{from} to {} has no reverse", SymbolId(to)));
    }
    Ok(())
}

fn check_public(
    found: &mut Found<'_>,
    rows: &Rows<'_, Read<'_>>,
    file: FileId,
    public: &Public,
) -> Result<()> {
    for def in &public.defs {
        let known = rows.symbol_file(def.symbol)? == Some(file);
        found.unless(known, || format!("{} of {file:?} is not among the symbols", def.symbol));
    }
    for (name, hit) in public.listed(file) {
        let has = rows.reads.has_item(rows.tables.names, &text_key(name), &hit)?;
        found.unless(has, || format!("{name:?} of {file:?} is not among the names"));
    }
    Ok(())
}

fn lossy_text(key: &[u8]) -> String {
    String::from_utf8_lossy(key).into_owned()
}

struct Found<'c> {
    findings: &'c mut Vec<Finding>,
    tally: &'c mut Tally,
    table: &'static str,
}

impl Found<'_> {
    fn unless(&mut self, well: bool, what: impl FnOnce() -> String) {
        if !well {
            add_finding(self.findings, self.table, what);
        }
    }
}
