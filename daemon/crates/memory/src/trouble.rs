//! Why something was not read or written.

use sdl_contract::Refusal;

/// Why something was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The request is at fault. Nothing was written.
    #[error("{0}")]
    Refused(Refusal),
    /// The store is.
    #[error("{0}")]
    Store(#[from] sdl_ledger::Error),
    /// A row could not be put into its stored form.
    #[error("storing a row failed: {0}")]
    Row(#[from] serde_json::Error),
}

/// What the functions of this crate return.
pub type Result<T> = std::result::Result<T, Trouble>;

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
