//! The best ways from one symbol to another.
//!
//! A way is a chain of links without a repeated symbol. Its cost is one for each link, and up to one more for each link
//! that is unsure: a chain of three sure calls comes before one of two guesses. The search is A* (Hart, Nilsson and
//! Raphael, 1968) over the links that lead away, with the distance to the target as the estimate. A search from both ends
//! (Pohl, 1971) finds that distance first, so that a hub on the way is not searched through.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

use sdl_model::{EdgeKind, SymbolId};
use sdl_retrieve::{Result, Source};

use crate::{Filter, Graph, Link};

/// Most ways of an answer.
pub const MAX_PATHS: usize = 10;
/// Most links of a way.
pub const MAX_HOPS: u32 = 24;
/// Most symbols whose links are read before a search gives up.
const MAX_EXPANDED: usize = 40_000;
/// A further way may have this many links more than the shortest.
const DETOUR: u32 = 3;

/// Which links a way may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Calls, and what they may run by dispatch.
    Calls,
    /// Links of every kind.
    AnyLink,
}

/// One link of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The symbol that it leaves.
    pub from: SymbolId,
    /// The link; its symbol is the one that it leads to.
    pub link: Link,
}

/// A way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its links, in order.
    pub hops: Vec<Hop>,
}

impl Path {
    /// The product of the links' confidences, from 0 to 1.
    pub fn confidence(&self) -> f64 {
        self.hops.iter().map(|hop| f64::from(hop.link.confidence) / 100.0).product()
    }
}

/// The outcome of a search.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// The ways, best first.
    pub paths: Vec<Path>,
    /// Whether the search gave up, so that there may be others.
    pub gave_up: bool,
}

/// The `most` best ways from one of `from` to one of `to`.
pub fn best_paths(
    graph: &Graph<'_, '_>,
    (from, to): (&[SymbolId], &[SymbolId]),
    over: Over,
    most: usize,
    filter: &Filter,
) -> Result<Paths> {
    let mut search = Search { graph, over, filter, ends: (from, to), expanded: 0, kept: HashMap::new() };
    let Some(distances) = search.distances_to_target()? else {
        return Ok(Paths { paths: Vec::new(), gave_up: search.expanded >= MAX_EXPANDED });
    };
    search.expanded = 0;
    let paths = search.cheapest_first(&distances, most.min(MAX_PATHS))?;
    Ok(Paths { paths, gave_up: search.expanded >= MAX_EXPANDED })
}

/// The known distances to the target, and a lower bound for all other symbols.
struct Distances {
    known: HashMap<SymbolId, u32>,
    beyond: u32,
    /// The length of the shortest way.
    shortest: u32,
}

impl Distances {
    fn at_least(&self, symbol: SymbolId) -> u32 {
        self.known.get(&symbol).copied().unwrap_or(self.beyond)
    }
}

struct Search<'q, 's, 'a> {
    graph: &'q Graph<'s, 'a>,
    over: Over,
    filter: &'q Filter,
    ends: (&'q [SymbolId], &'q [SymbolId]),
    expanded: usize,
    /// Whether the filter keeps a symbol.
    kept: HashMap<SymbolId, bool>,
}

impl Search<'_, '_, '_> {
    fn source(&self) -> &Source<'_> {
        self.graph.source()
    }

    fn may_pass(&mut self, link: &Link) -> Result<bool> {
        if link.confidence < self.filter.min_confidence
            || self.over == Over::Calls && link.kind != EdgeKind::Call
        {
            return Ok(false);
        }
        if self.ends.0.contains(&link.symbol) || self.ends.1.contains(&link.symbol) {
            return Ok(true);
        }
        if let Some(kept) = self.kept.get(&link.symbol) {
            return Ok(*kept);
        }
        let kept = self.filter.is_open()
            || self.source().listed(link.symbol)?.is_some_and(|listed| self.filter.keeps(&listed));
        self.kept.insert(link.symbol, kept);
        Ok(kept)
    }

    fn links(&mut self, of: SymbolId, away: bool) -> Result<Vec<Link>> {
        self.expanded += 1;
        let links = if away { self.graph.links_out(of)? } else { self.graph.links_in(of)? };
        let mut kept = Vec::with_capacity(links.len());
        for link in links {
            if self.may_pass(&link)? {
                kept.push(link);
            }
        }
        Ok(kept)
    }

    /// Searches from both ends, a whole wave at a time and the smaller wave first, until they meet. None if they don't.
    fn distances_to_target(&mut self) -> Result<Option<Distances>> {
        let (from, to) = self.ends;
        let mut ahead = Wave::of(from);
        let mut back = Wave::of(to);
        if from.iter().any(|symbol| to.contains(symbol)) {
            return Ok(Some(Distances { known: back.seen, beyond: 1, shortest: 0 }));
        }
        while ahead.depth + back.depth < MAX_HOPS && self.expanded < MAX_EXPANDED {
            if ahead.last.is_empty() || back.last.is_empty() {
                return Ok(None);
            }
            let is_ahead = ahead.last.len() <= back.last.len();
            let (wave, other) = if is_ahead { (&mut ahead, &back) } else { (&mut back, &ahead) };
            let mut next = Vec::new();
            let mut met = false;
            for symbol in std::mem::take(&mut wave.last) {
                for link in self.links(symbol, is_ahead)? {
                    if let std::collections::hash_map::Entry::Vacant(slot) = wave.seen.entry(link.symbol) {
                        slot.insert(wave.depth + 1);
                        next.push(link.symbol);
                        met |= other.seen.contains_key(&link.symbol);
                    }
                }
            }
            wave.depth += 1;
            wave.last = next;
            if met {
                let shortest = ahead.depth + back.depth;
                return Ok(Some(Distances { known: back.seen, beyond: back.depth + 1, shortest }));
            }
        }
        Ok(None)
    }

    fn cheapest_first(&mut self, distances: &Distances, most: usize) -> Result<Vec<Path>> {
        let longest = (distances.shortest + DETOUR).min(MAX_HOPS);
        let mut queue = BinaryHeap::new();
        for symbol in self.ends.0 {
            queue.push(Partial::new(*symbol, distances));
        }
        let mut left: HashMap<SymbolId, usize> = HashMap::new();
        let mut found = Vec::new();
        while let Some(partial) = queue.pop() {
            if self.ends.1.contains(&partial.symbol) {
                found.push(partial.path());
                if found.len() >= most {
                    break;
                }
                continue;
            }
            // Further ways through a symbol are dropped, because a symbol is on at most as many of the best ways as
            // are wanted.
            let times = left.entry(partial.symbol).or_default();
            *times += 1;
            if *times > most || self.expanded >= MAX_EXPANDED {
                continue;
            }
            let partial = Rc::new(partial);
            for link in self.surest_links(partial.symbol)? {
                let hops = partial.hops + 1;
                if hops + distances.at_least(link.symbol) <= longest && !partial.has(link.symbol) {
                    queue.push(Partial::after(&partial, link, distances));
                }
            }
        }
        Ok(found)
    }

    /// The best link to each symbol.
    fn surest_links(&mut self, of: SymbolId) -> Result<Vec<Link>> {
        let mut links = self.links(of, true)?;
        links.sort_by_key(|link| (link.symbol, 100 - link.confidence.min(100), link.kind));
        let mut seen = HashSet::new();
        links.retain(|link| seen.insert(link.symbol));
        Ok(links)
    }
}

/// A search from one end.
struct Wave {
    seen: HashMap<SymbolId, u32>,
    last: Vec<SymbolId>,
    depth: u32,
}

impl Wave {
    fn of(start: &[SymbolId]) -> Self {
        Self { seen: start.iter().map(|symbol| (*symbol, 0)).collect(), last: start.to_vec(), depth: 0 }
    }
}

/// A way that is not finished.
struct Partial {
    symbol: SymbolId,
    before: Option<(Rc<Partial>, Link)>,
    hops: u32,
    /// The cost so far, in hundredths of a link.
    cost: u32,
    /// The cost with the least that is still to come.
    estimate: u32,
}

impl Partial {
    fn new(symbol: SymbolId, distances: &Distances) -> Self {
        Self { symbol, before: None, hops: 0, cost: 0, estimate: distances.at_least(symbol) * 100 }
    }

    fn after(before: &Rc<Self>, link: Link, distances: &Distances) -> Self {
        let cost = before.cost + 200 - u32::from(link.confidence.min(100));
        Self {
            symbol: link.symbol,
            before: Some((Rc::clone(before), link)),
            hops: before.hops + 1,
            cost,
            estimate: cost + distances.at_least(link.symbol) * 100,
        }
    }

    fn has(&self, symbol: SymbolId) -> bool {
        let mut at = self;
        loop {
            if at.symbol == symbol {
                return true;
            }
            match &at.before {
                Some((before, _)) => at = before,
                None => return false,
            }
        }
    }

    fn path(&self) -> Path {
        let mut hops = Vec::new();
        let mut at = self;
        while let Some((before, link)) = &at.before {
            hops.push(Hop { from: before.symbol, link: *link });
            at = before;
        }
        hops.reverse();
        Path { hops }
    }
}

impl Ord for Partial {
    /// The greatest has the least estimate. Of equals, the one that is further along is first, then the lower ids, so
    /// that the order is the same each time.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |one: &Self| (one.estimate, u32::MAX - one.hops, one.symbol);
        let before = |one: &Self| one.before.as_ref().map(|(before, _)| before.symbol);
        key(other).cmp(&key(self)).then_with(|| before(other).cmp(&before(self)))
    }
}

impl PartialOrd for Partial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Partial {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Partial {}
