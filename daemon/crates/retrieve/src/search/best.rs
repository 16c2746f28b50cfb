//! The best symbols by their words, without reading more postings than they need.
//!
//! Lists of postings are read whole, rare words first, until those that remain can't matter: a symbol that has only their words
//! scores at most so much, and as many symbols as are wanted are known to score more. From there on the lists are only looked up for
//! the symbols that may still be among the best. (MaxScore: H. Turtle and J. Flood, Query evaluation: strategies and
//! optimizations, 1995; here with the share of the words that a symbol has as a factor.)
//!
//! The law: the best `wanted` are those of the whole ranking, with the same scores, whatever `wanted` is. The whole ranking is that of the
//! symbols with any of the words; of a search, with a word of the first lists that have [`ENOUGH`] postings.

use std::collections::HashSet;

use sdl_ledger::{TermHit, View};
use sdl_model::SymbolId;

use super::filter::Filter;
use super::merge::{Met, each_met};
use super::postings::{LOOK_UP, Lists};
use super::ranked::{Best, Ranked, Total};
use super::scoring::{Floor, Scoring};
use super::spelled::Spelled;
use crate::index::Wants;
use crate::{Evidence, LaneStatus, Result};

/// Most postings that are read whole for one query.
const MOST_POSTINGS: usize = 600_000;
/// A search whose rarer words have this many postings finds no further symbols by its more common words. For example, 313,000
/// symbols of Linux have a word of `tcp_v4_rcv`, and its rarer words find 27,000.
const ENOUGH: usize = 10_000;

/// How many times higher the floor may be after the next merge. A guess: only the work and the lower bound of `total`
/// depend on it.
const MERGE_GAIN: f32 = 2.0;
/// How many times higher it may be after the most promising symbols were looked up, also a guess.
const LOOK_UP_GAIN: f32 = 1.5;
/// Most symbols that are looked up to raise the floor, for each that is wanted.
const MOST_PROMISING: usize = 8;

/// A search for the best symbols of a view.
struct Search<'s> {
    view: &'s dyn View,
    filter: &'s Filter,
    scoring: Scoring<'s>,
    wanted: usize,
    /// A score that at least `wanted` symbols have.
    floor: f32,
}

/// Where the reading of lists ended.
struct End {
    /// The number of lists that were read.
    at: usize,
    /// Whether that was because the others can't matter.
    by_bound: bool,
    /// The symbols that may be among the best, if they are known already, and how many there are in all.
    found: Option<(Vec<Met>, usize)>,
}

/// Finds the best `wanted` symbols that pass the filter, and all that `spelled` means beyond doubt. With `narrows`, common
/// words find no symbols where rarer ones find many. In `lists`, it leaves at least the postings of the symbols that it returns.
pub(super) fn find_best(
    view: &dyn View,
    lists: &mut Lists,
    spelled: &Spelled,
    (filter, wants): (&Filter, Wants),
    (wanted, narrows): (usize, bool),
    evidence: &mut Evidence,
) -> Result<Best> {
    let scoring = Scoring::new(lists, spelled, wants);
    let mut search = Search { view, filter, scoring, wanted, floor: f32::NEG_INFINITY };
    let End { at, by_bound, found } = search.read(lists, narrows, evidence)?;
    let (mut candidates, met) = match found {
        Some(found) => found,
        None => search.merge(lists, at)?,
    };
    search.keep_hopeful(&mut candidates, at);
    search.complete(lists, at, &mut candidates)?;
    let scored = |met: &Met| Ranked { symbol: met.symbol, score: search.scoring.score(met) };
    let ranked: Vec<Ranked> = candidates.iter().map(scored).collect();
    evidence.ran("bm25", candidates.iter().filter(|met| met.is_met()).count());
    if at < lists.all.len() {
        let note = if by_bound {
            "the most frequent words were looked up only for symbols that may be among the best"
        } else {
            "the most frequent words only add to the scores of symbols that the others found"
        };
        evidence.push("bm25.common", LaneStatus::Limited, lists.all.len() - at, Some(note.to_owned()));
    }
    Ok(Best { ranked, total: Total { count: met, at_least: by_bound } })
}

impl Search<'_> {
    /// Reads lists until the others need not be read.
    fn read(&mut self, lists: &mut Lists, narrows: bool, evidence: &mut Evidence) -> Result<End> {
        let (mut read, mut looked_at, mut at) = (0, 0, 0);
        while let Some(list) = lists.all.get_mut(at).filter(|_| read < MOST_POSTINGS) {
            list.read(self.view, MOST_POSTINGS - read)?;
            if (list.hits.len() as u64) < list.count {
                let note = "the most frequent words were read in part".to_owned();
                evidence.push("bm25.terms", LaneStatus::Limited, MOST_POSTINGS, Some(note));
            }
            read += list.hits.len();
            at += 1;
            let enough = narrows && read >= ENOUGH;
            if self.may_end(lists, at) && (enough || self.should_look(at, read, looked_at)) {
                looked_at = read;
                let (candidates, met) = self.merge(lists, at)?;
                if enough || self.floor * LOOK_UP_GAIN >= self.scoring.unseen_bound(at) {
                    self.look_ahead(lists, at, &candidates)?;
                }
                let by_bound = self.scoring.unseen_bound(at) < self.floor;
                if by_bound || enough {
                    return Ok(End { at, by_bound: !enough, found: Some((candidates, met)) });
                }
            } else if enough {
                break;
            }
        }
        Ok(End { at, by_bound: false, found: None })
    }

    /// Whether to merge what was read, to find out if the lists from `at` on matter. That takes time in proportion to `read`
    /// postings, so they must have doubled since the last time; and more than that where the floor was far too low.
    fn should_look(&self, at: usize, read: usize, looked_at: usize) -> bool {
        let is_near = self.floor * MERGE_GAIN >= self.scoring.unseen_bound(at);
        read >= self.wanted && read >= looked_at.saturating_mul(if is_near { 2 } else { 6 })
    }

    /// Whether finding out if the lists from `at` on can be left unread costs less than reading them.
    fn may_end(&self, lists: &Lists, at: usize) -> bool {
        let (rest, unread) = unread_from(lists, at);
        let looking_up = (self.wanted as u64).saturating_mul(rest * LOOK_UP);
        // A filter by file asks for the file of every symbol, which costs more than its postings.
        rest > 0 && self.filter.is_by_flags() && looking_up.saturating_mul(2) < unread
    }

    /// Raises the floor to what the most promising of the candidates, which the lists before `at` have, score in all
    /// lists.
    fn look_ahead(&mut self, lists: &Lists, at: usize, candidates: &[Met]) -> Result<()> {
        let mut promising = self.most_promising(candidates, lists, at);
        for (number, list) in lists.all.iter().enumerate().skip(at) {
            let hits = list.hits_among(self.view, &symbols_of(&promising))?;
            add_hits(&mut promising, lists, number, &hits);
        }
        self.raise_floor(&promising);
        Ok(())
    }

    /// The candidates with the highest scores by the lists before `at`, sorted by symbol. There are at least as many as are wanted, and
    /// more if looking them up is cheap compared with reading the other lists. The more there are, the fewer of them need the words of
    /// these lists for the floor to rise.
    fn most_promising(&self, candidates: &[Met], lists: &Lists, at: usize) -> Vec<Met> {
        let (rest, unread) = unread_from(lists, at);
        let affordable = usize::try_from(unread / (4 * LOOK_UP * rest.max(1))).unwrap_or(usize::MAX);
        let most = affordable.min(self.wanted.saturating_mul(MOST_PROMISING)).max(self.wanted);
        let score = |(at, met): (u32, &Met)| (self.scoring.score(met), at);
        let mut scored: Vec<(f32, u32)> = (0..).zip(candidates).map(score).collect();
        if most < scored.len() {
            scored.select_nth_unstable_by(most, |(a, _), (b, _)| b.total_cmp(a));
            scored.truncate(most);
        }
        let found = scored.iter().filter_map(|(_, at)| candidates.get(*at as usize));
        let mut promising: Vec<Met> = found.copied().collect();
        promising.sort_unstable_by_key(|met| met.symbol);
        promising
    }

    /// The symbols that pass the filter: of the lists before `at` at least those that may be among the best, and those that have a
    /// bonus. Also how many there are in all. Raises the floor.
    fn merge(&mut self, lists: &Lists, at: usize) -> Result<(Vec<Met>, usize)> {
        let (mut found, mut met, mut with_bonus) = (Vec::new(), 0, HashSet::new());
        let mut floor = Floor::new(self.wanted, self.floor);
        each_met(lists, at, |one| {
            if self.filter.keeps(self.view, one.symbol, one.flags)? {
                met += 1;
                if self.scoring.bonus(one.symbol).is_some() {
                    with_bonus.insert(one.symbol);
                }
                if self.scoring.can_reach(&one, at, floor.score) {
                    found.push(one);
                    self.scoring.lift(&mut floor, &one);
                }
            }
            Ok::<_, crate::Error>(())
        })?;
        for (symbol, bonus) in self.scoring.spelled {
            if !with_bonus.contains(symbol) && self.filter.keeps(self.view, *symbol, bonus.flags)? {
                met += 1;
                found.push(Met::unmet(*symbol, bonus.flags));
                floor.add(bonus.sum());
            }
        }
        self.floor = floor.raised();
        Ok((found, met))
    }

    fn keep_hopeful(&self, candidates: &mut Vec<Met>, at: usize) {
        candidates.retain(|met| self.scoring.can_reach(met, at, self.floor));
    }

    fn raise_floor(&mut self, found: &[Met]) {
        let mut floor = Floor::new(self.wanted, self.floor);
        found.iter().for_each(|met| self.scoring.lift(&mut floor, met));
        self.floor = floor.raised();
    }

    /// Adds the postings of the lists from `at` on to the candidates', and drops those that can't be among the best any more.
    fn complete(&mut self, lists: &mut Lists, at: usize, candidates: &mut Vec<Met>) -> Result<()> {
        if at < lists.all.len() {
            candidates.sort_unstable_by_key(|met| met.symbol);
        }
        for number in at..lists.all.len() {
            let hits = lists.all[number].hits_among(self.view, &symbols_of(candidates))?;
            add_hits(candidates, lists, number, &hits);
            lists.all[number].hits = hits;
            self.raise_floor(candidates);
            self.keep_hopeful(candidates, number + 1);
        }
        Ok(())
    }
}

/// The number of lists from `at` on, and of their postings.
fn unread_from(lists: &Lists, at: usize) -> (u64, u64) {
    let rest = lists.all.get(at..).unwrap_or_default();
    (rest.len() as u64, rest.iter().map(|list| list.count).sum())
}

fn symbols_of(found: &[Met]) -> Vec<SymbolId> {
    found.iter().map(|met| met.symbol).collect()
}

/// Adds the postings of a list. Both are sorted by symbol, and every posting is one of these symbols'.
fn add_hits(found: &mut [Met], lists: &Lists, number: usize, hits: &[TermHit]) {
    let Some(list) = lists.all.get(number) else { return };
    let mass = lists.mass(list.term);
    let mut hits = hits.iter().peekable();
    for met in found {
        if let Some(hit) = hits.next_if(|hit| hit.symbol == met.symbol) {
            met.add(list, mass, *hit);
        }
    }
}
