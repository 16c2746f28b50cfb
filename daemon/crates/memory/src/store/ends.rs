//! Which rows end by themselves, in the order of their ends.
//!
//! The law: the index has every row that ends, and every row that was removed and can be brought back, under the time at which
//! it may go. So a write finds the rows whose time is over without reading the others.

use std::ops::ControlFlow;

use sdl_ledger::{AgentWriter, Result};

use super::revisions::Former;
use super::row::{Row, Tables};
use crate::limits::REMOVED_MS;
use crate::tables::{ENDS, MEMORIES, REVISIONS, SCRATCH};

/// The value of every entry.
pub(crate) const VALUE: &[u8] = &[1];

/// What ends. The byte is in keys of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Ending {
    /// A memory or a lesson.
    Memory = b'm',
    /// An entry of the scratch cache.
    Scratch = b'c',
    /// The former states of a removed row, whose id is the key.
    Removed = b'r',
}

/// A row whose time is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The key in the index.
    pub(crate) entry: Vec<u8>,
    /// What ended.
    pub(crate) what: Ending,
    /// Its key in its own table.
    pub(crate) key: Vec<u8>,
}

impl Ending {
    /// What the rows of a table are; none if they don't end.
    fn of_table(table: &str) -> Option<Self> {
        match table {
            MEMORIES => Some(Self::Memory),
            SCRATCH => Some(Self::Scratch),
            _ => None,
        }
    }

    fn of_byte(byte: u8) -> Option<Self> {
        [Self::Memory, Self::Scratch, Self::Removed].into_iter().find(|what| *what as u8 == byte)
    }
}

fn entry_of(what: Ending, ends_ms: u64, key: &[u8]) -> Vec<u8> {
    [&ends_ms.to_be_bytes()[..], &[what as u8], key].concat()
}

/// The entry of a row; none if it doesn't end.
pub(crate) fn row_entry<R: Row>(row: &R) -> Option<Vec<u8>> {
    let what = Ending::of_table(R::TABLE)?;
    row.ends_ms().map(|ends_ms| entry_of(what, ends_ms, &row.key()))
}

/// Notes that a row is written over another one, or removed.
pub(super) fn note_end<R: Row>(
    writer: &mut AgentWriter<'_>,
    before: Option<&R>,
    after: Option<&R>,
) -> Result<()> {
    let (before, after) = (before.and_then(row_entry), after.and_then(row_entry));
    if before == after {
        return Ok(());
    }
    if let Some(entry) = before {
        writer.delete(ENDS, &entry)?;
    }
    if let Some(entry) = after {
        writer.put(ENDS, &entry, VALUE)?;
    }
    Ok(())
}

/// Notes that a row was removed, and can be brought back for a while.
pub(super) fn note_removal(writer: &mut AgentWriter<'_>, id: &str, now_ms: u64) -> Result<()> {
    let entry = entry_of(Ending::Removed, now_ms.saturating_add(REMOVED_MS), id.as_bytes());
    writer.put(ENDS, &entry, VALUE)
}

/// Returns what has ended, the earliest first, `most` at most.
pub(crate) fn ended_rows(tables: &impl Tables, now_ms: u64, most: usize) -> Result<Vec<Ended>> {
    let mut found = Vec::new();
    tables.scan_bytes(ENDS, &[0], &mut |entry, _| {
        let Some((ends, rest)) = entry.split_first_chunk::<8>() else { return ControlFlow::Continue(()) };
        if u64::from_be_bytes(*ends) > now_ms || found.len() >= most {
            return ControlFlow::Break(());
        }
        if let Some((what, key)) = rest.split_first()
            && let Some(what) = Ending::of_byte(*what)
        {
            found.push(Ended { entry: entry.to_vec(), what, key: key.to_vec() });
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// The entries that follow from the rows of a type.
pub(crate) fn entries_of<R: Row>(tables: &impl Tables) -> Result<Vec<Vec<u8>>> {
    let mut entries = Vec::new();
    tables.scan_rows::<R>(&[], &mut |row| {
        entries.extend(row_entry(&row));
        ControlFlow::Continue(())
    })?;
    Ok(entries)
}

/// The entries that follow from the former states of rows.
pub(crate) fn entries_of_removed(tables: &impl Tables) -> Result<Vec<Vec<u8>>> {
    let mut entries = Vec::new();
    tables.scan_bytes(REVISIONS, &[0], &mut |_, bytes| {
        let former = serde_json::from_slice::<Former>(bytes).ok().filter(|former| former.removed);
        entries.extend(former.map(|former| {
            let ends_ms = former.at_ms.saturating_add(REMOVED_MS);
            entry_of(Ending::Removed, ends_ms, former.id.as_bytes())
        }));
        ControlFlow::Continue(())
    })?;
    Ok(entries)
}
