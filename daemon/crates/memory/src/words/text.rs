//! What the index knows of a row.

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

impl Lane {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Lesson => "lesson",
            Self::Kg => "kg",
            Self::Scratch => "scratch",
            Self::Dispatch => "dispatch",
            Self::Session => "session",
            Self::Activity => "activity",
            Self::Message => "message",
        }
    }

    /// Every kind of row.
    pub const ALL: [Self; 8] = [
        Self::Memory,
        Self::Lesson,
        Self::Kg,
        Self::Scratch,
        Self::Dispatch,
        Self::Session,
        Self::Activity,
        Self::Message,
    ];
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
