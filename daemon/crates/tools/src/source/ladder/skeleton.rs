//! Signatures and control flow without bodies: takes the lines that `sdl_lang` selects, masks and formats them.

use std::ops::Range;

use sdl_lang::Structure;
use sdl_lang::skeleton::{self, Piece, View};
use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::{Outline, SymbolKind};

use super::GAP;
use super::identifiers::{self, Matches};
use super::lines::shorten_line;
use crate::source::text::SourceText;

/// A skeleton to make.
pub(crate) struct Wanted<'a> {
    pub(crate) text: &'a SourceText,
    pub(crate) outline: &'a Outline,
    pub(crate) structure: &'a Structure,
    /// The definition; the module for the whole file.
    pub(crate) scope: DefIx,
    pub(crate) exported_only: bool,
    /// Lines with these identifiers are shown and marked.
    pub(crate) marked: &'a Matches,
}

/// Returns the lines of the skeleton.
pub(crate) fn skeleton_lines(wanted: &Wanted<'_>) -> Vec<String> {
    let Wanted { text, outline, structure, scope, .. } = *wanted;
    let Some(around) = outline.def(scope) else { return Vec::new() };
    let source = text.unmasked();
    let within = match scope {
        DefIx::MODULE => 0..source.len(),
        _ => skeleton::stretch_around(source, around.span.start as usize..around.span.end as usize),
    };
    let found = wanted.marked;
    let shown: Vec<Range<usize>> = found.lines.iter().map(|number| text.line(*number)).collect();
    let hidden = if wanted.exported_only { hidden_ranges(text, outline, scope) } else { Vec::new() };
    let view = View { text: source, structure, within, hidden: &hidden, shown: &shown };
    skeleton::skeleton_lines(&view).iter().map(|line| render_line(text, line, found)).collect()
}

/// Returns a line as it is served. The wanted identifiers in it are named at its end.
fn render_line(text: &SourceText, line: &skeleton::Line, found: &Matches) -> String {
    let mut out = String::new();
    let mut marked = false;
    for piece in &line.pieces {
        match piece {
            Piece::Text(range) => {
                marked |= found.lines.binary_search(&text.line_of(range.start)).is_ok();
                out.push_str(&text.cut(range.clone()));
            }
            Piece::Gap(_) => out.push_str(GAP),
        }
    }
    let mut out = shorten_line(out.trim_end());
    let names = found.identifiers.iter().filter(|one| marked && identifiers::contains_identifier(&out, one));
    let names: Vec<&str> = names.map(String::as_str).collect();
    if !names.is_empty() {
        out.push_str(&format!(" /* <- {} */", names.join(", ")));
    }
    out
}

/// Returns the definitions that no other file can see, each with everything inside it, in order. The requested
/// definition is never among them, and blocks that contain methods are searched.
fn hidden_ranges(text: &SourceText, outline: &Outline, scope: DefIx) -> Vec<Range<usize>> {
    let mut hidden: Vec<Range<usize>> = Vec::new();
    for (_, def) in outline.iter().filter(|(ix, _)| *ix != DefIx::MODULE && *ix != scope) {
        let seen = def.flags.has(DefFlags::EXPORTED) || def.kind == SymbolKind::Impl;
        let holds_scope = outline
            .def(scope)
            .is_some_and(|scope| def.span.start <= scope.span.start && def.span.end >= scope.span.end);
        if !seen && !holds_scope {
            hidden.push(skeleton::stretch_around(
                text.unmasked(),
                def.span.start as usize..def.span.end as usize,
            ));
        }
    }
    hidden.sort_by_key(|range| (range.start, range.end));
    hidden
}
