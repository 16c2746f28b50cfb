//! How symbols are scored by their words, names and paths, and how much they can score at most.

use sdl_model::SymbolId;

use super::merge::Met;
use super::postings::Lists;
use super::spelled::{Bonus, Spelled};
use crate::index::{Flags, PRIOR_FLAGS, Wants};

/// The value of a symbol with barely any of the query's words, relative to one that has all.
const COVERED: f32 = 0.35;
/// The number of marks of symbols with a bonus.
const MARKS: usize = 1 << 16;
/// For what a bound may lose when its terms are added in another order than a score's.
const ROUNDING: f32 = 1.000_01;

/// The factor for a sum of impacts, by the share of the query's words that are met.
pub(super) fn coverage_factor(covered: f32, total_mass: f32) -> f32 {
    COVERED + (1.0 - COVERED) * (covered / total_mass).min(1.0)
}

/// How symbols are scored.
pub(super) struct Scoring<'q> {
    pub(super) spelled: &'q Spelled,
    /// A bit for each mark of a symbol with a bonus. Few symbols have one, and asking the map about each would take longer than all
    /// else.
    with_bonus: Vec<u64>,
    /// The prior of every combination of the flags that it depends on.
    priors: Vec<f32>,
    total_mass: f32,
    /// For each list, the most that it and those after it can add, and the mass of their terms.
    rest: Vec<(f32, f32)>,
}

impl<'q> Scoring<'q> {
    pub(super) fn new(lists: &Lists, spelled: &'q Spelled, wants: Wants) -> Self {
        let mut with_bonus = vec![0; MARKS / 64];
        for mark in spelled.keys().copied().map(mark_of) {
            with_bonus[mark / 64] |= 1 << (mark % 64);
        }
        let mut rest = vec![(0.0, 0.0)];
        let mut later = None;
        for list in lists.all.iter().rev() {
            let (worth, mass) = rest.last().copied().unwrap_or_default();
            let new = if later == Some(list.term) { 0.0 } else { lists.mass(list.term) };
            later = Some(list.term);
            rest.push((worth + list.most_worth(), mass + new));
        }
        rest.reverse();
        let priors = (0..=PRIOR_FLAGS).map(|bits| Flags(bits).prior_for(wants)).collect();
        Self { spelled, with_bonus, priors, total_mass: lists.total_mass(), rest }
    }

    /// What a sum of impacts is worth.
    fn worth(&self, sum: f32, covered: f32, flags: Flags) -> f32 {
        let prior = self.priors.get(usize::from(flags.0 & PRIOR_FLAGS)).copied().unwrap_or(1.0);
        sum * coverage_factor(covered, self.total_mass) * prior
    }

    #[inline]
    pub(super) fn bonus(&self, symbol: SymbolId) -> Option<&Bonus> {
        let mark = mark_of(symbol);
        if self.with_bonus[mark / 64] >> (mark % 64) & 1 == 0 { None } else { self.spelled.get(&symbol) }
    }

    /// The score by the postings that are known.
    pub(super) fn score(&self, met: &Met) -> f32 {
        self.worth(met.sum, met.covered, met.flags) + self.bonus(met.symbol).map_or(0.0, Bonus::sum)
    }

    /// Raises a floor by a symbol's score.
    #[inline]
    pub(super) fn lift(&self, floor: &mut Floor, met: &Met) {
        // Words score at most the sum of their worth. Mostly, that decides.
        if met.sum + self.bonus(met.symbol).map_or(0.0, Bonus::sum) > floor.score {
            floor.add(self.score(met));
        }
    }

    /// Whether a symbol can score as much as `floor` if the lists from `at` on are unknown, or must be kept whatever its words are
    /// worth, because a name means it and no other.
    pub(super) fn can_reach(&self, met: &Met, at: usize, floor: f32) -> bool {
        let (worth, mass) = self.rest.get(at).copied().unwrap_or_default();
        let words = self.worth(met.sum + worth, met.covered + mass, met.flags) * ROUNDING;
        // Mostly, words decide.
        words >= floor
            || self
                .bonus(met.symbol)
                .is_some_and(|bonus| bonus.meant >= 1.0 || words + bonus.sum() * ROUNDING >= floor)
    }

    /// The highest score of a symbol without a bonus that only the lists from `at` on have.
    pub(super) fn unseen_bound(&self, at: usize) -> f32 {
        let (worth, mass) = self.rest.get(at).copied().unwrap_or_default();
        worth * coverage_factor(mass, self.total_mass) * ROUNDING
    }
}

fn mark_of(symbol: SymbolId) -> usize {
    symbol.0 as usize % MARKS
}

/// The highest score that as many symbols as are wanted are known to have.
pub(super) struct Floor {
    wanted: usize,
    pub(super) score: f32,
    /// The scores above it, of different symbols.
    above: Vec<f32>,
}

impl Floor {
    pub(super) fn new(wanted: usize, score: f32) -> Self {
        Self { wanted, score, above: Vec::new() }
    }

    pub(super) fn add(&mut self, score: f32) {
        if score > self.score {
            self.above.push(score);
            if self.above.len() / 4 >= self.wanted {
                self.raise();
            }
        }
    }

    fn raise(&mut self) {
        let Some(last) = self.wanted.checked_sub(1).filter(|last| *last < self.above.len()) else { return };
        self.score = *self.above.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1;
        self.above.truncate(self.wanted);
    }

    pub(super) fn raised(mut self) -> f32 {
        self.raise();
        self.score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_the_last_of_the_wanted_scores() {
        let scores = [3.0, 9.0, 1.0, 7.0, 5.0, 8.0, 2.0, 6.0, 4.0, 0.0, 11.0, 10.0_f32];
        for (wanted, score) in [(1, 11.0), (2, 10.0), (5, 7.0), (12, 0.0), (13, f32::NEG_INFINITY)] {
            let mut floor = Floor::new(wanted, f32::NEG_INFINITY);
            scores.iter().for_each(|score| floor.add(*score));
            assert_eq!(floor.raised().total_cmp(&score), std::cmp::Ordering::Equal, "{wanted}");
        }
        let mut floor = Floor::new(2, 9.5);
        scores.iter().for_each(|score| floor.add(*score));
        assert!((floor.raised() - 10.0).abs() < f32::EPSILON);
    }
}
