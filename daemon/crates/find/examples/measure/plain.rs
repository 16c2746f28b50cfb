//! Plain rankings to compare with: shared words, and BM25F over name and description.

use std::collections::{BTreeMap, BTreeSet};

use sdl_find::Doc;
use sdl_retrieve::index::word_terms;

/// Weight of a word in the name; one in the description counts 1.
const NAME: f64 = 3.0;
const K1: f64 = 1.2;
const B: f64 = 0.6;

pub(crate) struct Plain {
    words: Vec<BTreeSet<String>>,
    weights: Vec<BTreeMap<String, f64>>,
    with: BTreeMap<String, f64>,
}

impl Plain {
    pub(crate) fn new(docs: &[Doc]) -> Self {
        let fields: Vec<[Vec<String>; 2]> =
            docs.iter().map(|doc| [terms_of(&doc.name), terms_of(&doc.description)]).collect();
        let average = |field: usize| {
            let all: usize = fields.iter().map(|fields| fields[field].len()).sum();
            (all as f64 / fields.len().max(1) as f64).max(1.0)
        };
        let averages = [average(0), average(1)];
        let mut weights = Vec::new();
        let mut with: BTreeMap<String, f64> = BTreeMap::new();
        for fields in &fields {
            let mut found: BTreeMap<String, f64> = BTreeMap::new();
            for ((terms, average), weight) in fields.iter().zip(averages).zip([NAME, 1.0]) {
                let norm = 1.0 - B + B * terms.len() as f64 / average;
                for term in terms {
                    *found.entry(term.clone()).or_default() += weight / norm;
                }
            }
            for term in found.keys() {
                *with.entry(term.clone()).or_default() += 1.0;
            }
            weights.push(found);
        }
        let words =
            docs.iter().map(|doc| plain_words(&format!("{} {}", doc.name, doc.description))).collect();
        Self { words, weights, with }
    }

    /// By the number of different words that query and tool share.
    pub(crate) fn by_overlap(&self, query: &str) -> Vec<usize> {
        let wanted = plain_words(query);
        order(self.words.iter().map(|words| words.intersection(&wanted).count() as f64))
    }

    pub(crate) fn by_bm25f(&self, query: &str) -> Vec<usize> {
        let wanted = terms_of(query);
        let all = self.weights.len() as f64;
        order(self.weights.iter().map(|weights| {
            let score = |term: &String| {
                let weight = weights.get(term).copied().unwrap_or(0.0);
                let with = self.with.get(term).copied().unwrap_or(0.0);
                (1.0 + (all - with + 0.5) / (with + 0.5)).ln() * weight / (weight + K1)
            };
            wanted.iter().map(score).sum()
        }))
    }
}

fn order(scores: impl Iterator<Item = f64>) -> Vec<usize> {
    let mut hits: Vec<(usize, f64)> = scores.enumerate().filter(|(_, score)| *score > 0.0).collect();
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    hits.into_iter().map(|(at, _)| at).collect()
}

fn terms_of(text: &str) -> Vec<String> {
    word_terms(text).into_iter().map(|(_, term)| term).collect()
}

fn plain_words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}
