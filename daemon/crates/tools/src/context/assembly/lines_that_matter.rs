//! Orders the lines of a long symbol by their relevance to a task.

use std::collections::HashMap;

use crate::source::ladder::identifiers::Matches;
use crate::source::reason;
use crate::source::text::SourceText;

/// A match counts on this many lines before and after it too, less with each line.
const REACH: usize = 6;
/// Words on more than this share of the lines say nothing, in percent.
const COMMON: usize = 25;

/// Returns the lines from `first` to `last`, best first: the header, then those near words and names of the task. Rare
/// words count more.
pub(super) fn rank_lines(
    text: &SourceText,
    task: &str,
    found: &Matches,
    (first, header, last): (u32, u32, u32),
) -> Vec<u32> {
    let lines: Vec<u32> = (first..=last).collect();
    let wanted = reason::split_words(task);
    let mut places: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, number) in lines.iter().enumerate() {
        let words = reason::split_words(&text.shown(*number));
        for (word, wanted) in wanted.iter().enumerate() {
            if words.iter().any(|one| reason::is_same_word(one, wanted)) {
                places.entry(word).or_default().push(at);
            }
        }
    }
    let named = found.places.iter().map(|places| {
        places.iter().filter_map(|line| line.checked_sub(first)).map(|at| at as usize).collect()
    });
    let mut scores = vec![0.0_f64; lines.len()];
    for places in places.into_values().chain(named) {
        let places: Vec<usize> = places;
        if places.len() * 100 > lines.len() * COMMON {
            continue;
        }
        let weight = 1.0 / (places.len() as f64).sqrt().max(1.0);
        for place in places {
            let from = place.saturating_sub(REACH);
            for (at, score) in scores.iter_mut().enumerate().skip(from).take(place + REACH + 1 - from) {
                *score += weight / (1.0 + at.abs_diff(place) as f64);
            }
        }
    }
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let in_header = |at: usize| lines.get(at).is_some_and(|line| *line <= header);
    let score = |at: usize| scores.get(at).copied().unwrap_or(0.0);
    order.sort_by(|a, b| {
        in_header(*b).cmp(&in_header(*a)).then(score(*b).total_cmp(&score(*a))).then(a.cmp(b))
    });
    order.into_iter().filter_map(|at| lines.get(at).copied()).collect()
}
