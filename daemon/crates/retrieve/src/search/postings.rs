//! The postings of a plan's terms.

use std::ops::ControlFlow;

use sdl_ledger::{TermHit, View};
use sdl_model::SymbolId;

use super::plan::{Plan, PlanTerm};
use crate::index::IMPACT_ONE;
use crate::{Evidence, LaneStatus, Result};

/// Most postings that are read for one query.
const MOST_POSTINGS: usize = 600_000;
/// Most terms whose postings are read. Of a plan with more, those that say most in this tree are read, and terms that
/// occur nowhere are not replaced by longer words. With more terms, the many words of a long text outweigh the few that
/// name its subject.
const MOST_TERMS: usize = 30;
/// A search whose rarer words have this many postings finds no further symbols by its more common words. For example, 313,000
/// symbols of Linux have a word of `tcp_v4_rcv`, and its rarer words find 27,000.
const ENOUGH: usize = 10_000;
/// Most longer words that replace a word which occurs nowhere itself.
const MOST_EXPANSIONS: usize = 12;
/// Most terms that are reported as occurring nowhere.
const MOST_UNMATCHED: usize = 40;

/// One list of postings, sorted by symbol.
#[derive(Debug)]
pub(super) struct List {
    pub(super) hits: Vec<TermHit>,
    weight: f32,
    /// The plan's term that it belongs to.
    pub(super) term: u16,
}

impl List {
    /// The postings of a text of the plan's term.
    pub(super) fn new(hits: Vec<TermHit>, weight: f32, term: u16) -> Self {
        Self { hits, weight, term }
    }

    /// The hit for a symbol. Takes logarithmic time.
    pub(super) fn of(&self, symbol: SymbolId) -> Option<TermHit> {
        let at = self.hits.partition_point(|hit| hit.symbol < symbol);
        self.hits.get(at).copied().filter(|hit| hit.symbol == symbol)
    }

    /// The value that one of its hits adds to a symbol's sum.
    pub(super) fn worth(&self, hit: TermHit) -> f32 {
        self.weight * f32::from(hit.impact) / IMPACT_ONE
    }
}

/// The postings of a plan's terms. The expansions of one word are next to each other.
#[derive(Debug)]
pub(super) struct Lists {
    pub(super) all: Vec<List>,
    /// The weight of each term.
    pub(super) masses: Vec<f32>,
    /// How many of the lists, from the first on, find symbols. The others only add to the scores of these.
    pub(super) finding: usize,
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

    /// Reads the postings. The most frequent words are read in part if there are too many. With `narrows`, they find no symbols
    /// if the others find many.
    pub(super) fn read(
        view: &dyn View,
        plan: &Plan,
        symbols: f32,
        narrows: bool,
        evidence: &mut Evidence,
    ) -> Result<Self> {
        let counted = telling_terms(view, plan, symbols, evidence)?;
        let mut lists = Vec::new();
        let mut masses = Vec::new();
        let mut left = MOST_POSTINGS;
        let mut limited = false;
        let mut finding = None;
        for (PlanTerm { term, weight }, count) in counted {
            let number = masses.len() as u16;
            if narrows && finding.is_none() && MOST_POSTINGS - left >= ENOUGH {
                finding = Some(lists.len());
            }
            let mut add = |text: &str, count: u64, weight: f32| -> Result<()> {
                let hits = read_postings(view, text, left.max(1))?;
                limited |= (hits.len() as u64) < count;
                left = left.saturating_sub(hits.len());
                lists.push(List::new(hits, weight, number));
                Ok(())
            };
            if count > 0 {
                let mass = weight * term_idf(count, symbols);
                add(term, count, mass)?;
                masses.push(mass);
                continue;
            }
            let longer = expand_term(view, term)?;
            if longer.is_empty() {
                continue;
            }
            let mut best = 0.0_f32;
            for (text, count) in longer {
                let mass = 0.5 * weight * term_idf(count, symbols);
                add(&text, count, mass)?;
                best = best.max(mass);
            }
            masses.push(best);
        }
        if limited {
            let note = "the most frequent words were read in part".to_owned();
            evidence.push("bm25.terms", LaneStatus::Limited, MOST_POSTINGS - left, Some(note));
        }
        let finding = finding.unwrap_or(lists.len());
        if finding < lists.len() {
            let note =
                "the most frequent words only add to the scores of symbols that the others found".to_owned();
            evidence.push("bm25.common", LaneStatus::Limited, lists.len() - finding, Some(note));
        }
        Ok(Self { all: lists, masses, finding })
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
    let mut hits = Vec::with_capacity(count.min(most).min(MOST_POSTINGS));
    view.postings(term, &mut |hit| {
        hits.push(hit);
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
