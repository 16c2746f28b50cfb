//! Names and texts to words: `parseHTTPHeader2` is `parse`, `http`, `header`, `2`.

use super::{stem, stop};

/// Longer words are cut: hashes and blobs are not worth more.
const LONGEST: usize = 40;

/// Calls `each` with every word of a name or a text, in lower case, in order. Words are cut at anything that is no
/// letter or digit, where lower case meets upper case, before the last capital of an acronym, and between letters
/// and digits. Scripts without spaces give a word for each character.
pub(crate) fn split(text: &str, word: &mut String, each: &mut dyn FnMut(&str)) {
    word.clear();
    let mut last = Kind::Other;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let kind = Kind::of(c);
        let cut = match (last, kind) {
            (_, Kind::Other | Kind::Solid) | (Kind::Solid, _) => true,
            (Kind::Upper, Kind::Upper) => chars.peek().is_some_and(|next| Kind::of(*next) == Kind::Lower),
            (Kind::Upper, Kind::Lower) => false,
            (last, kind) => last != kind,
        };
        if cut && !word.is_empty() {
            each(word);
            word.clear();
        }
        if kind != Kind::Other && word.len() < LONGEST {
            word.push(lower(c));
        }
        last = kind;
    }
    if !word.is_empty() {
        each(word);
    }
}

/// Calls `each` with every term of a name or a text: its words, stemmed, without stop words and single letters.
pub(crate) fn terms(text: &str, scratch: &mut Scratch, each: &mut dyn FnMut(&str)) {
    let Scratch { word, stemmed } = scratch;
    split(text, word, &mut |word| {
        if let Some(term) = term(word, stemmed) {
            each(term);
        }
    });
}

/// The term of one word, if it is one; `space` holds it.
pub(crate) fn term<'s>(word: &str, space: &'s mut String) -> Option<&'s str> {
    let single = word.len() == 1 && !word.bytes().all(|byte| byte.is_ascii_digit());
    if single || stop::is_stop_word(word) {
        return None;
    }
    space.clear();
    space.push_str(word);
    stem::stem(space);
    Some(space)
}

/// Space to work in, kept from one call to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    word: String,
    stemmed: String,
}

/// A character's lower-case form where that is one character, else the character: so that a name's lower-case form
/// has as many characters as the name.
pub(crate) fn lower(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only,
        _ => c,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Upper,
    Lower,
    Digit,
    /// A letter of a script that writes no spaces: a word by itself.
    Solid,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            _ if c.is_ascii() => Self::Other,
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

    fn words(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        split(text, &mut String::new(), &mut |word| found.push(word.to_owned()));
        found
    }

    #[test]
    fn the_common_styles() {
        assert_eq!(words("parseHTTPHeader2"), ["parse", "http", "header", "2"]);
        assert_eq!(words("__init__"), ["init"]);
        assert_eq!(words("MAX_RETRY-count"), ["max", "retry", "count"]);
        assert_eq!(words("sha256sum"), ["sha", "256", "sum"]);
        assert_eq!(words("IOError ABC"), ["io", "error", "abc"]);
        assert_eq!(words("django/db/models.py"), ["django", "db", "models", "py"]);
    }

    #[test]
    fn other_scripts() {
        assert_eq!(words("größeÄndern"), ["größe", "ändern"]);
        assert_eq!(words("名前get"), ["名", "前", "get"]);
        assert_eq!(words(""), Vec::<String>::new());
    }

    #[test]
    fn terms_are_stemmed_and_free_of_noise() {
        let mut found = Vec::new();
        terms("The parser of queries is a self x", &mut Scratch::default(), &mut |term| {
            found.push(term.to_owned());
        });
        assert_eq!(found, ["pars", "queri"]);
    }
}
