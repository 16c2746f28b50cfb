//! The lines of a skeleton: a stretch of a text with marks in place of the parts left out.

use std::ops::Range;

use super::Structure;

/// A line is broken after the mark that ends beyond this many bytes.
const LONG_LINE: usize = 700;

/// The byte order mark. It begins some files, for example those of Windows editors, and is not part of their content.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The part of a text to show.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// All of the text.
    pub text: &'a str,
    /// Its structure.
    pub structure: &'a Structure,
    /// The stretch to show.
    pub within: Range<usize>,
    /// Stretches that are hidden without a mark, in order.
    pub hidden: &'a [Range<usize>],
    /// Stretches that are shown although a skeleton leaves them out, in order.
    pub shown: &'a [Range<usize>],
}

/// Part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// This stretch of the text.
    Text(Range<usize>),
    /// A mark in place of this stretch.
    Gap(Range<usize>),
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its parts, in order.
    pub pieces: Vec<Piece>,
}

/// A stretch that is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cut {
    range: Range<usize>,
    marked: bool,
}

/// The lines of a skeleton, none of them empty. Their brackets are in pairs if those of the stretch are.
pub fn skeleton_lines(view: &View<'_>) -> Vec<Line> {
    let cuts = with_comments(view, with_brackets(view, ordered_cuts(view)));
    let mut out = Lines::default();
    let mut at = view.within.start;
    if view.text.get(at..).is_some_and(|held| held.starts_with(BYTE_ORDER_MARK)) {
        at += BYTE_ORDER_MARK.len_utf8();
    }
    for cut in &cuts {
        out.text(view.text, at..cut.range.start);
        if cut.marked {
            out.gap(view.text, cut.range.clone());
        }
        at = at.max(cut.range.end);
    }
    out.text(view.text, at..view.within.end);
    out.done(view.text)
}

/// The stretch that shows `span`, the text before it on its line and the mark that ends it.
pub fn stretch_around(text: &str, span: Range<usize>) -> Range<usize> {
    let before = text.get(..span.start).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let plain = |text: &str| !text.contains(['(', ')', '[', ']', '{', '}', ';', ',']);
    let start = if before.get(line..).is_some_and(plain) { line } else { span.start };
    let after = text.get(span.end..).unwrap_or_default();
    let end = if after.starts_with([';', ',']) { span.end + 1 } else { span.end };
    start..end
}

/// The hidden and left-out stretches without the shown ones, in order.
fn ordered_cuts(view: &View<'_>) -> Vec<Cut> {
    let gaps =
        view.structure.gaps.iter().filter(|gap| gap.end > view.within.start && gap.start < view.within.end);
    let mut out: Vec<Cut> = Vec::new();
    for gap in gaps {
        let gap = gap.start.max(view.within.start)..gap.end.min(view.within.end);
        let first = view.shown.partition_point(|shown| shown.end <= gap.start);
        let shown =
            view.shown.get(first..).unwrap_or_default().iter().take_while(|shown| shown.start < gap.end);
        for part in subtract_ranges(gap.clone(), shown.cloned()) {
            out.extend(trim_range(view.text, part).map(|range| Cut { range, marked: true }));
        }
    }
    if view.hidden.is_empty() {
        return out;
    }
    let hides =
        |range: &Range<usize>| view.hidden.iter().any(|one| one.start <= range.start && range.end <= one.end);
    out.retain(|cut| !hides(&cut.range));
    let mut outer: Vec<Range<usize>> = Vec::new();
    for one in view.hidden.iter().filter(|one| one.end > view.within.start && one.start < view.within.end) {
        let one = one.start.max(view.within.start)..one.end.min(view.within.end);
        match outer.last_mut() {
            Some(last) if one.start <= last.end => last.end = last.end.max(one.end),
            _ => outer.push(one),
        }
    }
    // In the middle of a line, a hidden definition leaves a mark: a constructor shown without its private parameters
    // would seem to take none.
    out.extend(outer.into_iter().map(|range| Cut { marked: !takes_whole_lines(view.text, &range), range }));
    out.sort_by_key(|cut| (cut.range.start, cut.range.end));
    out
}

/// Whether a stretch shares its lines only with white space and separators.
fn takes_whole_lines(text: &str, range: &Range<usize>) -> bool {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    let before = before.rsplit('\n').next().unwrap_or_default();
    let after = after.split('\n').next().unwrap_or_default();
    before.trim().is_empty() && after.trim_matches([' ', '\t', '\r', ';', ',']).is_empty()
}

/// `whole` without `parts`.
fn subtract_ranges(whole: Range<usize>, parts: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = whole.start;
    for part in parts {
        out.push(at..part.start.clamp(at, whole.end));
        at = part.end.clamp(at, whole.end);
    }
    out.push(at..whole.end);
    out
}

/// A stretch without the white space around it; none if it contains only separators of items.
fn trim_range(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let held = text.get(range.clone())?;
    let start = range.start + (held.len() - held.trim_start().len());
    let held = held.trim();
    (!held.trim_matches([';', ',']).is_empty()).then_some(start..start + held.len())
}

/// The same cuts without the brackets whose partner is outside the cut.
fn with_brackets(view: &View<'_>, cuts: Vec<Cut>) -> Vec<Cut> {
    let brackets = &view.structure.brackets;
    let mut out: Vec<Cut> = Vec::with_capacity(cuts.len());
    for cut in cuts {
        let first = brackets.partition_point(|(at, _)| (*at as usize) < cut.range.start);
        let inside = brackets.get(first..).unwrap_or_default().iter();
        let inside = inside.take_while(|(at, _)| (*at as usize) < cut.range.end);
        let torn = inside.filter(|(_, partner)| {
            let partner = *partner as usize;
            !cut.range.contains(&partner) && view.within.contains(&partner)
        });
        let torn = torn.map(|(at, _)| *at as usize..*at as usize + 1);
        let marked = cut.marked;
        for part in subtract_ranges(cut.range.clone(), torn) {
            // A hidden stretch also hides its white space.
            let part =
                if marked { trim_range(view.text, part) } else { Some(part).filter(|part| !part.is_empty()) };
            out.extend(part.map(|range| Cut { range, marked }));
        }
    }
    out
}

/// The cuts, extended by comments on lines of their own if these are beside a left-out part or span several lines.
fn with_comments(view: &View<'_>, cuts: Vec<Cut>) -> Vec<Cut> {
    let mut out: Vec<Cut> = Vec::with_capacity(cuts.len());
    let mut cuts = cuts.into_iter().peekable();
    let comments = &view.structure.comments;
    let first = comments.partition_point(|comment| comment.end <= view.within.start);
    let inside = comments.get(first..).unwrap_or_default().iter();
    for comment in inside.take_while(|comment| comment.start < view.within.end) {
        while let Some(cut) = cuts.next_if(|cut| cut.range.start <= comment.start) {
            out.push(cut);
        }
        let held = view.text.get(comment.clone()).unwrap_or_default().trim_end();
        let range = comment.start..comment.start + held.len();
        if out.last().is_some_and(|cut| cut.range.end >= range.end) || is_shown(view.shown, &range) {
            continue;
        }
        let before = view.text.get(view.within.start..range.start).unwrap_or_default();
        let before = before.trim_end_matches([' ', '\t']);
        let starts = before.is_empty() || before.ends_with('\n');
        let follows = out.last().is_some_and(|cut| cut.range.end == view.within.start + before.len());
        let after = view.text.get(range.end..view.within.end).unwrap_or_default();
        let rest = after.trim_start_matches([' ', '\t']);
        let ends = rest.is_empty() || rest.starts_with(['\n', '\r']);
        let leads = cuts.peek().is_some_and(|cut| cut.range.start == range.end + (after.len() - rest.len()));
        if held.contains('\n') || follows || starts && (ends || leads) {
            out.push(Cut { range, marked: false });
        }
    }
    out.extend(cuts);
    out
}

fn is_shown(shown: &[Range<usize>], range: &Range<usize>) -> bool {
    let first = shown.partition_point(|one| one.end <= range.start);
    shown.get(first).is_some_and(|one| one.start < range.end)
}

/// The lines so far.
#[derive(Default)]
struct Lines {
    done: Vec<Line>,
    line: Line,
    /// Bytes of the line.
    len: usize,
}

impl Lines {
    fn text(&mut self, text: &str, range: Range<usize>) {
        let Some(held) = text.get(range.clone()) else { return };
        let mut at = range.start;
        for (ix, part) in held.split('\n').enumerate() {
            if ix > 0 {
                self.end(text);
            }
            let range = at..at + part.trim_end_matches('\r').len();
            at += part.len() + 1;
            if !range.is_empty() {
                self.len += range.len();
                self.line.pieces.push(Piece::Text(range));
            }
        }
    }

    fn gap(&mut self, text: &str, range: Range<usize>) {
        // Two marks with only separators between them become one.
        let mut pieces = self.line.pieces.iter().rev();
        let between = match pieces.next() {
            Some(Piece::Text(between)) => {
                is_separator(text, between) && matches!(pieces.next(), Some(Piece::Gap(_)))
            }
            Some(Piece::Gap(_)) => true,
            None => false,
        };
        if between {
            if matches!(self.line.pieces.last(), Some(Piece::Text(_))) {
                self.line.pieces.pop();
            }
            return;
        }
        self.line.pieces.push(Piece::Gap(range));
        self.len += 9;
        if self.len > LONG_LINE {
            self.end(text);
        }
    }

    /// Ends a line.
    fn end(&mut self, text: &str) {
        let mut line = std::mem::take(&mut self.line);
        self.len = 0;
        let blank = |piece: &Piece| matches!(piece, Piece::Text(range) if text.get(range.clone()).is_some_and(|held| held.trim().is_empty()));
        while line.pieces.last().is_some_and(blank) {
            line.pieces.pop();
        }
        if line.pieces.is_empty() {
            return;
        }
        // A mark below another is redundant unless it is indented less.
        let again = match (gap_alone(text, &line), self.done.last().and_then(|last| gap_alone(text, last))) {
            (Some(indent), Some(last)) => indent >= last,
            _ => false,
        };
        if !again {
            self.done.push(line);
        }
    }

    fn done(mut self, text: &str) -> Vec<Line> {
        self.end(text);
        self.done
    }
}

fn is_separator(text: &str, range: &Range<usize>) -> bool {
    text.get(range.clone()).is_some_and(|held| held.trim().trim_matches([';', ',']).is_empty())
}

/// The indentation of a line that has only a mark.
fn gap_alone(text: &str, line: &Line) -> Option<usize> {
    match line.pieces.as_slice() {
        [Piece::Gap(_)] => Some(0),
        [Piece::Text(indent), Piece::Gap(_)] => {
            text.get(indent.clone()).filter(|held| held.trim().is_empty()).map(str::len)
        }
        _ => None,
    }
}
