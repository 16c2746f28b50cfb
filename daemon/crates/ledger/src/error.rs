//! What can go wrong in the store.

use std::path::PathBuf;

/// Shorthand.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong in the store. None of these is the user's mistake but [`Error::Newer`] and [`Error::InUse`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// LMDB refused.
    #[error("the ledger at {path:?} failed to {what}: {source}")]
    Lmdb {
        /// Where.
        path: PathBuf,
        /// Doing what.
        what: &'static str,
        /// LMDB's word for it.
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
    /// The read took longer than its deadline.
    #[error("the request ran past its deadline")]
    Deadline,
    /// A file operation failed.
    #[error("{what} {path:?}: {source}")]
    Io {
        /// Doing what.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// The system's word for it.
        source: std::io::Error,
    },
}
