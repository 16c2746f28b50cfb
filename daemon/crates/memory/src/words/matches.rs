//! Finds the rows that have the words of a question, and scores each by itself.

use std::collections::HashMap;
use std::ops::ControlFlow;

use sdl_ledger::Result;

use super::layout::{self, CHUNK, Part, term_prefix};
use super::question::Word;
use super::text::Lane;
use super::weigh::Weight;
use crate::store::Tables;
use crate::tables::WORDS;

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
struct Match {
    row: RowAt,
    weight: Weight,
}

/// The rows that have one word of the question, in order.
struct Matched {
    rows: Vec<Match>,
    /// How much the word counts: by how few of the searched rows have it.
    rarity: f32,
}

/// The score of each row of a chunk, and the words that it has: one bit for each.
type Sums = [(f32, u64); CHUNK];

/// The rows that have the words of a question.
pub(super) struct Matches {
    words: Vec<Matched>,
    /// By place and chunk, because rows are few chunks however they are spread.
    sums: HashMap<(usize, u32), Box<Sums>>,
}

impl Matches {
    /// Reads the postings of the words.
    pub(super) fn read(tables: &impl Tables, places: &[Place<'_>], words: &[Word]) -> Result<Self> {
        let all: u32 = places.iter().map(|place| place.part.rows).sum();
        let mut found = Self { words: Vec::new(), sums: HashMap::new() };
        for word in words {
            let mut rows = Vec::new();
            for (at, place) in places.iter().enumerate() {
                let prefix = term_prefix(place.part.number, &word.term);
                tables.scan_bytes(WORDS, &prefix, &mut |key, chunk| {
                    if !key.starts_with(&prefix) {
                        return ControlFlow::Break(());
                    }
                    let first = layout::chunk_of(key) * CHUNK as u32;
                    layout::each_posting(chunk, |doc, weight| {
                        rows.push(Match { row: (at, first + u32::from(doc)), weight });
                    });
                    ControlFlow::Continue(())
                })?;
            }
            let rarity = inverse_frequency(all, rows.len());
            found.add_word(Matched { rows, rarity });
        }
        Ok(found)
    }

    fn add_word(&mut self, matched: Matched) {
        let bit = 1 << self.words.len();
        for Match { row: (place, doc), weight } in &matched.rows {
            let key = (*place, doc / CHUNK as u32);
            let sums = self.sums.entry(key).or_insert_with(|| Box::new([(0.0, 0); CHUNK]));
            if let Some((score, words)) = sums.get_mut(*doc as usize % CHUNK) {
                *score += matched.rarity * weight.value();
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
        for (nth, word) in self.words.iter().enumerate().filter(|(nth, _)| bits >> nth & 1 == 1) {
            let at = word.rows.partition_point(|other| other.row < row);
            if let Some(found) = word.rows.get(at) {
                each(nth, word.rarity * found.weight.value(), found.weight.is_named());
            }
        }
    }
}

/// How much a word counts of which `having` of all `rows` have one. Never below 0.
fn inverse_frequency(rows: u32, having: usize) -> f32 {
    let (rows, having) = (rows as f32, having as f32);
    (1.0 + (rows - having + 0.5).max(0.0) / (having + 0.5)).ln()
}
