//! The lines around wanted identifiers, with gaps between.

use super::GAP;
use super::identifiers::Matches;
use super::lines::shortened;
use crate::source_text::SourceText;

/// One line of an excerpt: of the file, or a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Its number; none for a gap.
    pub(crate) number: Option<u32>,
}

/// The matched lines and `context` lines around each, within `first` to `last`.
pub(crate) fn lines(text: &SourceText, found: &Matches, context: u32, first: u32, last: u32) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    let mut next = first;
    for matched in &found.lines {
        let from = matched.saturating_sub(context).max(first);
        let to = matched.saturating_add(context).min(last);
        if from > next {
            out.push(gap(text, next));
        }
        for number in from.max(next)..=to {
            out.push(Line { text: shortened(text.shown(number).trim_end()), number: Some(number) });
        }
        next = next.max(to + 1);
    }
    if !out.is_empty() && next <= last {
        out.push(gap(text, next));
    }
    out
}

fn gap(text: &SourceText, number: u32) -> Line {
    let line = text.shown(number);
    let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
    Line { text: format!("{indent}{GAP}"), number: None }
}

/// The lines' text.
pub(crate) fn joined(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
}
