//! Names, letter for letter.

use super::filter::Filter;
use super::plan::Plan;
use super::rank::{Ranked, of_name};
use crate::index::Flags;
use crate::{Evidence, Result, Source};

/// Symbols of one name that are opened and compared.
const MOST: usize = 5_000;

/// The symbols whose simple or qualified name is the query, letter for letter.
pub(crate) fn exact(
    source: &Source<'_>,
    query: &str,
    filter: &Filter,
    evidence: &mut Evidence,
) -> Result<Vec<Ranked>> {
    let query = query.trim();
    let plan = Plan::of_query(query, &[]);
    let mut ranked = Vec::new();
    for probe in plan.names.iter().filter(|_| plan.single) {
        for hit in of_name(source.view(), &probe.name, MOST)? {
            let flags = Flags(hit.flags);
            if !filter.keeps(source.view(), hit.symbol, flags)? {
                continue;
            }
            let Some(sym) = source.listed(hit.symbol)? else { continue };
            let same = sym.name() == query || sym.qualified() == query || ends_in(sym.qualified(), query);
            if same {
                ranked.push(Ranked { symbol: hit.symbol, score: flags.prior() });
            }
        }
    }
    evidence.ran("exactName", ranked.len());
    Ok(ranked)
}

/// Whether a qualified name ends in the query at a joint: `b.c` in `a.b.c`.
fn ends_in(qualified: &str, query: &str) -> bool {
    qualified.strip_suffix(query).is_some_and(|before| before.ends_with(['.', ':', '#', '\\', '/']))
}
