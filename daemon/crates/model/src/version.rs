//! Versions: the changes of one committed batch.

use serde::{Deserialize, Serialize};

use crate::{FileId, FileRow, SymbolId, Version};

/// Why a version was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cause {
    /// The first index of a tree.
    FirstIndex,
    /// The watcher saw changes.
    Watch,
    /// A comparison with the tree found changes: at start, after lost events, on request.
    Reconcile,
    /// Only git's HEAD moved.
    Head,
    /// Everything was resolved again: a new extractor or resolver.
    Rebuild,
}

impl Cause {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstIndex => "firstIndex",
            Self::Watch => "watch",
            Self::Reconcile => "reconcile",
            Self::Head => "head",
            Self::Rebuild => "rebuild",
        }
    }
}

/// Git's HEAD as a version recorded it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GitHead {
    /// The branch's short name; none when detached.
    pub branch: Option<String>,
    /// The commit's id in hex; none before the first commit.
    pub commit: Option<String>,
    /// The commit's time in Unix seconds.
    pub commit_time: Option<i64>,
}

/// One file's change in a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The file.
    pub file: FileId,
    /// As it was in the parent version; none if it is new.
    pub old: Option<FileRow>,
    /// As it is in this version; none if it is gone.
    pub new: Option<FileRow>,
}

/// One version of a ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionRow {
    /// Its number.
    pub version: Version,
    /// The version before; none for the first.
    pub parent: Option<Version>,
    /// Why it was made.
    pub cause: Cause,
    /// When it was committed, in Unix milliseconds. For people; nothing is computed from it.
    pub time_ms: u64,
    /// Git's HEAD when its files were read.
    pub head: Option<GitHead>,
    /// The files that changed, in order of path. Empty for the first version: everything is new.
    pub changes: Vec<FileChange>,
    /// Symbols whose outgoing edges changed, in order.
    pub edge_changes: Vec<SymbolId>,
}
