//! Terms to scored symbols.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::ControlFlow;

use sdl_ledger::{TermHit, View};
use sdl_model::SymbolId;

use super::files;
use super::filter::Filter;
use super::plan::{Plan, PlanTerm};
use crate::index::{EXACT, Flags, IMPACT_ONE, Wants, exact_term};
use crate::{Evidence, LaneStatus, Result, Source};

/// More postings than this are not read for one query.
const MOST_POSTINGS: usize = 600_000;
/// Longer words that a word may begin, when it occurs nowhere itself.
const MOST_EXPANSIONS: usize = 12;
/// Symbols of one spelled name that are considered.
const MOST_NAMESAKES: usize = 400;
/// What a symbol with hardly any of the query's words is worth beside one that has all.
const COVERED: f32 = 0.35;
/// How much a name, owners and a path lift that hold all of what the query says.
const WHOLE_NAME: f32 = 0.4;
const OWNER: f32 = 0.5;
const PATH: f32 = 1.5;
/// What is added for a symbol whose name is the whole query, so that it comes before all others.
const PIN: f32 = 1_000.0;

/// A symbol and how well it fits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    pub(crate) symbol: SymbolId,
    pub(crate) score: f32,
}

/// Higher scores first, equal ones by id.
pub(super) fn order(a: &Ranked, b: &Ranked) -> Ordering {
    b.score.total_cmp(&a.score).then(a.symbol.cmp(&b.symbol))
}

/// Sorts the best `wanted` to the front, best first, and drops the rest.
pub(crate) fn keep_best(ranked: &mut Vec<Ranked>, wanted: usize) {
    if wanted < ranked.len() {
        ranked.select_nth_unstable_by(wanted, order);
        ranked.truncate(wanted);
    }
    ranked.sort_unstable_by(order);
}

/// One list of postings, sorted by symbol.
struct List {
    hits: Vec<TermHit>,
    at: usize,
    weight: f32,
    /// Which of the plan's terms it stands for.
    term: u16,
}

/// Scores every symbol that fits the plan in any way. In no particular order.
pub(crate) fn rank(
    source: &Source<'_>,
    plan: &Plan,
    filter: &Filter,
    evidence: &mut Evidence,
) -> Result<Vec<Ranked>> {
    let view = source.view();
    let symbols = view.counters()?.symbols.max(1) as f32;
    let mut bonus = HashMap::new();
    name_lane(source, plan, symbols, &mut bonus, evidence)?;
    files::path_lane(source, plan, &mut bonus, evidence)?;
    prefix_lane(view, plan, &mut bonus, evidence)?;
    let (mut lists, masses) = lists(view, plan, symbols, evidence)?;
    let total_mass: f32 = masses.iter().sum::<f32>().max(f32::EPSILON);
    let mut ranked = merge(view, &mut lists, &masses, total_mass, &mut bonus, filter, plan.wants)?;
    evidence.ran("bm25", ranked.len());
    for (symbol, Bonus { score, flags }) in bonus {
        if filter.keeps(view, symbol, flags)? {
            ranked.push(Ranked { symbol, score });
        }
    }
    if plan.single {
        evidence.skipped("file");
    } else {
        files::lift(source, &mut ranked, evidence)?;
    }
    Ok(ranked)
}

/// What a symbol is worth apart from its words.
pub(super) struct Bonus {
    pub(super) score: f32,
    pub(super) flags: Flags,
}

/// How telling a term is that `count` of `symbols` have.
fn idf(count: u64, symbols: f32) -> f32 {
    let count = count as f32;
    (1.0 + (symbols - count).max(0.0) / (count + 0.5)).ln()
}

fn read(view: &dyn View, term: &str, most: usize) -> Result<Vec<TermHit>> {
    let mut hits = Vec::new();
    view.postings(term, &mut |hit| {
        hits.push(hit);
        if hits.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(hits)
}

/// The postings of the plan's terms, and how much each term counts.
fn lists(
    view: &dyn View,
    plan: &Plan,
    symbols: f32,
    evidence: &mut Evidence,
) -> Result<(Vec<List>, Vec<f32>)> {
    let mut counted = Vec::with_capacity(plan.terms.len());
    for term in &plan.terms {
        counted.push((term, view.term_count(&term.term)?));
    }
    // Rare terms first: should the limit be reached, only the least telling are missing.
    counted.sort_by_key(|(_, count)| *count);
    let mut lists = Vec::new();
    let mut masses = Vec::new();
    let mut left = MOST_POSTINGS;
    let mut limited = false;
    for (PlanTerm { term, weight }, count) in counted {
        let number = masses.len() as u16;
        let mut add = |text: &str, count: u64, weight: f32| -> Result<()> {
            let hits = read(view, text, left.max(1))?;
            limited |= (hits.len() as u64) < count;
            left = left.saturating_sub(hits.len());
            lists.push(List { hits, at: 0, weight, term: number });
            Ok(())
        };
        if count > 0 {
            let mass = weight * idf(count, symbols);
            add(term, count, mass)?;
            masses.push(mass);
            continue;
        }
        let longer = expansions(view, term)?;
        // Found as the beginning of longer words or not: as a word it matched nothing.
        evidence.unmatched_terms.push(term.clone());
        if longer.is_empty() {
            continue;
        }
        let mut best = 0.0_f32;
        for (text, count) in longer {
            let mass = 0.5 * weight * idf(count, symbols);
            add(&text, count, mass)?;
            best = best.max(mass);
        }
        masses.push(best);
    }
    if limited {
        let note = "the most frequent words were read in part".to_owned();
        evidence.push("bm25.terms", LaneStatus::Limited, MOST_POSTINGS - left, Some(note));
    }
    Ok((lists, masses))
}

/// Words that begin with a word that occurs nowhere itself.
fn expansions(view: &dyn View, term: &str) -> Result<Vec<(String, u64)>> {
    let mut found = Vec::new();
    if term.len() >= 3 {
        view.terms(term, &mut |longer| {
            found.push(longer.to_owned());
            if found.len() < MOST_EXPANSIONS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
    }
    found
        .into_iter()
        .map(|text| Ok((view.term_count(&text)?, text)))
        .map(|pair: Result<_>| pair.map(|(n, t)| (t, n)))
        .collect()
}

/// Where in a symbol the query's words are found: a name that the query spells out in words, or a path that it names,
/// says more than the same words scattered over a body.
#[derive(Default)]
struct Fit {
    in_name: f32,
    named: u16,
    in_owner: f32,
    in_path: f32,
}

impl Fit {
    fn add(&mut self, flags: Flags, weight: f32) {
        if flags.in_name() {
            self.in_name += weight;
            self.named += 1;
        }
        if flags.in_owner() {
            self.in_owner += weight;
        }
        if flags.in_path() {
            self.in_path += weight;
        }
    }

    fn factor(&self, flags: Flags, total_mass: f32) -> f32 {
        let whole = (f32::from(self.named) / f32::from(flags.words())).min(1.0);
        let share = |mass: f32| (mass / total_mass).min(1.0);
        (1.0 + WHOLE_NAME * whole * share(self.in_name))
            * (1.0 + OWNER * share(self.in_owner))
            * (1.0 + PATH * share(self.in_path))
    }
}

/// Walks all lists at once, symbol by symbol.
fn merge(
    view: &dyn View,
    lists: &mut [List],
    masses: &[f32],
    total_mass: f32,
    bonus: &mut HashMap<SymbolId, Bonus>,
    filter: &Filter,
    wants: Wants,
) -> Result<Vec<Ranked>> {
    let mut ranked = Vec::with_capacity(lists.iter().map(|list| list.hits.len()).max().unwrap_or(0));
    let mut next: Vec<u64> =
        lists.iter().map(|list| list.hits.first().map_or(u64::MAX, |hit| hit.symbol.0)).collect();
    while let Some(lowest) = next.iter().copied().min().filter(|lowest| *lowest != u64::MAX) {
        let (mut sum, mut covered, mut last_term, mut flags) = (0.0_f32, 0.0_f32, u16::MAX, Flags(0));
        let mut fit = Fit::default();
        for (list, upcoming) in lists.iter_mut().zip(&mut next) {
            if *upcoming != lowest {
                continue;
            }
            let hit = list.hits[list.at];
            list.at += 1;
            *upcoming = list.hits.get(list.at).map_or(u64::MAX, |hit| hit.symbol.0);
            sum += list.weight * f32::from(hit.impact) / IMPACT_ONE;
            flags = Flags(hit.flags);
            fit.add(flags, list.weight);
            if list.term != last_term {
                // Expansions of one word stand side by side and cover it once.
                covered += masses.get(list.term as usize).copied().unwrap_or(0.0);
                last_term = list.term;
            }
        }
        let symbol = SymbolId(lowest);
        if filter.keeps(view, symbol, flags)? {
            let coverage = COVERED + (1.0 - COVERED) * (covered / total_mass).min(1.0);
            let fit = fit.factor(flags, total_mass);
            let extra =
                if bonus.is_empty() { 0.0 } else { bonus.remove(&symbol).map_or(0.0, |bonus| bonus.score) };
            ranked.push(Ranked { symbol, score: sum * coverage * fit * flags.prior_for(wants) + extra });
        }
    }
    Ok(ranked)
}

/// Symbols whose name the query spells.
fn name_lane(
    source: &Source<'_>,
    plan: &Plan,
    symbols: f32,
    bonus: &mut HashMap<SymbolId, Bonus>,
    evidence: &mut Evidence,
) -> Result<()> {
    if plan.names.is_empty() {
        evidence.skipped("exactName");
        return Ok(());
    }
    let mut found = 0;
    for probe in &plan.names {
        let Some(term) = exact_term(&probe.name) else { continue };
        let hits = read(source.view(), &term, MOST_NAMESAKES)?;
        found += hits.len();
        let telling = idf(hits.len() as u64, symbols);
        for hit in hits {
            let flags = Flags(hit.flags);
            let mut fit = flags.prior_for(plan.wants);
            if !probe.owners.is_empty()
                && let Some(sym) = source.listed(hit.symbol)?
            {
                fit *= 1.0 + owners_matched(&probe.owners, sym.qualified(), sym.path());
            }
            let pin = if plan.single { PIN } else { 0.8 * telling * probe.weight };
            let slot = bonus.entry(hit.symbol).or_insert(Bonus { score: 0.0, flags });
            slot.score += pin * fit;
        }
    }
    evidence.ran("exactName", found);
    Ok(())
}

/// The share of spelled owners that a symbol's qualified name or path holds.
fn owners_matched(owners: &[String], qualified: &str, path: &str) -> f32 {
    let (qualified, path) = (qualified.to_lowercase(), path.to_lowercase());
    let held = |owner: &&String| {
        qualified.split(['.', ':', '#', '\\']).any(|part| part == owner.as_str())
            || path.split(['/', '.']).any(|part| part == owner.as_str())
    };
    owners.iter().filter(held).count() as f32 / owners.len() as f32
}

/// Symbols whose name begins with the query, when it is a single name.
fn prefix_lane(
    view: &dyn View,
    plan: &Plan,
    bonus: &mut HashMap<SymbolId, Bonus>,
    evidence: &mut Evidence,
) -> Result<()> {
    let (true, [probe]) = (plan.single, plan.names.as_slice()) else {
        evidence.skipped("prefix");
        return Ok(());
    };
    let Some(prefix) = exact_term(&probe.name).filter(|prefix| prefix.len() > 2) else {
        evidence.skipped("prefix");
        return Ok(());
    };
    let mut names = Vec::new();
    view.terms(&prefix, &mut |term| {
        if term.len() > prefix.len() {
            names.push(term.to_owned());
        }
        if names.len() < 64 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let mut found = 0;
    for name in names {
        let share = prefix.len() as f32 / name.len() as f32;
        for hit in read(view, &name, 32)? {
            found += 1;
            let flags = Flags(hit.flags);
            let slot = bonus.entry(hit.symbol).or_insert(Bonus { score: 0.0, flags });
            slot.score += 6.0 * share * flags.prior();
        }
    }
    evidence.ran("prefix", found);
    Ok(())
}

/// Every indexed name in lower case that starts with `prefix`, until `each` breaks.
pub(crate) fn names(
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
        Some(term) => read(view, &term, most),
        None => Ok(Vec::new()),
    }
}
