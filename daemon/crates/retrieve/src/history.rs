//! A ledger's history, as far as it is kept.

use sdl_ledger::{Changes, Result, Snapshot, View};
use sdl_model::{Edge, FileId, FileRow, Incarnation, SymbolId, Version};

/// One version, with the known history of the versions before it.
pub trait History: View {
    /// The ledger that this is a version of.
    fn incarnation(&self) -> Incarnation;
    /// The oldest version that can be compared with; none without any version.
    fn floor(&self) -> Option<Version>;
    /// A file's row as it was in a kept version.
    fn file_at(&self, file: FileId, version: Version) -> Result<Option<FileRow>>;
    /// A symbol's outgoing edges as they were in a kept version, sorted.
    fn out_edges_at(&self, symbol: SymbolId, version: Version) -> Result<Vec<Edge>>;
    /// The changes after `from`, up to `to`.
    fn changes_between(&self, from: Version, to: Version) -> Result<Changes>;
}

impl History for Snapshot<'_> {
    fn incarnation(&self) -> Incarnation {
        self.incarnation()
    }

    fn floor(&self) -> Option<Version> {
        self.floor()
    }

    fn file_at(&self, file: FileId, version: Version) -> Result<Option<FileRow>> {
        self.file_at(file, version)
    }

    fn out_edges_at(&self, symbol: SymbolId, version: Version) -> Result<Vec<Edge>> {
        self.out_edges_at(symbol, version)
    }

    fn changes_between(&self, from: Version, to: Version) -> Result<Changes> {
        self.changes_between(from, to)
    }
}
