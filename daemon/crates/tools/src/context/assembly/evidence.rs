//! Pieces of evidence, each with its size in tokens.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use schemars::JsonSchema;
use sdl_model::{FileId, SymbolId, SymbolKind};
use sdl_retrieve::Sym;
use serde::Serialize;

use crate::ToolError;
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::guard::audit;
use crate::source::nearness;
use crate::source::text::{self, SourceText};
use sdl_redact::{self as redact, Level};

/// With less room than this, no file is opened.
pub(super) const LEAST: usize = 80;
/// Tokens of a piece's other fields.
pub(super) const AROUND: usize = 40;
/// A piece of fewer lines says too little, unless its symbol has no more.
pub(super) const FEWEST_LINES: usize = 4;

/// One piece.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evidence {
    /// `source` (the whole symbol), `hotPath` (its lines that matter), `skeleton`, `card`, `cardRef` (a card you hold)
    /// or `test`.
    pub(crate) kind: String,
    /// The symbol it is about.
    pub(crate) symbol_id: String,
    /// The text. Of source, the first line is `path:first-last name`.
    pub(crate) content: String,
    /// Tokens of `content`.
    pub(crate) tokens: u64,
    /// The decision on the lines of source in it.
    #[serde(skip)]
    pub(crate) row: Option<audit::Row>,
}

/// Adds a piece if there is room. Returns the tokens it takes of the answer.
pub(super) fn push_evidence(
    cx: &ReadCx<'_>,
    list: &mut Vec<Evidence>,
    (kind, symbol, content): (&str, SymbolId, String),
    room: usize,
) -> Result<Option<usize>, ToolError> {
    // Masked here as well as at the end, because its tokens are reported.
    let level = || cx.policy().map(|policy| policy.level());
    let content = match redact::mask_text(&content, Level::Likely) {
        Some(_) => redact::mask_text(&content, level()?).unwrap_or(content),
        None => content,
    };
    let tokens = budget::text_tokens(&content) as u64;
    let piece = Evidence { kind: kind.to_owned(), symbol_id: symbol.to_string(), content, tokens, row: None };
    let size = budget::json_tokens(&piece)? + 1;
    if size > room {
        return Ok(None);
    }
    list.push(piece);
    Ok(Some(size))
}

/// Whether symbols of a kind have text of their own: a module's is that of its symbols.
pub(super) fn is_shown(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Module | SymbolKind::Namespace)
}

/// What was read for one answer, so that it is read once: files, and which symbols the held slices have.
#[derive(Default)]
pub(super) struct Opened {
    files: HashMap<FileId, Rc<SourceText>>,
    members: OnceCell<HashSet<SymbolId>>,
}

impl Opened {
    /// For an answer that lists `members`, which count as symbols of a held slice: an equal request after it would find
    /// them in one.
    pub(super) fn for_slice(members: &[SymbolId]) -> Self {
        Self { members: OnceCell::from(members.iter().copied().collect::<HashSet<_>>()), ..Self::default() }
    }

    pub(super) fn text(&mut self, cx: &ReadCx<'_>, sym: &Sym) -> Result<Rc<SourceText>, ToolError> {
        let file = FileId::of(&sym.row().path);
        if let Some(known) = self.files.get(&file) {
            return Ok(Rc::clone(known));
        }
        let text = Rc::new(text::file_text(cx, sym.row())?);
        self.files.insert(file, Rc::clone(&text));
        Ok(text)
    }
    /// Returns whether the symbol is in a held slice, and whether it is next to one.
    pub(super) fn nearness(&self, cx: &ReadCx<'_>, symbol: SymbolId) -> Result<(bool, bool), ToolError> {
        let members = match self.members.get() {
            Some(known) => known,
            None => {
                let found = nearness::slice_members(cx)?;
                self.members.get_or_init(|| found)
            }
        };
        nearness::to_members(cx, members, symbol)
    }
}
