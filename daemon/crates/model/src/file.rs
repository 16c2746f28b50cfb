//! The ledger's record of a file.

use serde::{Deserialize, Serialize};

use crate::{FactsKey, RelPath};

/// Why a file has no facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum SkipReason {
    TooLarge,
    Binary,
    Minified,
    Generated,
    Unreadable,
    /// The name is not UTF-8; its listed path shows the bad bytes as `\u{fffd}`.
    NonUtf8Name,
    /// A symbolic link; never followed.
    Symlink,
    /// A device, a pipe, a socket.
    Special,
    /// A file of secrets, by its name, such as `.env`.
    Secret,
}

impl SkipReason {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::TooLarge => "tooLarge",
            Self::Binary => "binary",
            Self::Minified => "minified",
            Self::Generated => "generated",
            Self::Unreadable => "unreadable",
            Self::NonUtf8Name => "nonUtf8Name",
            Self::Symlink => "symlink",
            Self::Special => "special",
            Self::Secret => "secret",
        }
    }
}

/// The result of indexing a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FileState {
    /// It has facts under this key.
    Indexed(FactsKey),
    /// It is listed, without facts.
    Skipped(SkipReason),
    /// Its parser failed or ran out of time on these bytes.
    Failed(FactsKey),
}

impl FileState {
    /// The key of its facts.
    pub fn facts(&self) -> Option<FactsKey> {
        match self {
            Self::Indexed(key) => Some(*key),
            Self::Skipped(_) | Self::Failed(_) => None,
        }
    }
}

/// A file of one version.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileRow {
    /// Its path.
    pub path: RelPath,
    /// The result of indexing it.
    pub state: FileState,
    /// Its size in bytes.
    pub size: u64,
}

/// The answer of `stat` when a file was last read. Only a hint, because the content's hash decides. Not part of any
/// version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StatHint {
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Change time in nanoseconds since 1970; 0 where the platform has none.
    pub ctime_ns: i64,
    /// Inode; 0 where the platform has none.
    pub inode: u64,
    /// When it was read, in nanoseconds since 1970. A file modified within the clock's resolution of this is read
    /// again.
    pub read_ns: i64,
}
