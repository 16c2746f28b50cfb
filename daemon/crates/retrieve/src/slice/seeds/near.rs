//! Symbols with a meaning near the task's. Needs a model that the user provides.

use super::Seeds;
use crate::index::Wants;
use crate::{Evidence, Result, Source, meaning};

/// Symbols that are taken by meaning.
const MOST: usize = 50;

pub(super) fn add_near_seeds(
    source: &Source<'_>,
    (text, wants): (&str, Wants),
    seeds: &mut Seeds,
    evidence: &mut Evidence,
) -> Result<()> {
    if text.is_empty() && source.meaning().is_some() {
        evidence.skipped("semantic");
        return Ok(());
    }
    for (rank, found) in meaning::nearest_symbols(source, text, wants, MOST, evidence)?.iter().enumerate() {
        seeds.guess(found.symbol, 0.9 * meaning::rank_worth(rank));
    }
    Ok(())
}
