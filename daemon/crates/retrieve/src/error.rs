//! Errors of requests.

use sdl_model::SymbolId;

/// Shorthand.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request is invalid.
    #[error(transparent)]
    User(#[from] UserError),
    /// The store failed.
    #[error(transparent)]
    Ledger(#[from] sdl_ledger::Error),
    /// A value could not be written as JSON, which is a bug in this crate.
    #[error("an answer could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Why a request is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UserError {
    /// The query is empty.
    #[error(
        "the query holds no word to search for (one letter, or a word like \"the\", counts only alone); name a symbol or describe what it does"
    )]
    EmptyQuery,
    /// The pattern does not compile, or is too large.
    #[error("the regular expression is not usable: {0}")]
    BadRegex(String),
    /// The path pattern does not compile.
    #[error("pathGlob is not a usable pattern: {0}")]
    BadGlob(String),
    /// Not a cursor that a search returned.
    #[error("the cursor is not from this search; repeat the search without it")]
    BadCursor,
    /// The cursor belongs to a version that has since been replaced.
    #[error("the tree changed since that page was made; repeat the search without the cursor")]
    StaleCursor,
    /// No such symbol in this version.
    #[error("there is no symbol {0} in this version; look it up by name with symbol.search")]
    UnknownSymbol(SymbolId),
    /// The request for a slice names nothing to start from.
    #[error(
        "nothing to start from: give taskText, entrySymbols, editedFiles, stackTrace or failingTestPath that names something in this repository"
    )]
    NoSeeds,
    /// A compact document that this crate did not write.
    #[error("this is not a slice in a known wire format: {0}")]
    BadWire(String),
}
