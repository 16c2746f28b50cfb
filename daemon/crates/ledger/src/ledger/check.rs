//! Whether the tables agree with one another.

use std::fmt;
use std::ops::ControlFlow;

use sdl_model::facts::names_in;
use sdl_model::{FileId, FileRow, FileState, SymbolId, Version, VersionRow};

use super::derived::incoming_edges;
use super::rows::Rows;
use super::tally::{Sign, Tally};
use super::{Ledger, Snapshot, state};
use crate::codec::{
    self, EDGE_LEN, Public, PublicDef, expand_edges, id_at, id_key, split_history_key, symbol_key, text_key,
    unpack_edges, unpack_item_hit, unpack_path_value, unpack_resolved,
};
use crate::env::{Read, Reads, Table};
use crate::{NameHit, Result};

/// The maximum number of findings, because more of them say nothing new.
const MOST: usize = 1_000;

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
    /// finds faults that no reader would notice, such as an edge without its reverse or a wrong total.
    pub fn check(&self) -> Result<Vec<Finding>> {
        let snapshot = Snapshot::new(self, None)?;
        let Some(rows) = snapshot.rows()? else { return Ok(Vec::new()) };
        let mut check = Check { rows, findings: Vec::new(), tally: Tally::default() };
        check.files()?;
        check.symbols()?;
        check.edges()?;
        check.questions()?;
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
        let Self { rows, findings, tally } = self;
        let mut found = Found { findings, tally, table: table.spec.name };
        rows.reads.scan(table, &[], &mut |key, value| {
            each(&mut found, rows, key, value)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    fn files(&mut self) -> Result<()> {
        let tables = self.rows.tables;
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
                check_public(found, rows, file, &public)?;
            }
            Ok(())
        })?;
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
                let known = rows.public(file)?.is_some();
                found.unless(known, || format!("{:?} has {file:?}, which is not indexed", lossy_text(key)));
                Ok(())
            })?;
        }
        Ok(())
    }

    fn symbols(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        self.scan(tables.symbols, |found, rows, key, value| {
            let NameHit { symbol, file, kind, .. } = unpack_item_hit("symbols", value)?;
            let is = |def: &PublicDef| def.symbol == symbol && def.kind == kind;
            let has = rows.public(file)?.is_some_and(|public| public.defs.iter().any(is));
            found.unless(has, || format!("{symbol} is not in its file {file:?}"));
            found
                .unless(key == symbol_key(symbol.0), || format!("{symbol} is under other bits than its own"));
            Ok(())
        })?;
        self.scan(tables.names, |found, rows, key, value| {
            let hit = unpack_item_hit("names", value)?;
            let is_key = |name: &str| *text_key(name) == *key;
            let is = |def: &PublicDef| def.hit(hit.file) == hit && names_in(&def.name).any(is_key);
            let known = rows.public(hit.file)?.is_some_and(|public| public.defs.iter().any(is));
            let symbol = hit.symbol;
            found.unless(known, || format!("{:?} has {symbol}, which is not called so", lossy_text(key)));
            Ok(())
        })
    }

    fn edges(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        self.scan(tables.out_edges, |found, rows, key, value| {
            let from = SymbolId(id_at("out_edges", key)?);
            let packed = expand_edges("out_edges", value)?;
            let edges = unpack_edges("out_edges", &packed)?;
            found.tally.edges(edges.len(), Sign::Plus);
            let sorted = !edges.is_empty() && edges.is_sorted_by(|a, b| a < b);
            found.unless(sorted, || format!("those of {from} are not in order"));
            let listed = match rows.symbol_file(from)? {
                Some(file) => {
                    let row = rows.reads.get(tables.resolved, &id_key(file.0))?;
                    row.map(unpack_resolved)
                        .transpose()?
                        .is_some_and(|row| row.sources().any(|s| s == from.0))
                }
                None => false,
            };
            found.unless(listed, || format!("{from} has edges, but no resolved file names it"));
            for (to, item) in incoming_edges(from, &packed) {
                let to_key = id_key(to);
                let known = rows.symbol_home(SymbolId(to))?.is_some();
                found.unless(known, || format!("{from} leads to {}, which does not exist", SymbolId(to)));
                let reverse = rows.reads.has_item(tables.in_edges, &to_key, &item)?;
                found.unless(reverse, || format!("{from} to {} has no reverse", SymbolId(to)));
            }
            Ok(())
        })?;
        self.scan(tables.in_edges, |found, rows, key, value| {
            let (to, from) = (id_at("in_edges", key)?, SymbolId(id_at("in_edges", value)?));
            let out = rows.packed_edges(from)?;
            let known = out.as_chunks::<EDGE_LEN>().0.iter().any(|edge| {
                let (target, item) = codec::in_edge_of(from, edge);
                target == to && item[..] == *value
            });
            found.unless(known, || format!("{} has one from {from}, which has none to it", SymbolId(to)));
            Ok(())
        })
    }

    fn questions(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        self.scan(tables.resolved, |found, rows, key, value| {
            let (file, row) = (FileId(id_at("resolved", key)?), unpack_resolved(value)?);
            found.tally.resolved(row.counts, Sign::Plus);
            for hash in row.asked() {
                let has = rows.reads.has_item(tables.asked, &id_key(hash), key)?;
                found.unless(has, || format!("{file:?} asked {hash:016x}, but is not listed there"));
            }
            for source in row.sources() {
                let has = !rows.packed_edges(SymbolId(source))?.is_empty();
                found.unless(has, || format!("{file:?} names {}, which has no edges", SymbolId(source)));
            }
            Ok(())
        })?;
        self.scan(tables.asked, |found, rows, key, value| {
            let (hash, file) = (id_at("asked", key)?, FileId(id_at("asked", value)?));
            let row = rows.reads.get(tables.resolved, value)?;
            let asked =
                row.map(unpack_resolved).transpose()?.is_some_and(|row| row.asked().any(|h| h == hash));
            found.unless(asked, || format!("{file:?} is listed under {hash:016x}, which it did not ask"));
            Ok(())
        })
    }

    fn postings(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        self.scan(tables.postings, |found, rows, key, value| {
            let symbol = id_at("postings", value)?;
            let known = rows.symbol_home(SymbolId(symbol))?.is_some();
            found.unless(known, || {
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
