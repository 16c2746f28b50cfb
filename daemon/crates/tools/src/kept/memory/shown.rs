//! Memories in the form of answers.

use schemars::JsonSchema;
use sdl_model::{FileId, RelPath};
use sdl_retrieve::plain;
use serde::Serialize;

use super::rank::Ranked;
use super::{Kind, Memory};
use crate::ToolError;
use crate::call::answers::{append_block, append_text};
use crate::call::budget::{self, Room};
use crate::call::context::ReadCx;

/// A memory in an answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryOut {
    /// Its id, for `memory.store` and `memory.remove`.
    memory_id: String,
    /// `decision`, `bugfix`, `task_context`, `pattern` or `note`.
    #[serde(rename = "type")]
    #[schemars(with = "String")]
    kind: Kind,
    /// One line.
    title: String,
    /// What to remember.
    content: String,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<String>>")]
    tags: Vec<String>,
    /// How sure its author was, 0 to 1.
    confidence: f64,
    /// Symbols it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<SymbolOut>>")]
    symbols: Vec<SymbolOut>,
    /// Files it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<FileOut>>")]
    files: Vec<FileOut>,
    /// When it was stored, in Unix milliseconds.
    created_at: u64,
    /// When it was last changed, in Unix milliseconds.
    updated_at: u64,
    /// Whether a symbol changed or is gone, or a file is gone, since it was stored.
    pub(crate) stale: bool,
    /// How well it matches, 0 to 1; counts confidence and age too.
    score: f64,
}

/// A symbol of a memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SymbolOut {
    /// The symbol.
    symbol_id: String,
    /// Its qualified name.
    name: String,
    /// Path of its file.
    file: String,
    /// `same`, `changed` or `gone` since the memory was stored.
    state: &'static str,
}

/// A file of a memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileOut {
    /// Path of the file.
    file: String,
    /// `same` (it exists), `gone`, or `unknown` if it never was in a version.
    state: &'static str,
}

/// Returns the memory in the form of an answer, with its state in this version.
pub(crate) fn show_memory(cx: &ReadCx<'_>, ranked: Ranked) -> Result<MemoryOut, ToolError> {
    let Ranked { memory, score } = ranked;
    let Memory { id, kind, title, content, tags, confidence, symbols, files, created_ms, updated_ms, .. } =
        memory;
    // Before the first index the state of links is not known.
    let indexed = cx.snapshot.head().is_some();
    let mut symbols_out = Vec::new();
    for link in symbols {
        let state = match cx.source.symbol(link.id)? {
            Some(sym) if sym.def().fingerprint == link.fingerprint => "same",
            Some(_) => "changed",
            None if indexed => "gone",
            None => "same",
        };
        symbols_out.push(SymbolOut {
            symbol_id: link.id.to_string(),
            name: link.name,
            file: link.file,
            state,
        });
    }
    let mut files_out = Vec::new();
    for link in files {
        let row = match RelPath::new(&link.path) {
            Some(path) => cx.source.view().file(FileId::of(&path))?,
            None => None,
        };
        let state = match (row, link.gone) {
            (Some(_), _) => "same",
            (None, Some(0)) => "unknown",
            (None, _) if indexed => "gone",
            (None, _) => "same",
        };
        files_out.push(FileOut { file: link.path, state });
    }
    let stale = symbols_out.iter().any(|symbol| symbol.state != "same")
        || files_out.iter().any(|file| file.state == "gone");
    Ok(MemoryOut {
        memory_id: id,
        kind,
        title,
        content,
        tags,
        confidence,
        symbols: symbols_out,
        files: files_out,
        created_at: created_ms,
        updated_at: updated_ms,
        stale,
        score,
    })
}

/// One page of memories.
pub(crate) struct Page {
    pub(crate) memories: Vec<MemoryOut>,
    /// How many memories matched, including this page.
    pub(crate) total: usize,
    /// Whether further memories were left out only because of the token budget.
    pub(crate) cut: bool,
}

/// Returns the best of `ranked`, from `offset` on, at most `limit` memories and at most `tokens` in size.
pub(crate) fn memory_page(
    cx: &ReadCx<'_>,
    ranked: Vec<Ranked>,
    (offset, limit): (usize, usize),
    stale_only: bool,
    tokens: usize,
) -> Result<Page, ToolError> {
    let mut page = Page { memories: Vec::new(), total: 0, cut: false };
    let all = ranked.len();
    let (mut fitting, mut room) = (0, Room::of(tokens));
    for ranked in ranked {
        let full = page.cut || page.memories.len() == limit;
        // Whether a memory is stale takes a look-up. Without that filter the rest needs none.
        if !stale_only && full {
            break;
        }
        if !stale_only && fitting < offset {
            fitting += 1;
            continue;
        }
        cx.call.check()?;
        let memory = show_memory(cx, ranked)?;
        if stale_only && !memory.stale {
            continue;
        }
        fitting += 1;
        if full || fitting <= offset {
            continue;
        }
        page.cut = !room.take(budget::item_tokens(&memory)?);
        if !page.cut {
            page.memories.push(memory);
        }
    }
    page.total = if stale_only { fitting } else { all };
    Ok(page)
}

/// Appends one memory as text.
pub(crate) fn line_of(text: &mut String, memory: &MemoryOut) {
    let stale = if memory.stale { ", stale" } else { "" };
    append_text(text, format_args!("{} [{}{stale}] {}", memory.memory_id, memory.kind.name(), memory.title));
    for symbol in &memory.symbols {
        append_text(text, format_args!(" ({} {} {})", symbol.name, symbol.symbol_id, symbol.state));
    }
    for file in &memory.files {
        append_text(text, format_args!(" ({} {})", file.file, file.state));
    }
    append_block(text, &plain::quote_lines(&memory.content));
}
