//! Expands seeds to their neighbourhood, best first.

use std::cmp::Reverse;
use std::collections::HashMap;

use sdl_model::{EdgeKind, Resolution, SymbolId, SymbolKind};

use super::frontier::Frontier;
use super::seeds::Seed;
use super::{Link, SliceRequest};
use crate::{Result, Source, members};

/// The factor for each step away from a seed.
const DECAY: f32 = 0.72;
/// The factor of the first step from a symbol that only words point to.
const GUESSED: f32 = 0.3;
/// The weight of the first member of a type relative to a call, and the number of further members after which it
/// halves.
const MEMBER: f32 = 0.9;
const MEMBER_HALF: f32 = 24.0;
/// The weight from a member to its type.
const OWNER: f32 = 0.5;
/// The weight of a caller relative to a callee.
const CALLER: f32 = 0.3;
/// Below this score a symbol is not worth a card.
pub(super) const LEAST: f32 = 0.12;
/// Below this score, no further symbols are reached through a symbol either.
const FAINT: f32 = LEAST * 0.5;
/// Most outgoing and incoming edges of one symbol that are followed.
const MOST_OUT: usize = 48;
const MOST_IN: usize = 16;

/// A symbol of the neighbourhood.
pub(super) struct Reached {
    pub(super) symbol: SymbolId,
    pub(super) score: f32,
    /// Whether a lane proposed it, rather than expansion reached it.
    pub(super) seed: bool,
    /// Whether the request names it by its id.
    pub(super) entry: bool,
    pub(super) forced: bool,
}

/// The share of the score that an edge passes on.
fn edge_weight(kind: EdgeKind, resolution: Resolution, confidence: u8) -> f32 {
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

/// The value of a symbol as a card, by its kind.
fn kind_worth(kind: SymbolKind) -> f32 {
    match kind {
        SymbolKind::Module | SymbolKind::Namespace => 0.5,
        SymbolKind::Field | SymbolKind::EnumMember | SymbolKind::Variable => 0.6,
        SymbolKind::Constant => 0.75,
        SymbolKind::Impl => 0.0,
        _ => 1.0,
    }
}

/// The neighbourhood of the seeds, best first, at most `most` symbols; and whether there are more.
pub(super) fn expand_seeds(
    source: &Source<'_>,
    seeds: &[Seed],
    request: &SliceRequest,
    most: usize,
) -> Result<(Vec<Reached>, bool)> {
    let view = source.view();
    let mut frontier = Frontier::new(FAINT, |symbol| Ok(view.fan_in(symbol)?));
    let of_seed: HashMap<SymbolId, &Seed> = seeds.iter().map(|seed| (seed.symbol, seed)).collect();
    for seed in seeds {
        frontier.add(seed.symbol, seed.score);
    }
    let mut reached: Vec<Reached> = Vec::new();
    let mut stopped = false;
    let follows = |link: Link, confidence: u8| request.follows(link, confidence);
    while let Some((symbol, score)) = frontier.next_best()? {
        if reached.len() >= most {
            stopped = true;
            break;
        }
        // Files are opened only for symbols that become cards. Most do not.
        let Some(home) = view.symbol_home(symbol)? else { continue };
        let seed = of_seed.get(&symbol);
        let forced = seed.is_some_and(|seed| seed.forced);
        let entry = seed.is_some_and(|seed| seed.entry);
        // A symbol that counts for less as a card passes on its full score.
        let own = if seed.is_some() { score } else { score * kind_worth(home.kind) };
        if home.kind != SymbolKind::Impl {
            reached.push(Reached { symbol, score: own, seed: seed.is_some(), entry, forced });
        }
        let decay = if seed.is_some_and(|seed| seed.guess) { GUESSED } else { DECAY };
        if seed.is_some() && follows(Link::Member, 100) && score * decay * MEMBER >= FAINT {
            for (other, carried) in contained_symbols(source, symbol, home.kind)? {
                let next = score * carried * decay;
                if next >= FAINT {
                    frontier.add(other, next);
                }
            }
        }
        let mut push = |to: SymbolId, carried: f32| frontier.add_by_edge(to, score * carried * decay);
        // Edges pass on at most the whole score. If that is too little, none is read.
        if score * decay >= FAINT {
            let edges = view.out_edges(symbol)?;
            for edge in
                edges.iter().filter(|edge| follows(Link::Edge(edge.kind), edge.confidence)).take(MOST_OUT)
            {
                push(edge.to, edge_weight(edge.kind, edge.resolution, edge.confidence));
            }
        }
        if score * CALLER * decay >= FAINT {
            let edges = view.in_edges(symbol, MOST_IN)?;
            for edge in edges.iter().filter(|edge| follows(Link::Edge(edge.kind), edge.confidence)) {
                push(edge.from, CALLER * edge_weight(edge.kind, edge.resolution, edge.confidence));
            }
        }
    }
    reached.sort_by(|a, b| {
        let first = |one: &Reached| (one.entry, one.forced);
        first(b).cmp(&first(a)).then(b.score.total_cmp(&a.score)).then(a.symbol.cmp(&b.symbol))
    });
    Ok((reached, stopped))
}

/// The symbols reached from `symbol` by containment: from a type its members, best first; from a member its type.
fn contained_symbols(
    source: &Source<'_>,
    symbol: SymbolId,
    kind: SymbolKind,
) -> Result<Vec<(SymbolId, f32)>> {
    let Some(sym) = source.symbol(symbol)? else { return Ok(Vec::new()) };
    if !kind.is_type() {
        return Ok(members::member_owner(source, &sym)?.map(|owner| (owner.id, OWNER)).into_iter().collect());
    }
    let own = members::own_members(&sym).into_iter().filter_map(|ix| sym.beside(ix));
    let mut found = Vec::new();
    for (place, member) in own.chain(members::members_elsewhere(source, &sym)?).enumerate() {
        let value = !member.kind().is_callable() && !member.kind().is_type();
        let hidden = !member.exported() || member.name().starts_with('_');
        // Within a type, a member with many users is not a general helper but the purpose of the type.
        let used = Reverse(source.view().fan_in(member.id)?);
        found.push(((value, hidden, used, place), member.id));
    }
    found.sort_unstable();
    let worth = |place: usize| MEMBER / (1.0 + place as f32 / MEMBER_HALF);
    Ok(found.into_iter().enumerate().map(|(place, (_, id))| (id, worth(place))).collect())
}
