//! Symbols that mean nearly what the task means; for those who brought a model.

use super::Seeds;
use crate::search::plan::Plan;
use crate::slice::SliceRequest;
use crate::{Evidence, Result, Source, meaning};

/// Symbols that are taken by meaning.
const MOST: usize = 50;

pub(super) fn lane(
    source: &Source<'_>,
    request: &SliceRequest,
    seeds: &mut Seeds,
    evidence: &mut Evidence,
) -> Result<()> {
    let text = request.task_text.as_deref().unwrap_or("").trim();
    if text.is_empty() && source.meaning().is_some() {
        evidence.skipped("semantic");
        return Ok(());
    }
    let wants = Plan::of_text(text).wants;
    for (rank, found) in meaning::nearest(source, text, wants, MOST, evidence)?.iter().enumerate() {
        seeds.guess(found.symbol, 0.9 * meaning::worth(rank));
    }
    Ok(())
}
