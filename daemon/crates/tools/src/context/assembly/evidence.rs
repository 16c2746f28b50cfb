//! Pieces of evidence, each with its size in tokens.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use schemars::JsonSchema;
use sdl_lang::Structure;
use sdl_model::{FileId, SymbolId};
use sdl_retrieve::Sym;
use sdl_retrieve::card::Card;
use serde::Serialize;

use crate::ToolError;
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::host::policies;
use crate::source::ladder::hot_path::{self, Excerpt};
use crate::source::ladder::identifiers::{self, Matches};
use crate::source::ladder::{self, lines, share, skeleton};
use crate::source::text;
use crate::source::text::SourceText;
use sdl_redact::{self as redact, Level};

/// With less room than this, no file is opened.
pub(super) const LEAST: usize = 60;
/// The approximate size of the smallest piece.
pub(super) const SMALLEST: usize = 36;
/// Maximum number of lines of one skeleton or hot path.
const MOST_LINES: usize = 60;
/// Lines around each match.
const CONTEXT: u32 = 2;

/// One piece.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evidence {
    /// `card`, `cardRef` (a card you hold), `test`, `skeleton` or `hotPath`.
    pub(crate) kind: String,
    /// The symbol it is about.
    pub(crate) symbol_id: String,
    /// The text.
    pub(crate) content: String,
    /// Tokens of `content`.
    pub(crate) tokens: u64,
    /// Whether these are lines of the source as they are.
    #[serde(skip)]
    pub(crate) raw: bool,
}

/// Adds a piece if there is room. Returns the tokens it takes of the answer.
pub(super) fn push_evidence(
    cx: &ReadCx<'_>,
    list: &mut Vec<Evidence>,
    (kind, symbol, content): (&str, SymbolId, String),
    room: usize,
) -> Result<Option<usize>, ToolError> {
    // Masked here as well as at the end, because its tokens are reported.
    let level = || crate::host::policies::repo_policy(cx.call.host, cx.repo).map(|policy| policy.level());
    let content = match redact::mask_text(&content, Level::Likely) {
        Some(_) => redact::mask_text(&content, level()?).unwrap_or(content),
        None => content,
    };
    let tokens = budget::text_tokens(&content) as u64;
    let piece =
        Evidence { kind: kind.to_owned(), symbol_id: symbol.to_string(), content, tokens, raw: false };
    let size = budget::json_tokens(&piece)? + 1;
    if size > room {
        return Ok(None);
    }
    list.push(piece);
    Ok(Some(size))
}

/// The number of lines, and a function that returns the text of the first `n` lines.
pub(super) type Lines<'l> = (usize, &'l dyn Fn(usize) -> String);

/// Adds as many lines as there is room for. Returns their tokens, and whether there was room for all lines that one
/// piece may show.
pub(super) fn push_lines(
    cx: &ReadCx<'_>,
    list: &mut Vec<Evidence>,
    (kind, symbol, (all, content)): (&str, SymbolId, Lines<'_>),
    room: usize,
) -> Result<(usize, bool), ToolError> {
    // The piece's other fields take about 40 tokens.
    let (most, room_for_lines) = (all.min(MOST_LINES), room.saturating_sub(40));
    if most == 0 || budget::json_tokens(&content(1))? > room_for_lines {
        return Ok((0, most == 0));
    }
    let count = lines::fitting_lines(most, room_for_lines, |count| budget::json_tokens(&content(count)))?;
    if count < most.min(2) || count == 0 {
        return Ok((0, count == most));
    }
    let size = push_evidence(cx, list, (kind, symbol, content(count)), room)?;
    Ok((size.unwrap_or(0), count == most && size.is_some()))
}

/// Counts the lines of a symbol's hot path that are among the evidence.
pub(super) fn lines_shown(list: &[Evidence], symbol: SymbolId) -> usize {
    let id = symbol.to_string();
    let shown = list.iter().filter(|piece| piece.kind == "hotPath" && piece.symbol_id == id);
    shown.map(|piece| piece.content.lines().count()).sum()
}

/// Returns the lines and tokens of raw source; gaps count too.
pub(super) fn raw_so_far(list: &[Evidence]) -> (usize, usize) {
    let raw = list.iter().filter(|piece| piece.raw);
    raw.fold((0, 0), |(lines, tokens), piece| {
        (lines + piece.content.lines().count(), tokens + piece.tokens as usize)
    })
}

/// Whether a symbol has more than its card shows.
pub(super) fn has_body(card: &Card) -> bool {
    let long = card.range.end_line >= card.range.start_line + 3;
    long && (card.kind.is_callable() || card.kind.is_type())
}

/// Files that were opened for one answer: a file with several symbols is read and parsed once. At most as many as there
/// are opened symbols.
#[derive(Default)]
pub(super) struct Opened(HashMap<FileId, Rc<(SourceText, Arc<Structure>)>>);

impl Opened {
    fn get(&mut self, cx: &ReadCx<'_>, sym: &Sym) -> Result<Rc<(SourceText, Arc<Structure>)>, ToolError> {
        let file = FileId::of(&sym.row().path);
        if let Some(known) = self.0.get(&file) {
            return Ok(Rc::clone(known));
        }
        let text = text::file_text(cx, sym.row())?;
        let structure = ladder::text_structure(cx.call, &text, sym.outline())?;
        let opened = Rc::new((text, structure));
        self.0.insert(file, Rc::clone(&opened));
        Ok(opened)
    }
}

/// Adds the signature and the control flow of a symbol; see [`push_lines`].
pub(super) fn push_skeleton(
    cx: &ReadCx<'_>,
    list: &mut Vec<Evidence>,
    (kind, sym): (&str, &Sym),
    opened: &mut Opened,
    room: usize,
) -> Result<(usize, bool), ToolError> {
    let file = opened.get(cx, sym)?;
    let (text, structure) = &*file;
    let all = skeleton::skeleton_lines(&skeleton::Wanted {
        text,
        outline: sym.outline(),
        structure,
        scope: sym.ix,
        exported_only: false,
        marked: &Matches::default(),
    });
    let content = |count: usize| {
        let mut shown = all.get(..count).unwrap_or_default().join("\n");
        if count < all.len() {
            shown.push('\n');
            shown.push_str(ladder::GAP);
        }
        shown
    };
    let pushed = push_lines(cx, list, (kind, sym.id, (all.len(), &content)), room)?;
    let span = lines::span_lines(text, sym.def(), sym.ix);
    if pushed.0 > 0
        && share::is_source(&all, text, span)
        && let Some(piece) = list.last_mut()
    {
        piece.raw = true;
    }
    Ok(pushed)
}

/// Adds the lines around the task's names: at most `most_lines` of the source, and at most as many of a symbol as need
/// no approval; see [`push_lines`].
pub(super) fn push_hot_path(
    cx: &ReadCx<'_>,
    list: &mut Vec<Evidence>,
    (kind, sym, wanted): (&str, &Sym, &[String]),
    opened: &mut Opened,
    (room, most_lines): (usize, usize),
) -> Result<(usize, bool), ToolError> {
    let file = opened.get(cx, sym)?;
    let (text, _) = &*file;
    let policy = policies::repo_policy(cx.call.host, cx.repo)?;
    let names = ladder::identifier_ranges(cx.call, text)?;
    let (first, last) = lines::span_lines(text, sym.def(), sym.ix);
    let found = identifiers::find_identifiers(text, names.as_deref(), wanted, first, last);
    let all = Excerpt::new(text, &found, CONTEXT, first, last);
    let most = all.len().min(share::unapproved_lines(last + 1 - first, &policy)).min(most_lines);
    let content = |count: usize| hot_path::join_lines(&all.lines(count));
    let pushed = push_lines(cx, list, (kind, sym.id, (most, &content)), room)?;
    if pushed.0 > 0
        && let Some(piece) = list.last_mut()
    {
        piece.raw = true;
    }
    Ok(pushed)
}
