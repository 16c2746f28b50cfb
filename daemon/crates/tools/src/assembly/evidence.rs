//! Pieces of evidence, each with what it takes.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use schemars::JsonSchema;
use sdl_lang::Structure;
use sdl_model::{FileId, SymbolId};
use sdl_retrieve::Sym;
use sdl_retrieve::card::Card;
use serde::Serialize;

use crate::action::ReadCx;
use crate::ladder::{self, hot_path, identifiers, lines, skeleton};
use crate::redact::{self, Level};
use crate::source_text::SourceText;
use crate::{ToolError, budget, source_text};

/// Less room than this is not worth opening a file for.
pub(super) const LEAST: usize = 60;
/// No piece takes less than about this.
pub(super) const SMALLEST: usize = 36;
/// Lines of one skeleton or hot path.
const MOST_LINES: usize = 60;
/// Lines around each match.
const CONTEXT: u32 = 2;

/// One piece.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evidence {
    /// `card`, `cardRef`, `test`, `skeleton` or `hotPath`.
    pub(crate) kind: String,
    pub(crate) symbol_id: String,
    pub(crate) content: String,
    /// Of `content`.
    pub(crate) tokens: u64,
}

/// Adds a piece if there is room; what it takes of the answer.
pub(super) fn push(
    cx: &ReadCx<'_>,
    list: &mut Vec<Evidence>,
    (kind, symbol, content): (&str, SymbolId, String),
    room: usize,
) -> Result<Option<usize>, ToolError> {
    // Here as well as on the way out, since its tokens are told.
    let level = || crate::policy::of(cx.call.host.agent(), cx.repo).map(|policy| policy.level());
    let content = match redact::text(&content, Level::Likely) {
        Some(_) => redact::text(&content, level()?).unwrap_or(content),
        None => content,
    };
    let tokens = budget::count(&content) as u64;
    let piece = Evidence { kind: kind.to_owned(), symbol_id: symbol.to_string(), content, tokens };
    let size = budget::of(&piece)? + 1;
    if size > room {
        return Ok(None);
    }
    list.push(piece);
    Ok(Some(size))
}

/// Adds as many lines as there is room for; what they take, and whether there was room for all that one piece may show.
pub(super) fn push_lines(
    cx: &ReadCx<'_>,
    list: &mut Vec<Evidence>,
    (kind, symbol, all): (&str, SymbolId, &[String]),
    room: usize,
) -> Result<(usize, bool), ToolError> {
    let content = |count: usize| {
        let mut shown = all.get(..count).unwrap_or_default().join("\n");
        if count < all.len() {
            shown.push('\n');
            shown.push_str(ladder::GAP);
        }
        shown
    };
    // Its other fields take about 40.
    let (most, room_for_lines) = (all.len().min(MOST_LINES), room.saturating_sub(40));
    if budget::of(&content(most.min(1)))? > room_for_lines {
        return Ok((0, false));
    }
    let count = lines::fitting(most, room_for_lines, |count| budget::of(&content(count)))?;
    if count < most.min(2) || count == 0 {
        return Ok((0, count == most));
    }
    let size = push(cx, list, (kind, symbol, content(count)), room)?;
    Ok((size.unwrap_or(0), count == most && size.is_some()))
}

/// Lines of a symbol's hot path that are among the evidence.
pub(super) fn lines_shown(list: &[Evidence], symbol: SymbolId) -> usize {
    let id = symbol.to_string();
    let shown = list.iter().filter(|piece| piece.kind == "hotPath" && piece.symbol_id == id);
    shown.map(|piece| piece.content.lines().count()).sum()
}

/// Whether there is more to a symbol than its card tells.
pub(super) fn has_body(card: &Card) -> bool {
    let long = card.range.end_line >= card.range.start_line + 3;
    long && (card.kind.is_callable() || card.kind.is_type())
}

/// Files that were opened for one answer: what it shows of several symbols of a file is read and parsed once. As many as
/// symbols are opened, at most.
#[derive(Default)]
pub(super) struct Opened(HashMap<FileId, Rc<(SourceText, Arc<Structure>)>>);

impl Opened {
    fn get(&mut self, cx: &ReadCx<'_>, sym: &Sym) -> Result<Rc<(SourceText, Arc<Structure>)>, ToolError> {
        let file = FileId::of(&sym.row().path);
        if let Some(known) = self.0.get(&file) {
            return Ok(Rc::clone(known));
        }
        let text = source_text::of(cx, sym.row())?;
        let structure = ladder::structure(cx.call, &text, sym.outline())?;
        let opened = Rc::new((text, structure));
        self.0.insert(file, Rc::clone(&opened));
        Ok(opened)
    }
}

/// Signature and control flow.
pub(super) fn skeleton(cx: &ReadCx<'_>, sym: &Sym, opened: &mut Opened) -> Result<Vec<String>, ToolError> {
    let file = opened.get(cx, sym)?;
    let (text, structure) = &*file;
    Ok(skeleton::lines(&skeleton::Wanted {
        text,
        outline: sym.outline(),
        structure,
        scope: sym.ix,
        exported_only: false,
        identifiers: &[],
    }))
}

/// The lines around the task's names.
pub(super) fn hot_path(
    cx: &ReadCx<'_>,
    sym: &Sym,
    names: &[String],
    opened: &mut Opened,
) -> Result<Vec<String>, ToolError> {
    let file = opened.get(cx, sym)?;
    let (text, structure) = &*file;
    let (first, last) = skeleton::span_lines(text, sym.def(), sym.ix);
    let found = identifiers::find(text, structure, names, first, last);
    let lines = hot_path::lines(text, &found, CONTEXT, first, last);
    Ok(lines.into_iter().map(|line| line.text).collect())
}
