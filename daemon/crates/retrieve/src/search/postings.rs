//! The postings of a plan's terms.

use std::ops::ControlFlow;

use sdl_ledger::{TermHit, View};
use sdl_model::SymbolId;

use super::plan::{Plan, PlanTerm};
use crate::index::IMPACT_ONE;
use crate::{Evidence, Result};

/// Most terms whose postings are read. Of a plan with more, those that say most in this tree are read, and terms that
/// occur nowhere are not replaced by longer words. With more terms, the many words of a long text outweigh the few that
/// name its subject.
const MOST_TERMS: usize = 30;
/// Most longer words that replace a word which occurs nowhere itself.
const MOST_EXPANSIONS: usize = 12;
/// Most terms that are reported as occurring nowhere.
const MOST_UNMATCHED: usize = 40;
/// Room is made for at most this many postings before they are read.
const MOST_RESERVED: usize = 1 << 20;
/// Looking a symbol up in a list takes about the time of reading this many of its postings, half of a block.
pub(super) const LOOK_UP: u64 = 64;

/// One list of postings.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    text: String,
    /// How many postings it has.
    pub(super) count: u64,
    /// Those that were read, sorted by symbol: all, the first, or those of some symbols.
    pub(super) hits: Vec<TermHit>,
    weight: f32,
    /// The plan's term that it belongs to.
    pub(super) term: u16,
}

impl List {
    /// The postings of a text of the plan's term, none of them read.
    pub(super) fn unread(text: String, count: u64, weight: f32, term: u16) -> Self {
        Self { text, count, hits: Vec::new(), weight, term }
    }

    /// Reads its postings, at most `most`.
    pub(super) fn read(&mut self, view: &dyn View, most: usize) -> Result<()> {
        let expected = usize::try_from(self.count).unwrap_or(usize::MAX);
        self.hits = read_hits(view, &self.text, (expected, most))?;
        Ok(())
    }

    /// The postings of these symbols, which are sorted. Sorted by symbol, too.
    pub(super) fn hits_among(&self, view: &dyn View, symbols: &[SymbolId]) -> Result<Vec<TermHit>> {
        let mut hits = Vec::new();
        view.postings_among(&self.text, symbols, &mut |hit| hits.push(hit))?;
        // Those of an overlay come first.
        if !hits.is_sorted_by_key(|hit| hit.symbol) {
            hits.sort_unstable_by_key(|hit| hit.symbol);
        }
        Ok(hits)
    }

    /// The posting of a symbol, of those that were read. Takes logarithmic time.
    pub(super) fn of(&self, symbol: SymbolId) -> Option<TermHit> {
        let at = self.hits.partition_point(|hit| hit.symbol < symbol);
        self.hits.get(at).copied().filter(|hit| hit.symbol == symbol)
    }

    /// The value that one of its hits adds to a symbol's sum.
    pub(super) fn worth(&self, hit: TermHit) -> f32 {
        self.weight * f32::from(hit.impact) / IMPACT_ONE
    }

    /// The most that a hit adds.
    pub(super) fn most_worth(&self) -> f32 {
        self.weight
    }
}

/// The postings of a plan's terms, those of rare terms first. The expansions of one word are next to each other.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) all: Vec<List>,
    /// The weight of each term.
    pub(super) masses: Vec<f32>,
}

impl Lists {
    /// The weight of all terms together, above 0.
    pub(super) fn total_mass(&self) -> f32 {
        self.masses.iter().sum::<f32>().max(f32::EPSILON)
    }

    /// The weight of a term.
    pub(super) fn mass(&self, term: u16) -> f32 {
        self.masses.get(usize::from(term)).copied().unwrap_or(0.0)
    }

    /// The lists of a plan's terms, none of them read. `symbols` is the number of symbols in the version.
    pub(super) fn of_plan(
        view: &dyn View,
        plan: &Plan,
        symbols: f32,
        evidence: &mut Evidence,
    ) -> Result<Self> {
        let mut lists = Self::default();
        for (PlanTerm { term, weight }, count) in telling_terms(view, plan, symbols, evidence)? {
            let number = lists.masses.len() as u16;
            let mut add = |text: String, count: u64, weight: f32| {
                let mass = weight * term_idf(count, symbols);
                lists.all.push(List::unread(text, count, mass, number));
                mass
            };
            if count > 0 {
                let mass = add(term.clone(), count, *weight);
                lists.masses.push(mass);
                continue;
            }
            let longer = expand_term(view, term)?.into_iter();
            let best = longer.map(|(text, count)| add(text, count, 0.5 * weight)).reduce(f32::max);
            lists.masses.extend(best);
        }
        Ok(lists)
    }
}

/// The terms of a plan whose postings are read, with their counts, rare ones first, because then only the least
/// distinctive ones are missing if the limit of postings is reached.
///
/// A long text has more words than can be read. Which of them point somewhere depends on the tree: a word of the last
/// line that ten symbols have says more than one of the first line that half of the tree has.
fn telling_terms<'p>(
    view: &dyn View,
    plan: &'p Plan,
    symbols: f32,
    evidence: &mut Evidence,
) -> Result<Vec<(&'p PlanTerm, u64)>> {
    let mut counted = Vec::with_capacity(plan.terms.len());
    for term in &plan.terms {
        let count = view.term_count(&term.term)?;
        // Whether it is a prefix of longer words or not, as a word it matched nothing.
        if count == 0 && evidence.unmatched_terms.len() < MOST_UNMATCHED {
            evidence.unmatched_terms.push(term.term.clone());
        }
        counted.push((term, count));
    }
    if counted.len() > MOST_TERMS {
        counted.retain(|(_, count)| *count > 0);
        let mass = |(term, count): &(&PlanTerm, u64)| term.weight * term_idf(*count, symbols);
        counted.sort_by(|a, b| mass(b).total_cmp(&mass(a)).then_with(|| a.0.term.cmp(&b.0.term)));
        counted.truncate(MOST_TERMS);
    }
    counted.sort_by_key(|(_, count)| *count);
    Ok(counted)
}

/// How distinctive a term is that occurs in `count` of `symbols`.
pub(super) fn term_idf(count: u64, symbols: f32) -> f32 {
    let count = count as f32;
    (1.0 + (symbols - count).max(0.0) / (count + 0.5)).ln()
}

/// At most `most` postings of a term.
pub(super) fn read_postings(view: &dyn View, term: &str, most: usize) -> Result<Vec<TermHit>> {
    let count = usize::try_from(view.term_count(term)?).unwrap_or(usize::MAX);
    read_hits(view, term, (count, most))
}

/// At most `most` postings of a term. `expected` are their number, or a guess of it.
fn read_hits(view: &dyn View, term: &str, (expected, most): (usize, usize)) -> Result<Vec<TermHit>> {
    let mut hits = Vec::with_capacity(expected.min(most).min(MOST_RESERVED));
    view.postings(term, &mut |some| {
        hits.extend_from_slice(some.get(..most - hits.len()).unwrap_or(some));
        if hits.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(hits)
}

/// Words that begin with `term`, which occurs nowhere itself, such as `authenticate` for `authen`.
fn expand_term(view: &dyn View, term: &str) -> Result<Vec<(String, u64)>> {
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
