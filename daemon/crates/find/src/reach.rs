//! What a word of a query finds in an index.

use std::collections::BTreeMap;

use crate::index::{Index, Posting};
use crate::lexicon::Lexicon;
use crate::query::{Word, meant_entries};
use crate::{near, words};

/// Related words count this much more if no doc has the word itself, because then they are all there is to go by.
const ALONE: f64 = 1.8;
/// A word that is written together in the docs and apart in the query, or the other way round, counts this much.
const JOINED: f64 = 0.8;

/// A doc that a word leads to in several ways gets this much of the others too, together no more than the best way gives, because
/// a doc full of related words is about the thing.
const OTHER_WAYS: f64 = 0.3;

/// Fewer docs than this part of all are sorted. With more of them it is faster to read all places in order.
const FEW: usize = 16;

/// A word of the lexicon that no doc has.
const ABSENT: u32 = u32::MAX;
/// A word of the lexicon that says nothing by itself.
const SILENT: u32 = u32::MAX - 1;

/// Where the words of the lexicon are in an index.
pub(crate) struct Spelling(Vec<u32>);

impl Spelling {
    pub(crate) fn new(index: &Index, lexicon: &Lexicon) -> Self {
        let place = |id: u32| {
            let absent = if lexicon.is_silent(id) { SILENT } else { ABSENT };
            index.find_term(lexicon.word(id)).unwrap_or(absent)
        };
        Self((0..lexicon.words() as u32).map(place).collect())
    }

    /// Returns the terms of an entry, if the index has them all.
    fn terms_of(&self, lexicon: &Lexicon, entry: u32) -> Option<Vec<u32>> {
        let places = lexicon.words_of(entry).iter().map(|word| self.0.get(*word as usize).copied());
        let terms: Vec<u32> = places.filter(|place| *place != Some(SILENT)).collect::<Option<_>>()?;
        (!terms.is_empty() && !terms.contains(&ABSENT)).then_some(terms)
    }
}

/// What one word finds.
pub(crate) struct Reached {
    /// Docs with what the word gives them.
    pub(crate) docs: Vec<(u32, f64)>,
    /// The terms that it found, with their shares.
    pub(crate) terms: Vec<(u32, f64)>,
}

/// A place to collect values of docs, used again and again.
pub(crate) struct Collector {
    values: Vec<Value>,
    touched: Vec<u32>,
}

/// What a doc has.
#[derive(Clone, Copy, Default)]
struct Value {
    best: f64,
    /// What all ways together give.
    all: f64,
}

impl Collector {
    pub(crate) fn new(docs: usize) -> Self {
        Self { values: vec![Value::default(); docs], touched: Vec::new() }
    }

    /// How many docs there are.
    pub(crate) fn docs(&self) -> usize {
        self.values.len()
    }

    /// Gives a doc this value if it has less, and counts the way.
    fn raise(&mut self, doc: u32, value: f64) {
        if let Some(held) = self.values.get_mut(doc as usize).filter(|_| value > 0.0) {
            if held.all == 0.0 {
                self.touched.push(doc);
            }
            held.all += value;
            held.best = held.best.max(value);
        }
    }

    /// Adds to a doc's value.
    pub(crate) fn add(&mut self, doc: u32, value: f64) {
        if let Some(held) = self.values.get_mut(doc as usize).filter(|_| value > 0.0) {
            if held.all == 0.0 {
                self.touched.push(doc);
            }
            held.all += value;
            held.best += value;
        }
    }

    /// Returns the docs that have a value, in their order, and begins again.
    pub(crate) fn take(&mut self) -> Vec<(u32, f64)> {
        let mut touched = std::mem::take(&mut self.touched);
        if touched.len() > self.values.len() / FEW {
            touched.clear();
            let held = self.values.iter().enumerate().filter(|(_, value)| value.all > 0.0);
            touched.extend(held.map(|(doc, _)| doc as u32));
        } else {
            touched.sort_unstable();
        }
        let mut value = |doc: u32| {
            let held = self.values.get_mut(doc as usize).map_or(Value::default(), std::mem::take);
            held.best + (OTHER_WAYS * (held.all - held.best).max(0.0)).min(held.best)
        };
        touched.into_iter().map(|doc| (doc, value(doc))).collect()
    }
}

/// Looks words up.
pub(crate) struct Reach<'a> {
    pub(crate) index: &'a Index,
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) spelling: &'a Spelling,
}

impl Reach<'_> {
    /// Returns what a word of this weight finds: for each doc mostly by its best way, because a word counts once.
    pub(crate) fn find(&self, word: &Word, weight: f64, space: &mut Collector) -> Reached {
        let direct = self.index.find_term(&word.term);
        let most = direct.map_or_else(|| self.index.rarity_of(0), |term| self.index.rarity(term));
        let mut terms: BTreeMap<u32, f64> = BTreeMap::new();
        if let Some(term) = direct {
            self.give(&[term], false, most, space);
            terms.insert(term, 1.0);
        } else {
            self.find_near(word, &mut terms, space);
        }
        self.find_joined(word, direct.is_some(), space);
        self.find_related(word, direct.is_none(), &mut terms, space);
        let docs = space.take().into_iter().map(|(doc, value)| (doc, value * weight)).collect();
        Reached { docs, terms: terms.into_iter().collect() }
    }

    /// Gives the docs that have all these terms their share of `weight`.
    fn give(&self, terms: &[u32], is_related: bool, weight: f64, space: &mut Collector) {
        if let [only] = terms {
            for posting in self.index.postings(*only) {
                space.raise(posting.doc, posting.part_of(weight, is_related));
            }
        } else {
            for (doc, share) in self.with_all(terms, is_related) {
                space.raise(doc, weight * share);
            }
        }
    }

    /// Returns the docs that have all these terms, with the smallest of their shares.
    fn with_all(&self, terms: &[u32], is_related: bool) -> Vec<(u32, f64)> {
        let mut lists: Vec<&[Posting]> = terms.iter().map(|term| self.index.postings(*term)).collect();
        lists.sort_by_key(|list| list.len());
        let Some((shortest, others)) = lists.split_first_mut() else { return Vec::new() };
        let least = |posting: &Posting| {
            let mut least = posting.share(is_related);
            for list in others.iter_mut() {
                *list = skip_to(list, posting.doc);
                let first = list.first().filter(|first| first.doc == posting.doc)?;
                least = least.min(first.share(is_related));
            }
            Some((posting.doc, least))
        };
        shortest.iter().filter_map(least).collect()
    }

    /// Words that differ by a letter or an ending, for a word that no doc has.
    fn find_near(&self, word: &Word, terms: &mut BTreeMap<u32, f64>, space: &mut Collector) {
        let Some(first) = word.term.chars().next().filter(|_| near::is_comparable(&word.term)) else {
            return;
        };
        for (term, other) in self.index.beginning_with(first) {
            let share = near::nearness(&word.term, other);
            if share > 0.0 {
                self.give(&[term], false, share * self.index.rarity(term), space);
                terms.insert(term, share);
            }
        }
    }

    /// The word together with its neighbour, and for a word that no doc has, its halves.
    fn find_joined(&self, word: &Word, is_direct: bool, space: &mut Collector) {
        for term in word.joined.iter().filter_map(|joined| self.index.find_term(joined)) {
            self.give(&[term], false, JOINED * self.index.rarity(term), space);
        }
        if is_direct {
            return;
        }
        for (left, right) in near::halves(&word.spelled) {
            let term = |half| words::single_term(half).and_then(|term| self.index.find_term(&term));
            if let (Some(left), Some(right)) = (term(left), term(right)) {
                let weight = f64::midpoint(self.index.rarity(left), self.index.rarity(right));
                self.give(&[left, right], false, JOINED * weight, space);
            }
        }
    }

    /// Docs with words that the lexicon relates to this one.
    fn find_related(
        &self,
        word: &Word,
        is_alone: bool,
        terms: &mut BTreeMap<u32, f64>,
        space: &mut Collector,
    ) {
        let meant = if is_alone && word.related.is_empty() {
            meant_entries(&word.term, self.lexicon)
        } else {
            Vec::new()
        };
        let most = self.index.find_term(&word.term).map_or(f64::MAX, |term| self.index.rarity(term));
        for (entry, share) in word.related.iter().chain(&meant) {
            let Some(found) = self.spelling.terms_of(self.lexicon, *entry) else { continue };
            let boost = if is_alone { ALONE } else { 1.0 };
            if let [only] = found.as_slice() {
                let held = terms.entry(*only).or_default();
                *held = held.max(*share);
                self.give(&found, true, boost * share * self.index.rarity(*only).min(most), space);
            } else {
                let docs = self.with_all(&found, true);
                let weight = boost * share * self.index.rarity_of(docs.len()).min(most);
                docs.iter().for_each(|(doc, part)| space.raise(*doc, weight * part));
            }
        }
    }
}

/// Leaves out the postings before a doc. It looks ahead by growing steps, because lists are read in order.
fn skip_to(list: &[Posting], doc: u32) -> &[Posting] {
    let mut step = 1;
    while list.get(step).is_some_and(|posting| posting.doc < doc) {
        step *= 2;
    }
    let from = step / 2;
    let within = list.get(from..list.len().min(step + 1)).unwrap_or_default();
    let skipped = from + within.partition_point(|posting| posting.doc < doc);
    list.get(skipped..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_ways_give_more_than_one_but_never_twice_as_much() {
        let mut space = Collector::new(4);
        space.raise(0, 2.0);
        space.raise(1, 1.0);
        space.raise(1, 2.0);
        (0..100).for_each(|_| space.raise(2, 2.0));
        space.raise(3, 0.0);
        let found = space.take();
        assert_eq!(found.iter().map(|(doc, _)| *doc).collect::<Vec<_>>(), [0, 1, 2]);
        let [one, two, many] = [0, 1, 2].map(|at: usize| found[at].1);
        assert!((one - 2.0).abs() < 1e-9 && (two - (2.0 + OTHER_WAYS)).abs() < 1e-9, "{found:?}");
        assert!((many - 4.0).abs() < 1e-9, "{found:?}");
        assert!(space.take().is_empty());
    }

    #[test]
    fn few_and_many_docs_are_taken_in_their_order() {
        for count in [1, 3, 40, 100] {
            let mut space = Collector::new(100);
            (0..count).rev().for_each(|nth| space.raise(nth * 37 % 100, 1.0));
            let docs: Vec<u32> = space.take().iter().map(|(doc, _)| *doc).collect();
            assert!(docs.len() == count as usize && docs.is_sorted(), "{docs:?}");
            assert!(space.take().is_empty());
        }
    }

    #[test]
    fn docs_with_all_terms_are_those_of_the_plain_definition() {
        const ONE: [crate::index::Field; 1] = [crate::index::Field { weight: 1.0, related: 1.0, b: 0.5 }];
        let has = |doc: usize, term: usize| doc.is_multiple_of([1, 2, 3, 7, 50][term]);
        let docs: Vec<[Vec<String>; 1]> = (0..300)
            .map(|doc| [(0..5).filter(|term| has(doc, *term)).map(|term| format!("t{term}")).collect()])
            .collect();
        let index = Index::new(&docs, &ONE);
        let lexicon = Lexicon::new(&[""]);
        let spelling = Spelling::new(&index, &lexicon);
        let reach = Reach { index: &index, lexicon: &lexicon, spelling: &spelling };
        for set in [&[0, 1][..], &[1, 2, 3], &[3, 0], &[4, 2, 1], &[4, 3, 2, 1, 0]] {
            let terms: Vec<u32> =
                set.iter().map(|term| index.find_term(&format!("t{term}")).unwrap()).collect();
            let found: Vec<u32> = reach.with_all(&terms, true).iter().map(|(doc, _)| *doc).collect();
            let plain: Vec<u32> =
                (0..300).filter(|doc| set.iter().all(|term| has(*doc as usize, *term))).collect();
            assert_eq!(found, plain, "{set:?}");
        }
    }

    #[test]
    fn what_is_added_is_no_further_way() {
        let mut space = Collector::new(1);
        space.add(0, 1.0);
        space.add(0, 2.0);
        assert_eq!(space.take(), [(0, 3.0)]);
    }
}
