//! Memories that are shown with cards, slices and a repository's status.

use sdl_memory::notes::{Kind, Memory};
use sdl_model::SymbolId;
use sdl_retrieve::{Sym, plain};
use serde_json::Value;

use super::rank::{About, SortBy, rank_memories};
use super::shown::{Shown, memory_page};
use super::{follow_memories, load_memories};
use crate::ToolError;
use crate::call::answers::{Object, append_block, begin_line, serialize_object};
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::call::family::Family;
use crate::call::modules::Module;

/// Default number of memories that are shown.
const LIMIT: usize = 5;
/// Maximum number of tokens of memories in an answer about something else.
pub(crate) const TOKENS: usize = 1_000;

/// Maximum number of characters of a memory's content in such an answer.
const CONTENT: usize = 600;

/// The memories of a repository, for an answer that shows some of them on request.
pub(crate) struct Surfaced {
    memories: Option<Vec<Memory>>,
    family: Family,
    limit: usize,
}

impl Surfaced {
    /// Reads the memories if they are requested.
    pub(crate) fn of(cx: &ReadCx<'_>, wanted: Option<bool>, limit: Option<u32>) -> Result<Self, ToolError> {
        let wanted = wanted.unwrap_or(false);
        if limit.is_some() && !wanted {
            cx.note("memoryLimit has no effect without includeMemories");
        }
        let limit = limit.map_or(LIMIT, |limit| limit as usize);
        let wanted = wanted && limit > 0;
        let family = Family::of(cx.call, cx.repo);
        let mut memories = None;
        if wanted {
            let scopes: Vec<String> = family.ids().iter().cloned().chain([String::new()]).collect();
            let mut all = load_memories(cx.call, Some(&scopes))?;
            all.retain(|memory| memory.kind() != Kind::Lesson && memory.superseded_by.is_none());
            follow_memories(cx, &family, &mut all)?;
            memories = Some(all);
        }
        Ok(Self { memories, family, limit })
    }

    /// Returns how many tokens to reserve for them.
    pub(crate) fn reserve(&self) -> usize {
        if self.memories.as_ref().is_none_or(Vec::is_empty) { 0 } else { TOKENS }
    }

    /// Returns the memories of the repository.
    pub(crate) fn any(&self, cx: &ReadCx<'_>) -> Result<Option<Vec<Object>>, ToolError> {
        self.best(cx, &[], None, TOKENS)
    }

    /// Returns the memories about one symbol.
    pub(crate) fn of_symbol(&self, cx: &ReadCx<'_>, sym: &Sym) -> Result<Option<Vec<Object>>, ToolError> {
        self.best(cx, &[sym.id], None, TOKENS)
    }

    /// Returns the memories about the symbols and their files, or with the words of `text`.
    pub(crate) fn about(
        &self,
        cx: &ReadCx<'_>,
        symbols: &[SymbolId],
        text: Option<&str>,
        tokens: usize,
    ) -> Result<Option<Vec<Object>>, ToolError> {
        if symbols.is_empty() && text.is_none() {
            return Ok(self.memories.as_ref().map(|_| Vec::new()));
        }
        self.best(cx, symbols, text, tokens)
    }

    fn best(
        &self,
        cx: &ReadCx<'_>,
        symbols: &[SymbolId],
        text: Option<&str>,
        tokens: usize,
    ) -> Result<Option<Vec<Object>>, ToolError> {
        let Some(memories) = &self.memories else { return Ok(None) };
        let mut about = About { text, ..About::default() };
        for id in symbols {
            about.symbols.insert(*id, 1.0);
            if let Some(sym) = cx.source.symbol(*id)? {
                about.files.insert(sym.path().to_owned());
            }
        }
        let mut ranked = rank_memories(memories.clone(), &about, SortBy::Relevance, cx.call.leases.now());
        ranked.truncate(self.limit);
        for ranked in &mut ranked {
            shorten_content(&mut ranked.memory.content);
        }
        let whole = cx.call.modules().has(Module::Memory);
        let shown = Shown { call: cx.call, read: Some(cx), family: &self.family, whole };
        let page = memory_page(&shown, ranked, (0, self.limit), false, tokens)?;
        page.memories.iter().map(serialize_object).collect::<Result<Vec<_>, _>>().map(Some)
    }
}

/// Cuts a text that would take too much room from the rest of the answer.
fn shorten_content(content: &mut String) {
    if let Some((cut, _)) = content.char_indices().nth(CONTENT) {
        content.truncate(cut);
        content.push_str("… (memory.query shows the rest)");
    }
}

/// Appends the memories of an answer to its text.
pub(crate) fn write_memories(text: &mut String, memories: Option<&Vec<Object>>) {
    for memory in memories.into_iter().flatten() {
        let field = |key: &str| memory.get(key).and_then(Value::as_str).unwrap_or_default();
        let stale = if memory.get("stale") == Some(&Value::Bool(true)) { ", stale" } else { "" };
        let (id, kind) = (field("memoryId"), field("type"));
        begin_line(text, format_args!("memory {id} [{kind}{stale}] {}", field("title")));
        append_block(text, &plain::quote_lines(field("content")));
    }
}

/// Returns the tokens of the memories in an answer.
pub(crate) fn memory_tokens(memories: Option<&Vec<Object>>) -> Result<usize, ToolError> {
    memories.map_or(Ok(0), budget::json_tokens)
}
