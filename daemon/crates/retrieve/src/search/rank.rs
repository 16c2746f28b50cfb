//! Scores symbols by the terms of a query.

use std::ops::ControlFlow;

use sdl_ledger::{TermHit, View};

use super::best::find_best;
use super::filter::Filter;
use super::plan::Plan;
use super::postings::{Lists, read_postings};
use super::ranked::Best;
use super::rerank;
use super::spelled::{Spelled, find_spelled};
use crate::index::{EXACT, exact_term};
use crate::{Evidence, Result, Source};

/// Finds the best `wanted` of the symbols that fit the plan in any way.
pub(crate) fn rank_symbols(
    source: &Source<'_>,
    plan: &Plan,
    filter: &Filter,
    wanted: usize,
    evidence: &mut Evidence,
) -> Result<Best> {
    let wanted = if plan.single { wanted } else { wanted.max(rerank::BEST) };
    let Found { mut best, lists, spelled } = score_symbols(source, plan, filter, wanted, evidence)?;
    if plan.single {
        rerank::report_off(evidence);
    } else {
        rerank::rerank_best(source, plan, &lists, &spelled, &mut best.ranked, evidence)?;
    }
    Ok(best)
}

/// The symbols found by words and names, with the reasons.
pub(super) struct Found {
    pub(super) best: Best,
    pub(super) lists: Lists,
    pub(super) spelled: Spelled,
}

/// Scores the best `wanted` symbols, and perhaps others, by their words and by the names and paths that the query spells.
pub(super) fn score_symbols(
    source: &Source<'_>,
    plan: &Plan,
    filter: &Filter,
    wanted: usize,
    evidence: &mut Evidence,
) -> Result<Found> {
    let view = source.view();
    let symbols = view.counters()?.symbols.max(1) as f32;
    let spelled = find_spelled(source, plan, symbols, evidence)?;
    let mut lists = Lists::of_plan(view, plan, symbols, evidence)?;
    // What a filter keeps may have no rarer word.
    let narrows = plan.narrows && filter.keeps_all();
    let best = find_best(view, &mut lists, &spelled, (filter, plan.wants), (wanted, narrows), evidence)?;
    Ok(Found { best, lists, spelled })
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

/// The first indexed name in lower case that is not before `from`, in order.
pub(super) fn name_from(view: &dyn View, from: &str) -> Result<Option<String>> {
    let term = view.term_from(&format!("{EXACT}{from}"))?;
    Ok(term.and_then(|term| term.strip_prefix(EXACT).map(str::to_owned)))
}

/// The symbols of an indexed name in lower case.
pub(crate) fn of_name(view: &dyn View, name: &str, most: usize) -> Result<Vec<TermHit>> {
    match exact_term(name) {
        Some(term) => read_postings(view, &term, most),
        None => Ok(Vec::new()),
    }
}
