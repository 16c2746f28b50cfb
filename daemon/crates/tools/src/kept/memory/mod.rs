//! Memories and lessons for calls: loaded with their anchors followed, ranked, and shown with the state of the code that they are about.

mod found;
mod heads;
mod load;
mod rank;
mod refuse;
mod shown;
mod surfaced;
mod texts;

use schemars::JsonSchema;
use sdl_memory::notes::Kind;
use serde::Deserialize;

pub(crate) use found::{FoundByWords, LaneOut, memories_by_words};
pub(crate) use load::{
    confirmed_anchors, follow_memories, follow_ranked, load_about, load_best, load_by_id, load_matching,
    load_memories,
};
pub(crate) use rank::{About, Ranked, SortBy, rank_memories, sort_memories};
pub(crate) use refuse::lead_on;
pub(crate) use shown::{MemoryOut, Page, Shown, line_of, memory_page};
pub(crate) use surfaced::{Surfaced, TOKENS, memory_tokens, write_memories};
pub(crate) use texts::{check_tags, check_text};

/// Maximum symbols, and maximum files, that one memory may link to.
pub(crate) const MOST_LINKS: usize = sdl_memory::limits::ANCHORS;
/// Maximum number of tags of one memory.
pub(crate) const MOST_TAGS: usize = 20;

/// What kind of task asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum TaskType {
    /// Finding a defect.
    Debug,
    /// Judging a change.
    Review,
    /// Writing code.
    Implement,
    /// Understanding code.
    Explain,
}

impl TaskType {
    /// Returns the kinds of memories that help such a task most.
    fn wants(self) -> &'static [Kind] {
        match self {
            Self::Debug => &[Kind::Bugfix, Kind::Pattern, Kind::Lesson],
            Self::Review => &[Kind::Decision, Kind::Pattern, Kind::Lesson],
            Self::Implement => &[Kind::Decision, Kind::Pattern, Kind::TaskContext, Kind::Lesson],
            Self::Explain => &[Kind::Decision, Kind::Note],
        }
    }
}
