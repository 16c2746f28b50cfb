//! Selects the lines of a window.

use sdl_lang::Structure;

use super::identifiers::Matches;
use crate::source::text::SourceText;

/// Returns the smallest block of control flow inside `first` to `last` that contains every match; all of it if there is
/// none.
pub(crate) fn matching_block(
    text: &SourceText,
    structure: &Structure,
    found: &Matches,
    (first, last): (u32, u32),
) -> (u32, u32) {
    let (Some(from), Some(to)) = (found.lines.first(), found.lines.last()) else { return (first, last) };
    let lines = structure
        .controls
        .iter()
        .map(|control| (text.line_of(control.start), text.line_of(control.end.saturating_sub(1))));
    lines
        .filter(|(start, end)| *start >= first && *end <= last && start <= from && end >= to)
        .min_by_key(|(start, end)| end - start)
        .unwrap_or((first, last))
}

/// Returns `lines` lines of the file with the symbol at `first` to `last` in their middle; the whole symbol if it is
/// longer.
pub(crate) fn centered_window(text: &SourceText, (first, last): (u32, u32), lines: u32) -> (u32, u32) {
    let own = last + 1 - first;
    let (total, lines) = (text.lines().max(1), lines.max(own));
    let above = lines.saturating_sub(own) / 2;
    let start = first.saturating_sub(above).max(1).min((total + 1).saturating_sub(lines).max(1));
    (start, start.saturating_add(lines - 1).min(total))
}

/// Returns at most `lines` of `first` to `last`, with the first match among them.
pub(crate) fn clamp_window(found: &Matches, (first, last): (u32, u32), lines: u32) -> (u32, u32) {
    let lines = lines.max(1);
    if last - first < lines {
        return (first, last);
    }
    let matched = found.lines.first().copied().unwrap_or(first);
    let start = matched.saturating_sub(lines / 4).max(first).min(last + 1 - lines);
    (start, start + lines - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamping_keeps_the_first_match() {
        let at = |line| Matches { lines: vec![line], ..Matches::default() };
        assert_eq!(clamp_window(&at(5), (1, 9), 20), (1, 9));
        assert_eq!(clamp_window(&Matches::default(), (1, 90), 20), (1, 20));
        assert_eq!(clamp_window(&at(50), (1, 90), 20), (45, 64));
        assert_eq!(clamp_window(&at(90), (1, 90), 20), (71, 90));
        assert_eq!(clamp_window(&at(90), (1, 90), 1), (90, 90));
    }
}
