//! A query, read once: its words, what the lexicon knows of them, and where one wish ends.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::lexicon::{Entry, Lexicon};
use crate::{literals, near, words};

/// Longer queries are cut to this many words, because more words don't make the goal clearer.
const MOST_WORDS: usize = 64;
/// Words about tools in general count this much, because every tool is one.
const CARRIER_WEIGHT: f64 = 0.15;
/// Words in parentheses count this much for a tool, because they tell where to look: `read papers (file system)`. For a server
/// they count as the others do.
const ASIDE_WEIGHT: f64 = 0.5;
/// In a longer query a word leads nowhere as a part of phrases that the query doesn't have, because its whole words say enough.
const MOST_FOR_PARTS: usize = 16;

/// A word that a literal implies, such as `file` for a path, counts this much.
const HINT_WEIGHT: f64 = 0.6;

/// Words about tools in general, and those around a wish.
const CARRIERS: &str = "tool tools service services platform platforms system systems server servers software application \
    applications app apps mcp api apis capability functionality feature features function information info data detail details \
    specific various related relevant based using use used via help helper please want need like would able provide provided \
    provides give given make sure";

/// Verbs that only frame a wish if one of [`ASKERS`] follows, such as `show me`. They count as [`CARRIERS`] do.
const FRAMES: [&str; 7] = ["bring", "fetch", "find", "get", "give", "show", "tell"];

/// Whoever asks, and the words that begin a question: `show how it works`.
const ASKERS: [&str; 12] =
    ["me", "us", "how", "if", "what", "when", "where", "whether", "which", "who", "whose", "why"];

/// How a word begins that says the opposite, such as `unstaged` for `not staged`.
const NEGATIVE: [&str; 2] = ["un", "non"];

fn is_negation(token: &words::Token) -> bool {
    matches!(token.word.as_str(), "not" | "never" | "without")
}

fn is_asker(token: &words::Token) -> bool {
    ASKERS.contains(&token.word.as_str())
}

/// A word of a query.
pub(crate) struct Word {
    /// As it is in the query; empty if the query only implies it.
    pub(crate) spelled: String,
    pub(crate) term: String,
    /// How much it counts. Less than 1 for words such as `tool`, because every tool is one.
    pub(crate) weight: f64,
    /// How much it counts for a server.
    pub(crate) server_weight: f64,
    /// What it has to do with: entries of the lexicon with shares.
    pub(crate) related: Vec<(u32, f64)>,
    /// The terms that it is together with the word before and after it, such as `webpag` for `web page`.
    pub(crate) joined: Vec<String>,
}

/// A query, ready to be looked up.
pub(crate) struct Query<'t> {
    pub(crate) text: &'t str,
    /// Its different words, in order.
    pub(crate) words: Vec<Word>,
    /// Neighbouring words, by their terms.
    pub(crate) pairs: Vec<(String, String)>,
    /// The places of the words of each wish; empty if there is only one.
    pub(crate) clauses: Vec<Vec<usize>>,
}

impl<'t> Query<'t> {
    pub(crate) fn read(text: &'t str, lexicon: &Lexicon) -> Self {
        let tokens = words::tokens_of(text);
        let spoken: Vec<(usize, &str, &str)> = tokens
            .iter()
            .enumerate()
            .filter_map(|(at, token)| Some((at, token.word.as_str(), token.term.as_deref()?)))
            .collect();
        let asides = words::asides_of(text);
        let mut found: Vec<Word> = Vec::new();
        for (nth, (at, word, term)) in spoken.iter().enumerate() {
            let is_aside = asides.get(*at).copied().unwrap_or_default();
            if let Some(held) = found.iter_mut().find(|held| held.term == *term) {
                if !is_aside {
                    held.weight = held.server_weight;
                }
                continue;
            }
            if found.len() == MOST_WORDS {
                continue;
            }
            let before = nth.checked_sub(1).and_then(|nth| spoken.get(nth)).map(|(_, before, _)| *before);
            let after = spoken.get(nth + 1).map(|(_, after, _)| format!("{word}{after}"));
            let negated = at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(is_negation);
            let fronts = before.into_iter().chain(if negated { &NEGATIVE[..] } else { &[] }.iter().copied());
            let written = fronts.map(|front| format!("{front}{word}")).chain(after);
            let joined = written.filter_map(|both| words::single_term(&both)).collect();
            let is_frame = FRAMES.contains(word) && tokens.get(at + 1).is_some_and(is_asker);
            let server_weight = if is_frame || carriers().contains(*term) { CARRIER_WEIGHT } else { 1.0 };
            let weight = if is_aside { ASIDE_WEIGHT * server_weight } else { server_weight };
            let (spelled, term) = ((*word).to_owned(), (*term).to_owned());
            found.push(Word { spelled, term, weight, server_weight, related: Vec::new(), joined });
        }
        for term in literals::hints_of(text) {
            push_hint(term, &mut found);
        }
        let forms: Vec<&str> = tokens.iter().map(words::Token::form).collect();
        relate_words(&mut found, &lexicon.entries_in(&forms), &tokens, lexicon);
        let terms: Vec<&str> = spoken.iter().map(|(_, _, term)| *term).take(MOST_WORDS).collect();
        let mut pairs: Vec<(String, String)> =
            terms.iter().zip(terms.iter().skip(1)).map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        pairs.sort();
        pairs.dedup();
        let clauses = clauses_of(text, &found);
        Self { text, words: found, pairs, clauses }
    }
}

/// Adds a word that the query only implies.
fn push_hint(term: String, found: &mut Vec<Word>) {
    if found.len() < MOST_WORDS && !found.iter().any(|held| held.term == term) {
        let (spelled, joined) = (String::new(), Vec::new());
        let (weight, server_weight) = (HINT_WEIGHT, HINT_WEIGHT);
        found.push(Word { spelled, term, weight, server_weight, related: Vec::new(), joined });
    }
}

/// Gives each word what it has to do with.
fn relate_words(found: &mut [Word], entries: &[Entry], tokens: &[words::Token], lexicon: &Lexicon) {
    for entry in entries {
        let related = lexicon.related_to(entry.entry);
        let terms = entry.places.iter().filter_map(|place| tokens.get(*place)?.term.as_deref());
        for term in terms {
            if let Some(word) = found.iter_mut().find(|word| word.term == term) {
                word.related.extend(&related);
            }
        }
    }
    let has_parts = found.len() <= MOST_FOR_PARTS;
    for word in found.iter_mut() {
        if has_parts && !word.spelled.is_empty() {
            word.related.extend(lexicon.related_by_phrase(&word.term));
        }
        word.related.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        word.related.dedup_by_key(|(entry, _)| *entry);
    }
}

/// Returns what the entries have to do with that a mistyped word may have meant.
pub(crate) fn meant_entries(term: &str, lexicon: &Lexicon) -> Vec<(u32, f64)> {
    if !near::is_comparable(term) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for entry in 0..lexicon.counts().0 as u32 {
        if let [word] = lexicon.words_of(entry)
            && lexicon.word(*word).as_bytes().first() == term.as_bytes().first()
            && near::is_comparable(lexicon.word(*word))
            && near::is_mistyped(term, lexicon.word(*word))
        {
            found.extend(lexicon.related_to(entry));
        }
    }
    found
}

fn clauses_of(text: &str, found: &[Word]) -> Vec<Vec<usize>> {
    let place = |term: String| found.iter().position(|word| word.term == term);
    let clauses: Vec<Vec<usize>> = words::clauses_of(text)
        .iter()
        .map(|clause| {
            let places: BTreeSet<usize> = words::terms_of(clause).into_iter().filter_map(place).collect();
            places.into_iter().collect()
        })
        .filter(|places: &Vec<usize>| !places.is_empty())
        .collect();
    if clauses.len() > 1 { clauses } else { Vec::new() }
}

/// The terms of [`CARRIERS`].
fn carriers() -> &'static BTreeSet<String> {
    static TERMS: OnceLock<BTreeSet<String>> = OnceLock::new();
    TERMS.get_or_init(|| words::terms_of(CARRIERS).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Query<'_> {
        Query::read(text, &Lexicon::new(&["park > leave car", "weather, climate"]))
    }

    #[test]
    fn words_count_once_and_general_words_less() {
        let query = read("a tool, a TOOL for files and file names");
        let terms: Vec<&str> = query.words.iter().map(|word| word.term.as_str()).collect();
        assert_eq!(terms, ["tool", "fil", "nam"]);
        assert!(query.words[0].weight < query.words[1].weight);
        assert_eq!(query.clauses.len(), 3);
        assert!(query.pairs.contains(&("fil".to_owned(), "nam".to_owned())));
    }

    #[test]
    fn all_words_of_a_phrase_lead_to_what_it_has_to_do_with() {
        let query = read("leave my car");
        let strongest = |word: &Word| word.related.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        let whole: Vec<f64> = query.words.iter().map(strongest).collect();
        assert!(whole.len() == 2 && (whole[0] - whole[1]).abs() < 1e-9, "{whole:?}");
        let part = strongest(&read("leave").words[0]);
        assert!(0.0 < part && part < whole[0], "a part of the phrase leads there too, but less: {part}");
        assert_eq!(read("a web page").words[0].joined, ["webpag"]);
        assert_eq!(read("not staged").words[0].joined, ["unstag", "nonstag"]);
    }

    #[test]
    fn a_mistyped_word_is_looked_up_as_what_it_was_meant_to_be() {
        let lexicon = Lexicon::new(&["umbrella, parasol"]);
        assert_eq!(meant_entries("umbrela", &lexicon).len(), 1);
        assert_eq!(meant_entries("umbra", &lexicon).len(), 0);
    }

    #[test]
    fn words_in_parentheses_count_half_for_a_tool() {
        let query = read("read papers (disk, papers) and (weather) weather");
        let weights = |term: &str| {
            let word = query.words.iter().find(|word| word.term == term).unwrap();
            (word.weight, word.server_weight)
        };
        assert_eq!(weights("disk"), (ASIDE_WEIGHT, 1.0));
        assert_eq!((weights("paper"), weights("weath")), ((1.0, 1.0), (1.0, 1.0)), "they are outside too");
    }

    #[test]
    fn parts_of_phrases_lead_nowhere_in_a_long_query() {
        let lexicon = Lexicon::new(&["park > leave car"]);
        let related = |text: &str| Query::read(text, &lexicon).words[0].related.len();
        let others =
            ["one", "two", "red", "blue", "north", "south", "cold", "warm", "old", "young", "dry", "wet"];
        let more = ["up", "left", "right", "east", "west", "big", "small", "near", "far", "tall", "short"];
        assert!(related("leave") > 0);
        assert_eq!(related(&format!("leave {} {}", others.join(" "), more.join(" "))), 0);
    }

    #[test]
    fn endless_queries_are_cut() {
        let long: String = (0..500).map(|n| format!("{}x{} ", "abcdefghij".split_at(n % 9).1, n)).collect();
        assert!(read(&long).words.len() <= MOST_WORDS);
    }
}
