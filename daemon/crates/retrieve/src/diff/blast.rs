//! Finds the symbols that changes of other symbols may affect.

use std::collections::{HashMap, HashSet};

use sdl_ledger::Changes;
use sdl_model::{Resolution, SymbolId, SymbolKind, Version};

use super::left::{Left, left_behind, present_verb};
use super::symbols::Change;
use super::types::{BlastItem, FanInTrend};
use crate::card::{Enrichment, used_by_test};
use crate::numbers::Milli;
use crate::{History, Result, Source, Sym};

/// How many dependents of one affected symbol are followed. Of a changed symbol, all are followed.
const MOST_IN: usize = 200;
/// Most symbols that are considered.
const MOST: usize = 2_000;
/// The number of symbols opened for ranking, for each one that is reported.
const OPENED: usize = 3;
/// The distance up to which a change of an interface is followed.
const FAR: u32 = 3;

/// The users that a symbol must have gained to count as growing,
const GROWN_BY: i64 = 2;
/// and their share of the users that it had.
const GROWN_RATE: f64 = 0.25;

/// The change of fan-in between two versions, for the symbols whose fan-in changed.
#[derive(Clone, Debug, Default)]
pub struct FanIn {
    grown: HashMap<SymbolId, i64>,
}

impl FanIn {
    /// From the symbols whose edges changed between `from` and the head.
    pub fn between(history: &dyn History, from: Version, changes: &Changes) -> Result<Self> {
        let mut grown: HashMap<SymbolId, i64> = HashMap::new();
        for &symbol in &changes.edges {
            for edge in history.out_edges_at(symbol, from)? {
                *grown.entry(edge.to).or_default() -= 1;
            }
            for edge in history.out_edges(symbol)? {
                *grown.entry(edge.to).or_default() += 1;
            }
        }
        grown.retain(|_, by| *by != 0);
        Ok(Self { grown })
    }

    /// The same, where a renamed or moved symbol is one symbol, and a new symbol has not grown.
    #[must_use]
    pub fn following(mut self, changed: &[Change]) -> Self {
        for change in changed {
            match &change.old {
                Some(old) if change.is_elsewhere() => {
                    let lost = self.grown.remove(&old.id).unwrap_or(0);
                    *self.grown.entry(change.symbol()).or_default() += lost;
                }
                None => drop(self.grown.remove(&change.symbol())),
                Some(_) => {}
            }
        }
        self.grown.retain(|_, by| *by != 0);
        self
    }

    /// The old and new fan-in of a symbol, if it changed.
    pub fn trend(&self, history: &dyn History, symbol: SymbolId) -> Result<Option<FanInTrend>> {
        let Some(by) = self.grown.get(&symbol) else { return Ok(None) };
        let current = history.fan_in(symbol)?;
        Ok(Some(FanInTrend { previous: current.saturating_add_signed(-by), current }))
    }

    /// Symbols whose fan-in grew by enough to matter, the fastest first. More and more depends on their dependents.
    pub fn amplifiers(&self, history: &dyn History, most: usize) -> Result<Vec<(SymbolId, FanInTrend)>> {
        let mut found = Vec::new();
        for (&symbol, _) in self.grown.iter().filter(|(_, by)| **by >= GROWN_BY) {
            if history.symbol_file(symbol)?.is_some() {
                found.extend(self.trend(history, symbol)?.map(|trend| (symbol, trend)));
            }
        }
        found.retain(|(_, trend)| trend.growth() >= GROWN_RATE);
        found.sort_by(|a, b| {
            let faster = b.1.growth().total_cmp(&a.1.growth());
            faster.then(b.1.current.cmp(&a.1.current)).then(a.0.cmp(&b.0))
        });
        found.truncate(most);
        Ok(found)
    }
}

struct Affected {
    distance: u32,
    weight: f32,
    reason: String,
    /// The changed symbol that it is affected by.
    origin: SymbolId,
    /// Whether its use of that symbol no longer leads anywhere.
    lost: bool,
}

/// A symbol whose users come next.
struct Reached {
    symbol: SymbolId,
    weight: f32,
    name: String,
    /// Whether the users of its users count too.
    far: bool,
    origin: SymbolId,
}

/// The change whose effects are asked for.
#[derive(Clone, Copy)]
pub struct BlastQuestion<'a> {
    /// The version before the change.
    pub from: Version,
    /// The difference between that version and the head.
    pub changes: &'a Changes,
    /// The symbols that changed.
    pub changed: &'a [Change],
    /// The change of fan-in.
    pub fan_in: &'a FanIn,
    /// Tells which processes run through a symbol.
    pub enrichment: &'a dyn Enrichment,
    /// Most items of the answer.
    pub most: usize,
}

/// The symbols that a change may affect, most important first. Symbols whose own behavior changed are left out.
pub fn blast_radius(
    source: &Source<'_>,
    history: &dyn History,
    question: &BlastQuestion<'_>,
) -> Result<Vec<BlastItem>> {
    let BlastQuestion { from, changes, changed, .. } = *question;
    // A symbol that only moved, or whose documentation was edited, is affected like any other.
    let own = changed.iter().filter(|change| change.is_behavior() || !change.is_edit());
    let own: HashSet<SymbolId> = own.map(Change::symbol).collect();
    let mut affected: HashMap<SymbolId, Affected> = HashMap::new();
    let mut wave: Vec<Reached> = Vec::new();
    for change in changed.iter().filter(|change| change.is_behavior()) {
        let name = change.new.as_ref().or(change.old.as_ref()).map_or("", |sym| sym.qualified()).to_owned();
        let (symbol, far) = (change.symbol(), change.interface_changed());
        wave.push(Reached { symbol, weight: 1.0, name, far, origin: symbol });
    }
    for distance in 1..=FAR {
        let most_in = if distance == 1 { MOST } else { MOST_IN };
        let mut next = Vec::new();
        for Reached { symbol, weight, name, far, origin } in wave {
            for edge in history.in_edges(symbol, most_in)? {
                if own.contains(&edge.from) || affected.len() >= MOST {
                    continue;
                }
                let carried =
                    weight * f32::from(edge.confidence) / 100.0 * resolution_weight(edge.resolution);
                let known = affected.get(&edge.from).map(|known| (known.distance, known.weight));
                if known.is_some_and(|(near, heavy)| near < distance || near == distance && heavy >= carried)
                {
                    continue;
                }
                let reason = format!("{} {name}", present_verb(edge.kind));
                let found = Affected { distance, weight: carried, reason, origin, lost: false };
                affected.insert(edge.from, found);
                if far && known.is_none() {
                    next.push((edge.from, carried * 0.5, origin));
                }
            }
        }
        wave = Vec::new();
        for (symbol, weight, origin) in next {
            let Some(sym) = source.symbol(symbol)? else { continue };
            let name = sym.qualified().to_owned();
            wave.push(Reached { symbol, weight, name, far: true, origin });
        }
        // Neighbours of neighbours only where an interface changed.
        wave.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.symbol.cmp(&b.symbol)));
    }
    let left = left_behind(source, history, (from, changes), changed)?;
    say_left(left, &own, &mut affected);
    rank_affected(source, history, affected, question)
}

/// Records in `affected` the broken uses of symbols, for example "called pay, which is gone". If several were lost,
/// the first counts.
fn say_left(left: Vec<Left>, own: &HashSet<SymbolId>, affected: &mut HashMap<SymbolId, Affected>) {
    for Left { user, target: origin, reason, lost, .. } in left {
        if own.contains(&user) {
            continue;
        }
        match affected.get_mut(&user) {
            Some(known) if known.lost => {}
            Some(known) if !lost && known.origin == origin && known.distance == 1 => known.reason = reason,
            Some(_) if !lost => {}
            _ => drop(affected.insert(user, Affected { distance: 1, weight: 1.0, reason, origin, lost })),
        }
    }
}

/// The share of an effect that an edge of this certainty carries on, from 0 to 1.
pub fn resolution_weight(resolution: Resolution) -> f32 {
    match resolution {
        Resolution::Exact => 1.0,
        Resolution::Inferred => 0.8,
        Resolution::Ambiguous => 0.5,
    }
}

/// How near a test is.
pub(super) fn proximity_to_test(source: &Source<'_>, sym: &Sym) -> Result<Option<Milli>> {
    if sym.is_test() {
        return Ok(Some(Milli(1000)));
    }
    Ok(used_by_test(source, sym)?.then_some(Milli(500)))
}

/// The importance of an affected symbol, from 0 to 1: how certain and how near the effect is, how many depend on it,
/// whether it is a test or used by one, and how many processes run through it.
fn symbol_importance(found: &Affected, dependents: u64, proximity: Option<Milli>, processes: usize) -> f32 {
    // 0 without dependents, towards 1 with many.
    let reach = 1.0 - 1.0 / (1.0 + (1.0 + dependents as f32).ln());
    let flow = 1.0 - 1.0 / (1.0 + processes as f32);
    let tested = proximity.map_or(0.0, |Milli(milli)| milli as f32 / 1000.0);
    found.weight * (0.45 + 0.35 * reach + 0.1 * tested + 0.1 * flow) / found.distance as f32
}

/// The most important ones, opened.
fn rank_affected(
    source: &Source<'_>,
    history: &dyn History,
    affected: HashMap<SymbolId, Affected>,
    question: &BlastQuestion<'_>,
) -> Result<Vec<BlastItem>> {
    let BlastQuestion { fan_in, enrichment, most, .. } = *question;
    let mut order = Vec::with_capacity(affected.len());
    for (symbol, found) in affected {
        let dependents = history.fan_in(symbol)?;
        order.push((symbol_importance(&found, dependents, None, 0), symbol, dependents, found));
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    // Tests and processes require opening a symbol. Only symbols that these can lift among the first are opened.
    order.truncate(most.saturating_mul(OPENED));
    let mut items = Vec::new();
    for (_, symbol, dependents, found) in order {
        let Some(sym) = source.symbol(symbol)?.filter(|sym| sym.kind() != SymbolKind::Impl) else { continue };
        let test_proximity = proximity_to_test(source, &sym)?;
        let processes = enrichment.processes(source, symbol)?;
        let rank = symbol_importance(&found, dependents, test_proximity, processes.len());
        items.push((
            rank,
            BlastItem {
                symbol_id: symbol,
                name: sym.qualified().to_owned(),
                file: sym.path().to_owned(),
                reason: found.reason,
                distance: found.distance,
                rank: Milli::of(f64::from(rank.min(1.0))),
                fan_in_trend: fan_in.trend(history, symbol)?,
                test_proximity,
                processes,
                origin: found.origin,
                is_callable: sym.kind().is_callable(),
            },
        ));
    }
    items.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.symbol_id.cmp(&b.1.symbol_id)));
    items.truncate(most);
    Ok(items.into_iter().map(|(_, item)| item).collect())
}
