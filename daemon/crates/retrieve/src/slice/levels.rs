//! How much each card of a slice tells.

use super::SliceRequest;
use super::expand::Reached;
use crate::card::Detail;

/// Plans, from the most telling to the tersest: the level by score, from the highest score down.
const PLANS: [[(f32, Detail); 4]; 3] = [
    [(0.6, Detail::Compact), (0.35, Detail::Deps), (0.2, Detail::Signature), (0.0, Detail::Signature)],
    [(0.85, Detail::Compact), (0.7, Detail::Deps), (0.55, Detail::Signature), (0.0, Detail::Minimal)],
    [(0.9, Detail::Deps), (0.6, Detail::Signature), (0.0, Detail::Minimal), (0.0, Detail::Minimal)],
];

/// How a slice's levels may be chosen, from the most telling to the tersest.
pub(super) fn choices(request: &SliceRequest) -> Vec<Levels> {
    match (request.card_detail, request.adaptive_detail) {
        (Some(detail), false) => vec![Levels { top: detail, plan: None }],
        (top, _) => (0..PLANS.len())
            .map(|plan| Levels { top: top.unwrap_or(Detail::Compact), plan: Some(plan) })
            .collect(),
    }
}

/// How a slice's levels are chosen.
#[derive(Clone, Copy)]
pub(super) struct Levels {
    top: Detail,
    plan: Option<usize>,
}

impl Levels {
    /// Identity alone.
    pub(super) fn terse() -> Self {
        Self { top: Detail::Minimal, plan: None }
    }

    /// The level of one card.
    pub(super) fn of(self, reached: &Reached) -> Detail {
        let Some(plan) = self.plan.and_then(|plan| PLANS.get(plan)) else { return self.top };
        let level = plan
            .iter()
            .find(|(least, _)| reached.score >= *least)
            .map_or(Detail::Minimal, |(_, level)| *level);
        // With `full` asked for, the best cards are full.
        let level = if level == Detail::Compact { self.top } else { level };
        level.min(self.top)
    }
}
