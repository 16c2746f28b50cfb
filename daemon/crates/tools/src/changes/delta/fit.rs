//! Fits a comparison to a budget.

use std::cmp::Reverse;

use sdl_model::SymbolId;
use sdl_retrieve::diff::{BlastItem, ChangedSymbol};

use super::{Compared, Subject};
use crate::ToolError;
use crate::call::budget;

/// Most symbols that a spillover handle holds.
pub(crate) const MOST_SPILLED: usize = 2_000;

/// Limits on the size of the lists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Most entries of both lists together.
    pub(crate) entries: usize,
    /// Most tokens of both lists together.
    pub(crate) tokens: usize,
}

/// The part that fits, and the rest.
pub(crate) struct Fitted {
    /// Changed symbols that fit, sorted by path and position.
    pub(crate) changed: Vec<ChangedSymbol>,
    /// Affected symbols that fit, most important first.
    pub(crate) blast: Vec<BlastItem>,
    /// Symbols that did not fit, changed symbols first.
    pub(crate) spilled: Vec<SymbolId>,
    /// How many entries did not fit.
    pub(crate) dropped: usize,
}

/// Takes the most important entries until the limits are reached. Changed symbols may take three quarters of the room,
/// or more if the affected ones need less.
pub(crate) fn fit_limits(compared: &Compared, limits: Limits) -> Result<Fitted, ToolError> {
    let order = by_weight(&compared.changed);
    let cost = |subject: &Subject| budget::json_tokens(&subject.wire).map(|tokens| tokens + 1);
    let costs = compared.changed.iter().map(cost).collect::<Result<Vec<_>, _>>()?;
    let blast_costs = compared
        .blast
        .iter()
        .map(|item| budget::json_tokens(item).map(|tokens| tokens + 1))
        .collect::<Result<Vec<_>, _>>()?;
    let blast_wants: usize = blast_costs.iter().sum();
    let share = (limits.tokens * 3 / 4).max(limits.tokens.saturating_sub(blast_wants));
    let entries_share =
        (limits.entries * 3 / 4).max(limits.entries.saturating_sub(compared.blast.len())).max(1);
    let mut room = Limits { entries: entries_share, tokens: share };
    let mut taken = vec![false; compared.changed.len()];
    for &at in &order {
        let (Some(cost), Some(slot)) = (costs.get(at), taken.get_mut(at)) else { continue };
        *slot = take_room(&mut room, *cost);
    }
    let used: usize = costs.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(cost, _)| cost).sum();
    let count = taken.iter().filter(|taken| **taken).count();
    let mut room =
        Limits { entries: limits.entries.saturating_sub(count), tokens: limits.tokens.saturating_sub(used) };
    let mut blast = Vec::new();
    let mut spilled: Vec<SymbolId> = Vec::new();
    let mut dropped = 0;
    for &at in &order {
        if let (Some(false), Some(subject)) = (taken.get(at), compared.changed.get(at)) {
            dropped += 1;
            spilled.push(subject.wire.symbol_id);
        }
    }
    let mut full = false;
    for (item, cost) in compared.blast.iter().zip(blast_costs) {
        // The shown entries must be the most important ones, so nothing is added after the first that doesn't fit.
        full = full || !take_room(&mut room, cost);
        if full {
            dropped += 1;
            spilled.push(item.symbol_id);
        } else {
            blast.push(item.clone());
        }
    }
    spilled.truncate(MOST_SPILLED);
    let shown = compared.changed.iter().zip(&taken).filter(|(_, taken)| **taken);
    Ok(Fitted { changed: shown.map(|(subject, _)| subject.wire.clone()).collect(), blast, spilled, dropped })
}

fn take_room(room: &mut Limits, cost: usize) -> bool {
    if room.entries == 0 || room.tokens < cost {
        return false;
    }
    room.entries -= 1;
    room.tokens -= cost;
    true
}

/// Returns the indexes of the changed symbols, the most important first.
fn by_weight(changed: &[Subject]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..changed.len()).collect();
    order.sort_by_key(|at| {
        changed.get(*at).map(|subject| {
            (!subject.breaks(), subject.is_test, !subject.exported, Reverse(subject.fan_in), *at)
        })
    });
    order
}
