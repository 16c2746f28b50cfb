//! Finds rows by their text.

use sdl_ledger::AgentWriter;
use serde::{Deserialize, Serialize};

/// A kind of row that words find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lane {
    /// Memories.
    Memory,
    /// Lessons of agents.
    Lesson,
    /// Facts.
    Kg,
    /// The scratch cache.
    Scratch,
    /// Dispatches.
    Dispatch,
    /// Sessions.
    Session,
    /// Activity.
    Activity,
    /// Messages.
    Message,
}

/// The text of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// One line; for a fact its subject and predicate.
    pub title: String,
    /// The rest.
    pub body: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Names of symbols, paths, entities.
    pub names: Vec<String>,
    /// When it was written, in Unix milliseconds.
    pub at_ms: i64,
    /// The session in which it was written; its neighbours are the rows of the same session.
    pub session: Option<String>,
}

/// Changes the words of a row: from those of `before` to those of `after`. Part of the transaction that changes the row.
pub fn note_row(
    _writer: &mut AgentWriter<'_>,
    _lane: Lane,
    _scope: &str,
    _id: &str,
    _before: Option<&Texts>,
    _after: Option<&Texts>,
) -> sdl_ledger::Result<()> {
    Ok(())
}
