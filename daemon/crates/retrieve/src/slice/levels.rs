//! How much each card of a slice tells, and in which order a slice is filled.

use super::SliceRequest;
use super::expand::Reached;
use crate::card::Detail;

/// How much a card tells at most where nothing was asked for: the level by score, from the highest score down.
const BY_SCORE: [(f32, Detail); 2] = [(0.6, Detail::Compact), (0.35, Detail::Deps)];

/// The levels that a request allows.
#[derive(Clone, Copy)]
pub(super) struct Levels {
    top: Detail,
    /// Whether cards may tell less than `top`.
    adaptive: bool,
}

impl Levels {
    pub(super) fn of(request: &SliceRequest) -> Self {
        Self {
            top: request.card_detail.unwrap_or(Detail::Compact),
            adaptive: request.card_detail.is_none() || request.adaptive_detail,
        }
    }

    /// The least that a card tells.
    pub(super) fn least(self) -> Detail {
        if self.adaptive { Detail::Minimal } else { self.top }
    }

    /// The most that a symbol's card tells, with room for all.
    pub(super) fn most(self, reached: &Reached) -> Detail {
        if !self.adaptive {
            return self.top;
        }
        let by_score = BY_SCORE.iter().find(|(least, _)| reached.score >= *least);
        let level = by_score.map_or(Detail::Signature, |(_, level)| *level);
        // With `full` asked for, the best cards are full.
        let level = if level == Detail::Compact { self.top } else { level };
        level.min(self.top)
    }
}

/// One step of filling a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The card at a place tells so much from now on. Places come in in their order.
    Card { place: usize, detail: Detail },
    /// All edges between the cards are shown, not just the telling ones.
    Edges,
}
