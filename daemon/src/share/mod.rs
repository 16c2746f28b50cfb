//! A tree's ledger and facts as files that another machine can start from, and a ledger made of such files.
//!
//! * [`manifest`]: the list of a snapshot's packs; * [`pack`]: a chunk of rows, compressed and named by its hash;
//! * [`folder`]: where a client puts such files and gets them; * [`export`], [`import`]: the two ways.
//!
//! Knows no network: `sdl-share` moves the files. Everything that an import reads may come from anybody: a pack's hash is
//! checked before a row is decoded, and every row is decoded before it is stored. See `docs/share.md`.

pub mod export;
pub mod folder;
pub mod import;
pub mod manifest;
pub mod pack;

use sdl_model::ids::EXTRACTOR_VERSION;
use sdl_proto::{WireError, code};
use sdl_tools::ToolError;

/// The layout of packs and manifests.
pub const FORMAT: u32 = 1;

/// Commits that are looked at for one with a snapshot, from HEAD back.
pub const MOST_ANCESTORS: usize = 1_000;

/// Names the rules by which ledgers and facts are made. A ledger made by other rules is of no use.
pub fn rules_kind() -> String {
    format!(
        "format{FORMAT}-schema{}-extractor{EXTRACTOR_VERSION}-resolver{}-index{}",
        sdl_ledger::STORAGE_SCHEMA,
        sdl_graph::RESOLVER_VERSION,
        sdl_retrieve::INDEX_VERSION
    )
}

/// Why a snapshot can't be made or used. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// The caller's request makes no sense.
    #[error("{0}")]
    Wrong(String),
    /// The tree is in a state that has no snapshot.
    #[error("{0}")]
    State(String),
    /// A file of the snapshot is not as its name says, or does not decode.
    #[error("{0}; the snapshot can't be used")]
    Unsound(String),
    /// Nobody waits for it any more.
    #[error("the request was cancelled")]
    Cancelled,
    /// A file can't be read or written.
    #[error("{what} {path:?}: {source}")]
    Io {
        /// The operation.
        what: &'static str,
        /// Where.
        path: std::path::PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A store failed.
    #[error(transparent)]
    Ledger(#[from] sdl_ledger::Error),
    /// Another part refused.
    #[error("{}", .0.refusal.message)]
    Refused(ToolError),
}

impl ShareError {
    /// The error of rows that came from elsewhere. Damage there is a fault of the snapshot, not of a store here.
    fn of_rows(error: sdl_ledger::Error) -> Self {
        match error {
            sdl_ledger::Error::Corrupt { table, why } => {
                Self::Unsound(format!("a row of {table} in a pack does not decode: {why}"))
            }
            other => Self::Ledger(other),
        }
    }

    fn io(what: &'static str, path: &std::path::Path, source: std::io::Error) -> Self {
        Self::Io { what, path: path.to_owned(), source }
    }
}

impl From<ShareError> for WireError {
    fn from(error: ShareError) -> Self {
        let code = match &error {
            ShareError::Wrong(_) => code::INVALID_ARGUMENT,
            ShareError::State(_) => code::CONFLICT,
            ShareError::Cancelled => code::CANCELLED,
            ShareError::Unsound(_) | ShareError::Io { .. } => code::UNAVAILABLE,
            ShareError::Ledger(_) => code::INTERNAL,
            ShareError::Refused(refused) => refused.refusal.code.name(),
        };
        Self::new(code, error.to_string())
    }
}
