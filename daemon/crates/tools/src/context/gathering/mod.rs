//! Contexts put together from all that is known: the code, and what agents keep.
//!
//! The law: a context is a function of the version of the code, of the revision of the store, and of the request. Each lane has a share of the
//! budget and gives what it has, best first; what a lane leaves, others take; the code has at least 40 percent. A lane that fails is named
//! with its reason, and the others answer.

mod code;
mod judge;
mod kept;
mod searches;
mod shares;
mod task;

use schemars::JsonSchema;
use sdl_memory::weights::Source;
use sdl_memory::words;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::budget;
use crate::kept::anchors::StaleSince;

pub(crate) use code::CodeLane;
pub(crate) use judge::judge_assembly;
pub(crate) use kept::kept_items;
pub(crate) use searches::Searched;
pub(crate) use shares::divide_shares;
pub(crate) use task::Task;

/// A source of contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum Lane {
    /// The source of symbols.
    Code,
    /// Memories.
    Memory,
    /// What agents learned.
    Lesson,
    /// Facts.
    Kg,
    /// The scratch cache.
    Scratch,
    /// Work that is open.
    Dispatch,
}

impl Lane {
    /// Every lane, in the order of answers.
    pub(crate) const ALL: [Self; 6] =
        [Self::Code, Self::Memory, Self::Lesson, Self::Kg, Self::Scratch, Self::Dispatch];

    /// The name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Memory => "memory",
            Self::Lesson => "lesson",
            Self::Kg => "kg",
            Self::Scratch => "scratch",
            Self::Dispatch => "dispatch",
        }
    }

    /// The rows that its words find; none for the code.
    pub(crate) fn words(self) -> Option<words::Lane> {
        match self {
            Self::Code => None,
            Self::Memory => Some(words::Lane::Memory),
            Self::Lesson => Some(words::Lane::Lesson),
            Self::Kg => Some(words::Lane::Kg),
            Self::Scratch => Some(words::Lane::Scratch),
            Self::Dispatch => Some(words::Lane::Dispatch),
        }
    }

    /// The lane in the counts of feedback.
    pub(crate) fn source(self) -> Source {
        self.words().map_or(Source::Code, Source::Kept)
    }
}

/// One piece of a context.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Item {
    /// For `context.feedback`: `s_…` code, `m_…` memory or lesson, `t_…` fact, `c_…` scratch, `d_…` dispatch.
    pub(crate) source_id: String,
    /// The text.
    pub(crate) content: String,
    /// Tokens of `content`.
    pub(crate) tokens: usize,
    /// How well it fits, 0 to 1, within its lane. Counts how useful it was before.
    pub(crate) score: f64,
    /// Why it is here: words of the task that it has, code of the context that it is about, how useful it was.
    pub(crate) why: Vec<String>,
    /// `same`, `changed`, `renamed`, `gone` or `unchecked`: the code that it is about, since it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<&'static str>,
    /// Since which version it is stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stale_since: Option<StaleSince>,
    /// The tokens that it takes in an answer; none before they were counted.
    #[serde(skip)]
    pub(crate) size: Option<usize>,
}

impl Item {
    /// Returns the tokens that it takes in an answer, about. Counts its text once, because that is long, and most items have no room.
    pub(crate) fn measure(&mut self) -> Result<usize, ToolError> {
        if let Some(size) = self.size {
            return Ok(size);
        }
        let content = std::mem::take(&mut self.content);
        self.tokens = budget::text_tokens(&content);
        let frame = budget::item_tokens(self)?;
        let escaped = content.bytes().filter(|byte| matches!(byte, b'\n' | b'"' | b'\\')).count();
        self.content = content;
        let size = frame + self.tokens + escaped;
        self.size = Some(size);
        Ok(size)
    }
}

/// Rounds a score to three digits, because more are noise to a reader.
fn shown_score(score: f64) -> f64 {
    (score * 1_000.0).round() / 1_000.0
}
