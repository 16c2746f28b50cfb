//! Edges against the truth of a corpus.

use std::collections::HashSet;

use super::corpus::{Corpus, Ix};
use super::place::{Candidate, Place};

/// A place can mean definitions at most this many lines away.
const NEAR: f64 = 3.0;

/// The verdict of the truth on an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is there.
    Right,
    /// It is there, and of a kind that is not scored: a macro, a type, an override, a mention without a call.
    Neutral,
    /// The compiler could not resolve a call of that name in that caller.
    Unknown,
    /// It is not there.
    Wrong,
}

/// The result of scoring a set of edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) right: usize,
    pub(super) wrong: usize,
    pub(super) neutral: usize,
    pub(super) unknown: usize,
    /// Scored pairs that some edge confirms.
    pub(super) matched: HashSet<usize>,
    /// All scored pairs.
    pub(super) pairs: usize,
    /// The edges that are wrong, by their place in the list.
    pub(super) errors: Vec<usize>,
}

impl Tally {
    /// Edges that were judged.
    pub(super) fn judged(&self) -> usize {
        self.right + self.wrong + self.neutral + self.unknown
    }

    /// Precision and recall. If `strict`, an edge without a verdict counts as wrong.
    pub(super) fn rates(&self, strict: bool) -> (f64, f64) {
        let wrong = self.wrong + if strict { self.neutral + self.unknown } else { 0 };
        (share_of(self.right, self.right + wrong), share_of(self.matched.len(), self.pairs))
    }

    /// The harmonic mean of both.
    pub(super) fn f1(&self, strict: bool) -> f64 {
        let (precision, recall) = self.rates(strict);
        if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
    }
}

fn share_of(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Judges edges. The same pair counts once, and calls at the level of a module or class are left out.
pub(super) fn score_edges<'a>(
    corpus: &Corpus,
    edges: impl IntoIterator<Item = (usize, &'a Candidate)>,
) -> Tally {
    let mut tally = Tally { pairs: corpus.pairs.len(), ..Tally::default() };
    let mut seen = HashSet::new();
    for (number, edge) in edges {
        let Some((callers, callees)) = edge_ends(corpus, edge) else { continue };
        let unknown_place = callees.is_empty().then(|| (edge.callee.file.clone(), edge.callee.line));
        if !seen.insert((callers.clone(), callees.clone(), unknown_place)) {
            continue;
        }
        match judge_edge(corpus, edge, &callers, &callees, &mut tally.matched) {
            Verdict::Right => tally.right += 1,
            Verdict::Neutral => tally.neutral += 1,
            Verdict::Unknown => tally.unknown += 1,
            Verdict::Wrong => {
                tally.wrong += 1;
                tally.errors.push(number);
            }
        }
    }
    tally
}

/// The definitions at both ends; none if the truth does not cover the caller.
fn edge_ends(corpus: &Corpus, edge: &Candidate) -> Option<(Vec<Ix>, Vec<Ix>)> {
    if !corpus.files.contains(&edge.caller.file) {
        return None;
    }
    let callers = meant_definitions(corpus, &edge.caller, true);
    let callers = callers.into_iter().filter(|ix| corpus.defs[*ix].calls());
    let callers = unify_definitions(corpus, callers);
    (!callers.is_empty())
        .then(|| (callers, unify_definitions(corpus, meant_definitions(corpus, &edge.callee, false))))
}

fn unify_definitions(corpus: &Corpus, found: impl IntoIterator<Item = Ix>) -> Vec<Ix> {
    let mut found: Vec<Ix> = found.into_iter().map(|ix| corpus.one[ix]).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The definitions nearest to a place. Those with its name come first. For a caller without such a definition, the
/// innermost function around it.
fn meant_definitions(corpus: &Corpus, place: &Place, caller: bool) -> Vec<Ix> {
    let (Some(line), Some(inside)) = (place.line, corpus.by_file.get(&place.file)) else { return Vec::new() };
    let mut near: Vec<(f64, Ix)> = inside
        .iter()
        .map(|ix| (line_distance(corpus, *ix, line), *ix))
        .filter(|(distance, _)| *distance <= NEAR)
        .collect();
    if let Some(name) = place.simple() {
        let named = |ix: &Ix| super::place::simple_name(&corpus.defs[*ix].name) == name;
        if near.iter().any(|(_, ix)| named(ix)) {
            near.retain(|(_, ix)| named(ix));
        }
    }
    let Some(least) = near.iter().map(|(distance, _)| *distance).min_by(f64::total_cmp) else {
        let around = inside.iter().copied().filter(|ix| {
            let def = &corpus.defs[*ix];
            caller && def.calls() && def.start <= line && line <= def.end
        });
        let innermost = |ix: &Ix| (corpus.defs[*ix].start, std::cmp::Reverse(corpus.defs[*ix].end));
        return around.max_by_key(innermost).into_iter().collect();
    };
    let nearest: Vec<Ix> =
        near.iter().filter(|(distance, _)| *distance <= least).map(|(_, ix)| *ix).collect();
    let able = |ix: &Ix| if caller { corpus.defs[*ix].calls() } else { corpus.defs[*ix].is_core() };
    let preferred: Vec<Ix> = nearest.iter().copied().filter(able).collect();
    if preferred.is_empty() { nearest } else { preferred }
}

fn line_distance(corpus: &Corpus, ix: Ix, line: u32) -> f64 {
    let def = &corpus.defs[ix];
    if line == def.line || line == def.start {
        0.0
    } else if def.start < line && line < def.line {
        0.5
    } else {
        f64::from(line.abs_diff(def.line).min(line.abs_diff(def.start)))
    }
}

fn judge_edge(
    corpus: &Corpus,
    edge: &Candidate,
    callers: &[Ix],
    callees: &[Ix],
    matched: &mut HashSet<usize>,
) -> Verdict {
    let pairs = || callers.iter().flat_map(|caller| callees.iter().map(|callee| (*caller, *callee)));
    let mut right = false;
    for confirmed in pairs().filter_map(|pair| corpus.confirms.get(&pair)) {
        matched.extend(confirmed);
        right = true;
    }
    if right {
        return Verdict::Right;
    }
    if pairs().any(|pair| corpus.neutral.contains(&pair)) {
        return Verdict::Neutral;
    }
    let mut names = callees
        .iter()
        .map(|ix| super::place::simple_name(&corpus.defs[*ix].name))
        .chain(edge.callee.simple());
    let open = |name: &str| {
        callers.iter().any(|caller| corpus.unresolved.get(caller).is_some_and(|open| open.contains(name)))
    };
    if names.any(open) { Verdict::Unknown } else { Verdict::Wrong }
}
