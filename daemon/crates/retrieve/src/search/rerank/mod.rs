//! The best candidates, put in order by all that is known of them.
//!
//! Words find; what decides among the best is more: where the words stand, how long the definition is, what else its
//! file holds that fits, and which of the others call it,
//! what commits say of the file. Each such feature has a weight, fitted on commits and the
//! definitions that they changed, so that the probability of a candidate is `exp(sum of weight * feature)` over the same
//! for all (a log-linear model, fitted to the likelihood of what was changed; `tests/it/fit.rs` does it).

mod features;
mod history;
mod weights;

use std::collections::HashMap;

use sdl_model::SymbolId;

use super::filter::Filter;
use super::plan::Plan;
use super::postings::Lists;
use super::rank::{Ranked, rank_order, score_symbols};
use super::spelled::Spelled;
use crate::{Evidence, Result, Source};
pub use features::FEATURES;
use features::Features;

/// How many candidates are put in order.
const BEST: usize = 200;

/// A candidate for what a task is about.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The symbol.
    pub symbol: SymbolId,
    /// What is known of it, in the order of [`FEATURES`].
    pub features: [f32; FEATURES.len()],
}

/// Puts the best in order. Their scores are handed out again, the highest to the first: they stay before all others, and
/// scores of searches by words alone can be compared with these.
pub(super) fn rerank_best(
    source: &Source<'_>,
    plan: &Plan,
    lists: &Lists,
    spelled: &Spelled,
    ranked: &mut [Ranked],
    evidence: &mut Evidence,
) -> Result<()> {
    let best = best_of(ranked);
    let found = Features::of(source, plan, (lists, spelled), best, evidence)?;
    let weights = weights::feature_weights();
    let likely =
        |row: &[f32; FEATURES.len()]| row.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    let mut judged: Vec<Ranked> = found
        .rows
        .iter()
        .zip(&*best)
        .map(|(row, found)| Ranked { symbol: found.symbol, score: likely(row) })
        .collect();
    judged.sort_unstable_by(rank_order);
    let mut before = f32::INFINITY;
    for (slot, found) in best.iter_mut().zip(judged) {
        slot.symbol = found.symbol;
        // Of equal scores the lower id would come first.
        slot.score = slot.score.min(before.next_down());
        before = slot.score;
    }
    Ok(())
}

/// Says that the best are left as they are.
pub(super) fn report_off(evidence: &mut Evidence) {
    evidence.skipped("file");
    evidence.skipped("calls");
    evidence.skipped("history");
}

/// The best candidates with their features, as words alone order them.
pub(super) fn rerank_candidates(source: &Source<'_>, plan: &Plan) -> Result<Vec<Candidate>> {
    let mut evidence = Evidence::default();
    let mut found = score_symbols(source, plan, &Filter::default(), &mut evidence)?;
    let best = best_of(&mut found.ranked);
    let features = Features::of(source, plan, (&found.lists, &found.spelled), best, &mut evidence)?;
    Ok(best
        .iter()
        .zip(features.rows)
        .map(|(found, features)| Candidate { symbol: found.symbol, features })
        .collect())
}

/// Sorts the best to the front.
fn best_of(ranked: &mut [Ranked]) -> &mut [Ranked] {
    if ranked.len() > BEST {
        ranked.select_nth_unstable_by(BEST, rank_order);
    }
    let most = BEST.min(ranked.len());
    let best = &mut ranked[..most];
    best.sort_unstable_by(rank_order);
    best
}

/// Where each of the best stands.
fn rank_places(best: &[Ranked]) -> HashMap<SymbolId, usize> {
    best.iter().enumerate().map(|(at, found)| (found.symbol, at)).collect()
}
