//! Numbers of the graph.

use std::cmp::Reverse;

use sdl_model::{EdgeKind, InEdge, RelPath, SymbolId};

use super::Enrichment;
use super::types::{Metrics, TestRef};
use crate::index::is_test_path;
use crate::source::Listed;
use crate::{Result, Source, Sym};

/// Most incoming edges that are checked for a test as their source.
const MOST_CALLERS: usize = 200;

/// How many tests are looked at by name. It is limited because each needs its file opened, which would make cards of
/// much tested symbols slow.
const MOST_NAMED: usize = 16;

/// Incoming edges that are asked the same when only yes or no is wanted.
const FIRST_USERS: usize = 32;

/// A symbol's metrics.
pub(super) fn symbol_metrics(
    source: &Source<'_>,
    sym: &Sym,
    fan_out: usize,
    enrichment: &dyn Enrichment,
) -> Result<Metrics> {
    let view = source.view();
    let name = sym.name().to_lowercase();
    let mut tests = Vec::new();
    for edge in view.in_edges(sym.id, MOST_CALLERS)? {
        if let Some(path) = test_at(source, &edge)? {
            // A file named after the symbol, such as `test_cart.py` for `Cart`, is the likeliest place of its test.
            let likely = path.as_str().to_lowercase().contains(&name);
            tests.push((!likely, edge.kind != EdgeKind::Call, Reverse(edge.confidence), edge));
        }
    }
    tests.sort_unstable();
    let mut best = None;
    for (.., edge) in tests.iter().take(MOST_NAMED) {
        let Some(test) = source.listed(edge.from)? else { continue };
        // A test that is named after the symbol, such as `test_checkout` for `checkout`, is preferred.
        let after = test.name().to_lowercase().contains(&name);
        let rank = (!after, edge.kind != EdgeKind::Call, Reverse(edge.confidence), edge);
        if best.as_ref().is_none_or(|(known, ..): &(_, SymbolId, Listed)| rank < *known) {
            best = Some((rank, edge.from, test));
        }
    }
    Ok(Metrics {
        fan_in: view.fan_in(sym.id)?,
        fan_out: fan_out as u64,
        churn_30d: enrichment.churn_30d(sym.path()),
        test_refs: Some(tests.len() as u32),
        canonical_test: best.map(|(_, symbol, test)| TestRef {
            symbol_id: symbol,
            name: test.qualified().to_owned(),
            file: test.path().to_owned(),
        }),
    })
}

/// Whether a test is among the first users of a symbol.
pub(crate) fn used_by_test(source: &Source<'_>, sym: &Sym) -> Result<bool> {
    for edge in source.view().in_edges(sym.id, FIRST_USERS)? {
        if test_at(source, &edge)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The file of an edge's source, if that is a test. Files are opened only where tests are among other code.
fn test_at(source: &Source<'_>, edge: &InEdge) -> Result<Option<RelPath>> {
    let Some(file) = source.view().symbol_file(edge.from)? else { return Ok(None) };
    let Some(row) = source.view().file(file)? else { return Ok(None) };
    if is_test_path(row.path.as_str()) {
        return Ok(Some(row.path));
    }
    let inline = row.state.facts().is_some_and(|key| key.lang.traits().files.inline_tests);
    Ok((inline && source.listed(edge.from)?.is_some_and(|sym| sym.is_test())).then_some(row.path))
}
