//! Postings to ranked symbols.

mod types;

pub use types::{DEFAULT_LIMIT, Hit, MAX_LIMIT, SearchRequest, SearchResponse};

use crate::{Result, Source};

/// Searches one version.
pub fn search(source: &Source<'_>, request: &SearchRequest) -> Result<SearchResponse> {
    let _ = (source, request);
    Ok(SearchResponse::default())
}
