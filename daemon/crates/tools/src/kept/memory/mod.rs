//! Memories: the notes of agents on a repository, with links to symbols and files.
//!
//! A memory keeps the fingerprint that each of its symbols had when it was written: it is stale once one of them differs or
//! is gone. Links follow symbols that are renamed or moved.

mod follow;
mod links;
mod rank;
mod rows;
mod shown;
mod surfaced;

use schemars::JsonSchema;
use sdl_model::SymbolId;
use serde::{Deserialize, Serialize};

pub(crate) use follow::{lead_links, load_memories};
pub(crate) use links::{file_links, symbol_links};
pub(crate) use rank::{About, SortBy, rank_memories};
pub(crate) use rows::{Draft, remove_memory, store_memory};
pub(crate) use shown::{MemoryOut, Page, line_of, memory_page};
pub(crate) use surfaced::{Surfaced, TOKENS, memory_tokens, write_memories};

/// Maximum number of memories of one repository.
pub(crate) const MOST: usize = 2_000;
/// Maximum symbols, and maximum files, that one memory may link to.
pub(crate) const MOST_LINKS: usize = 50;
/// Maximum number of tags of one memory.
pub(crate) const MOST_TAGS: usize = 20;

/// What a memory is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Kind {
    /// A choice and its reason.
    Decision,
    /// What was wrong and how it was mended.
    Bugfix,
    /// The progress of a task.
    TaskContext,
    /// A way in which things are done here.
    Pattern,
    /// Anything else.
    Note,
}

impl Kind {
    /// The name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Bugfix => "bugfix",
            Self::TaskContext => "task_context",
            Self::Pattern => "pattern",
            Self::Note => "note",
        }
    }
}

/// What kind of task asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
            Self::Debug => &[Kind::Bugfix, Kind::Pattern],
            Self::Review => &[Kind::Decision, Kind::Pattern],
            Self::Implement => &[Kind::Decision, Kind::Pattern, Kind::TaskContext],
            Self::Explain => &[Kind::Decision, Kind::Note],
        }
    }
}

/// A memory, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Memory {
    pub(crate) id: String,
    pub(crate) kind: Kind,
    pub(crate) title: String,
    pub(crate) content: String,
    pub(crate) tags: Vec<String>,
    pub(crate) confidence: f64,
    pub(crate) symbols: Vec<SymbolLink>,
    pub(crate) files: Vec<FileLink>,
    pub(crate) created_ms: u64,
    pub(crate) updated_ms: u64,
    /// The last version in which its links were known to be valid.
    pub(crate) version: u64,
}

/// A link from a memory to a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SymbolLink {
    pub(crate) id: SymbolId,
    /// The symbol's qualified name and its file, for when it is gone.
    pub(crate) name: String,
    pub(crate) file: String,
    /// The symbol's fingerprint when the memory was written.
    pub(crate) fingerprint: u64,
    /// The version in which the symbol was not found any more.
    pub(crate) gone: Option<u64>,
}

/// A link from a memory to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileLink {
    pub(crate) path: String,
    /// The file's own symbol, by which the file is followed; none for a file without facts.
    pub(crate) module: Option<SymbolId>,
    pub(crate) gone: Option<u64>,
}
