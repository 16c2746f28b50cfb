//! The rungs that show source: skeleton, hot path, window. Pure functions from a text and its facts to lines; the
//! secrets of every line are masked already.

pub(crate) mod hot_path;
pub(crate) mod identifiers;
pub(crate) mod lines;
pub(crate) mod share;
pub(crate) mod skeleton;
pub(crate) mod window;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use sdl_lang::Structure;
use sdl_model::facts::{DefIx, Span};
use sdl_model::{FactsKey, Outline};
use sdl_retrieve::Sym;
use serde::Serialize;

use crate::call::context::Call;
use crate::call::memos::Recent;
use crate::source::text::SourceText;
use crate::{Code, Explained, ToolError};

/// The mark for omitted text.
pub(crate) const GAP: &str = "/* ... */";

/// A stretch of a file. Lines are 1-based, columns 0-based in bytes, the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RangeOut {
    /// First line, from 1.
    pub(crate) start_line: u32,
    /// First column, in bytes from 0.
    pub(crate) start_col: u32,
    /// Last line.
    pub(crate) end_line: u32,
    /// Column after the last byte.
    pub(crate) end_col: u32,
}

impl RangeOut {
    /// Returns the range of a definition.
    pub(crate) fn of(span: &Span) -> Self {
        Self {
            start_line: span.start_line,
            start_col: span.start_col,
            end_line: span.end_line,
            end_col: span.end_col,
        }
    }

    /// Returns the range of a symbol with these first and last lines. The range of a module is whole lines.
    pub(crate) fn of_symbol(text: &SourceText, sym: &Sym, (first, last): (u32, u32)) -> Self {
        match sym.ix {
            DefIx::MODULE => Self::lines(text, first, last),
            _ => Self::of(&sym.def().span),
        }
    }

    /// Returns the range of whole lines, first and last.
    pub(crate) fn lines(text: &SourceText, first: u32, last: u32) -> Self {
        let end = text.line(last);
        Self { start_line: first, start_col: 0, end_line: last, end_col: (end.end - end.start) as u32 }
    }
}

/// The structures of recent texts. They are kept because an agent that works on a file looks at it again, and parsing
/// is most of the cost.
#[derive(Default)]
struct Structures(Recent<FactsKey, Arc<Structure>, 48>);

/// Larger structures are not kept.
const MOST_KEPT: usize = 8_192;

/// The identifiers of recent texts.
#[derive(Default)]
struct Names(Recent<FactsKey, Places, 48>);

/// Longer lists of identifiers are not kept.
const MOST_NAMES: usize = 16_384;

/// Where identifiers are; none if there is no grammar for the text.
type Places = Arc<Option<Vec<std::ops::Range<u32>>>>;

/// The identifiers of definitions in recent texts, by their bytes.
#[derive(Default)]
struct NamesWithin(Recent<FactsKey, Arc<Mutex<Definitions>>, 96>);

type Definitions = HashMap<std::ops::Range<usize>, Places>;

/// Identifiers of definitions that are kept for a text.
const MOST_WITHIN: usize = 4_096;

/// Returns where identifiers are in a text; none if there is no grammar for it, and every word may be one.
pub(crate) fn identifier_ranges(call: &Call<'_>, text: &SourceText) -> Result<Places, ToolError> {
    let names = call.memos.shared::<Names>();
    if let Some(known) = names.0.get(&text.key) {
        return Ok(known);
    }
    let made = sdl_lang::identifier_ranges(text.key.lang, text.unmasked().as_bytes()).map_err(|error| {
        ToolError::new(Code::Unavailable, format!("{} can't be parsed: {error}", text.path))
    })?;
    let made = Arc::new(made);
    if made.as_ref().as_ref().map_or(0, Vec::len) <= MOST_NAMES {
        names.0.put(text.key, Arc::clone(&made));
    }
    Ok(made)
}

/// Returns where identifiers are on the lines `first` to `last`, which are those of a definition. Unlike
/// [`identifier_ranges`] it need not read the whole file.
pub(crate) fn identifiers_on(
    call: &Call<'_>,
    text: &SourceText,
    (first, last): (u32, u32),
) -> Result<Places, ToolError> {
    let names = call.memos.shared::<Names>();
    if let Some(known) = names.0.get(&text.key) {
        return Ok(known);
    }
    let (source, lines) = (text.unmasked(), text.line(first).start..text.line(last).end);
    let indented = source.get(lines.clone()).unwrap_or_default();
    let part = lines.end - indented.trim_start().len()..lines.end;
    let recent = call.memos.shared::<NamesWithin>();
    let within = recent.0.get(&text.key).unwrap_or_default();
    if let Some(known) = lock_definitions(&within).get(&part) {
        return Ok(Arc::clone(known));
    }
    let Some(alone) = sdl_lang::identifiers_alone(text.key.lang, source.as_bytes(), part.clone()) else {
        return identifier_ranges(call, text);
    };
    let mut known = lock_definitions(&within);
    let kept: usize = known.values().filter_map(|places| places.as_ref().as_ref()).map(Vec::len).sum();
    let (has_room, alone) = (kept + alone.len() <= MOST_WITHIN, Arc::new(Some(alone)));
    if has_room {
        known.insert(part, Arc::clone(&alone));
        drop(known);
        recent.0.put(text.key, within);
    }
    Ok(alone)
}

fn lock_definitions(within: &Mutex<Definitions>) -> MutexGuard<'_, Definitions> {
    within.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns where control flow and comments are in a text whose facts have that outline.
pub(crate) fn text_structure(
    call: &Call<'_>,
    text: &SourceText,
    outline: &Outline,
) -> Result<Arc<Structure>, ToolError> {
    let structures = call.memos.shared::<Structures>();
    if let Some(known) = structures.0.get(&text.key) {
        return Ok(known);
    }
    let made =
        sdl_lang::source_structure(text.key.lang, text.unmasked().as_bytes(), outline).map_err(|error| {
            ToolError::new(Code::Unavailable, format!("{} can't be parsed: {error}", text.path))
        })?;
    let made = Arc::new(made);
    if made.size() <= MOST_KEPT {
        structures.0.put(text.key, Arc::clone(&made));
    }
    Ok(made)
}
