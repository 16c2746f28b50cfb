//! Postings to ranked symbols.

mod cursor;
mod exact;
pub(crate) mod files;
mod filter;
mod message;
mod near;
mod pattern;
pub(crate) mod plan;
pub(crate) mod rank;
mod types;

pub use types::{DEFAULT_LIMIT, Hit, MAX_LIMIT, SearchRequest, SearchResponse};

pub(crate) use filter::Filter;
use plan::Plan;
use rank::Ranked;

use crate::numbers::Milli;
use crate::{Evidence, LaneStatus, Result, Source, UserError};

/// Searches one version.
pub fn search(source: &Source<'_>, request: &SearchRequest) -> Result<SearchResponse> {
    if request.query.trim().is_empty() {
        return Err(UserError::EmptyQuery.into());
    }
    let view = source.view();
    let state = (view.version(), source.overlay());
    let offset = cursor::read(state, request)?;
    let limit = match request.limit {
        0 => DEFAULT_LIMIT,
        limit => limit.min(MAX_LIMIT),
    };
    let filter = Filter::new(view, &request.kinds, request.exported_only, request.path_glob.as_deref())?;
    let mut evidence = Evidence::default();
    let plan = Plan::of_query(&request.query, &request.chat_mentions);
    let mut ranked = if request.regex {
        pattern::pattern(source, request.query.trim(), &filter, &mut evidence)?
    } else if request.exact {
        exact::exact(source, &request.query, &filter, &mut evidence)?
    } else {
        if plan.terms.is_empty() && plan.names.is_empty() && plan.paths.is_empty() {
            return Err(UserError::EmptyQuery.into());
        }
        rank::rank(source, &plan, &filter, &mut evidence)?
    };
    semantic_lane(&mut evidence);

    let total = ranked.len();
    rank::keep_best(&mut ranked, offset.saturating_add(limit));
    let results = hits(source, ranked.get(offset..).unwrap_or_default())?;
    // A name that nothing bears may be misspelled, also when some of its words were found.
    let missed = total == 0
        || plan.single
            && !request.exact
            && !evidence.found("exactName", "prefix")
            && !evidence.unmatched_terms.is_empty();
    let near_misses = match plan.names.first() {
        Some(probe) if missed && !request.regex => hits(source, &near::near(view, &probe.name)?)?,
        _ => Vec::new(),
    };
    if missed && !request.regex {
        evidence.ran("nearMisses", near_misses.len());
    }
    let next = offset + results.len();
    Ok(SearchResponse {
        cursor: (next < total && !results.is_empty()).then(|| cursor::write(state, next, request)),
        results,
        total: total as u64,
        near_misses,
        retrieval_evidence: request.evidence.then_some(evidence),
    })
}

/// Search by meaning needs a model that this build does not carry; the evidence says so rather than nothing.
pub(crate) fn semantic_lane(evidence: &mut Evidence) {
    let note = "this build carries no embedding model; the other lanes answered".to_owned();
    evidence.push("semantic", LaneStatus::Unavailable, 0, Some(note));
}

/// The symbols whose names are nearest to one that does not exist, for error messages.
pub fn nearest(source: &Source<'_>, name: &str) -> Result<Vec<Hit>> {
    hits(source, &near::near(source.view(), name)?)
}

fn hits(source: &Source<'_>, ranked: &[Ranked]) -> Result<Vec<Hit>> {
    let mut hits = Vec::with_capacity(ranked.len());
    for found in ranked {
        // A posting without its symbol would be damage that the ledger's own check reports.
        let Some(sym) = source.listed(found.symbol)? else { continue };
        hits.push(Hit {
            symbol_id: found.symbol,
            name: sym.name().to_owned(),
            qualified_name: sym.qualified().to_owned(),
            file: sym.path().to_owned(),
            line: sym.line(),
            kind: sym.kind(),
            exported: sym.exported(),
            score: Milli::of(f64::from(found.score)),
        });
    }
    Ok(hits)
}
