//! A task's seeds, their neighbourhood, and a budget.

mod assemble;
mod estimate;
mod expand;
mod levels;
mod neighbourhood;
mod request;
pub(crate) mod seeds;
mod spill;
mod types;

pub use neighbourhood::Neighbourhood;
pub use request::{Budget, SliceRequest, USUAL_TOKENS, WireFormat};
pub use spill::{Page, page};
pub use types::{BuiltSlice, FrontierItem, Link, SliceDoc, SliceEdge, Truncation};

use sdl_model::SymbolId;

use self::expand::Reached;
use crate::card::Enrichment;
use crate::{Result, Source};

/// More cards than this are never in one slice.
pub const MAX_CARDS: u32 = 500;

/// Builds a slice. Deterministic for one version and request.
pub fn build(source: &Source<'_>, request: &SliceRequest, enrichment: &dyn Enrichment) -> Result<BuiltSlice> {
    Neighbourhood::of(source, request, enrichment)?.slice(request.budget.max_estimated_tokens)
}

/// The slice of nothing: what is left when everything that it started from is gone.
pub(crate) fn empty(source: &Source<'_>, request: &SliceRequest) -> Result<BuiltSlice> {
    let none = Neighbourhood::around(source, request, &crate::card::Plain, Vec::new());
    none.slice(request.budget.max_estimated_tokens)
}

/// The slice of exactly these symbols, best first, in the request's format. Cards say less until the slice fits the
/// request's budget; it exceeds the budget rather than leave a symbol out.
pub(crate) fn of_members(
    source: &Source<'_>,
    request: &SliceRequest,
    members: &[SymbolId],
    enrichment: &dyn Enrichment,
) -> Result<BuiltSlice> {
    let mut request = request.clone();
    request.budget.max_cards = members.len() as u32;
    request.known_card_etags.clear();
    let reached = members.iter().enumerate().map(|(place, &symbol)| Reached {
        symbol,
        score: 1.0 - place as f32 / members.len() as f32,
        seed: true,
        // All of them are there before any tells more than where it is.
        entry: true,
        forced: true,
    });
    let found = Neighbourhood::around(source, &request, enrichment, reached.collect());
    let mut limit = request.budget.max_estimated_tokens.max(1);
    loop {
        let slice = found.slice(limit)?;
        if slice.spilled.is_empty() || limit == u32::MAX {
            return Ok(slice);
        }
        limit = limit.saturating_mul(2);
    }
}
