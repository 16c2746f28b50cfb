//! A task's seeds, their neighbourhood, and a budget.

mod request;
mod types;

pub use request::{Budget, SliceRequest, WireFormat};
pub use types::{BuiltSlice, FrontierItem, SliceDoc, SliceEdge, Truncation};

use crate::card::Enrichment;
use crate::{Result, Source, UserError};

/// Builds a slice. Deterministic for one version and request.
pub fn build(source: &Source<'_>, request: &SliceRequest, enrichment: &dyn Enrichment) -> Result<BuiltSlice> {
    let _ = (source, request, enrichment);
    Err(UserError::NoSeeds.into())
}
