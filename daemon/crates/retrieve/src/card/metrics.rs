//! Numbers of the graph.

use std::cmp::Reverse;

use sdl_model::{EdgeKind, InEdge, Lang};

use super::Enrichment;
use super::types::{Metrics, TestRef};
use crate::index::is_test_path;
use crate::{Result, Source, Sym};

/// Incoming edges that are asked whether a test is behind them.
const MOST_CALLERS: usize = 200;

/// Incoming edges that are asked the same when only yes or no is wanted.
const FIRST_USERS: usize = 32;

/// A symbol's metrics.
pub(super) fn of(
    source: &Source<'_>,
    sym: &Sym,
    fan_out: usize,
    enrichment: &dyn Enrichment,
) -> Result<Metrics> {
    let view = source.view();
    let mut tests = 0;
    let mut best = None;
    let callers = view.in_edges(sym.id, MOST_CALLERS)?;
    for edge in &callers {
        let Some(test) = as_test(source, edge)? else { continue };
        tests += 1;
        // The test that calls it, and is named after it, speaks for it.
        let after = test.name().to_lowercase().contains(&sym.name().to_lowercase());
        let rank = (!after, edge.kind != EdgeKind::Call, Reverse(edge.confidence), edge);
        if best.as_ref().is_none_or(|(known, _): &(_, Sym)| rank < *known) {
            best = Some((rank, test));
        }
    }
    Ok(Metrics {
        fan_in: view.fan_in(sym.id)?,
        fan_out: fan_out as u64,
        churn_30d: enrichment.churn_30d(sym.path()),
        test_refs: Some(tests),
        canonical_test: best.map(|(_, test)| TestRef {
            symbol_id: test.id,
            name: test.qualified().to_owned(),
            file: test.path().to_owned(),
        }),
    })
}

/// Whether a test is among the first users of a symbol.
pub(crate) fn used_by_test(source: &Source<'_>, sym: &Sym) -> Result<bool> {
    for edge in source.view().in_edges(sym.id, FIRST_USERS)? {
        if as_test(source, &edge)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The source of an edge, if it is a test. Files are opened only where a test may be.
fn as_test(source: &Source<'_>, edge: &InEdge) -> Result<Option<Sym>> {
    let Some(file) = source.view().symbol_file(edge.from)? else { return Ok(None) };
    let Some(row) = source.view().file(file)? else { return Ok(None) };
    let inline = row.state.facts().is_some_and(|key| key.lang == Lang::Rust);
    if !inline && !is_test_path(row.path.as_str()) {
        return Ok(None);
    }
    Ok(source.symbol(edge.from)?.filter(Sym::is_test))
}
