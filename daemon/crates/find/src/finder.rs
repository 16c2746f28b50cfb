//! The index of a set of tools, and the score of each for a query.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::doc::Doc;
use crate::index::{Field, Index};
use crate::lexicon::Lexicon;
use crate::names::Names;
use crate::query::Query;
use crate::reach::{Collector, Reach, Reached, Spelling};
use crate::{spread, words};

/// The fields of a doc: name, title, first sentence, rest of the description, what the server is about, key, names of parameters,
/// their descriptions, listed values with examples.
const FIELDS: [Field; 9] = [
    Field { weight: 5.0, related: 5.0, b: 0.3 },
    Field { weight: 2.0, related: 2.0, b: 0.3 },
    Field { weight: 2.0, related: 2.0, b: 0.4 },
    Field { weight: 1.5, related: 1.0, b: 0.5 },
    Field { weight: 1.0, related: 1.0, b: 0.5 },
    Field { weight: 1.0, related: 1.0, b: 0.0 },
    Field { weight: 1.0, related: 1.0, b: 0.6 },
    Field { weight: 0.7, related: 0.5, b: 0.6 },
    Field { weight: 0.4, related: 0.0, b: 0.6 },
];
/// The fields of a server: key, what it is about, the names of all its tools, their first sentences.
const SERVER_FIELDS: [Field; 4] = [
    Field { weight: 3.0, related: 3.0, b: 0.0 },
    Field { weight: 2.0, related: 2.0, b: 0.5 },
    Field { weight: 1.0, related: 1.0, b: 0.5 },
    Field { weight: 0.5, related: 0.5, b: 0.5 },
];
/// The share of its server's score that a tool gets, but no more than [`MOST_OF_SERVER`] times what it has itself.
const SERVER: f64 = 0.7;
const MOST_OF_SERVER: f64 = 0.6;
/// Two neighbouring words of the query that are neighbours in the name or first sentence give this much of the rarer one again.
const PAIR: f64 = 0.3;
/// How much of the score is that of the clause which fits best, if there are several.
const CLAUSE: f64 = 0.4;
/// How much the score grows if the whole name of the tool was found.
const NAME: f64 = 0.8;
/// A tool that says that it is deprecated keeps this share of its score: the one in its place fits as well.
const DEPRECATED: f64 = 0.6;
/// Hits below this share of the best score are left out.
const LEAST: f64 = 0.2;

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The places of the docs with their scores, best first.
    pub hits: Vec<(usize, f64)>,
    /// How many of the first hits the query names.
    pub named: usize,
    /// How many docs matched, also beyond the limit.
    pub total: usize,
    /// The words of the query that led to nothing.
    pub unmatched: Vec<String>,
}

/// An index of tools.
pub struct Finder {
    lexicon: &'static Lexicon,
    names: Names,
    tools: Index,
    tool_spelling: Spelling,
    servers: Index,
    server_spelling: Spelling,
    /// The server of each tool.
    server_of: Vec<u32>,
    /// The terms of each tool's name and first sentence.
    texts: Vec<Text>,
    /// The place of each tool in the order of keys and names, for those with equal scores.
    ties: Vec<u32>,
}

/// The terms that a tool is mainly made of.
struct Text {
    name: Vec<u32>,
    /// The different ones of the name.
    name_terms: Vec<u32>,
    sentence: Vec<u32>,
    /// What all different terms of the name weigh.
    name_weight: f64,
    /// Whether the tool says that it is deprecated.
    is_deprecated: bool,
}

type Terms = [Vec<String>; 9];

impl Finder {
    /// Builds the index of exactly these tools.
    pub fn new(docs: &[Doc]) -> Self {
        let lexicon = Lexicon::shared();
        let terms: Vec<Terms> = docs.iter().map(terms_of_doc).collect();
        let tools = Index::new(&terms, &FIELDS);
        let (server_of, server_terms) = servers_of(docs, &terms);
        let servers = Index::new(&server_terms, &SERVER_FIELDS);
        let text = |(doc, terms): (&Doc, &Terms)| Text {
            is_deprecated: is_deprecated(doc),
            ..Text::new(terms, &tools)
        };
        let texts = docs.iter().zip(&terms).map(text).collect();
        let mut order: Vec<u32> = (0..docs.len() as u32).collect();
        order.sort_by_key(|at| docs.get(*at as usize).map(|doc| (&doc.key, &doc.name, &doc.description)));
        let mut ties = vec![0; docs.len()];
        for (nth, at) in order.into_iter().enumerate() {
            if let Some(tie) = ties.get_mut(at as usize) {
                *tie = nth as u32;
            }
        }
        Self {
            lexicon,
            names: Names::new(docs),
            tool_spelling: Spelling::new(&tools, lexicon),
            tools,
            server_spelling: Spelling::new(&servers, lexicon),
            servers,
            server_of,
            texts,
            ties,
        }
    }

    /// Ranks the tools by `query` and returns the first `limit`.
    pub fn search(&self, query: &str, limit: usize) -> Found {
        let query = Query::read(query, self.lexicon);
        let mut space = Collector::new(self.tools.docs());
        let reach = Reach { index: &self.tools, lexicon: self.lexicon, spelling: &self.tool_spelling };
        let reached: Vec<Reached> =
            query.words.iter().map(|word| reach.find(word, word.weight, &mut space)).collect();
        let unmatched = query
            .words
            .iter()
            .zip(&reached)
            .filter(|(word, reached)| reached.docs.is_empty() && !word.spelled.is_empty());
        let unmatched = unmatched.map(|(word, _)| word.spelled.clone()).collect();
        let mut hits = self.scores(&query, &reached, &mut space);
        let floor = hits.iter().map(|hit| hit.1).fold(0.0, f64::max) * LEAST;
        hits.retain(|hit| hit.1 >= floor);
        self.sort_best(&mut hits, limit.max(spread::MOST));
        let gains: Vec<Vec<(u32, f64)>> = reached.into_iter().map(|reached| reached.docs).collect();
        spread::spread_hits(&mut hits, &gains);
        let named = self.pin_named(query.text, &mut hits).min(limit);
        let total = hits.len();
        let hits = hits.into_iter().take(limit).map(|(doc, score)| (doc as usize, score)).collect();
        Found { hits, named, total, unmatched }
    }

    fn scores(&self, query: &Query<'_>, reached: &[Reached], space: &mut Collector) -> Vec<spread::Hit> {
        for (doc, value) in reached.iter().flat_map(|reached| &reached.docs) {
            space.add(*doc, *value);
        }
        self.add_pairs(query, space);
        let all = space.take();
        let clauses = best_clauses(query, reached, space);
        let servers = self.server_scores(query);
        let names = self.name_shares(reached);
        let mut hits = Vec::with_capacity(all.len());
        for (doc, mut score) in all {
            if !query.clauses.is_empty() {
                score += CLAUSE * (clauses.get(doc as usize).copied().unwrap_or_default() - score);
            }
            let server = self.server_of.get(doc as usize).map_or(0.0, |server| value_of(&servers, *server));
            score += (SERVER * server).min(MOST_OF_SERVER * score);
            score *= 1.0 + NAME * self.name_coverage(doc, &names);
            if self.texts.get(doc as usize).is_some_and(|text| text.is_deprecated) {
                score *= DEPRECATED;
            }
            hits.push((doc, score));
        }
        hits
    }

    /// Adds what neighbouring words give.
    fn add_pairs(&self, query: &Query<'_>, space: &mut Collector) {
        for (one, other) in &query.pairs {
            let (Some(one), Some(other)) = (self.tools.find_term(one), self.tools.find_term(other)) else {
                continue;
            };
            let gain = PAIR * self.tools.rarity(one).min(self.tools.rarity(other));
            let (a, b) = (self.tools.postings(one), self.tools.postings(other));
            for posting in if a.len() < b.len() { a } else { b } {
                if self.texts.get(posting.doc as usize).is_some_and(|text| text.has_pair(one, other)) {
                    space.add(posting.doc, gain);
                }
            }
        }
    }

    /// Returns the scores of the servers, sorted by server.
    fn server_scores(&self, query: &Query<'_>) -> Vec<(u32, f64)> {
        // The only server is everybody's.
        if self.servers.docs() < 2 {
            return Vec::new();
        }
        let mut space = Collector::new(self.servers.docs());
        let reach = Reach { index: &self.servers, lexicon: self.lexicon, spelling: &self.server_spelling };
        let found = query.words.iter().map(|word| reach.find(word, word.server_weight, &mut space));
        let reached: Vec<Reached> = found.collect();
        for (server, value) in reached.iter().flat_map(|reached| &reached.docs) {
            space.add(*server, *value);
        }
        space.take()
    }

    /// Returns the share of the information of a tool's name that the query has.
    fn name_coverage(&self, doc: u32, shares: &[f64]) -> f64 {
        let Some(text) = self.texts.get(doc as usize).filter(|text| text.name_weight > 0.0) else {
            return 0.0;
        };
        let share =
            |term: &u32| shares.get(*term as usize).copied().unwrap_or(0.0) * self.tools.rarity(*term);
        (text.name_terms.iter().map(share).sum::<f64>() / text.name_weight).min(1.0)
    }

    /// Returns how much of each term any word found.
    fn name_shares(&self, reached: &[Reached]) -> Vec<f64> {
        let mut shares = vec![0.0_f64; self.tools.terms()];
        for (term, share) in reached.iter().flat_map(|reached| &reached.terms) {
            if let Some(held) = shares.get_mut(*term as usize) {
                *held = held.max(*share);
            }
        }
        shares
    }

    /// Puts the best in order, at the front. Nobody reads the others.
    fn sort_best(&self, hits: &mut [spread::Hit], count: usize) {
        let best = if count < hits.len() {
            hits.select_nth_unstable_by(count, |a, b| self.compare_hits(a, b)).0
        } else {
            hits
        };
        self.sort_hits(best);
    }

    fn sort_hits(&self, hits: &mut [spread::Hit]) {
        hits.sort_unstable_by(|a, b| self.compare_hits(a, b));
    }

    fn compare_hits(&self, one: &spread::Hit, other: &spread::Hit) -> Ordering {
        let tie = |doc: u32| self.ties.get(doc as usize).copied();
        other.1.total_cmp(&one.1).then_with(|| tie(one.0).cmp(&tie(other.0)))
    }

    /// Puts the tools that the query names above all others, in the order in which it names them. Returns their number.
    fn pin_named(&self, query: &str, hits: &mut Vec<spread::Hit>) -> usize {
        let mut named: Vec<spread::Hit> = Vec::new();
        for docs in self.names.named_in(query) {
            let mut alike: Vec<spread::Hit> = docs
                .iter()
                .filter(|doc| !named.iter().any(|hit| hit.0 == **doc))
                .map(|doc| (*doc, hits.iter().find(|hit| hit.0 == *doc).map_or(0.0, |hit| hit.1)))
                .collect();
            self.sort_hits(&mut alike);
            named.extend(alike);
        }
        hits.retain(|hit| !named.iter().any(|pinned| pinned.0 == hit.0));
        let top = hits.iter().chain(&named).map(|hit| hit.1).fold(0.0, f64::max);
        let count = named.len();
        for (nth, hit) in named.iter_mut().enumerate() {
            hit.1 = top + (count - nth) as f64;
        }
        hits.splice(0..0, named);
        count
    }
}

impl Text {
    fn new(terms: &Terms, index: &Index) -> Self {
        let [name, _, sentence, ..] = terms;
        let ids =
            |terms: &[String]| terms.iter().filter_map(|term| index.find_term(term)).collect::<Vec<u32>>();
        let name = ids(name);
        let mut name_terms = name.clone();
        name_terms.sort_unstable();
        name_terms.dedup();
        let name_weight = name_terms.iter().map(|term| index.rarity(*term)).sum();
        Self { name, name_terms, sentence: ids(sentence), name_weight, is_deprecated: false }
    }

    fn has_pair(&self, one: u32, other: u32) -> bool {
        let has = |terms: &[u32]| terms.windows(2).any(|pair| pair == [one, other]);
        has(&self.name) || has(&self.sentence)
    }
}

fn terms_of_doc(doc: &Doc) -> Terms {
    let (sentence, rest) = words::first_sentence(&doc.description);
    let join =
        |parts: &mut dyn Iterator<Item = &String>| parts.map(String::as_str).collect::<Vec<_>>().join("\n");
    let names = join(&mut doc.parameters.iter().map(|(name, _)| name));
    let descriptions = join(&mut doc.parameters.iter().map(|(_, description)| description));
    let values = join(&mut doc.enums.iter().chain(&doc.examples));
    [&doc.name, &doc.title, sentence, rest, &doc.about, &doc.key, &names, &descriptions, &values]
        .map(words::terms_of)
}

/// Returns the server of each tool, and the terms of each server.
fn servers_of(docs: &[Doc], terms: &[Terms]) -> (Vec<u32>, Vec<[Vec<String>; 4]>) {
    let mut numbers: BTreeMap<&str, u32> = docs.iter().map(|doc| (doc.key.as_str(), 0)).collect();
    for (nth, number) in numbers.values_mut().enumerate() {
        *number = nth as u32;
    }
    let mut servers: Vec<[Vec<String>; 4]> = vec![Default::default(); numbers.len()];
    let mut server_of = Vec::with_capacity(docs.len());
    for (doc, terms) in docs.iter().zip(terms) {
        let number = numbers.get(doc.key.as_str()).copied().unwrap_or_default();
        server_of.push(number);
        let [name, _, sentence, _, about, key, ..] = terms;
        if let Some([keys, abouts, names, sentences]) = servers.get_mut(number as usize) {
            keys.clone_from(key);
            // The longest, because tools of one server may disagree only if somebody built them so.
            if (about.len(), about) > (abouts.len(), abouts as &Vec<String>) {
                abouts.clone_from(about);
            }
            names.extend_from_slice(name);
            sentences.extend_from_slice(sentence);
        }
    }
    (server_of, servers)
}

/// Returns what its best clause gives each doc; nothing if there are no clauses.
fn best_clauses(query: &Query<'_>, reached: &[Reached], space: &mut Collector) -> Vec<f64> {
    if query.clauses.is_empty() {
        return Vec::new();
    }
    let mut best = vec![0.0_f64; space.docs()];
    for clause in &query.clauses {
        for (doc, value) in clause.iter().filter_map(|at| reached.get(*at)).flat_map(|reached| &reached.docs)
        {
            space.add(*doc, *value);
        }
        for (doc, value) in space.take() {
            if let Some(held) = best.get_mut(doc as usize) {
                *held = held.max(value);
            }
        }
    }
    best
}

/// Whether a tool says of itself that it is deprecated: in its title, in capitals, or first of all. A description may name
/// another tool that is.
fn is_deprecated(doc: &Doc) -> bool {
    const WORD: &str = "deprecated";
    let begins = doc.description.trim_start_matches(|c: char| !c.is_alphanumeric());
    doc.title.to_lowercase().contains(WORD)
        || doc.description.contains("DEPRECATED")
        || begins.get(..WORD.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(WORD))
}

fn value_of(values: &[(u32, f64)], at: u32) -> f64 {
    let found = values.binary_search_by_key(&at, |(held, _)| *held);
    found.ok().and_then(|found| values.get(found)).map_or(0.0, |(_, value)| *value)
}
