//! Scores symbols by the terms of a query.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use sdl_ledger::{TermHit, View};
use sdl_model::SymbolId;

use super::filter::Filter;
use super::merge::{Met, each_met};
use super::plan::Plan;
use super::postings::{Lists, read_postings};
use super::rerank;
use super::spelled::{Spelled, find_spelled};
use crate::index::{EXACT, Wants, exact_term};
use crate::{Evidence, Result, Source};

/// The value of a symbol with barely any of the query's words, relative to one that has all.
const COVERED: f32 = 0.35;

/// A symbol and how well it fits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    pub(crate) symbol: SymbolId,
    pub(crate) score: f32,
}

/// Higher scores first, equal ones by id.
pub(super) fn rank_order(a: &Ranked, b: &Ranked) -> Ordering {
    b.score.total_cmp(&a.score).then(a.symbol.cmp(&b.symbol))
}

/// Sorts the best `wanted` to the front, best first, and drops the rest.
pub(crate) fn keep_best(ranked: &mut Vec<Ranked>, wanted: usize) {
    if wanted < ranked.len() {
        ranked.select_nth_unstable_by(wanted, rank_order);
        ranked.truncate(wanted);
    }
    ranked.sort_unstable_by(rank_order);
}

/// Scores every symbol that fits the plan in any way. In no particular order.
pub(crate) fn rank_symbols(
    source: &Source<'_>,
    plan: &Plan,
    filter: &Filter,
    evidence: &mut Evidence,
) -> Result<Vec<Ranked>> {
    let Found { mut ranked, lists, spelled } = score_symbols(source, plan, filter, evidence)?;
    if plan.single {
        rerank::report_off(evidence);
    } else {
        rerank::rerank_best(source, plan, &lists, &spelled, &mut ranked, evidence)?;
    }
    Ok(ranked)
}

/// The symbols found by words and names, with the reasons.
pub(super) struct Found {
    /// In no particular order.
    pub(super) ranked: Vec<Ranked>,
    pub(super) lists: Lists,
    pub(super) spelled: Spelled,
}

/// Scores every symbol by its words and by the names and paths that the query spells.
pub(super) fn score_symbols(
    source: &Source<'_>,
    plan: &Plan,
    filter: &Filter,
    evidence: &mut Evidence,
) -> Result<Found> {
    let view = source.view();
    let symbols = view.counters()?.symbols.max(1) as f32;
    let mut spelled = find_spelled(source, plan, symbols, evidence)?;
    // What a filter keeps may have no rarer word.
    let narrows = plan.narrows && filter.keeps_all();
    let lists = Lists::read(view, plan, symbols, narrows, evidence)?;
    let mut ranked = score_met(view, &lists, &mut spelled, filter, plan.wants)?;
    evidence.ran("bm25", ranked.len());
    for (symbol, bonus) in &spelled {
        if !bonus.met && filter.keeps(view, *symbol, bonus.flags)? {
            ranked.push(Ranked { symbol: *symbol, score: bonus.sum() });
        }
    }
    Ok(Found { ranked, lists, spelled })
}

/// The factor for a sum of impacts, by the share of the query's words that are met.
pub(super) fn coverage_factor(covered: f32, total_mass: f32) -> f32 {
    COVERED + (1.0 - COVERED) * (covered / total_mass).min(1.0)
}

/// Scores the symbols that the lists find.
fn score_met(
    view: &dyn View,
    lists: &Lists,
    spelled: &mut Spelled,
    filter: &Filter,
    wants: Wants,
) -> Result<Vec<Ranked>> {
    let total_mass = lists.total_mass();
    let longest = lists.all.iter().take(lists.finding).map(|list| list.hits.len()).max();
    let mut ranked = Vec::with_capacity(longest.unwrap_or(0));
    // Few of the symbols have a bonus, and asking the map about each would take longer than all else.
    let mut with_bonus = [false; 1 << 12];
    let mark = |symbol: SymbolId| symbol.0 as usize % (1 << 12);
    spelled.keys().for_each(|symbol| with_bonus[mark(*symbol)] = true);
    each_met(lists, |Met { symbol, sum, covered, flags }| {
        if !filter.keeps(view, symbol, flags)? {
            return Ok(());
        }
        let mut score = sum * coverage_factor(covered, total_mass) * flags.prior_for(wants);
        if with_bonus[mark(symbol)]
            && let Some(bonus) = spelled.get_mut(&symbol)
        {
            bonus.met = true;
            score += bonus.sum();
        }
        ranked.push(Ranked { symbol, score });
        Ok::<_, crate::Error>(())
    })?;
    Ok(ranked)
}

/// Every indexed name in lower case that starts with `prefix`, until `each` breaks.
pub(crate) fn each_name(
    view: &dyn View,
    prefix: &str,
    each: &mut dyn FnMut(&str) -> ControlFlow<()>,
) -> Result<()> {
    let prefix = format!("{EXACT}{prefix}");
    Ok(view.terms(&prefix, &mut |term| each(term.strip_prefix(EXACT).unwrap_or(term)))?)
}

/// The symbols of an indexed name in lower case.
pub(crate) fn of_name(view: &dyn View, name: &str, most: usize) -> Result<Vec<TermHit>> {
    match exact_term(name) {
        Some(term) => read_postings(view, &term, most),
        None => Ok(Vec::new()),
    }
}
