//! Names, letter for letter.

use std::cmp::Reverse;

use sdl_model::{SymbolId, SymbolKind};

use super::filter::Filter;
use super::plan::{NameProbe, Plan};
use super::rank::of_name;
use super::ranked::Ranked;
use super::spelled::owners_matched;
use crate::index::{Flags, is_aside_path};
use crate::{Evidence, Result, Source};

/// Symbols of one name that are opened and compared.
const MOST: usize = 5_000;

/// The symbols whose simple or qualified name is the query, letter for letter.
pub(crate) fn find_exact(
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
pub(super) fn ends_in(qualified: &str, query: &str) -> bool {
    qualified.strip_suffix(query).is_some_and(|before| before.ends_with(['.', ':', '#', '\\', '/']))
}

/// Most symbols of one name that are looked at when a text names it.
const MOST_BEARERS: usize = 64;

/// The order in which a one-word query such as `cart` means symbols of one name: types before functions before
/// members before modules, and last the symbols that only their own function sees.
pub(super) fn rank_of_kind(kind: SymbolKind, local: bool) -> u8 {
    match kind {
        SymbolKind::Impl => 0,
        _ if local => 0,
        SymbolKind::Module | SymbolKind::Namespace => 1,
        SymbolKind::Function | SymbolKind::Macro => 3,
        kind if kind.is_type() => 4,
        _ => 2,
    }
}

/// The symbols that a name means when it is spelled with the same case: those of the kind that comes first, and of the
/// product before its tests and examples. None if more than `most` remain.
pub(crate) fn symbols_named(source: &Source<'_>, probe: &NameProbe, most: usize) -> Result<Vec<SymbolId>> {
    let mut found = Vec::new();
    for hit in source.view().named_up_to(&probe.name, MOST_BEARERS)? {
        let Some(sym) = source.listed(hit.symbol)? else { continue };
        if !probe.owners.is_empty() && owners_matched(&probe.owners, sym.qualified(), sym.path()) < 1.0 {
            continue;
        }
        let aside = sym.is_test() || is_aside_path(sym.path());
        found.push(((aside, Reverse(rank_of_kind(hit.kind, false))), hit.symbol));
    }
    found.sort_unstable();
    let best = found.first().map(|(rank, _)| *rank);
    found.retain(|(rank, _)| Some(*rank) == best);
    if found.len() > most {
        found.clear();
    }
    Ok(found.into_iter().map(|(_, symbol)| symbol).collect())
}
