//! Which docs have a word, and how much it weighs there: BM25F over the fields of a doc.

use std::collections::{BTreeMap, HashMap};

/// How quickly further occurrences of the same word stop counting.
const K1: f64 = 1.2;
/// Weights are kept as this many steps between 0 and 1.
const STEPS: f64 = 65_535.0;

/// One kind of text that a doc has.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    /// What a word in it counts.
    pub(crate) weight: f64,
    /// What it counts if it is only related to a word of the query.
    pub(crate) related: f64,
    /// How much a long text counts against a match, 0 to 1.
    pub(crate) b: f64,
}

/// A doc that has a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posting {
    pub(crate) doc: u32,
    own: u16,
    related: u16,
}

impl Posting {
    /// The share of the word's weight that the doc gets, 0 to 1.
    pub(crate) fn share(self, is_related: bool) -> f64 {
        self.part_of(1.0, is_related)
    }

    /// What the doc gets of a word with this weight.
    pub(crate) fn part_of(self, weight: f64, is_related: bool) -> f64 {
        weight / STEPS * f64::from(if is_related { self.related } else { self.own })
    }
}

/// The words of all docs.
pub(crate) struct Index {
    /// Sorted.
    terms: Vec<Box<str>>,
    /// Where the postings of each term begin; one more at the end.
    starts: Vec<u32>,
    postings: Vec<Posting>,
    rarity: Vec<f32>,
    docs: usize,
}

impl Index {
    /// Builds the index of docs that are lists of terms, one for each field.
    pub(crate) fn new<const N: usize>(docs: &[[Vec<String>; N]], fields: &[Field; N]) -> Self {
        let mut ids: HashMap<&str, u32> = HashMap::new();
        let mut lists: Vec<(&str, Vec<Posting>)> = Vec::new();
        let averages = averages_of(docs);
        for (at, texts) in docs.iter().enumerate() {
            let mut weights: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
            for ((field, terms), average) in fields.iter().zip(texts).zip(averages) {
                let norm = 1.0 - field.b + field.b * terms.len() as f64 / average;
                for term in terms {
                    let id = *ids.entry(term).or_insert_with(|| {
                        lists.push((term, Vec::new()));
                        lists.len() as u32 - 1
                    });
                    let held = weights.entry(id).or_default();
                    held.0 += field.weight / norm;
                    held.1 += field.related / norm;
                }
            }
            for (id, (own, related)) in weights {
                let posting = Posting { doc: at as u32, own: to_steps(own), related: to_steps(related) };
                if let Some((_, list)) = lists.get_mut(id as usize) {
                    list.push(posting);
                }
            }
        }
        lists.sort_unstable_by_key(|(term, _)| *term);
        let mut index = Self {
            terms: Vec::with_capacity(lists.len()),
            starts: vec![0],
            postings: Vec::with_capacity(lists.iter().map(|(_, list)| list.len()).sum()),
            rarity: Vec::with_capacity(lists.len()),
            docs: docs.len(),
        };
        for (term, list) in lists {
            index.terms.push(term.into());
            index.rarity.push(index.rarity_of(list.len()) as f32);
            index.postings.extend(list);
            index.starts.push(index.postings.len() as u32);
        }
        index
    }

    /// The weight of a word that this number of docs have.
    pub(crate) fn rarity_of(&self, with: usize) -> f64 {
        let (all, with) = (self.docs as f64, with as f64);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// Returns the number of a term.
    pub(crate) fn find_term(&self, term: &str) -> Option<u32> {
        self.terms.binary_search_by(|held| held.as_ref().cmp(term)).ok().map(|at| at as u32)
    }

    /// Returns the docs that have a term, in their order.
    pub(crate) fn postings(&self, term: u32) -> &[Posting] {
        let at = |i: usize| self.starts.get(i).map_or(0, |start| *start as usize);
        self.postings.get(at(term as usize)..at(term as usize + 1)).unwrap_or_default()
    }

    /// What a term weighs.
    pub(crate) fn rarity(&self, term: u32) -> f64 {
        self.rarity.get(term as usize).map_or(0.0, |rarity| f64::from(*rarity))
    }

    /// Returns the terms that begin with a letter, with their numbers.
    pub(crate) fn beginning_with(&self, first: char) -> impl Iterator<Item = (u32, &str)> {
        let from = self.terms.partition_point(|term| term.chars().next() < Some(first));
        let rest = self.terms.get(from..).unwrap_or_default().iter();
        let same = rest.take_while(move |term| term.starts_with(first));
        same.enumerate().map(move |(at, term)| ((from + at) as u32, term.as_ref()))
    }

    /// The number of different terms.
    pub(crate) fn terms(&self) -> usize {
        self.terms.len()
    }

    /// The number of docs.
    pub(crate) fn docs(&self) -> usize {
        self.docs
    }
}

fn averages_of<const N: usize>(docs: &[[Vec<String>; N]]) -> [f64; N] {
    let mut sums = [0_usize; N];
    for texts in docs {
        for (sum, terms) in sums.iter_mut().zip(texts) {
            *sum += terms.len();
        }
    }
    sums.map(|sum| (sum as f64 / docs.len().max(1) as f64).max(1.0))
}

fn to_steps(weight: f64) -> u16 {
    (weight / (K1 + weight) * STEPS).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: [Field; 1] = [Field { weight: 1.0, related: 0.5, b: 0.5 }];

    fn index(texts: &[&str]) -> Index {
        let docs: Vec<[Vec<String>; 1]> =
            texts.iter().map(|text| [text.split(' ').map(str::to_owned).collect()]).collect();
        Index::new(&docs, &ONE)
    }

    #[test]
    fn postings_say_who_has_a_word() {
        let index = index(&["red green", "green green blue", "blue"]);
        let docs = |term: &str| -> Vec<u32> {
            index.find_term(term).map_or(Vec::new(), |id| index.postings(id).iter().map(|p| p.doc).collect())
        };
        assert_eq!((docs("green"), docs("blue"), docs("grey")), (vec![0, 1], vec![1, 2], vec![]));
        let green = index.find_term("green").unwrap();
        let [once, twice] = [0, 1].map(|at| index.postings(green)[at].share(false));
        assert!(0.0 < once && once < twice && twice < 1.0);
        assert!(index.postings(green)[0].share(true) < once);
        assert!(index.rarity(index.find_term("red").unwrap()) > index.rarity(green));
    }

    #[test]
    fn terms_of_a_letter_are_found() {
        let index = index(&["beta alpha bravo", "天气 charlie"]);
        let of = |c: char| index.beginning_with(c).map(|(_, term)| term).collect::<Vec<_>>();
        assert_eq!((of('b'), of('天'), of('z')), (vec!["beta", "bravo"], vec!["天气"], vec![]));
    }
}
