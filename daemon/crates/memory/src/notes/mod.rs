//! Memories and lessons: notes of agents on a repository, or on the user's ways.
//!
//! The law: a note belongs to one scope and says one thing there. Two notes of a scope never say the same, up to case and
//! white space: the second one joins the first. A note changes only against the state that its writer read.

mod details;
mod heads;
mod read;
mod row;
#[cfg(test)]
mod tests;
mod write;

pub use details::{
    Bugfix, Decision, Details, Kind, Lesson, LessonType, Note, Pattern, TaskContext, TaskFacts, TaskOutcome,
};
pub(crate) use heads::head_entry;
pub use heads::{NoteHead, has_notes, scan_heads};
pub use read::{check_revision, find_memory, memories_at, memories_of, scopes_with, unknown_memory};
pub use row::{Memory, normalized_text};
pub use write::{Draft, Patch, Stored, remove_memory, restore_memory, store_memory, update_memory};

pub(crate) use write::{put_memory_as_is, text_key};
