//! Texts to terms: words in lower case, stemmed, without those that say nothing. An identifier gives its words and
//! itself: `parseHTTPHeader` is `pars`, `http`, `header`, `parsehttphead`.

use rust_stemmers::{Algorithm, Stemmer};

use super::stop::is_stop_word;

/// Bytes of a term. Longer words are cut, because they are usually hashes or encoded data.
const MAX_TERM_BYTES: usize = 40;

/// Calls `each` with every term of a text, in order.
pub(super) fn each_term(text: &str, each: &mut dyn FnMut(&str)) {
    let stemmer = Stemmer::create(Algorithm::English);
    for run in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        if !run.is_empty() {
            terms_of_run(run, &stemmer, each);
        }
    }
}

/// Returns the terms of a text, in order.
pub(super) fn terms_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_term(text, &mut |term| found.push(term.to_owned()));
    found
}

/// A run is letters, digits and `_`, such as an identifier.
fn terms_of_run(run: &str, stemmer: &Stemmer, each: &mut dyn FnMut(&str)) {
    let (mut parts, mut whole) = (0, String::new());
    let chars: Vec<char> = run.chars().collect();
    let mut start = 0;
    while start < chars.len() {
        let end = end_of_word(&chars, start);
        let word = chars.get(start..end).unwrap_or_default();
        match word.first().map(|first| Kind::of(*first)) {
            Some(Kind::Solid) => solid_terms(word, each),
            Some(Kind::Upper | Kind::Lower | Kind::Digit) => {
                let word: String = word.iter().flat_map(|c| c.to_lowercase()).collect();
                whole.push_str(&word);
                parts += 1;
                word_term(&word, stemmer, each);
            }
            _ => {}
        }
        start = end;
    }
    if parts > 1 {
        word_term(&whole, stemmer, each);
    }
}

/// Where the word that begins at `start` ends: where lower case meets upper case, before the last capital of an acronym,
/// and between letters, digits and scripts.
fn end_of_word(chars: &[char], start: usize) -> usize {
    let kind = |at: usize| chars.get(at).map_or(Kind::Other, |c| Kind::of(*c));
    let mut at = start + 1;
    while at < chars.len() {
        let cut = match (kind(at - 1), kind(at)) {
            (Kind::Upper, Kind::Upper) => kind(at + 1) == Kind::Lower,
            (Kind::Upper, Kind::Lower) => false,
            (last, now) => last != now,
        };
        if cut {
            break;
        }
        at += 1;
    }
    at
}

fn word_term(word: &str, stemmer: &Stemmer, each: &mut dyn FnMut(&str)) {
    let is_letter = word.len() == 1 && !word.bytes().all(|byte| byte.is_ascii_digit());
    if is_letter || is_stop_word(word) {
        return;
    }
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        each(cut_term(&stemmer.stem(word)));
    } else {
        each(cut_term(word));
    }
}

/// A script without spaces gives each two neighbouring characters, because most words of Chinese have two.
fn solid_terms(word: &[char], each: &mut dyn FnMut(&str)) {
    let size = word.len().min(2);
    for pair in word.windows(size.max(1)) {
        each(&pair.iter().collect::<String>());
    }
}

fn cut_term(term: &str) -> &str {
    let mut end = term.len().min(MAX_TERM_BYTES);
    while !term.is_char_boundary(end) {
        end -= 1;
    }
    term.get(..end).unwrap_or(term)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Upper,
    Lower,
    Digit,
    /// A letter of a script that writes no spaces.
    Solid,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
                if c.is_alphabetic() =>
            {
                Self::Solid
            }
            _ if c.is_uppercase() => Self::Upper,
            _ if c.is_numeric() => Self::Digit,
            _ if c.is_alphabetic() => Self::Lower,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stemmed_and_free_of_noise() {
        assert_eq!(terms_of("The parsers of Ann's queries don't run"), ["parser", "ann", "queri", "run"]);
        assert_eq!(terms_of("painting, painted, paints"), ["paint"; 3]);
        assert_eq!(terms_of("in 2026 at 5 a b"), ["2026", "5"]);
    }

    #[test]
    fn an_identifier_is_found_whole_and_by_its_words() {
        assert_eq!(terms_of("parseHTTPHeader"), ["pars", "http", "header", "parsehttphead"]);
        assert_eq!(terms_of("MAX_RETRY_COUNT"), ["max", "retri", "count", "maxretrycount"]);
        assert_eq!(terms_of("src/auth.rs"), ["src", "auth", "rs"]);
        assert_eq!(terms_of("__init__"), ["init"]);
    }

    #[test]
    fn other_scripts() {
        assert_eq!(terms_of("查询天气 图"), ["查询", "询天", "天气", "图"]);
        assert_eq!(terms_of("größeÄndern"), ["größe", "ändern", "größeändern"]);
        assert_eq!(terms_of(&"é".repeat(30)).first().map(String::len), Some(40));
    }
}
