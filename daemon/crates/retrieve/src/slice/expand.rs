//! From seeds to their neighbourhood, best first.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use sdl_model::{EdgeKind, Resolution, SymbolId, SymbolKind};

use super::SliceRequest;
use super::seeds::Seed;
use crate::{Result, Source};

/// What each step away costs.
const DECAY: f32 = 0.72;
/// The same for the first step from a symbol that nothing but words points to.
const GUESSED: f32 = 0.3;
/// What a caller is worth beside a callee.
const CALLER: f32 = 0.3;
/// Below this score a symbol is not worth a card.
pub(super) const LEAST: f32 = 0.12;
/// Below this one nothing is reached through it either.
const FAINT: f32 = LEAST * 0.5;
/// Outgoing and incoming edges of one symbol that are followed.
const MOST_OUT: usize = 48;
const MOST_IN: usize = 16;
/// From this fan-in on a symbol is everybody's helper and says less about the task.
const HUB: f32 = 40.0;

/// A symbol of the neighbourhood.
pub(super) struct Reached {
    pub(super) symbol: SymbolId,
    pub(super) score: f32,
    /// Whether it was put forward by a lane rather than reached.
    pub(super) seed: bool,
    pub(super) forced: bool,
}

struct Entry {
    score: f32,
    symbol: SymbolId,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.symbol.cmp(&self.symbol))
    }
}

/// How much an edge carries over.
fn weight(kind: EdgeKind, resolution: Resolution, confidence: u8) -> f32 {
    let kind = match kind {
        EdgeKind::Call => 1.0,
        EdgeKind::Implements => 0.9,
        EdgeKind::Config => 0.8,
        EdgeKind::Import => 0.6,
        EdgeKind::Ref => 0.5,
    };
    let sure = match resolution {
        Resolution::Exact => 1.0,
        Resolution::Inferred => 0.8,
        Resolution::Ambiguous => 0.5,
    };
    kind * sure * f32::from(confidence) / 100.0
}

/// What a symbol is worth as a card, by its kind.
fn worth(kind: SymbolKind) -> f32 {
    match kind {
        SymbolKind::Module | SymbolKind::Namespace => 0.5,
        SymbolKind::Field | SymbolKind::EnumMember | SymbolKind::Variable => 0.6,
        SymbolKind::Constant => 0.75,
        SymbolKind::Impl => 0.0,
        _ => 1.0,
    }
}

/// The neighbourhood of the seeds, best first: at most `most` symbols.
pub(super) fn expand(
    source: &Source<'_>,
    seeds: &[Seed],
    request: &SliceRequest,
    most: usize,
) -> Result<Vec<Reached>> {
    let view = source.view();
    let mut best: HashMap<SymbolId, f32> = HashMap::new();
    let mut queue = BinaryHeap::new();
    let of_seed: HashMap<SymbolId, &Seed> = seeds.iter().map(|seed| (seed.symbol, seed)).collect();
    for seed in seeds {
        best.insert(seed.symbol, seed.score);
        queue.push(Entry { score: seed.score, symbol: seed.symbol });
    }
    let mut reached: Vec<Reached> = Vec::new();
    let follows = |kind: EdgeKind, confidence: u8| {
        confidence >= request.min_confidence
            && (kind != EdgeKind::Call || confidence >= request.min_call_confidence)
    };
    while let Some(Entry { score, symbol }) = queue.pop() {
        if best.get(&symbol).is_some_and(|known| *known > score) {
            continue;
        }
        if reached.len() >= most {
            break;
        }
        // Files are opened for those that become cards: most don't.
        let Some(home) = view.symbol_home(symbol)? else { continue };
        let seed = of_seed.get(&symbol);
        let forced = seed.is_some_and(|seed| seed.forced);
        // What counts for less as a card leads on just as well.
        let own = if seed.is_some() { score } else { score * worth(home.kind) };
        if home.kind != SymbolKind::Impl {
            reached.push(Reached { symbol, score: own, seed: seed.is_some(), forced });
        }
        let decay = if seed.is_some_and(|seed| seed.guess) { GUESSED } else { DECAY };
        let mut push = |to: SymbolId, carried: f32| -> Result<()> {
            let mut next = score * carried * decay;
            if next < FAINT || best.get(&to).is_some_and(|known| *known >= next) {
                return Ok(());
            }
            let fan_in = view.fan_in(to)? as f32;
            if fan_in > HUB {
                next /= 1.0 + (fan_in / HUB).ln();
            }
            if next >= FAINT && best.get(&to).is_none_or(|known| *known < next) {
                best.insert(to, next);
                queue.push(Entry { score: next, symbol: to });
            }
            Ok(())
        };
        // Edges carry over no more than all: where that is too little, none is read.
        if score * decay >= FAINT {
            let edges = view.out_edges(symbol)?;
            for edge in edges.iter().filter(|edge| follows(edge.kind, edge.confidence)).take(MOST_OUT) {
                push(edge.to, weight(edge.kind, edge.resolution, edge.confidence))?;
            }
        }
        if score * CALLER * decay >= FAINT {
            let edges = view.in_edges(symbol, MOST_IN)?;
            for edge in edges.iter().filter(|edge| follows(edge.kind, edge.confidence)) {
                push(edge.from, CALLER * weight(edge.kind, edge.resolution, edge.confidence))?;
            }
        }
    }
    reached.sort_by(|a, b| {
        b.forced.cmp(&a.forced).then(b.score.total_cmp(&a.score)).then(a.symbol.cmp(&b.symbol))
    });
    Ok(reached)
}
