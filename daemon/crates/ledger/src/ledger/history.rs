//! The past: states of old versions, and the changes between two.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use sdl_model::{Edge, FileChange, FileId, FileRow, SymbolId, Version};

use super::Snapshot;
use super::rows::{Rows, in_time};
use crate::codec::{self, expand_edges, history_key, split_history_key, unpack_edges};
use crate::env::{Read, Reads, Table};
use crate::{Error, Result, View};

/// The changes between two versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// For each file its row before and after, in order of path. Files that ended as they began are omitted.
    pub files: Vec<FileChange>,
    /// Symbols whose outgoing edges differ, in order.
    pub edges: Vec<SymbolId>,
}

impl Snapshot<'_> {
    /// Whether a version can be answered from.
    pub fn reaches(&self, version: Version) -> bool {
        let (Some(floor), Some(head)) = (self.floor(), self.head()) else { return false };
        (floor..=head).contains(&version)
    }

    fn reach(&self, version: Version) -> Result<()> {
        if self.reaches(version) {
            return Ok(());
        }
        Err(Error::NoSuchVersion { version, floor: self.floor(), head: self.head() })
    }

    /// A file's row at a version.
    pub fn file_at(&self, file: FileId, version: Version) -> Result<Option<FileRow>> {
        self.reach(version)?;
        let Some(rows) = self.rows()? else { return Ok(None) };
        match value_before(&rows, rows.tables.file_history, file.0, version)? {
            Some(bytes) => codec::decode_record("file_history", bytes),
            None => self.file(file),
        }
    }

    /// A symbol's outgoing edges at a version, sorted.
    pub fn out_edges_at(&self, symbol: SymbolId, version: Version) -> Result<Vec<Edge>> {
        unpack_edges("edge_history", &self.packed_edges_at(symbol, version)?)
    }

    fn packed_edges_at(&self, symbol: SymbolId, version: Version) -> Result<Vec<u8>> {
        self.reach(version)?;
        let Some(rows) = self.rows()? else { return Ok(Vec::new()) };
        match value_before(&rows, rows.tables.edge_history, symbol.0, version)? {
            Some(row) => expand_edges("edge_history", row),
            None => rows.packed_edges(symbol),
        }
    }

    /// The changes after `version`, up to this one.
    pub fn changes_since(&self, version: Version) -> Result<Changes> {
        self.changes_between(version, self.version())
    }

    /// The changes after `from`, up to `to`. The cost depends on the number of changes, not on the size of the tree.
    pub fn changes_between(&self, from: Version, to: Version) -> Result<Changes> {
        self.reach(from)?;
        self.reach(to)?;
        let mut files: BTreeMap<FileId, FileChange> = BTreeMap::new();
        let mut edges: BTreeSet<SymbolId> = BTreeSet::new();
        if from < to {
            self.versions(from.next()..=to, &mut |row| {
                for change in row.changes {
                    match files.get_mut(&change.file) {
                        Some(known) => known.new = change.new,
                        None => drop(files.insert(change.file, change)),
                    }
                }
                edges.extend(row.edge_changes);
                ControlFlow::Continue(())
            })?;
        }
        let mut files: Vec<_> = files.into_values().filter(|change| change.old != change.new).collect();
        files.sort_unstable_by(|a, b| change_path(a).cmp(&change_path(b)));
        let mut differing = Vec::with_capacity(edges.len());
        for symbol in edges {
            in_time(self.rows()?.and_then(|rows| rows.deadline))?;
            if self.packed_edges_at(symbol, from)? != self.packed_edges_at(symbol, to)? {
                differing.push(symbol);
            }
        }
        Ok(Changes { files, edges: differing })
    }
}

pub(super) fn change_path(change: &FileChange) -> Option<&str> {
    change.new.as_ref().or(change.old.as_ref()).map(|row| row.path.as_str())
}

/// The value that the first version after `version` which changed `id` replaced; none if no version did.
fn value_before<'r>(
    rows: &Rows<'r, Read<'_>>,
    table: Table,
    id: u64,
    version: Version,
) -> Result<Option<&'r [u8]>> {
    let Some((key, value)) = rows.reads.first(table, &history_key(id, version.next()))? else {
        return Ok(None);
    };
    Ok((split_history_key(table.spec.name, key)?.0 == id).then_some(value))
}
