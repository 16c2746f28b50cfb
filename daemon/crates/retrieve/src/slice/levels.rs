//! The level of each card in a slice, and the order in which a slice is filled.

use std::ops::Range;

use super::SliceRequest;
use super::expand::Reached;
use crate::card::Detail;

/// The highest level of a card by its score, where the request states none. From the highest score down.
const BY_SCORE: [(f32, Detail); 2] = [(0.6, Detail::Compact), (0.35, Detail::Deps)];
/// The best symbols, whose cards have a signature before any further symbol is named.
pub(super) const FIRST: usize = 8;
/// The number of those that may have more than a signature before any further symbol is named, and the parts of the
/// budget, in percent, that each level may take. Measured on the changes in commits: larger shares lose symbols that
/// slices of 4,000 tokens held.
const HEAD: usize = 5;
const HEAD_SHARES: [(Detail, usize); 3] = [(Detail::Deps, 4), (Detail::Compact, 2), (Detail::Full, 2)];

/// The levels that a request allows.
#[derive(Clone, Copy)]
pub(super) struct Levels {
    top: Detail,
    /// Whether cards may have a lower level than `top`.
    adaptive: bool,
}

impl Levels {
    pub(super) fn of(request: &SliceRequest) -> Self {
        Self {
            top: request.card_detail.unwrap_or(Detail::Compact),
            adaptive: request.card_detail.is_none() || request.adaptive_detail,
        }
    }

    /// The highest level of each card, if there is room for all. No card has a higher level than one before it, except
    /// entry symbols: their cards have a high level whatever their score.
    pub(super) fn most_told(self, reached: &[Reached]) -> Vec<Detail> {
        let mut most = self.top;
        let of_one = |one: &Reached| {
            if !self.adaptive || one.entry {
                return self.top;
            }
            most = most.min(self.by_score(one.score));
            most
        };
        reached.iter().map(of_one).collect()
    }

    fn by_score(self, score: f32) -> Detail {
        let by_score = BY_SCORE.iter().find(|(least, _)| score >= *least);
        let level = by_score.map_or(Detail::Signature, |(_, level)| *level);
        // If `full` is requested, the best cards are full.
        let level = if level == Detail::Compact { self.top } else { level };
        level.min(self.top)
    }

    /// The level that an entry symbol's card gets before anything else is added.
    pub(super) fn of_entry(self) -> Detail {
        Detail::Compact.min(self.top)
    }

    /// The passes by which a slice of `count` symbols is filled, of which the first `entries` are entry symbols.
    pub(super) fn passes(self, entries: usize, count: usize) -> Vec<Pass> {
        if !self.adaptive {
            return vec![Pass::cards(0..count, self.top), Pass::Edges];
        }
        let entries = entries.min(count);
        let (first, head) = (FIRST.min(count), HEAD.min(count));
        let mut passes = vec![
            // All entry symbols are added before any of them gets its level, and have their levels before others are
            // added.
            Pass::cards(0..entries, Detail::Minimal),
            Pass::cards(0..entries, Detail::Signature),
            Pass::cards(0..entries, self.of_entry()),
            Pass::cards(0..first, Detail::Signature),
        ];
        passes.extend(HEAD_SHARES.map(|(level, share)| Pass::Cards(0..head, level, Some(share))));
        passes.extend([Pass::cards(0..count, Detail::Minimal), Pass::Edges]);
        let levels = [Detail::Signature, Detail::Deps, Detail::Compact, Detail::Full];
        passes.extend(levels.map(|level| Pass::cards(0..count, level)));
        passes
    }
}

/// A run of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// The cards at these places get this level, one after the other, up to their limits. If a share is given, only as
    /// long as that part of the budget, in percent, suffices.
    Cards(Range<usize>, Detail, Option<usize>),
    /// All edges between the cards are shown, not just the important ones.
    Edges,
}

impl Pass {
    fn cards(places: Range<usize>, detail: Detail) -> Self {
        Self::Cards(places, detail, None)
    }
}

/// One step of filling a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The card at a place gets this level. Places are added in their order.
    Card { place: usize, detail: Detail },
    /// All edges between the cards are shown, not just the important ones.
    Edges,
}
