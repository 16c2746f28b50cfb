//! Extracts the lines around wanted identifiers, with gaps between.

use super::identifiers::Matches;
use super::lines::shorten_line;
use crate::source::text::SourceText;

/// One line of an excerpt: of the file, or a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Its number; none for a gap.
    pub(crate) number: Option<u32>,
}

/// An excerpt with as many lines as there is room for.
pub(crate) struct Excerpt<'a> {
    text: &'a SourceText,
    /// The lines, the most useful first: the first place of each identifier, then the next ones, then the lines around
    /// them, the nearest first.
    order: Vec<u32>,
}

impl<'a> Excerpt<'a> {
    /// Selects the matched lines and `context` lines around each, within `first` to `last`.
    pub(crate) fn new(text: &'a SourceText, found: &Matches, context: u32, first: u32, last: u32) -> Self {
        let mut order: Vec<u32> = Vec::new();
        let mut taken = vec![false; (last + 1 - first) as usize];
        let mut take = |line: u32| {
            let slot = line.checked_sub(first).and_then(|at| taken.get_mut(at as usize));
            if slot.is_some_and(|slot| !std::mem::replace(slot, true)) {
                order.push(line);
            }
        };
        let most = found.places.iter().map(Vec::len).max().unwrap_or(0);
        let mut matched = Vec::new();
        for turn in 0..most {
            for line in found.places.iter().filter_map(|places| places.get(turn)) {
                take(*line);
                matched.push(*line);
            }
        }
        for distance in 1..=context {
            for line in &matched {
                take(line.saturating_sub(distance));
                take(line.saturating_add(distance));
            }
        }
        Self { text, order }
    }

    /// Returns the selected lines, best first.
    pub(crate) fn into_order(self) -> Vec<u32> {
        self.order
    }

    /// Returns how many lines of the file are selected.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns the best `count` lines in the order of the file, each with its number. The gaps between them state their
    /// lengths.
    pub(crate) fn lines(&self, count: usize) -> Vec<Line> {
        let mut chosen = self.order.get(..count).unwrap_or(&self.order).to_vec();
        chosen.sort_unstable();
        let width = chosen.last().map_or(1, |line| line.to_string().len());
        let mut out = Vec::with_capacity(chosen.len() * 2);
        let mut next = u32::MAX;
        for number in chosen {
            self.gap(&mut out, next, number, width);
            let line = self.text.shown(number);
            let line = shorten_line(line.trim_end());
            out.push(Line { text: format!("{number:>width$}| {line}"), number: Some(number) });
            next = number + 1;
        }
        out
    }

    /// Adds a mark for the lines from `from` to before `to`, if there are any.
    fn gap(&self, out: &mut Vec<Line>, from: u32, to: u32, width: usize) {
        if from >= to {
            return;
        }
        let line = self.text.shown(from);
        let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
        let lines = to - from;
        let many = if lines == 1 { "" } else { "s" };
        out.push(Line {
            text: format!("{:width$}| {indent}/* ... {lines} line{many} ... */", ""),
            number: None,
        });
    }
}

/// Joins the text of the lines.
pub(crate) fn join_lines(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
}
