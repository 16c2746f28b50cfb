//! Fits a comparison to a budget.

use std::cmp::Reverse;

use sdl_model::SymbolId;
use sdl_retrieve::diff::{BlastItem, ChangedSymbol};

use super::{Compared, Subject};
use crate::ToolError;
use crate::call::budget::{self, Room};

/// Maximum number of symbols that a spillover handle holds.
pub(crate) const MOST_SPILLED: usize = 2_000;

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

/// The tokens of each entry, in the order of the lists.
pub(crate) struct Costs {
    changed: Vec<usize>,
    blast: Vec<usize>,
}

impl Costs {
    /// Counts the entries of a comparison.
    pub(crate) fn of(compared: &Compared) -> Result<Self, ToolError> {
        let changed = compared.changed.iter().map(|subject| budget::item_tokens(&subject.wire));
        let blast = compared.blast.iter().map(budget::item_tokens);
        Ok(Self { changed: changed.collect::<Result<_, _>>()?, blast: blast.collect::<Result<_, _>>()? })
    }
}

/// Takes the most important entries of both lists that `whole` has room for. Changed symbols may take three quarters of
/// it, or more if the affected ones need less.
pub(crate) fn fit_lists(compared: &Compared, costs: &Costs, whole: Room) -> Fitted {
    let order = by_weight(&compared.changed);
    let blast_wants: usize = costs.blast.iter().sum();
    let mut room = Room {
        tokens: (whole.tokens * 3 / 4).max(whole.tokens.saturating_sub(blast_wants)),
        items: (whole.items * 3 / 4).max(whole.items.saturating_sub(compared.blast.len())).max(1),
    };
    let mut taken = vec![false; compared.changed.len()];
    for &at in &order {
        let (Some(cost), Some(slot)) = (costs.changed.get(at), taken.get_mut(at)) else { continue };
        *slot = room.take(*cost);
    }
    let used = costs.changed.iter().zip(&taken).filter(|(_, taken)| **taken);
    let (used, count) = used.fold((0, 0), |(used, count), (cost, _)| (used + cost, count + 1));
    let mut room =
        Room { tokens: whole.tokens.saturating_sub(used), items: whole.items.saturating_sub(count) };
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
    for (item, cost) in compared.blast.iter().zip(&costs.blast) {
        // Nothing is added after the first entry that doesn't fit, because the shown entries must be the most
        // important ones.
        full = full || !room.take(*cost);
        if full {
            dropped += 1;
            spilled.push(item.symbol_id);
        } else {
            blast.push(item.clone());
        }
    }
    spilled.truncate(MOST_SPILLED);
    let shown = compared.changed.iter().zip(&taken).filter(|(_, taken)| **taken);
    Fitted { changed: shown.map(|(subject, _)| subject.wire.clone()).collect(), blast, spilled, dropped }
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
