//! Searches: from postings to ranked symbols.

mod best;
pub(crate) mod exact;
pub(crate) mod files;
mod filter;
mod merge;
mod near;
mod part;
mod pattern;
pub(crate) mod plan;
mod postings;
pub(crate) mod rank;
pub(crate) mod ranked;
mod rerank;
mod scoring;
mod spelled;
mod types;

pub use rerank::{Candidate, FEATURES};
pub use types::{DEFAULT_LIMIT, Hit, MAX_LIMIT, SearchRequest, SearchResponse};

pub(crate) use filter::Filter;
pub use filter::PathPatterns;
use plan::Plan;
use ranked::{Best, Ranked, Total, keep_best};

use std::collections::HashMap;

use sdl_ledger::View;
use sdl_model::SymbolId;

use crate::numbers::Milli;
use crate::{Evidence, Result, Source, UserError, cursor, meaning};

/// Searches one version.
pub fn search_symbols(source: &Source<'_>, request: &SearchRequest) -> Result<SearchResponse> {
    if request.query.trim().is_empty() {
        return Err(UserError::EmptyQuery.into());
    }
    let view = source.view();
    let state = (view.version(), source.overlay());
    let fingerprint = request.fingerprint();
    let offset = cursor::read_cursor(state, request.cursor.as_deref(), fingerprint)?;
    let limit = match request.limit {
        0 => DEFAULT_LIMIT,
        limit => limit.min(MAX_LIMIT),
    };
    let filter = Filter::new(view, &request.kinds, request.exported_only, request.path_glob.as_deref())?;
    let mut evidence = Evidence::default();
    let plan = Plan::of_query(&request.query, &request.chat_mentions);
    if let Some(part) = source.part() {
        return part::search_part(part, request, (&plan, &filter), limit);
    }
    let all = |ranked: Vec<Ranked>| Best { total: Total::exactly(ranked.len()), ranked };
    let Best { mut ranked, mut total } = if request.regex {
        all(pattern::match_pattern(source, request.query.trim(), &filter, &mut evidence)?)
    } else if request.exact {
        all(exact::find_exact(source, &request.query, &filter, &mut evidence)?)
    } else {
        if plan.is_empty() {
            return Err(UserError::EmptyQuery.into());
        }
        // Meaning adds to the score of any symbol.
        let wanted = if request.semantic { usize::MAX } else { offset.saturating_add(limit) };
        rank::rank_symbols(source, &plan, &filter, wanted, &mut evidence)?
    };
    if request.semantic {
        let near = meaning::nearest_symbols(source, &request.query, plan.wants, MOST_NEAR, &mut evidence)?;
        fuse_ranked(source.view(), &mut ranked, near, &filter)?;
        total.count = total.count.max(ranked.len());
    } else if source.meaning().is_some() {
        evidence.skipped("semantic");
    } else {
        meaning::report_off(&mut evidence);
    }

    keep_best(&mut ranked, offset.saturating_add(limit));
    let results = ranked_hits(source, ranked.get(offset..).unwrap_or_default())?;
    // A name that no symbol has may be misspelled, even when some of its words were found: `parseHeaders` for
    // `parseHeader`.
    let missed = total.count == 0
        || plan.single
            && !request.exact
            && !evidence.found("exactName", "prefix")
            && !evidence.unmatched_terms.is_empty();
    let near_misses = match plan.names.first() {
        Some(probe) if missed && !request.regex => {
            ranked_hits(source, &near::similar_names(view, &probe.name)?)?
        }
        _ => Vec::new(),
    };
    if missed && !request.regex {
        evidence.ran("nearMisses", near_misses.len());
    }
    let next = offset + results.len();
    Ok(SearchResponse {
        cursor: ((next < total.count || total.at_least) && !results.is_empty())
            .then(|| cursor::write_cursor(state, next, fingerprint)),
        results,
        total: total.count as u64,
        total_at_least: total.at_least,
        near_misses,
        retrieval_evidence: request.evidence.then_some(evidence),
    })
}

/// Most symbols that are taken by meaning.
const MOST_NEAR: usize = 50;
/// Higher scores are those of a name that is the whole query.
const MOST_BEST: f32 = 50.0;

/// Adds the symbols found by meaning, by their rank, because the two kinds of scores can't be compared.
fn fuse_ranked(view: &dyn View, ranked: &mut Vec<Ranked>, near: Vec<Ranked>, filter: &Filter) -> Result<()> {
    let best = ranked.iter().map(|found| found.score).fold(0.0, f32::max).min(MOST_BEST);
    let places: HashMap<SymbolId, usize> = ranked.iter().enumerate().map(|(at, f)| (f.symbol, at)).collect();
    for (rank, Ranked { symbol, .. }) in near.into_iter().enumerate() {
        let score = meaning::rank_worth(rank) * best.max(1.0);
        if let Some(found) = places.get(&symbol).and_then(|at| ranked.get_mut(*at)) {
            found.score += score;
        } else if let Some(home) = view.symbol_home(symbol)?
            && filter.keeps_home(home)
        {
            ranked.push(Ranked { symbol, score });
        }
    }
    Ok(())
}

/// Most files of a folder that are opened where no word helps.
const MOST_OPENED: usize = 64;

/// The symbols whose names are nearest to one that does not exist, for error messages.
pub fn nearest_names(source: &Source<'_>, name: &str) -> Result<Vec<Hit>> {
    ranked_hits(source, &near::similar_names(source.view(), name)?)
}

/// The symbols below a folder (its path ends with a slash) that fit a task best. If its words fit none, the symbols
/// that most others use.
pub fn search_within(source: &Source<'_>, text: &str, folder: &str, most: usize) -> Result<Vec<SymbolId>> {
    let filter = Filter::below(source.view(), folder)?;
    let plan = Plan::of_task(text);
    let Best { mut ranked, .. } = rank::rank_symbols(source, &plan, &filter, most, &mut Evidence::default())?;
    if ranked.is_empty() {
        for file in filter.files().into_iter().take(MOST_OPENED) {
            for sym in source.symbols_of(file)? {
                if sym.kind().is_callable() || sym.kind().is_type() {
                    ranked.push(Ranked { symbol: sym.id, score: source.view().fan_in(sym.id)? as f32 });
                }
            }
        }
    }
    keep_best(&mut ranked, most);
    Ok(ranked.into_iter().map(|found| found.symbol).collect())
}

/// The best candidates for a text about a task before they are ordered, with their features: for fitting the weights of
/// [`FEATURES`].
pub fn task_candidates(source: &Source<'_>, text: &str) -> Result<Vec<Candidate>> {
    rerank::rerank_candidates(source, &Plan::of_text(text))
}

fn ranked_hits(source: &Source<'_>, ranked: &[Ranked]) -> Result<Vec<Hit>> {
    let mut hits = Vec::with_capacity(ranked.len());
    for found in ranked {
        // A posting without its symbol is passed over, because it is damage that `sdlctl ledger check` reports.
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
