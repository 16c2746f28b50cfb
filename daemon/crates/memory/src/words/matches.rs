//! Finds the rows that have the words of a question, and scores each by itself.

use std::collections::HashMap;
use std::ops::ControlFlow;

use sdl_ledger::Result;

use super::layout::{self, CHUNK, Part, after_term, term_of, term_prefix, terms_prefix};
use super::question::Word;
use super::related::Related;
use super::text::Lane;
use super::weigh::Weight;
use crate::store::Tables;
use crate::tables::WORDS;

/// What a related word counts of the question's own.
const RELATED: f32 = 0.5;
/// What a word counts that is the question's own but for an error of typing.
const MISTYPED: f32 = 0.7;
/// Shorter words are not compared, because too many words are near to them.
const MIN_COMPARED: usize = 5;
/// From this length on, two errors are forgiven.
const LONG: usize = 8;
/// Different words that are compared with a word that no row has, at most.
const MAX_COMPARED: usize = 1_000;

/// A part that is searched, and where it comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) lane: Lane,
    pub(super) scope: &'a str,
    pub(super) part: Part,
}

/// A row: the place of its part in the list of places, and its number there.
pub(super) type RowAt = (usize, u32);

/// A row and how well it answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scored {
    pub(super) row: RowAt,
    pub(super) score: f32,
    /// The words of the question that count for it, one bit for each.
    pub(super) words: u64,
}

/// A row that has a word.
#[derive(Clone, Copy, Debug)]
struct Match {
    row: RowAt,
    score: f32,
    /// Whether the word is in a name of the row.
    is_named: bool,
}

/// The score of each row of a chunk, and the words that it has: one bit for each.
type Sums = [(f32, u64); CHUNK];

/// The rows that have the words of a question.
pub(super) struct Matches {
    /// For each word its rows, in order.
    words: Vec<Vec<Match>>,
    /// By place and chunk, because rows are few chunks however they are spread.
    sums: HashMap<(usize, u32), Box<Sums>>,
}

impl Matches {
    /// Reads the postings of the words, and of words that are related or nearly the same.
    pub(super) fn read(tables: &impl Tables, places: &[Place<'_>], words: &[Word]) -> Result<Self> {
        let mut found = Self { words: Vec::new(), sums: HashMap::new() };
        for word in words {
            let other = |term: &&str| words.iter().all(|word| word.term != **term);
            let related = Related::shared().of(&word.term).into_iter().filter(other);
            let matched = match_word(tables, places, &word.term, related)?;
            found.add_word(matched);
        }
        Ok(found)
    }

    fn add_word(&mut self, matched: Vec<Match>) {
        let bit = 1 << self.words.len();
        for Match { row: (place, doc), score, .. } in &matched {
            let key = (*place, doc / CHUNK as u32);
            let sums = self.sums.entry(key).or_insert_with(|| Box::new([(0.0, 0); CHUNK]));
            if let Some((sum, words)) = sums.get_mut(*doc as usize % CHUNK) {
                *sum += score;
                *words |= bit;
            }
        }
        self.words.push(matched);
    }

    /// How many words were looked up.
    pub(super) fn count_words(&self) -> usize {
        self.words.len()
    }

    /// Returns the rows that have a word, the best first.
    pub(super) fn rows(&self) -> Vec<Scored> {
        let mut found = Vec::new();
        for ((place, chunk), sums) in &self.sums {
            let sums = sums.iter().enumerate().filter(|(_, (_, words))| *words != 0);
            found.extend(sums.map(|(at, (score, words))| {
                let doc = chunk * CHUNK as u32 + at as u32;
                Scored { row: (*place, doc), score: *score, words: *words }
            }));
        }
        found.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.row.cmp(&b.row)));
        found
    }

    /// Calls `each` with each word that a row has, by its place in the question: its score, and whether it is in a name.
    pub(super) fn each_word(&self, row: RowAt, mut each: impl FnMut(usize, f32, bool)) {
        let (place, doc) = row;
        let sums = self.sums.get(&(place, doc / CHUNK as u32));
        let bits = sums.and_then(|sums| sums.get(doc as usize % CHUNK)).map_or(0, |(_, words)| *words);
        for (nth, rows) in self.words.iter().enumerate().filter(|(nth, _)| bits >> nth & 1 == 1) {
            let at = rows.partition_point(|other| other.row < row);
            if let Some(found) = rows.get(at) {
                each(nth, found.score, found.is_named);
            }
        }
    }
}

/// Returns the rows that have a word, one that is related to it, or, if no row has it, one that is nearly the same. In order;
/// each row once, with its best score. A word counts by how few of the searched rows have it, another in its place at
/// most as much.
fn match_word<'t>(
    tables: &impl Tables,
    places: &[Place<'_>],
    term: &str,
    related: impl Iterator<Item = &'t str>,
) -> Result<Vec<Match>> {
    let all: u32 = places.iter().map(|place| place.part.rows).sum();
    let own = read_rows(tables, places, term)?;
    let rarity = inverse_frequency(all, own.len());
    let mut others: Vec<(String, f32)> = related.map(|other| (other.to_owned(), RELATED)).collect();
    if own.is_empty() && is_comparable(term) {
        for place in places {
            mistyped_terms(tables, place.part, term, &mut others)?;
        }
    }
    let score = |(row, weight): (RowAt, Weight), counts: f32| Match {
        row,
        score: counts * weight.value(),
        is_named: false,
    };
    let mut found: Vec<Match> = Vec::with_capacity(own.len());
    found.extend(own.into_iter().map(|row| Match { is_named: row.1.is_named(), ..score(row, rarity) }));
    for (other, share) in others {
        let rows = read_rows(tables, places, &other)?;
        let counts = share * rarity.min(inverse_frequency(all, rows.len()));
        found.extend(rows.into_iter().map(|row| score(row, counts)));
    }
    found.sort_by(|a, b| a.row.cmp(&b.row).then_with(|| b.score.total_cmp(&a.score)));
    // The mark of the question's own word must survive a related one with a greater score.
    found.dedup_by(|next, first| {
        let is_same = next.row == first.row;
        first.is_named |= is_same && next.is_named;
        is_same
    });
    Ok(found)
}

/// Returns the rows that have a term.
fn read_rows(tables: &impl Tables, places: &[Place<'_>], term: &str) -> Result<Vec<(RowAt, Weight)>> {
    let mut rows = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let prefix = term_prefix(place.part.number, term);
        tables.scan_bytes(WORDS, &prefix, &mut |key, chunk| {
            if !key.starts_with(&prefix) {
                return ControlFlow::Break(());
            }
            let first = layout::chunk_of(key) * CHUNK as u32;
            layout::each_posting(chunk, |doc, weight| rows.push(((at, first + u32::from(doc)), weight)));
            ControlFlow::Continue(())
        })?;
    }
    Ok(rows)
}

fn is_comparable(term: &str) -> bool {
    term.len() >= MIN_COMPARED && term.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Adds the terms of a part that are a word with an error or two. Only those that begin with the same two letters are
/// looked at, because the first letters are seldom wrong.
fn mistyped_terms(
    tables: &impl Tables,
    part: Part,
    term: &str,
    found: &mut Vec<(String, f32)>,
) -> Result<()> {
    let beginning = terms_prefix(part.number, term.get(..2).unwrap_or_default());
    let most = if term.len() < LONG { 1 } else { 2 };
    let mut from = beginning.clone();
    for _ in 0..MAX_COMPARED {
        let mut next = None;
        tables.scan_bytes(WORDS, &from, &mut |key, _| {
            if key.starts_with(&beginning) {
                next = term_of(key).map(str::to_owned);
            }
            ControlFlow::Break(())
        })?;
        let Some(other) = next else { break };
        from = after_term(part.number, &other);
        let is_near = is_comparable(&other)
            && other.len().abs_diff(term.len()) <= most
            && strsim::osa_distance(term, &other) <= most;
        if is_near && found.iter().all(|(known, _)| *known != other) {
            found.push((other, MISTYPED));
        }
    }
    Ok(())
}

/// How much a word counts of which `having` of all `rows` have one. Never below 0.
fn inverse_frequency(rows: u32, having: usize) -> f32 {
    let (rows, having) = (rows as f32, having as f32);
    (1.0 + (rows - having + 0.5).max(0.0) / (having + 0.5)).ln()
}
