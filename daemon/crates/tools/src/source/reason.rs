//! Measures how well a reason matches the request, and which identifiers it mentions.

use sdl_retrieve::Sym;

use crate::source::ladder::identifiers::{self, Matches};
use sdl_contract::nearest_names;

/// Shorter words don't count.
const SHORTEST: usize = 4;

/// Rates how well a reason matches a symbol: 1 if it names the symbol or one of the identifiers, half if it has a word
/// in common with their names, the symbol's path or its file's.
pub(crate) fn speaks_of(reason: &str, sym: &Sym, wanted: &[String]) -> f64 {
    let names = |one: &str| one.len() > 2 && identifiers::contains_identifier(reason, one);
    if names(sym.name()) || wanted.iter().any(|one| names(one.trim())) {
        return 1.0;
    }
    let said = split_words(reason);
    let known = split_words(sym.qualified()).into_iter().chain(split_words(sym.path()));
    let mut known = known.chain(wanted.iter().flat_map(|one| split_words(one)));
    if known.any(|word| said.iter().any(|said| is_same_word(said, &word))) { 0.5 } else { 0.0 }
}

/// Whether a request is likely to mean this identifier: it has a word in common with the reason, or its spelling is
/// close to one that was not found.
pub(crate) fn speaks_to(reason: &str, asked: &Matches, name: &str) -> bool {
    let own = split_words(name);
    let said = split_words(reason);
    let meant = || asked.missing.iter().any(|missing| !nearest_names(missing, [name], 1).is_empty());
    own.iter().any(|word| said.iter().any(|said| is_same_word(said, word))) || meant()
}

/// Longest ending in which two forms of a word differ, in bytes.
pub(crate) const MAX_ENDING: usize = 3;

/// Splits a text or a name into words in lower case, at everything that is no letter, and within `camelCase`.
pub(crate) fn split_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in text.chars() {
        let apart = !c.is_alphabetic() || (c.is_uppercase() && before.is_lowercase());
        if apart {
            words.push(String::new());
        }
        if c.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| word.len() >= SHORTEST);
    words
}

/// Whether two words are forms of the same word: `expire` and `expired`.
pub(crate) fn is_same_word(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    long.starts_with(short) && long.len() - short.len() <= MAX_ENDING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names_and_sentences() {
        assert_eq!(split_words("debugging auth timeout"), ["debugging", "auth", "timeout"]);
        assert_eq!(split_words("authTimeout_ms HTTPServer"), ["auth", "timeout", "httpserver"]);
        assert!(is_same_word("expire", "expired") && !is_same_word("auth", "authorization"));
        let asked = Matches { missing: vec!["tokenExpiri".to_owned()], ..Matches::default() };
        assert!(speaks_to("x", &asked, "tokenExpiry") && !speaks_to("x", &asked, "parts"));
        assert!(speaks_to("why does it expire", &Matches::default(), "expired"));
    }
}
