//! A task's seeds, their neighbourhood, and a budget.

mod assemble;
mod expand;
mod levels;
mod request;
pub(crate) mod seeds;
mod spill;
mod types;

pub use request::{Budget, SliceRequest, WireFormat};
pub use spill::{Page, page};
pub use types::{BuiltSlice, FrontierItem, SliceDoc, SliceEdge, Truncation};

use crate::card::Enrichment;
use crate::{Evidence, Result, Source, UserError};

/// More cards than this are never in one slice.
pub const MAX_CARDS: u32 = 500;

/// Builds a slice. Deterministic for one version and request.
pub fn build(source: &Source<'_>, request: &SliceRequest, enrichment: &dyn Enrichment) -> Result<BuiltSlice> {
    let mut evidence = Evidence::default();
    let seeds = seeds::collect(source, request, &mut evidence)?;
    if seeds.is_empty() {
        return Err(UserError::NoSeeds.into());
    }
    // Beyond the cards there must be enough for the frontier and the spillover.
    let most = request.budget.max_cards.min(MAX_CARDS) as usize * 3 + 32;
    let reached = expand::expand(source, &seeds, request, most.max(seeds.len()))?;
    let mut slice = assemble::Assembler::new(source, request, enrichment, &reached).assemble()?;
    slice.evidence = request.evidence.then_some(evidence);
    Ok(slice)
}

/// The slice of nothing: what is left when everything that it started from is gone.
pub(crate) fn empty(source: &Source<'_>, request: &SliceRequest) -> Result<BuiltSlice> {
    assemble::Assembler::new(source, request, &crate::card::Plain, &[]).assemble()
}
