//! Which rows are about which code.
//!
//! The law: the index has one entry for each symbol and each file that a row is linked to, under the repository whose code it is, and no others. So rows
//! are found by their code, and those whose code is elsewhere now, without reading the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use sdl_ledger::{AgentWriter, Result};
use sdl_model::SymbolId;

use super::row::{Row, Tables};
use crate::tables::{ANCHORED, MEMORIES, SCRATCH, TRIPLES};

/// The kind of row that is linked to code. The byte is in keys of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Holder {
    /// A memory or a lesson.
    Memory = b'm',
    /// A fact.
    Fact = b't',
    /// An entry of the scratch cache.
    Scratch = b'c',
}

/// A row that is about some code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Linked {
    /// The kind of row.
    pub holder: Holder,
    /// The row's scope.
    pub scope: String,
    /// The row's id.
    pub id: String,
}

/// What an entry leads from. The byte is in keys of the store.
#[derive(Clone, Copy)]
#[repr(u8)]
enum From {
    /// A symbol, or the module of a file.
    Symbol = b's',
    /// A path.
    File = b'f',
    /// The path of a symbol's file.
    Beside = b'b',
}

/// The value of an entry begins with it if the symbol is known to be gone.
const GONE: u8 = 2;
const THERE: u8 = 1;

impl Holder {
    fn of_table(table: &str) -> Option<Self> {
        match table {
            MEMORIES => Some(Self::Memory),
            TRIPLES => Some(Self::Fact),
            SCRATCH => Some(Self::Scratch),
            _ => None,
        }
    }

    fn of_byte(byte: u8) -> Option<Self> {
        [Self::Memory, Self::Fact, Self::Scratch].into_iter().find(|holder| *holder as u8 == byte)
    }
}

fn home_prefix(home: &str, from: From) -> Vec<u8> {
    [home.as_bytes(), &[0, from as u8]].concat()
}

fn path_number(path: &str) -> [u8; 8] {
    let mut short = [0; 8];
    short.copy_from_slice(&blake3::hash(path.as_bytes()).as_bytes()[..8]);
    short
}

/// The entries of a row: keys and values.
pub(crate) fn row_entries<R: Row>(row: &R) -> BTreeSet<(Vec<u8>, Vec<u8>)> {
    let mut entries = BTreeMap::new();
    let (Some(anchors), Some(holder)) = (row.anchors(), Holder::of_table(R::TABLE)) else {
        return BTreeSet::new();
    };
    let mut add = |home: &Option<String>, from: From, number: [u8; 8], is_gone: bool| {
        let prefix = home_prefix(home.as_deref().unwrap_or(row.scope()), from);
        let key = [&prefix[..], &number, &[holder as u8], row.id().as_bytes()].concat();
        let value = [&[if is_gone { GONE } else { THERE }], row.scope().as_bytes()].concat();
        // A file may be linked as one and by its module; the link that leads somewhere counts, which is the lesser value.
        let known: &mut Vec<u8> = entries.entry(key).or_insert_with(|| value.clone());
        *known = value.min(std::mem::take(known));
    };
    for anchor in &anchors.symbols {
        add(&anchor.repo, From::Symbol, anchor.id.0.to_be_bytes(), anchor.gone.is_some());
        add(&anchor.repo, From::Beside, path_number(&anchor.file), false);
    }
    for anchor in &anchors.files {
        add(&anchor.repo, From::File, path_number(&anchor.path), false);
        if let Some(module) = anchor.module {
            add(&anchor.repo, From::Symbol, module.0.to_be_bytes(), anchor.gone.is_some());
        }
    }
    entries.into_iter().collect()
}

/// Notes that a row is written over another one, or removed.
pub(crate) fn note_anchors<R: Row>(
    writer: &mut AgentWriter<'_>,
    before: Option<&R>,
    after: Option<&R>,
) -> Result<()> {
    if before.map(Row::anchors) == after.map(Row::anchors) {
        return Ok(());
    }
    let old = before.map(row_entries).unwrap_or_default();
    let new = after.map(row_entries).unwrap_or_default();
    for (key, _) in old.difference(&new) {
        writer.delete(ANCHORED, key)?;
    }
    for (key, value) in new.difference(&old) {
        writer.put(ANCHORED, key, value)?;
    }
    Ok(())
}

/// Returns the rows that are linked to any of these symbols, or to the files whose modules they are, in no order that means anything.
pub fn rows_about(
    tables: &impl Tables,
    homes: &[String],
    symbols: impl Iterator<Item = SymbolId> + Clone,
) -> Result<BTreeSet<Linked>> {
    find_rows(tables, homes, From::Symbol, symbols.map(|id| id.0.to_be_bytes()))
}

/// Returns the rows that are linked to any of these files.
pub fn rows_of_files<'p>(
    tables: &impl Tables,
    homes: &[String],
    paths: impl Iterator<Item = &'p str> + Clone,
) -> Result<BTreeSet<Linked>> {
    find_rows(tables, homes, From::File, paths.map(path_number))
}

/// Returns the rows that are linked to symbols in any of these files.
pub fn rows_beside<'p>(
    tables: &impl Tables,
    homes: &[String],
    paths: impl Iterator<Item = &'p str> + Clone,
) -> Result<BTreeSet<Linked>> {
    find_rows(tables, homes, From::Beside, paths.map(path_number))
}

fn find_rows(
    tables: &impl Tables,
    homes: &[String],
    from: From,
    numbers: impl Iterator<Item = [u8; 8]> + Clone,
) -> Result<BTreeSet<Linked>> {
    let mut found = BTreeSet::new();
    for home in homes {
        let home = home_prefix(home, from);
        for number in numbers.clone() {
            let prefix = [&home[..], &number].concat();
            tables.scan_bytes(ANCHORED, &prefix, &mut |key, value| {
                let Some(rest) = key.strip_prefix(&*prefix) else { return ControlFlow::Break(()) };
                found.extend(read_entry(rest, value));
                ControlFlow::Continue(())
            })?;
        }
    }
    Ok(found)
}

fn read_entry(rest: &[u8], value: &[u8]) -> Option<Linked> {
    let (holder, id) = rest.split_first()?;
    let (_, scope) = value.split_first()?;
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
    Some(Linked { holder: Holder::of_byte(*holder)?, scope: text(scope)?, id: text(id)? })
}

/// Returns the symbols of a repository that rows are linked to, in order, without those that are known to be gone.
pub fn linked_symbols(tables: &impl Tables, home: &str) -> Result<Vec<SymbolId>> {
    let prefix = home_prefix(home, From::Symbol);
    let mut found: Vec<SymbolId> = Vec::new();
    tables.scan_bytes(ANCHORED, &prefix, &mut |key, value| {
        let Some(rest) = key.strip_prefix(&*prefix) else { return ControlFlow::Break(()) };
        if let Some((number, _)) = rest.split_first_chunk::<8>()
            && value.first() == Some(&THERE)
        {
            let id = SymbolId(u64::from_be_bytes(*number));
            if found.last() != Some(&id) {
                found.push(id);
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// The entries that follow from the rows of a type.
pub(crate) fn entries_of<R: Row>(tables: &impl Tables) -> Result<BTreeSet<(Vec<u8>, Vec<u8>)>> {
    let mut entries = BTreeSet::new();
    tables.scan_rows::<R>(&[], &mut |row| {
        entries.extend(row_entries(&row));
        ControlFlow::Continue(())
    })?;
    Ok(entries)
}
