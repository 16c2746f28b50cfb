//! What a search finds: symbols and how well they fit.

use std::cmp::Ordering;

use sdl_model::SymbolId;

/// A symbol and how well it fits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    pub(crate) symbol: SymbolId,
    pub(crate) score: f32,
}

/// Higher scores first, equal ones by id.
pub(super) fn rank_order(a: &Ranked, b: &Ranked) -> Ordering {
    b.score.total_cmp(&a.score).then(a.symbol.cmp(&b.symbol))
}

/// Sorts the best `wanted` to the front, best first, and drops the rest.
pub(crate) fn keep_best(ranked: &mut Vec<Ranked>, wanted: usize) {
    if wanted < ranked.len() {
        ranked.select_nth_unstable_by(wanted, rank_order);
        ranked.truncate(wanted);
    }
    ranked.sort_unstable_by(rank_order);
}

/// The symbols that a search finds.
#[derive(Debug, Default)]
pub(crate) struct Best {
    /// The best, and perhaps others. In no particular order.
    pub(crate) ranked: Vec<Ranked>,
    /// How many there are in all.
    pub(crate) total: Total,
}

/// A number of symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Total {
    /// The number, or the least that it can be.
    pub(crate) count: usize,
    /// Whether it may be more.
    pub(crate) at_least: bool,
}

impl Total {
    /// All of them, counted.
    pub(crate) fn exactly(count: usize) -> Self {
        Self { count, at_least: false }
    }
}
