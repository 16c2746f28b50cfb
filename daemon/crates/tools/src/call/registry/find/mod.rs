//! Finds actions by words: BM25F over their descriptions.

mod synonyms;

use std::collections::BTreeMap;

use sdl_retrieve::index::word_terms;
use serde_json::Value;

use super::Entry;
use crate::call::names;
use synonyms::Synonyms;

/// How quickly further occurrences of the same word stop counting.
const K1: f64 = 1.2;
/// The weight of a synonym of a query's word.
const SYNONYM: f64 = 0.4;
/// The weight of the search action itself: a caller who reads the answer has found it already.
const SELF: (&str, f64) = ("action_search", 0.5);
/// Longer queries are cut to this many terms, because more words don't make the goal clearer.
const MOST_TERMS: usize = 64;

/// One kind of text that an action has.
struct Field {
    weight: f64,
    /// How much a long text counts against a match.
    b: f64,
}

/// Name, namespace, description, parameters, examples.
const FIELDS: [Field; 5] = [
    Field { weight: 5.0, b: 0.3 },
    Field { weight: 1.0, b: 0.0 },
    Field { weight: 2.0, b: 0.5 },
    Field { weight: 1.0, b: 0.6 },
    Field { weight: 0.4, b: 0.6 },
];

/// An index of the registry.
pub(crate) struct Finder {
    names: Vec<String>,
    /// Maps a term to the actions that have it, with its weight.
    postings: BTreeMap<String, Vec<(usize, f64)>>,
    synonyms: Synonyms,
}

/// The result of a search.
#[derive(Debug, PartialEq)]
pub(crate) struct Found {
    /// Indexes into the registry with scores, best first.
    pub(crate) hits: Vec<(usize, f64)>,
    /// Words of the query that no action has.
    pub(crate) unmatched: Vec<String>,
}

impl Finder {
    pub(crate) fn new(entries: &[Entry]) -> Self {
        let texts: Vec<[Vec<String>; 5]> = entries.iter().map(field_terms).collect();
        let average = |field: usize| {
            let all: usize = texts.iter().map(|texts| texts.get(field).map_or(0, Vec::len)).sum();
            (all as f64 / texts.len().max(1) as f64).max(1.0)
        };
        let mut postings: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        for (at, texts) in texts.iter().enumerate() {
            for (i, (field, terms)) in FIELDS.iter().zip(texts).enumerate() {
                let norm = 1.0 - field.b + field.b * terms.len() as f64 / average(i);
                for term in terms {
                    let list = postings.entry(term.clone()).or_default();
                    match list.last_mut() {
                        Some((last, weight)) if *last == at => *weight += field.weight / norm,
                        _ => list.push((at, field.weight / norm)),
                    }
                }
            }
        }
        let names = entries.iter().map(|entry| names::fold_name(entry.def.name)).collect();
        Self { names, postings, synonyms: Synonyms::new() }
    }

    /// Ranks the actions by `query`. Actions that the query names exactly come first, even if the name is among other
    /// words.
    pub(crate) fn search(&self, query: &str) -> Found {
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        let mut unmatched: Vec<String> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for (word, term) in word_terms(query).into_iter().filter(|(word, _)| word != "sdl") {
            if seen.contains(&term) || seen.len() == MOST_TERMS {
                continue;
            }
            // A word counts once for an action, by its best match.
            let mut best = self.scored(&term, 1.0);
            for other in self.synonyms.of(&term) {
                for (at, score) in self.scored(other, SYNONYM) {
                    let held = best.entry(at).or_insert(0.0);
                    *held = held.max(score);
                }
            }
            if best.is_empty() {
                unmatched.push(word);
            }
            for (at, score) in best {
                *scores.entry(at).or_insert(0.0) += score;
            }
            seen.push(term);
        }
        if let Some(score) =
            self.names.iter().position(|name| name == SELF.0).and_then(|at| scores.get_mut(&at))
        {
            *score *= SELF.1;
        }
        let top = scores.values().copied().fold(0.0, f64::max);
        let mut named = self.named(query);
        named.reverse();
        for (nth, at) in named.into_iter().enumerate() {
            scores.insert(at, top + 1.0 + nth as f64);
        }
        let mut hits: Vec<(usize, f64)> = scores.into_iter().collect();
        hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Found { hits, unmatched }
    }

    fn scored(&self, term: &str, share: f64) -> BTreeMap<usize, f64> {
        let Some(list) = self.postings.get(term) else { return BTreeMap::new() };
        let (all, with) = (self.names.len() as f64, list.len() as f64);
        let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        list.iter().map(|(at, weight)| (*at, share * idf * weight / (K1 + weight))).collect()
    }

    /// Returns the actions whose names are in the query, in the order of its words. A name that is a plain word, such
    /// as `info` or `chain`, counts only if it is the whole query.
    fn named(&self, query: &str) -> Vec<usize> {
        let whole = query.trim();
        let words = whole.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_'));
        let mut found = Vec::new();
        for word in std::iter::once(whole).chain(words) {
            let word = word.trim_matches('.');
            if word.is_empty() || (word != whole && !word.contains(['.', '_'])) {
                continue;
            }
            let folded = names::fold_name(word);
            let plain = folded.strip_suffix(names::RAW).unwrap_or(&folded);
            let alike = |name: &String| name.eq_ignore_ascii_case(plain);
            found.extend(self.names.iter().position(alike).filter(|at| !found.contains(at)));
        }
        found
    }
}

/// Returns the terms of each of an action's fields.
fn field_terms(entry: &Entry) -> [Vec<String>; 5] {
    let def = &entry.def;
    let mut parameters = String::new();
    property_names(&entry.request, &mut parameters);
    let description = def.description.strip_prefix("Call this when").unwrap_or(def.description);
    [def.name, def.namespace.name(), description, &parameters, &def.examples.join(" ")]
        .map(|text| word_terms(text).into_iter().map(|(_, term)| term).collect())
}

/// Appends every property's name, including nested ones.
fn property_names(schema: &Value, out: &mut String) {
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        // Passed over, because every action has these.
        if matches!(name.as_str(), "repoId" | "sync" | "syncTimeoutMs") {
            continue;
        }
        out.push_str(name);
        out.push(' ');
        property_names(property, out);
        if let Some(items) = property.get("items") {
            property_names(items, out);
        }
    }
}
