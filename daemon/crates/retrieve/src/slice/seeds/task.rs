//! Symbols that the task's words, names and paths point to.

use super::Seeds;
use crate::search::plan::Plan;
use crate::search::{Filter, rank};
use crate::slice::SliceRequest;
use crate::{Evidence, Result, Source};

/// More seeds than this are not taken from a text.
const MOST: usize = 200;

pub(super) fn lane(
    source: &Source<'_>,
    request: &SliceRequest,
    plan: &Plan,
    seeds: &mut Seeds,
    evidence: &mut Evidence,
) -> Result<()> {
    if plan.terms.is_empty() && plan.names.is_empty() && plan.paths.is_empty() {
        evidence.skipped("taskText");
        return Ok(());
    }
    let mut ranked = rank::rank(source, plan, &Filter::default(), evidence)?;
    // Words point to what a task is about more surely than edges do from there: what the seeds lead to comes behind them.
    let most = (request.budget.max_cards as usize).clamp(4, MOST);
    rank::keep_best(&mut ranked, most);
    let best = ranked.first().map_or(1.0, |found| found.score).max(f32::EPSILON);
    for found in &ranked {
        // Scores fall off faster than relevance does.
        seeds.guess(found.symbol, 0.9 * (found.score / best).powf(0.7));
    }
    evidence.ran("taskText", ranked.len());
    Ok(())
}
