//! Signatures and control flow, bodies left out. Every line of a skeleton is a line of the file, cut where a body begins, or a
//! gap.

use sdl_lang::Structure;
use sdl_model::facts::{Def, DefFlags, DefIx};
use sdl_model::{Outline, SymbolKind};

use super::GAP;
use super::identifiers::{self, Matches};
use super::lines::shortened;
use crate::source_text::SourceText;

/// The most lines of one header.
const LONGEST_HEADER: u32 = 20;

/// What to show.
pub(crate) struct Wanted<'a> {
    pub(crate) text: &'a SourceText,
    pub(crate) outline: &'a Outline,
    pub(crate) structure: &'a Structure,
    /// The definition; the module for the whole file.
    pub(crate) scope: DefIx,
    pub(crate) exported_only: bool,
    /// Lines with these are shown and marked.
    pub(crate) identifiers: &'a [String],
}

/// What becomes of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Part of a gap.
    Gone,
    /// Not even that.
    Hidden,
    Shown,
    /// Up to this byte, where a body begins.
    Cut(usize),
}

/// The lines of the skeleton.
pub(crate) fn lines(wanted: &Wanted<'_>) -> Vec<String> {
    let Wanted { text, outline, structure, scope, .. } = *wanted;
    let Some(around) = outline.def(scope) else { return Vec::new() };
    let (first, last) = span_lines(text, around, scope);
    let mut page = Page { text, first, fates: vec![Fate::Gone; (last + 1 - first) as usize] };
    let mut hidden: Vec<std::ops::Range<u32>> = Vec::new();
    for (ix, def) in outline.iter().filter(|(ix, _)| *ix != DefIx::MODULE) {
        let inside = scope == DefIx::MODULE
            || (def.span.start >= around.span.start && def.span.end <= around.span.end);
        if !inside || hidden.iter().any(|range| range.contains(&def.span.start)) {
            continue;
        }
        let shown = !wanted.exported_only || ix == scope || def.kind == SymbolKind::Impl;
        if shown || def.flags.has(DefFlags::EXPORTED) {
            show(&mut page, structure, def);
        } else {
            hidden.push(def.span.start..def.span.end.max(def.span.start + 1));
            page.hide(text.line_of(def.span.start as usize), text.line_of(last_byte(def.span.end)));
        }
    }
    for control in &structure.controls {
        let start = control.all.start;
        let inside =
            scope == DefIx::MODULE || (around.span.start as usize..around.span.end as usize).contains(&start);
        if inside && !hidden.iter().any(|range| range.contains(&(start as u32))) {
            let from = text.line_of(start);
            match control.body {
                Some(body) => page.header(from, body, control.all.end),
                None => page.keep(from),
            }
            page.closing(control.all.end);
        }
    }
    page.render(structure, wanted.identifiers)
}

/// The first and the last line of a definition, or of the file.
pub(crate) fn span_lines(text: &SourceText, def: &Def, ix: DefIx) -> (u32, u32) {
    if ix == DefIx::MODULE {
        return (1, text.lines().max(1));
    }
    (text.line_of(def.span.start as usize), text.line_of(last_byte(def.span.end)))
}

fn last_byte(end: u32) -> usize {
    (end as usize).saturating_sub(1)
}

/// Shows a definition's header and its last line.
fn show(page: &mut Page<'_>, structure: &Structure, def: &Def) {
    let from = page.text.line_of(header_start(page.text, structure, def));
    match def.body_start {
        Some(body) if body > def.span.start => page.header(from, body as usize, def.span.end as usize),
        _ => {
            let data = def.params.is_empty() && def.bases.is_empty();
            let last = page.text.line_of(last_byte(def.span.end));
            let last = if data { from } else { last.min(from.saturating_add(LONGEST_HEADER)) };
            (from..=last).for_each(|line| page.keep(line));
        }
    }
    page.closing(def.span.end as usize);
}

/// Where a definition begins behind its documentation.
fn header_start(text: &SourceText, structure: &Structure, def: &Def) -> usize {
    let (mut at, end) = (def.span.start as usize, def.span.end as usize);
    let mut next = structure.comments.partition_point(|comment| comment.start < at);
    loop {
        let rest = text.unmasked().get(at..end).unwrap_or_default();
        at += rest.len() - rest.trim_start().len();
        match structure.comments.get(next) {
            Some(comment) if comment.start == at && comment.end < end => {
                at = comment.end;
                next += 1;
            }
            _ => return at.min(end),
        }
    }
}

/// The lines of a stretch of a file, and what becomes of each.
struct Page<'a> {
    text: &'a SourceText,
    first: u32,
    fates: Vec<Fate>,
}

impl Page<'_> {
    fn fate(&mut self, line: u32) -> Option<&mut Fate> {
        self.fates.get_mut(line.checked_sub(self.first)? as usize)
    }

    fn keep(&mut self, line: u32) {
        if let Some(fate) = self.fate(line) {
            *fate = Fate::Shown;
        }
    }

    fn hide(&mut self, first: u32, last: u32) {
        for line in first..=last {
            if let Some(fate) = self.fate(line)
                && *fate == Fate::Gone
            {
                *fate = Fate::Hidden;
            }
        }
    }

    /// Shows from the line `from` to where the body begins.
    fn header(&mut self, from: u32, body: usize, end: usize) {
        let line = self.text.line_of(body);
        let place = self.text.line(line);
        let source = self.text.unmasked();
        let before = source.get(place.start..body).unwrap_or_default();
        let rest = source.get(body..place.end).unwrap_or_default().trim();
        let last = line.min(from.saturating_add(LONGEST_HEADER));
        (from..last).for_each(|line| self.keep(line));
        if rest.is_empty() || rest == "{" || (line == from && end > place.end && before.trim().is_empty()) {
            // A brace on a line of its own, or a body on the lines behind.
            self.keep(last);
        } else if !before.trim().is_empty()
            && let Some(fate) = self.fate(line)
            && *fate != Fate::Shown
        {
            *fate = Fate::Cut(body);
        }
    }

    /// Shows the line at whose end something ends, if it does nothing else.
    fn closing(&mut self, end: usize) {
        let line = self.text.line_of(end.saturating_sub(1));
        let shown = self.text.unmasked().get(self.text.line(line)).unwrap_or_default().trim();
        let word = matches!(shown, "end" | "fi" | "done" | "esac");
        if !shown.is_empty() && (word || shown.chars().all(|c| "})];,".contains(c))) {
            self.keep(line);
        }
    }

    fn render(&self, structure: &Structure, wanted: &[String]) -> Vec<String> {
        let last = self.first + self.fates.len() as u32 - 1;
        let found = match wanted {
            [] => Matches::default(),
            wanted => identifiers::find(self.text, structure, wanted, self.first, last),
        };
        let mut out: Vec<String> = Vec::new();
        // How far the gap before this line is indented.
        let mut gap: Option<usize> = None;
        for (fate, number) in self.fates.iter().zip(self.first..) {
            let place = self.text.line(number);
            let source = self.text.unmasked().get(place.clone()).unwrap_or_default();
            let marked = found.lines.binary_search(&number).is_ok();
            let line = match fate {
                _ if source.trim().is_empty() => continue,
                _ if marked && *fate != Fate::Hidden => self.text.shown(number).into_owned(),
                Fate::Shown => self.text.shown(number).into_owned(),
                Fate::Cut(at) => {
                    let braces = self.text.unmasked().as_bytes().get(*at) == Some(&b'{');
                    let head = self.text.cut(place.start..*at);
                    let body = if braces { format!("{{ {GAP} }}") } else { GAP.to_owned() };
                    format!("{} {body}", head.trim_end())
                }
                Fate::Hidden => continue,
                Fate::Gone => {
                    let indent = source.len() - source.trim_start().len();
                    let comment = structure.comments.partition_point(|c| c.end <= place.start + indent);
                    let comment =
                        structure.comments.get(comment).is_some_and(|c| c.start <= place.start + indent);
                    if !comment && gap.is_none_or(|gap| indent < gap) {
                        out.push(format!("{}{GAP}", source.get(..indent).unwrap_or_default()));
                        gap = Some(indent);
                    }
                    continue;
                }
            };
            gap = None;
            let mut line = shortened(line.trim_end());
            if marked {
                let names: Vec<&str> = wanted
                    .iter()
                    .filter(|one| identifiers::stands_in(&line, one))
                    .map(String::as_str)
                    .collect();
                line.push_str(&format!(" /* <- {} */", names.join(", ")));
            }
            out.push(line);
        }
        out
    }
}
