//! Finds the rows that have the words of a question, and scores each by itself.

use std::collections::{BTreeMap, HashMap};
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
    /// The words that it has, one bit for each: first those of the question, then those that were added.
    pub(super) words: u64,
    /// Those and the ones that its neighbours lend it.
    pub(super) lent: u64,
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
    /// How much the words that rows have count together.
    total: f32,
}

impl Matches {
    /// Reads the postings of the words, and of words that are related or nearly the same.
    pub(super) fn read(tables: &impl Tables, places: &[Place<'_>], words: &[Word]) -> Result<Self> {
        let mut found = Self { words: Vec::new(), sums: HashMap::new(), total: 0.0 };
        for word in words {
            let other = |term: &&str| words.iter().all(|word| word.term != **term);
            let related = Related::shared().of(&word.term).into_iter().filter(other);
            let own = read_rows(tables, places, &word.term)?;
            let rarity = inverse_frequency(rows_of(places), own.len());
            found.total += if own.is_empty() { 0.0 } else { rarity };
            let matched = match_word(tables, places, (&word.term, rarity), own, related)?;
            found.add_word(matched);
        }
        Ok(found)
    }

    /// How much the words of the question that rows have count together.
    pub(super) fn total_rarity(&self) -> f32 {
        self.total
    }

    /// How much a word counts by how few rows of some parts have it.
    pub(super) fn rarity_of(tables: &impl Tables, places: &[Place<'_>], term: &str) -> Result<f32> {
        let mut having = 0;
        each_chunk(tables, places, term, |_, _, chunk| having += layout::count_postings(chunk))?;
        Ok(inverse_frequency(rows_of(places), having))
    }

    /// Adds a word that is none of the question's, and that counts as much as `counts` says.
    pub(super) fn add_plain(
        &mut self,
        tables: &impl Tables,
        places: &[Place<'_>],
        term: &str,
        counts: f32,
    ) -> Result<()> {
        let rows = read_rows(tables, places, term)?;
        let of_row =
            |(row, weight): (RowAt, Weight)| Match { row, score: counts * weight.value(), is_named: false };
        self.add_word(rows.into_iter().map(of_row).collect());
        Ok(())
    }

    fn add_word(&mut self, matched: Vec<Match>) {
        let bit = 1 << self.words.len();
        // Rows are in order, so that each chunk is looked up once.
        for rows in matched.chunk_by(|one, next| chunk_key(one.row) == chunk_key(next.row)) {
            let Some(first) = rows.first() else { continue };
            let sums = self.sums.entry(chunk_key(first.row));
            let sums = sums.or_insert_with(|| Box::new([(0.0, 0); CHUNK]));
            for Match { row: (_, doc), score, .. } in rows {
                if let Some((sum, words)) = sums.get_mut(*doc as usize % CHUNK) {
                    *sum += score;
                    *words |= bit;
                }
            }
        }
        self.words.push(matched);
    }

    /// How many words were looked up.
    pub(super) fn count_words(&self) -> usize {
        self.words.len()
    }

    /// How many rows of each place have a word.
    pub(super) fn count_rows(&self) -> BTreeMap<usize, u64> {
        let mut counts = BTreeMap::new();
        for ((place, _), sums) in &self.sums {
            let count = sums.iter().filter(|(_, words)| *words != 0).count();
            *counts.entry(*place).or_default() += count as u64;
        }
        counts
    }

    /// Returns the best `most` rows that have a word, the best first.
    pub(super) fn best_rows(&self, most: usize) -> Vec<Scored> {
        let mut found = Vec::new();
        for ((place, chunk), sums) in &self.sums {
            let sums = sums.iter().enumerate().filter(|(_, (_, words))| *words != 0);
            found.extend(sums.map(|(at, (score, words))| {
                let doc = chunk * CHUNK as u32 + at as u32;
                Scored { row: (*place, doc), score: *score, words: *words, lent: *words }
            }));
        }
        keep_best(&mut found, most);
        found
    }

    /// Calls `each` with each word that a row has, by its place in the question: its score, and whether it is in a name.
    pub(super) fn each_word(&self, row: RowAt, mut each: impl FnMut(usize, f32, bool)) {
        let (place, doc) = row;
        let sums = self.sums.get(&chunk_key((place, doc)));
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
    (term, rarity): (&str, f32),
    own: Vec<(RowAt, Weight)>,
    related: impl Iterator<Item = &'t str>,
) -> Result<Vec<Match>> {
    let all = rows_of(places);
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
    each_chunk(tables, places, term, |at, first, chunk| {
        layout::each_posting(chunk, |doc, weight| rows.push(((at, first + u32::from(doc)), weight)));
    })?;
    Ok(rows)
}

/// Calls `each` with the chunks of a term: the place, the number of the first document, the postings.
fn each_chunk(
    tables: &impl Tables,
    places: &[Place<'_>],
    term: &str,
    mut each: impl FnMut(usize, u32, &[u8]),
) -> Result<()> {
    for (at, place) in places.iter().enumerate() {
        let prefix = term_prefix(place.part.number, term);
        tables.scan_bytes(WORDS, &prefix, &mut |key, chunk| {
            if !key.starts_with(&prefix) {
                return ControlFlow::Break(());
            }
            each(at, layout::chunk_of(key) * CHUNK as u32, chunk);
            ControlFlow::Continue(())
        })?;
    }
    Ok(())
}

fn rows_of(places: &[Place<'_>]) -> u32 {
    places.iter().map(|place| place.part.rows).sum()
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

fn chunk_key((place, doc): RowAt) -> (usize, u32) {
    (place, doc / CHUNK as u32)
}

/// Sorts rows, the best first, and keeps the best `most`.
fn keep_best(rows: &mut Vec<Scored>, most: usize) {
    let order = |a: &Scored, b: &Scored| b.score.total_cmp(&a.score).then_with(|| a.row.cmp(&b.row));
    if rows.len() > most && most > 0 {
        rows.select_nth_unstable_by(most - 1, order);
        rows.truncate(most);
    }
    rows.sort_unstable_by(order);
}

/// Sorts rows, the best first, and keeps the best `most`, and those with the score of the last of them.
pub(super) fn keep_best_and_ties(rows: &mut Vec<Scored>, most: usize) {
    keep_best(rows, rows.len());
    let last = most.checked_sub(1).and_then(|last| rows.get(last)).map(|last| last.score);
    let Some(last) = last else { return };
    rows.truncate(rows.partition_point(|row| row.score >= last));
}

/// How much a word counts of which `having` of all `rows` have one. Never below 0.
fn inverse_frequency(rows: u32, having: usize) -> f32 {
    let (rows, having) = (rows as f32, having as f32);
    (1.0 + (rows - having + 0.5).max(0.0) / (having + 0.5)).ln()
}
