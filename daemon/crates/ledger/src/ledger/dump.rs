//! A version's logical content as text, always the same for the same content, because it is used to compare a ledger
//! that grew by increments with one made from scratch. Not in it: version numbers, times, hints, leases, history.

use std::io::{self, Write as _};
use std::ops::ControlFlow;

use sdl_model::{Edge, FileId, FileState, SymbolId};

use super::rows::Rows;
use super::{Ledger, Snapshot, state};
use crate::codec::{
    self, IN_EDGE_ITEM, Public, expand_edges, id_at, question_of_key, short_at, unpack_edges, unpack_in_edge,
    unpack_item_hit, unpack_posting, unpack_resolved,
};
use crate::env::{Read, Reads, Table};
use crate::{Error, NameHit, Result};

/// The tables to dump besides files, symbols, names, edges and counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DumpOptions {
    /// The search postings.
    pub postings: bool,
    /// Which file asked which question, and the outcome of its resolution.
    pub asked: bool,
}

impl DumpOptions {
    /// Everything.
    pub const ALL: Self = Self { postings: true, asked: true };
}

struct Dump<'d, 'l> {
    rows: Rows<'d, Read<'l>>,
    out: &'d mut dyn io::Write,
    path: &'d std::path::Path,
}

impl Ledger {
    /// Writes the newest version's content, a line per fact. Lines of one kind are in the order of their keys.
    pub fn dump(&self, out: &mut dyn io::Write, options: DumpOptions) -> Result<()> {
        Snapshot::new(self, None)?.dump(out, options)
    }

    /// The BLAKE3 hash of the whole dump.
    pub fn digest(&self) -> Result<[u8; 32]> {
        Snapshot::new(self, None)?.digest()
    }
}

impl Snapshot<'_> {
    /// See [`Ledger::dump`].
    pub fn dump(&self, out: &mut dyn io::Write, options: DumpOptions) -> Result<()> {
        let Some(rows) = self.rows()? else { return Ok(()) };
        let mut out = io::BufWriter::with_capacity(1 << 16, out);
        let path = self.ledger.env.path();
        let mut dump = Dump { rows, out: &mut out, path };
        dump.files()?;
        dump.groups()?;
        dump.symbols()?;
        dump.edges()?;
        if options.asked {
            dump.questions()?;
        }
        if options.postings {
            dump.postings()?;
        }
        dump.counters()?;
        out.flush().map_err(|source| Error::io("write the dump of", path, source))
    }

    /// See [`Ledger::digest`].
    pub fn digest(&self) -> Result<[u8; 32]> {
        let mut hasher = blake3::Hasher::new();
        self.dump(&mut hasher, DumpOptions::ALL)?;
        Ok(*hasher.finalize().as_bytes())
    }
}

fn state_text(state: &FileState) -> String {
    match state {
        FileState::Indexed(key) => format!("indexed {} {}", key.lang.name(), key.content),
        FileState::Skipped(reason) => format!("skipped {}", reason.name()),
        FileState::Failed(key) => format!("failed {} {}", key.lang.name(), key.content),
    }
}

fn escape_bytes(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).escape_debug().to_string()
}

const GO_ON: Result<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

impl Dump<'_, '_> {
    fn scan(
        &mut self,
        table: Table,
        line: impl Fn(&mut Lines<'_>, &[u8], &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut watch = self.rows.watch();
        let mut lines = Lines { out: self.out, path: self.path };
        self.rows.reads.scan(table, &[], &mut |key, value| {
            watch.row()?;
            line(&mut lines, key, value)?;
            GO_ON
        })
    }

    fn files(&mut self) -> Result<()> {
        let rows = Rows { ..self.rows };
        let mut failed = Ok(());
        let mut lines = Lines { out: self.out, path: self.path };
        self.rows.files_under("", &mut |file, path| {
            failed = (|| {
                let row = rows
                    .file(file)?
                    .ok_or_else(|| codec::corrupt_record("paths", "a path without its file"))?;
                lines.put(format_args!(
                    "file {} {} {} {file:?}",
                    path.escape_debug(),
                    state_text(&row.state),
                    row.size
                ))?;
                if let Some(Public { interface, package, defs, .. }) = rows.public(file)? {
                    let package = package.map(|package| package.escape_debug().to_string());
                    lines.put(format_args!("public {interface:016x} {package:?}"))?;
                    for def in defs {
                        let name = def.name.escape_debug();
                        lines.put(format_args!("def {} {} {name}", def.symbol, def.kind.name()))?;
                    }
                }
                Ok(())
            })();
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        failed
    }

    fn groups(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        let groups = [
            ("named", tables.file_names),
            ("in", tables.dirs),
            ("package", tables.packages),
            ("import", tables.imports),
        ];
        for (what, table) in groups {
            self.scan(table, |lines, key, value| {
                lines.put(format_args!("{what} {} {:?}", escape_bytes(key), FileId(id_at(what, value)?)))
            })?;
        }
        Ok(())
    }

    fn symbols(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        self.scan(tables.symbols, |lines, _, value| {
            let NameHit { symbol, file, kind, .. } = unpack_item_hit("symbols", value)?;
            lines.put(format_args!("symbol {symbol} {file:?} {}", kind.name()))
        })?;
        self.scan(tables.names, |lines, key, value| {
            let hit = unpack_item_hit("names", value)?;
            lines.put(format_args!(
                "name {} {} {:?} {} {:?}",
                escape_bytes(key),
                hit.symbol,
                hit.file,
                hit.kind.name(),
                hit.flags
            ))
        })
    }

    fn edges(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        self.scan(tables.out_edges, |lines, key, value| {
            let from = SymbolId(id_at("out_edges", key)?);
            for edge in unpack_edges("out_edges", &expand_edges("out_edges", value)?)? {
                let Edge { to, kind, resolution, strategy, confidence, line_offset, sites } = edge;
                lines.put(format_args!(
                    "edge {from} {} {to} {} {} {confidence} +{line_offset} x{sites}",
                    kind.name(),
                    resolution.name(),
                    strategy.0
                ))?;
            }
            Ok(())
        })?;
        self.scan(tables.in_edges, |lines, key, value| {
            let item: &[u8; IN_EDGE_ITEM] =
                value.try_into().map_err(|_| codec::corrupt_record("in_edges", "an item of odd size"))?;
            let edge = unpack_in_edge(item)?;
            let (to, from, kind) = (SymbolId(id_at("in_edges", key)?), edge.from, edge.kind.name());
            lines.put(format_args!("to {to} {kind} {from} {} {}", edge.resolution.name(), edge.strategy.0))
        })
    }

    fn questions(&mut self) -> Result<()> {
        let tables = self.rows.tables;
        self.scan(tables.resolved, |lines, key, value| {
            let row = unpack_resolved(value)?;
            let sources = row.sources().count();
            let file = FileId(id_at("resolved", key)?);
            let unresolved: Vec<u32> = row.unresolved().collect();
            lines.put(format_args!("resolved {file:?} {:?} {sources} {unresolved:x?}", row.counts))
        })?;
        self.scan(tables.asked, |lines, key, value| {
            lines.put(format_args!(
                "asked {:08x} {:08x}",
                question_of_key("asked", key)?,
                short_at("asked", value)?
            ))
        })?;
        self.scan(tables.questions, |lines, key, value| {
            let file = FileId(id_at("questions", key)?);
            lines.put(format_args!("question {file:?} {:08x}", short_at("questions", value)?))
        })
    }

    fn postings(&mut self) -> Result<()> {
        self.scan(self.rows.tables.postings, |lines, key, value| {
            let item =
                value.try_into().map_err(|_| codec::corrupt_record("postings", "an item of odd size"))?;
            let hit = unpack_posting(item);
            lines.put(format_args!(
                "posting {} {} {} {}",
                escape_bytes(key),
                hit.symbol,
                hit.impact,
                hit.flags
            ))
        })
    }

    fn counters(&mut self) -> Result<()> {
        let counters = state::read_counters(self.rows.reads, self.rows.tables)?;
        Lines { out: self.out, path: self.path }.put(format_args!("{counters:?}"))
    }
}

struct Lines<'o> {
    out: &'o mut dyn io::Write,
    path: &'o std::path::Path,
}

impl Lines<'_> {
    fn put(&mut self, line: std::fmt::Arguments<'_>) -> Result<()> {
        writeln!(self.out, "{line}").map_err(|source| Error::io("write the dump of", self.path, source))
    }
}
