//! Orders the best candidates by all their features.
//!
//! Words find the candidates, but the order of the best depends on more: where the words occur, the length of the
//! definition, the other matches in its file, which of the other candidates call it, and the history of the file in
//! commits. Each such feature has a weight, fitted on commits and the definitions that they changed, so that the
//! probability of a candidate is `exp(sum of weight * feature)` over the same for all (a log-linear model, fitted to
//! the likelihood of the changed definitions; `tests/it/fit.rs` does it).

mod features;
mod history;
mod seats;
mod stems;
mod weights;

use std::collections::HashMap;

use sdl_model::SymbolId;

use super::filter::Filter;
use super::plan::Plan;
use super::postings::Lists;
use super::rank::score_symbols;
use super::ranked::{Ranked, rank_order};
use super::spelled::Spelled;
use crate::{Evidence, Result, Source};
pub use features::FEATURES;
use features::Features;

/// The number of candidates that are ordered.
pub(super) const BEST: usize = 200;

/// A candidate for a task.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The symbol.
    pub symbol: SymbolId,
    /// Its features, in the order of [`FEATURES`].
    pub features: [f32; FEATURES.len()],
}

/// Orders the best. Their scores are reassigned in the new order, the highest to the first. So they stay before all
/// others, and scores of searches by words alone remain comparable with these.
pub(super) fn rerank_best(
    source: &Source<'_>,
    plan: &Plan,
    lists: &Lists,
    spelled: &Spelled,
    ranked: &mut [Ranked],
    evidence: &mut Evidence,
) -> Result<()> {
    let best = best_of(ranked, spelled);
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
    seats::seat_meant(&mut judged, spelled);
    let mut before = f32::INFINITY;
    for (slot, found) in best.iter_mut().zip(judged) {
        slot.symbol = found.symbol;
        // With equal scores, the lower id would come first.
        slot.score = slot.score.min(before.next_down());
        before = slot.score;
    }
    Ok(())
}

/// Records that the best are not reordered.
pub(super) fn report_off(evidence: &mut Evidence) {
    evidence.skipped("file");
    evidence.skipped("calls");
    evidence.skipped("history");
}

/// The best candidates with their features, in the order by words alone.
pub(super) fn rerank_candidates(source: &Source<'_>, plan: &Plan) -> Result<Vec<Candidate>> {
    let mut evidence = Evidence::default();
    let mut found = score_symbols(source, plan, &Filter::default(), BEST, &mut evidence)?;
    let best = best_of(&mut found.best.ranked, &found.spelled);
    let features = Features::of(source, plan, (&found.lists, &found.spelled), best, &mut evidence)?;
    Ok(best
        .iter()
        .zip(features.rows)
        .map(|(found, features)| Candidate { symbol: found.symbol, features })
        .collect())
}

/// Sorts the best to the front, and with them those that a spelled name means.
fn best_of<'r>(ranked: &'r mut [Ranked], spelled: &Spelled) -> &'r mut [Ranked] {
    if ranked.len() > BEST {
        ranked.select_nth_unstable_by(BEST, rank_order);
        seats::include_meant(ranked, BEST, spelled);
    }
    let most = BEST.min(ranked.len());
    let best = &mut ranked[..most];
    best.sort_unstable_by(rank_order);
    best
}

/// The place of each of the best.
fn rank_places(best: &[Ranked]) -> HashMap<SymbolId, usize> {
    best.iter().enumerate().map(|(at, found)| (found.symbol, at)).collect()
}
