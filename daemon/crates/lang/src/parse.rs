//! Parsing, with parsers kept per thread and a limit counted in steps.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use sdl_model::Lang;
use tree_sitter::{Language as Grammar, ParseOptions, Parser, Tree};

use crate::ExtractError;

/// Steps that any file gets. A step is a hundred of the parser's operations (one call of its progress callback), or
/// work that takes as long. Steps and not seconds, because facts must be the same on a slow machine.
pub const PARSE_STEPS_BASE: u64 = 20_000;

/// Steps that each byte adds: ordinary code takes a third of that, broken code more. The largest file
/// gets about a second's worth.
pub const PARSE_STEPS_PER_BYTE: f64 = 0.03;

/// The weight of a step taken where the text has an error: the parser then tries every symbol that it knows.
const ERROR_STEPS: u64 = 4;

/// How much text the parser gets at a time. Its operations don't show how far a scanner looked ahead; the number of
/// requests for more text does.
const CHUNK: usize = 128;

/// How many chunks count as a step. Ordinary code is read twice to five times over.
const CHUNKS_PER_STEP: u64 = 32;

/// Maximum number of brackets that may be open at once. The parser's own cleanup recurses as deep as the unresolved
/// part of the text, on a stack of fixed size.
const MAX_OPEN_BRACKETS: u32 = 10_000;

thread_local! {
    static PARSERS: RefCell<Vec<(Lang, Parser)>> = const { RefCell::new(Vec::new()) };
}

/// [`crate::Language::prepare`].
pub(crate) type Prepare = fn(Lang, &[u8]) -> Cow<'_, [u8]>;

/// Parses `bytes` as `lang` with `grammar`, which gets the text that `prepare` makes of them.
pub(crate) fn parse_source(
    lang: Lang,
    grammar: &Grammar,
    prepare: Prepare,
    bytes: &[u8],
) -> Result<Tree, ExtractError> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(ExtractError::TooLarge(bytes.len()));
    }
    let bytes = &*prepare(lang, bytes);
    if bytes.len() > MAX_OPEN_BRACKETS as usize && most_open(bytes) > MAX_OPEN_BRACKETS {
        return Err(ExtractError::TooDeep(MAX_OPEN_BRACKETS));
    }
    // Taken out while in use, because a panic below must drop the parser instead of leaving a half-used one.
    let kept = PARSERS.with_borrow_mut(|parsers| {
        let at = parsers.iter().position(|(of, _)| *of == lang)?;
        Some(parsers.swap_remove(at).1)
    });
    let mut parser = if let Some(parser) = kept {
        parser
    } else {
        let mut parser = Parser::new();
        parser.set_language(grammar).map_err(|_| ExtractError::Grammar(lang))?;
        parser
    };
    let limit = PARSE_STEPS_BASE + (bytes.len() as f64 * PARSE_STEPS_PER_BYTE) as u64;
    let steps = Cell::new(0);
    let chunks = Cell::new(0);
    let is_over = || steps.get() + chunks.get() / CHUNKS_PER_STEP > limit;
    let mut progress = |state: &tree_sitter::ParseState| {
        steps.set(steps.get() + if state.has_error() { ERROR_STEPS } else { 1 });
        if is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut chunk_at = |offset: usize, _| {
        chunks.set(chunks.get() + 1);
        // Reading can't be refused; beyond the limit every text ends here, until the next step is.
        let rest = if is_over() { &[] } else { bytes.get(offset..).unwrap_or_default() };
        rest.get(..CHUNK).unwrap_or(rest)
    };
    let tree = parser.parse_with_options(&mut chunk_at, None, Some(options));
    // A tree parsed while texts ended early does not represent the file.
    let tree = tree.filter(|_| !is_over());
    if tree.is_none() {
        parser.reset();
    }
    PARSERS.with_borrow_mut(|parsers| parsers.push((lang, parser)));
    tree.ok_or(ExtractError::ParseBudget { lang, steps: limit })
}

/// The most brackets that are open at once, including those in strings and comments.
fn most_open(bytes: &[u8]) -> u32 {
    let mut open = 0_u32;
    let mut most = 0;
    for byte in bytes {
        match byte {
            b'(' | b'[' | b'{' => {
                open += 1;
                most = most.max(open);
            }
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// The bytes as text of the same length: each byte that is not UTF-8 becomes `?`, so that offsets hold.
pub(crate) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    Cow::Owned(text)
}
