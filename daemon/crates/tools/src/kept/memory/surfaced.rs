//! Memories that are shown with cards, slices and a repository's status.

use sdl_memory::notes::{Kind, NoteHead, has_notes};
use sdl_model::SymbolId;
use sdl_retrieve::{Sym, plain};
use serde_json::Value;

use super::rank::{About, Ranked, SortBy, rank_memories};
use super::shown::{Shown, memory_page};
use super::{follow_memories, follow_ranked, load_best, load_matching};
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
    /// Whether they are requested.
    wanted: bool,
    /// Whether there are none.
    is_empty: bool,
    /// Whose they are.
    scopes: Vec<String>,
    family: Family,
    limit: usize,
}

impl Surfaced {
    /// Prepares for the memories if they are requested.
    pub(crate) fn of(cx: &ReadCx<'_>, wanted: Option<bool>, limit: Option<u32>) -> Result<Self, ToolError> {
        let wanted = wanted.unwrap_or(false);
        if limit.is_some() && !wanted {
            cx.note("memoryLimit has no effect without includeMemories");
        }
        let limit = limit.map_or(LIMIT, |limit| limit as usize);
        let family = Family::of(cx.call, cx.repo);
        let scopes: Vec<String> = family.ids().iter().cloned().chain([String::new()]).collect();
        let wanted = wanted && limit > 0;
        let is_empty = wanted && !cx.call.host.agent().read(|reader| has_notes(reader, &scopes))?;
        Ok(Self { wanted, is_empty, scopes, family, limit })
    }

    /// Returns how many tokens to reserve for them.
    pub(crate) fn reserve(&self) -> usize {
        if self.wanted && !self.is_empty { TOKENS } else { 0 }
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
            return Ok(self.wanted.then(Vec::new));
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
        if !self.wanted {
            return Ok(None);
        }
        let mut about = About { text, ..About::default() };
        for id in symbols {
            about.symbols.insert(*id, 1.0);
            if let Some(sym) = cx.source.symbol(*id)? {
                about.files.insert(sym.path().to_owned());
            }
        }
        let mut ranked = self.rank(cx, &about)?;
        ranked.truncate(self.limit);
        for ranked in &mut ranked {
            shorten_content(&mut ranked.memory.content);
        }
        let whole = cx.call.modules().has(Module::Memory);
        let shown = Shown { call: cx.call, read: Some(cx), family: &self.family, whole };
        let page = memory_page(&shown, ranked, (0, self.limit), false, tokens)?;
        page.memories.iter().map(serialize_object).collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// Returns the memories that match, or all, the best first. Lessons are for contexts, and what was replaced is for those who ask for it.
    fn rank(&self, cx: &ReadCx<'_>, about: &About<'_>) -> Result<Vec<Ranked>, ToolError> {
        let scopes = Some(self.scopes.as_slice());
        if about.symbols.is_empty() && about.text.is_none() {
            let keep = |head: &NoteHead<'_>| head.kind != Kind::Lesson && !head.is_superseded;
            let order = (SortBy::Relevance, None);
            let (mut best, _) = load_best(cx.call, scopes, keep, order, self.limit)?;
            follow_ranked(cx, &self.family, &mut best)?;
            return Ok(best);
        }
        let mut memories = load_matching(cx, &self.family, scopes, about)?;
        memories.retain(|memory| memory.kind() != Kind::Lesson && memory.superseded_by.is_none());
        follow_memories(cx, &self.family, &mut memories)?;
        Ok(rank_memories(memories, about, SortBy::Relevance, cx.call.leases.now()))
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
