//! Vectors of words: a look-up and a mean.

use std::collections::HashMap;

use super::Embedder;
use crate::index::words;

/// The mark at the start of a word in some token tables, and of a continuation in others.
const BEGINS: char = '▁';
const CONTINUES: &str = "##";
/// A word is cut into at most this many pieces.
const MOST_PIECES: usize = 12;

/// Vectors of words or of tokens.
pub(super) struct Table {
    dimensions: usize,
    rows: HashMap<Box<str>, u32>,
    numbers: Vec<f32>,
    /// Whether frequent words come first, so that a word's place says how much it tells.
    by_frequency: bool,
}

impl Table {
    pub(super) fn new(
        dimensions: usize,
        rows: HashMap<Box<str>, u32>,
        numbers: Vec<f32>,
        by_frequency: bool,
    ) -> Self {
        Self { dimensions, rows, numbers, by_frequency }
    }

    fn add(&self, row: u32, weight: f32, vector: &mut [f32]) {
        let start = row as usize * self.dimensions;
        let weight = if self.by_frequency { weight * (2.0 + row as f32).ln() } else { weight };
        for (sum, number) in
            vector.iter_mut().zip(self.numbers.get(start..start + self.dimensions).unwrap_or_default())
        {
            *sum += weight * number;
        }
    }

    /// Adds a word: as it is, else in the longest pieces that the table has.
    fn word(&self, word: &str, vector: &mut [f32]) -> bool {
        let mut key = String::with_capacity(word.len() + 4);
        key.push(BEGINS);
        key.push_str(word);
        if let Some(&row) = self.rows.get(&*key).or_else(|| self.rows.get(word)) {
            self.add(row, 1.0, vector);
            return true;
        }
        let mut pieces = Vec::new();
        let mut rest = word;
        while !rest.is_empty() && pieces.len() < MOST_PIECES {
            let first = rest.len() == word.len();
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
            let longest = ends.rev().find_map(|end| {
                let piece = rest.get(..end)?;
                let mut get = |before: &str| {
                    key.clear();
                    key.push_str(before);
                    key.push_str(piece);
                    self.rows.get(&*key).copied()
                };
                let row =
                    if first { get("▁").or_else(|| get("")) } else { get(CONTINUES).or_else(|| get("")) };
                row.map(|row| (row, end))
            });
            let Some((row, end)) = longest else { break };
            pieces.push(row);
            rest = rest.get(end..).unwrap_or("");
        }
        // Pieces that leave out most of the word, or are single letters, are not used, because they carry no meaning.
        if !rest.is_empty() || pieces.len() * 2 > word.chars().count() {
            return false;
        }
        for row in &pieces {
            self.add(*row, 1.0 / pieces.len() as f32, vector);
        }
        true
    }
}

impl Embedder for Table {
    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, text: &str, vector: &mut [f32]) -> bool {
        let mut known = false;
        words::split_words(text, &mut String::new(), &mut |word| {
            if words::word_term(word, &mut String::new()).is_some() {
                known |= self.word(word, vector);
            }
        });
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_looked_up_whole_then_in_pieces() {
        let rows = [("▁get", 0), ("user", 1), ("token", 2), ("##ize", 3)];
        let rows = rows.into_iter().map(|(word, row)| (word.into(), row)).collect();
        let table = Table::new(2, rows, vec![1.0, 0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 2.0], false);
        let of = |text: &str| {
            let mut vector = [0.0; 2];
            table.embed(text, &mut vector).then_some(vector)
        };
        assert_eq!(of("get_user the"), Some([1.0, 1.0]));
        assert_eq!(of("tokenize"), Some([2.0, 1.0]));
        assert_eq!(of("zzz"), None);
    }
}
