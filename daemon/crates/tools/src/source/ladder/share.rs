//! Limits how much of a symbol a rung shows without a decision. A hot path that shows nearly all of a symbol is a
//! window in disguise, so above this share it is decided on like a window.

use std::collections::HashMap;

use crate::guard::policy::Policy;
use crate::source::text::SourceText;

/// Lines above and below a match.
pub(crate) const MOST_CONTEXT: u32 = 10;
/// A skeleton with fewer lines is little more than a signature.
const FEW: usize = 4;
/// A small symbol may be shown whole.
const LEAST: u32 = 12;

/// Returns how many lines of a symbol with `lines` lines need no approval: half of them, a few at least, and never more
/// than a window has.
pub(crate) fn unapproved_lines(lines: u32, policy: &Policy) -> usize {
    (lines / 2).max(LEAST).min(policy.max_window_lines) as usize
}

/// Whether a skeleton is nearly the source: it has more than a few lines, and shows nine in ten of them unchanged.
pub(crate) fn is_source(shape: &[String], text: &SourceText, (first, last): (u32, u32)) -> bool {
    let lines = (first..=last).filter(|line| !text.shown(*line).trim().is_empty());
    let mut own: HashMap<String, usize> = HashMap::new();
    let mut all = 0;
    for line in lines {
        all += 1;
        *own.entry(text.shown(line).trim().to_owned()).or_default() += 1;
    }
    let mut shown = 0;
    for line in shape {
        if let Some(left) = own.get_mut(line.trim()).filter(|left| **left > 0) {
            *left -= 1;
            shown += 1;
        }
    }
    shown >= FEW && shown * 10 >= all * 9
}
