//! Everything that depends on a set of symbols: what a change of them may break.
//!
//! A symbol depends on another if it calls, uses, configures itself by or derives from it, directly or through
//! others. An import alone passes nothing on, except from a module that changed as a whole. Two more rules cover
//! dependencies that no edge shows:
//!
//! * A member that nothing is known to call may be called by whatever has a value of its type, such as a framework. So
//!   those who use the type depend on it.
//! * A test depends on what it reaches, and nothing depends on a test.

use std::collections::{HashMap, VecDeque};

use sdl_model::facts::DefFlags;
use sdl_model::{EdgeKind, Resolution, SymbolId, SymbolKind};
use sdl_retrieve::diff::resolution_weight;
use sdl_retrieve::members::member_owner;
use sdl_retrieve::{Listed, Result};

use crate::graph::HOLDER;
use crate::{Filter, Graph, Link};

/// Most symbols that any search reaches. A change that reaches more affects the repository as a whole.
pub const MAX_REACHED: usize = 100_000;

/// A symbol that depends on a change.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The symbol.
    pub symbol: SymbolId,
    /// Its entry in a list.
    pub listed: Listed,
    /// The number of links to the change, from 1.
    pub distance: u32,
    /// How likely the change has an effect here, from 0 to 1: the product over the links.
    pub weight: f32,
    /// The next symbol on the way to the change, and the link between them, seen from there.
    pub towards: SymbolId,
    /// That link: its symbol is this one.
    pub link: Link,
}

/// The outcome of a search for dependents.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// The dependents, nearest first.
    pub reached: Vec<Reached>,
    by_symbol: HashMap<SymbolId, usize>,
    /// Whether there are more than [`Limits::most`].
    pub is_cut: bool,
}

impl Reach {
    /// The dependents with at most `distance` links to the change.
    pub fn within(&self, distance: u32) -> &[Reached] {
        let end = self.reached.partition_point(|one| one.distance <= distance);
        self.reached.get(..end).unwrap_or_default()
    }

    /// A dependent.
    pub fn get(&self, symbol: SymbolId) -> Option<&Reached> {
        self.by_symbol.get(&symbol).and_then(|at| self.reached.get(*at))
    }

    /// The symbols from a dependent to the change, both included.
    pub fn way(&self, from: SymbolId) -> Vec<SymbolId> {
        let mut way = vec![from];
        let mut at = from;
        while let Some(reached) = self.get(at) {
            at = reached.towards;
            way.push(at);
        }
        way
    }
}

/// How far a search for dependents goes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most links.
    pub distance: u32,
    /// Whether the rule for members that nothing calls applies.
    pub holders: bool,
    /// Most symbols, at most [`MAX_REACHED`].
    pub most: usize,
}

/// Everything that depends on `origins`, which are not in the answer themselves.
pub fn find_dependents(
    graph: &Graph<'_, '_>,
    origins: &[SymbolId],
    limits: Limits,
    filter: &Filter,
) -> Result<Reach> {
    let source = graph.source();
    let mut reach = Reach::default();
    // Nearest first; of one distance, the surest way is kept.
    let mut wave: VecDeque<(SymbolId, f32)> = origins.iter().map(|symbol| (*symbol, 1.0)).collect();
    for distance in 1..=limits.distance {
        let mut next: HashMap<SymbolId, (f32, SymbolId, Link)> = HashMap::new();
        for (symbol, weight) in wave {
            let is_origin = distance == 1;
            for link in dependent_links(graph, symbol, is_origin, limits)? {
                if link.confidence < filter.min_confidence
                    || origins.contains(&link.symbol)
                    || reach.by_symbol.contains_key(&link.symbol)
                {
                    continue;
                }
                let carried =
                    weight * f32::from(link.confidence) / 100.0 * resolution_weight(link.resolution);
                let known = next.entry(link.symbol).or_insert((carried, symbol, link));
                if (carried, std::cmp::Reverse(symbol)) > (known.0, std::cmp::Reverse(known.1)) {
                    *known = (carried, symbol, link);
                }
            }
        }
        let mut found: Vec<_> = next.into_iter().collect();
        found.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
        wave = VecDeque::new();
        for (symbol, (weight, towards, link)) in found {
            let Some(listed) = source.listed(symbol)?.filter(|listed| filter.keeps(listed)) else { continue };
            if reach.reached.len() >= limits.most.min(MAX_REACHED) {
                reach.is_cut = true;
                return Ok(reach);
            }
            if !listed.is_test_case() {
                wave.push_back((symbol, weight));
            }
            reach.by_symbol.insert(symbol, reach.reached.len());
            reach.reached.push(Reached { symbol, listed, distance, weight, towards, link });
        }
        if wave.is_empty() {
            break;
        }
    }
    Ok(reach)
}

/// The links from those who depend on a symbol.
fn dependent_links(
    graph: &Graph<'_, '_>,
    symbol: SymbolId,
    is_origin: bool,
    limits: Limits,
) -> Result<Vec<Link>> {
    let mut links = graph.links_in(symbol)?;
    let is_module =
        graph.source().view().symbol_home(symbol)?.is_some_and(|home| home.kind == SymbolKind::Module);
    links.retain(|link| link.kind != EdgeKind::Import || (is_origin && is_module));
    let is_used = links.iter().any(|link| link.kind != EdgeKind::Import);
    if limits.holders && !is_used {
        links.extend(holder_links(graph, symbol)?);
    }
    Ok(links)
}

/// The confidence of the guess that users of a type run a member that nothing is known to call.
const HOLDER_CONFIDENCE: u8 = 30;

/// The link from the type of a member that nothing is known to call: whoever has its type may run it.
fn holder_links(graph: &Graph<'_, '_>, symbol: SymbolId) -> Result<Vec<Link>> {
    let source = graph.source();
    let is_member = source.view().symbol_home(symbol)?.is_some_and(|home| {
        matches!(home.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Function)
    });
    if !is_member {
        return Ok(Vec::new());
    }
    let Some(sym) = source.symbol(symbol)? else { return Ok(Vec::new()) };
    if sym.def().flags.has(DefFlags::TEST) {
        return Ok(Vec::new());
    }
    let Some(owner) = member_owner(source, &sym)? else { return Ok(Vec::new()) };
    Ok(vec![Link {
        symbol: owner.id,
        kind: EdgeKind::Ref,
        resolution: Resolution::Ambiguous,
        strategy: HOLDER,
        confidence: HOLDER_CONFIDENCE,
        through: Some(symbol),
    }])
}
