//! A task's seeds, their neighbourhood, and a budget.

mod assemble;
mod estimate;
mod expand;
mod frontier;
mod levels;
mod neighbourhood;
mod request;
pub(crate) mod seeds;
mod spill;
mod types;

pub use neighbourhood::Neighbourhood;
pub use request::{Budget, SliceRequest, USUAL_TOKENS, WireFormat};
pub use spill::{Page, spill_page};
pub use types::{BuiltSlice, FrontierItem, Link, SliceDoc, SliceEdge, Truncation};

use sdl_model::SymbolId;

use self::expand::Reached;
use crate::card::Enrichment;
use crate::{Result, Source};

/// Maximum number of cards in one slice.
pub const MAX_CARDS: u32 = 500;

/// Builds a slice. Deterministic for one version and request.
pub fn build_slice(
    source: &Source<'_>,
    request: &SliceRequest,
    enrichment: &dyn Enrichment,
) -> Result<BuiltSlice> {
    Neighbourhood::of(source, request, enrichment)?.slice(request.budget.max_estimated_tokens)
}

/// An empty neighbourhood, for a slice whose starts are all gone.
pub(crate) fn nothing<'a>(source: &'a Source<'a>, request: &'a SliceRequest) -> Neighbourhood<'a> {
    Neighbourhood::around(source, request, &crate::card::Plain, Vec::new())
}

/// The request for a slice of exactly `count` symbols.
pub(crate) fn request_of_members(request: &SliceRequest, count: usize) -> SliceRequest {
    let mut request = request.clone();
    request.budget.max_cards = count as u32;
    request.known_card_etags.clear();
    request
}

/// The neighbourhood of exactly these symbols, best first; see [`request_of_members`] and [`whole`].
pub(crate) fn of_members<'a>(
    source: &'a Source<'a>,
    request: &'a SliceRequest,
    members: &[SymbolId],
    enrichment: &'a dyn Enrichment,
) -> Neighbourhood<'a> {
    let reached = members.iter().enumerate().map(|(place, &symbol)| Reached {
        symbol,
        score: 1.0 - place as f32 / members.len() as f32,
        seed: true,
        // All of them are added before any of them gets more detail than its place.
        entry: true,
        forced: true,
    });
    Neighbourhood::around(source, request, enrichment, reached.collect())
}

/// The slice of all symbols found, in the request's format. Its cards are reduced until it fits `max_tokens`. It
/// exceeds that limit rather than leave a symbol out.
pub(crate) fn whole(found: &Neighbourhood<'_>, max_tokens: u32) -> Result<BuiltSlice> {
    let mut limit = max_tokens.max(1);
    loop {
        let slice = found.slice(limit)?;
        if slice.spilled.is_empty() || limit == u32::MAX {
            return Ok(slice);
        }
        limit = limit.saturating_mul(2);
    }
}
