//! The start of an assembly: a parsed task.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use sdl_model::{SymbolId, SymbolKind};
use sdl_retrieve::card::{Card, Detail};
use sdl_retrieve::index::is_test_path;
use sdl_retrieve::search;
use sdl_retrieve::slice::{Budget, SliceRequest, WireFormat};

use super::TaskType;
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::parts::symbols;
use crate::{Explained, ToolError};

/// Maximum number of symbols that a focused file starts with.
const MOST_OF_A_FILE: usize = 12;
/// Maximum number of symbols that a focused folder starts with.
const MOST_OF_A_FOLDER: usize = 8;
/// Maximum number of names that are looked for in source.
const MOST_NAMES: usize = 40;

/// The request, still as text.
pub(crate) struct Asked<'a> {
    pub(crate) task_text: &'a str,
    pub(crate) task_type: Option<TaskType>,
    pub(crate) focus_symbols: &'a [String],
    pub(crate) focus_paths: &'a [String],
    pub(crate) chat_mentions: &'a [String],
    pub(crate) include_tests: Option<bool>,
    pub(crate) stack_trace: Option<&'a str>,
    pub(crate) edited_files: &'a [String],
    pub(crate) known_card_etags: &'a BTreeMap<String, String>,
}

/// The parsed request.
pub(crate) struct Start {
    pub(super) request: SliceRequest,
    pub(super) task_text: String,
    pub(super) task_type: Option<TaskType>,
    pub(super) include_tests: Option<bool>,
    /// The focused symbols, each with its position in the request.
    focus: HashMap<SymbolId, usize>,
    folders: Vec<String>,
    words: Vec<String>,
}

impl Start {
    /// Parses the request, for an answer of about `tokens`.
    pub(crate) fn of(cx: &ReadCx<'_>, asked: &Asked<'_>, tokens: usize) -> Result<Self, ToolError> {
        let mut focus: Vec<Vec<SymbolId>> = Vec::new();
        for (i, id) in asked.focus_symbols.iter().enumerate() {
            focus.push(vec![symbols::by_id(cx, id, &format!("focusSymbols[{i}]"))?.id]);
        }
        let mut folders = Vec::new();
        for (i, text) in asked.focus_paths.iter().enumerate() {
            let field = format!("focusPaths[{i}]");
            let path = symbols::repo_path(cx.repo, text.trim_end_matches('/'), &field)?;
            let listed = cx.source.symbols_of(cx.source.view().file_id(&path))?.into_iter().filter(|sym| {
                sym.kind() != SymbolKind::Module && (sym.kind().is_callable() || sym.kind().is_type())
            });
            let mut symbols: Vec<_> = listed.collect();
            symbols.sort_by_key(|sym| !sym.exported());
            focus.push(symbols.iter().take(MOST_OF_A_FILE).map(|sym| sym.id).collect());
            if symbols.is_empty() {
                let folder = format!("{path}/");
                let within = search::search_within(cx.source, asked.task_text, &folder, MOST_OF_A_FOLDER)?;
                if within.is_empty() && cx.source.view().file(cx.source.view().file_id(&path))?.is_none() {
                    cx.note(format!("{field}: {path} has no symbols in version {}", cx.version));
                }
                focus.push(within);
                folders.push(folder);
            }
        }
        let mut edited_files = Vec::new();
        for (i, text) in asked.edited_files.iter().enumerate() {
            let path = symbols::repo_path(cx.repo, text, &format!("editedFiles[{i}]"))?;
            if cx.source.view().file(cx.source.view().file_id(&path))?.is_none() {
                cx.note(format!("editedFiles[{i}]: {path} is not in version {}", cx.version));
            }
            edited_files.push(path.as_str().to_owned());
        }
        let mut known_card_etags = BTreeMap::new();
        for (id, etag) in asked.known_card_etags {
            let bad = |e| {
                ToolError::invalid(format!("knownCardEtags.{id}"), format!("a key of knownCardEtags: {e}"))
            };
            known_card_etags.insert(id.parse::<SymbolId>().map_err(bad)?, etag.clone());
        }
        let mut places = HashMap::new();
        for (place, symbols) in focus.iter().enumerate() {
            for symbol in symbols {
                places.entry(*symbol).or_insert(place);
            }
        }
        let request = SliceRequest {
            task_text: Some(asked.task_text.to_owned()),
            entry_symbols: focus.concat(),
            edited_files,
            stack_trace: asked.stack_trace.map(str::to_owned),
            chat_mentions: asked.chat_mentions.to_vec(),
            budget: Budget {
                max_cards: (tokens / 40).clamp(40, 120) as u32,
                max_estimated_tokens: budget::MOST_TOKENS as u32,
            },
            known_card_etags,
            card_detail: Some(Detail::Compact),
            adaptive_detail: true,
            wire_format: WireFormat::Standard,
            ..SliceRequest::default()
        };
        let words = asked.chat_mentions.iter().cloned().chain(names_in(asked.task_text)).collect();
        let (task_type, include_tests) = (asked.task_type, asked.include_tests);
        let task_text = asked.task_text.to_owned();
        Ok(Self { request, task_text, task_type, include_tests, focus: places, folders, words })
    }

    /// Whether the request names the symbol, or its file or folder.
    pub(super) fn is_focus(&self, symbol: SymbolId) -> bool {
        self.focus.contains_key(&symbol)
    }

    /// Returns the names that the request mentions.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// Puts the focused symbols first, and removes tests if the request excludes them.
    pub(super) fn sort(&self, cards: &mut Vec<Rc<Card>>) {
        if self.include_tests == Some(false) {
            cards.retain(|card| self.focus.contains_key(&card.symbol_id) || !is_test_path(&card.file));
        }
        let below = |file: &str| self.folders.iter().any(|folder| file.starts_with(folder.as_str()));
        // The sort is stable: equal cards keep the slice's order.
        let place = |card: &Card| self.focus.get(&card.symbol_id).copied().unwrap_or(usize::MAX);
        cards.sort_by_key(|card| (place(card), !below(&card.file)));
    }

    /// Returns the names to look for in source: those of the task, then those of the symbols found.
    pub(super) fn names(&self, found: &[Rc<Card>]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.words.iter().chain(found.iter().map(|card| &card.name)) {
            if names.len() < MOST_NAMES && !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }
}

/// Returns the words of a text that look like names in code.
fn names_in(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.len() > 2);
    let named = |word: &&str| {
        let inner = word.trim_matches('_');
        let humps =
            inner.chars().zip(inner.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
        humps || inner.contains('_')
    };
    words.filter(named).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::names_in;

    #[test]
    fn names_stand_out_of_sentences() {
        let found: Vec<String> =
            names_in("Why does parseToken (see `auth_check`) fail in The Shop?").collect();
        assert_eq!(found, ["parseToken", "auth_check"]);
    }
}
