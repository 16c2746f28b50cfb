//! Made texts that an index of words treats like English: function words between content words, which follow Zipf's law and have
//! endings.

use crate::random::Random;

/// Words that say nothing about a subject, the commonest first.
const FUNCTION_WORDS: [&str; 24] = [
    "the", "of", "to", "and", "a", "in", "is", "that", "it", "for", "not", "with", "as", "this", "be", "are",
    "from", "when", "by", "which", "if", "only", "after", "because",
];
/// The part of the words of an English text that are such.
const FUNCTION_SHARE: f64 = 0.4;
/// The commonest content words of English have a share of about one in this number.
const COMMONEST: usize = 50;
const ENDINGS: [&str; 6] = ["", "", "", "s", "ed", "ing"];
const ONSETS: [&str; 20] = [
    "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "t", "v", "br", "cl", "dr", "pl", "st", "tr", "sk",
];
const VOWELS: [&str; 6] = ["a", "e", "i", "o", "u", "ou"];
const CLOSES: [&str; 5] = ["n", "r", "l", "m", "x"];

/// Different words that can be made.
pub(crate) const MOST_WORDS: usize = 14_400;

/// Different content words, by how common they are.
pub(crate) struct Vocabulary(Vec<String>);

impl Vocabulary {
    pub(crate) fn new(words: usize) -> Self {
        Self((0..words.min(MOST_WORDS)).map(make_word).collect())
    }

    /// A content word, without an ending.
    pub(crate) fn word(&self, random: &mut Random) -> &str {
        self.0.get(random.zipf(self.0.len(), COMMONEST)).map_or("", String::as_str)
    }

    /// Different content words.
    pub(crate) fn words(&self, random: &mut Random, count: usize) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        while found.len() < count.min(self.0.len()) {
            let word = self.word(random);
            if !found.contains(&word) {
                found.push(word);
            }
        }
        found
    }

    /// A text of that length in words. Its content words are of `subject` with that share, each with an ending or none.
    pub(crate) fn text(&self, random: &mut Random, length: usize, subject: (&[&str], f64)) -> String {
        let (subject, share) = subject;
        let mut text = String::new();
        for _ in 0..length {
            if !text.is_empty() {
                text.push_str(if random.chance(0.08) { ". " } else { " " });
            }
            if random.chance(FUNCTION_SHARE) {
                text.push_str(FUNCTION_WORDS.get(random.zipf(FUNCTION_WORDS.len(), 2)).unwrap_or(&"the"));
                continue;
            }
            let of_subject = if random.chance(share) { random.pick(subject).copied() } else { None };
            text.push_str(of_subject.unwrap_or_else(|| self.word(random)));
            text.push_str(random.pick(&ENDINGS).unwrap_or(&""));
        }
        text
    }
}

/// The word of a rank: two syllables and a letter. No two ranks up to [`MOST_WORDS`] have the same.
fn make_word(rank: usize) -> String {
    let syllables = ONSETS.len() * VOWELS.len();
    // Neighbours in rank should not be alike in letters. The factor shares no divisor with the number of pairs.
    let mut rest = rank * 7_919 % MOST_WORDS;
    let mut word = String::new();
    for _ in 0..2 {
        word.push_str(ONSETS.get(rest % ONSETS.len()).unwrap_or(&""));
        word.push_str(VOWELS.get(rest / ONSETS.len() % VOWELS.len()).unwrap_or(&""));
        rest /= syllables;
    }
    word.push_str(CLOSES.get(rank % CLOSES.len()).unwrap_or(&""));
    word
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn words_differ_and_common_ones_are_common() {
        let vocabulary = Vocabulary::new(MOST_WORDS);
        assert_eq!(vocabulary.0.iter().collect::<HashSet<_>>().len(), MOST_WORDS);
        let mut random = Random::new(1);
        let first = vocabulary.0.first().map(String::as_str);
        let common = (0..20_000).filter(|_| Some(vocabulary.word(&mut random)) == first).count();
        // 20,000 × ln(51 / 50) / ln(14,450 / 50)
        assert!((40..110).contains(&common), "{common}");
    }
}
