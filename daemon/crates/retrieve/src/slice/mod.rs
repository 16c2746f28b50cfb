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
pub use request::{Budget, SliceRequest, WireFormat};
pub use spill::{Page, page};
pub use types::{BuiltSlice, FrontierItem, SliceDoc, SliceEdge, Truncation};

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
