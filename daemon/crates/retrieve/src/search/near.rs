//! Names that are nearly the one that was asked for.

use std::ops::ControlFlow;

use sdl_ledger::View;

use super::rank::{each_name, of_name};
use super::ranked::{Ranked, keep_best};
use crate::Result;
use crate::index::{Flags, words};

/// Names that are given.
const MOST_NAMES: usize = 5;
/// Symbols of each that are given.
const MOST_EACH: usize = 2;

/// The symbols whose names are nearest to `name` by edit distance, nearest first; those too far away are left out.
pub(crate) fn similar_names(view: &dyn View, name: &str) -> Result<Vec<Ranked>> {
    let wanted: Vec<char> = name.chars().map(words::lower_char).take(64).collect();
    let reach = match wanted.len() {
        0..=2 => return Ok(Vec::new()),
        3..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut distances = Distances::default();
    each_name(view, "", &mut |candidate| {
        if candidate.len().abs_diff(name.len()) <= 4 * reach
            && let Some(distance) = distances.within(&wanted, candidate, reach)
        {
            found.push((distance, candidate.to_owned()));
            if found.len() > 64 * MOST_NAMES {
                found.sort();
                found.truncate(MOST_NAMES);
            }
        }
        ControlFlow::Continue(())
    })?;
    found.sort();
    let mut ranked = Vec::new();
    for (distance, name) in found.into_iter().take(MOST_NAMES) {
        let mut hits: Vec<Ranked> = of_name(view, &name, 64)?
            .into_iter()
            .map(|hit| {
                let flags = Flags(hit.flags);
                Ranked { symbol: hit.symbol, score: flags.prior() / (1.0 + distance as f32) }
            })
            .collect();
        keep_best(&mut hits, MOST_EACH);
        ranked.extend(hits);
    }
    Ok(ranked)
}

/// Room for the rows of the distance table.
#[derive(Default)]
struct Distances {
    other: Vec<char>,
    before: Vec<usize>,
    last: Vec<usize>,
    row: Vec<usize>,
}

impl Distances {
    /// How many insertions, deletions, replacements and swaps of neighbours lie between two words, if at most `reach`.
    fn within(&mut self, wanted: &[char], other: &str, reach: usize) -> Option<usize> {
        self.other.clear();
        self.other.extend(other.chars());
        let other = &self.other;
        if other.len().abs_diff(wanted.len()) > reach {
            return None;
        }
        self.before.clear();
        self.before.resize(other.len() + 1, 0);
        self.last.clear();
        self.last.extend(0..=other.len());
        for (i, &a) in wanted.iter().enumerate() {
            self.row.clear();
            self.row.push(i + 1);
            let mut least = i + 1;
            for (j, &b) in other.iter().enumerate() {
                let mut cost =
                    (self.last[j] + usize::from(a != b)).min(self.last[j + 1] + 1).min(self.row[j] + 1);
                if i > 0 && j > 0 && a == other[j - 1] && wanted[i - 1] == b {
                    cost = cost.min(self.before[j - 1] + 1);
                }
                least = least.min(cost);
                self.row.push(cost);
            }
            if least > reach {
                return None;
            }
            std::mem::swap(&mut self.before, &mut self.last);
            std::mem::swap(&mut self.last, &mut self.row);
        }
        self.last.last().copied().filter(|distance| *distance <= reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let mut distances = Distances::default();
        let mut within = |a: &str, b: &str, reach| distances.within(&a.chars().collect::<Vec<_>>(), b, reach);
        assert_eq!(within("get_user", "get_user", 2), Some(0));
        assert_eq!(within("get_user", "get_usre", 2), Some(1));
        assert_eq!(within("get_user", "getuser", 2), Some(1));
        assert_eq!(within("get_user", "set_users", 2), Some(2));
        assert_eq!(within("get_user", "put_users", 2), None);
        assert_eq!(within("abc", "xyz", 3), Some(3));
    }
}
