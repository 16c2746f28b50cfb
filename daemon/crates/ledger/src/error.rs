//! The errors of the store.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sdl_model::Version;

/// Shorthand.
pub type Result<T> = std::result::Result<T, Error>;

/// The errors of the store. Only [`Error::Newer`] and [`Error::InUse`] can be the user's mistake.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// LMDB refused.
    #[error("the ledger at {path:?} failed to {what}: {source}")]
    Lmdb {
        /// Where.
        path: PathBuf,
        /// The operation.
        what: &'static str,
        /// LMDB's error.
        source: lmdb::Error,
    },
    /// A stored record does not decode: the ledger is damaged.
    #[error("table {table} of the ledger holds a record that does not decode: {why}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// Why.
        why: String,
    },
    /// Written by a newer release.
    #[error(
        "the ledger at {path:?} has storage schema {found}, newer than this build's {known}; run the newer sdld, or remove that folder to index afresh"
    )]
    Newer {
        /// Where.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// Another process has it open for writing.
    #[error("the ledger at {path:?} is in use by another daemon; stop that one first (sdlctl stop)")]
    InUse {
        /// Where.
        path: PathBuf,
    },
    /// The disk is full.
    #[error(
        "no space left for the ledger at {path:?}; the last committed version stays; free some space and changes are picked up by themselves"
    )]
    DiskFull {
        /// Where.
        path: PathBuf,
    },
    /// The map is full. It is doubled before the next write; do the batch again (`Ledger::write` does so by itself).
    #[error("the map of the ledger at {path:?} is full; it grows with the next write")]
    MapFull {
        /// Where.
        path: PathBuf,
    },
    /// The caller broke a rule of this crate.
    #[error("the store was used wrongly: {0}")]
    Misuse(&'static str),
    /// A version that the ledger cannot answer from.
    #[error("{version} is not between the oldest version kept ({}) and the newest ({})", version_text(*floor), version_text(*head))]
    NoSuchVersion {
        /// The version.
        version: Version,
        /// The oldest that can be answered from.
        floor: Option<Version>,
        /// The newest.
        head: Option<Version>,
    },
    /// The read took longer than its deadline.
    #[error("the request ran past its deadline")]
    Deadline,
    /// The system starts no more threads.
    #[error("the thread {name:?} can't be started: {source}")]
    Thread {
        /// The thread's name.
        name: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file operation failed.
    #[error("{what} {path:?}: {source}")]
    Io {
        /// The operation.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

impl Error {
    /// Whether the error means that the stored data is damaged: condemn the store and open it again, which sets it
    /// aside.
    pub fn is_damage(&self) -> bool {
        use lmdb::Error as E;
        match self {
            Self::Corrupt { .. } => true,
            // A bad transaction counts as damage while reading, because LMDB hides errors that it finds while it
            // opens a cursor.
            Self::Lmdb { source: E::BadTxn, what, .. } => *what == "read",
            Self::Lmdb { source, .. } => {
                matches!(source, E::Corrupted | E::PageNotFound | E::Invalid | E::VersionMismatch)
            }
            _ => false,
        }
    }

    /// Whether the store gave up until it is opened again: the page that names the newest transaction could not be
    /// written, or the map could not be grown. Committed data is kept.
    pub fn needs_reopen(&self) -> bool {
        matches!(self, Self::Lmdb { source: lmdb::Error::Panic, .. })
    }

    /// The error of a file operation; a full disk has a variant of its own.
    pub(crate) fn io(what: &'static str, path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { what, path, source },
        }
    }
}

fn version_text(version: Option<Version>) -> String {
    version.map_or_else(|| "none".to_owned(), |version| version.to_string())
}
