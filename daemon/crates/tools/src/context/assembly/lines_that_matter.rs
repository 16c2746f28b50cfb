//! Orders the lines of a long symbol by their relevance to a task.

use std::collections::{BTreeMap, BTreeSet};

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
    let wanted: BTreeSet<String> =
        reason::split_words(task).into_iter().filter(|word| !word.is_empty()).collect();
    // In order of words, because the order of additions decides the last digits of a score.
    let mut places: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (at, number) in lines.iter().enumerate() {
        for word in reason::split_words(&text.shown(*number)) {
            for wanted in forms_of(&wanted, &word) {
                places.entry(wanted).or_default().insert(at);
            }
        }
    }
    let named = found.places.iter().map(|places| {
        places.iter().filter_map(|line| line.checked_sub(first)).map(|at| at as usize).collect()
    });
    let mut scores = vec![0.0_f64; lines.len()];
    let by_word = places.into_values().map(|places| places.into_iter().collect());
    for places in by_word.chain(named) {
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

/// Returns the words of `wanted` that are forms of `word`. Looks at those alone that begin alike, since a task may have
/// thousands of words.
fn forms_of<'w>(wanted: &'w BTreeSet<String>, word: &str) -> impl Iterator<Item = &'w str> {
    let ends = (1..=reason::MAX_ENDING).filter_map(|cut| word.get(..word.len().checked_sub(cut)?));
    let shorter = ends.filter(|stem| !stem.is_empty()).filter_map(|stem| wanted.get(stem));
    let from = word.to_owned();
    let longer = wanted.range(from.clone()..).take_while(move |one| one.starts_with(&from));
    let all: Vec<&'w String> = shorter.chain(longer).filter(|one| reason::is_same_word(one, word)).collect();
    all.into_iter().filter(|_| !word.is_empty()).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_those_that_differ_at_the_end() {
        let wanted = ["expire", "expired", "expires", "expiration", "export", "ex"];
        let wanted: BTreeSet<String> = wanted.map(str::to_owned).into();
        let forms = |word: &str| -> Vec<&str> { forms_of(&wanted, word).collect() };
        for word in ["expired", "expire", "exp", "exporter", "", "nothing"] {
            let naive = wanted.iter().filter(|one| !word.is_empty() && reason::is_same_word(one, word));
            let mut found = forms(word);
            found.sort_unstable();
            assert_eq!(found, naive.collect::<Vec<_>>(), "{word}");
        }
    }
}
