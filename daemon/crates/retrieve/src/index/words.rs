//! Names and texts to words: `parseHTTPHeader2` is `parse`, `http`, `header`, `2`.

use super::{stem, stop};

/// Longer words are cut, because they are usually hashes or encoded data.
const LONGEST: usize = 40;

/// Calls `each` with every word of a name or a text, in lower case, in order. Words are cut at anything that is not a
/// letter or digit, where lower case meets upper case, before the last capital of an acronym, and between letters and
/// digits: `parseHTTPHeader2` has four words. Scripts without spaces give a word for each character.
pub(crate) fn split_words(text: &str, word: &mut String, each: &mut dyn FnMut(&str)) {
    if text.is_ascii() {
        split_ascii(text.as_bytes(), word, each);
    } else {
        split_any(text, word, each);
    }
}

/// Most texts are ASCII: a table look-up for each byte.
fn split_ascii(text: &[u8], word: &mut String, each: &mut dyn FnMut(&str)) {
    let kind = |at: usize| text.get(at).map_or(Kind::Other, |byte| ASCII[*byte as usize & 127]);
    word.clear();
    let (mut last, mut now) = (Kind::Other, kind(0));
    for (at, &byte) in text.iter().enumerate() {
        let next = kind(at + 1);
        let cut = match (last, now) {
            (_, Kind::Other) => true,
            (Kind::Upper, Kind::Upper) => next == Kind::Lower,
            (Kind::Upper, Kind::Lower) => false,
            (last, now) => last != now,
        };
        if cut && !word.is_empty() {
            each(word);
            word.clear();
        }
        if now != Kind::Other && word.len() < LONGEST {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
        (last, now) = (now, next);
    }
    if !word.is_empty() {
        each(word);
    }
}

fn split_any(text: &str, word: &mut String, each: &mut dyn FnMut(&str)) {
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
            word.push(lower_char(c));
        }
        last = kind;
    }
    if !word.is_empty() {
        each(word);
    }
}

/// Calls `each` with every term of a name or a text: its words, stemmed, without stop words and single letters.
pub(crate) fn each_term(text: &str, scratch: &mut Scratch, each: &mut dyn FnMut(&str)) {
    let Scratch { word, stemmed } = scratch;
    split_words(text, word, &mut |word| {
        if let Some(term) = word_term(word, stemmed) {
            each(term);
        }
    });
}

/// The term of one word, if it is one; `space` holds it.
pub(crate) fn word_term<'s>(word: &str, space: &'s mut String) -> Option<&'s str> {
    let single = word.len() == 1 && !word.bytes().all(|byte| byte.is_ascii_digit());
    if single || stop::is_stop_word(word) {
        return None;
    }
    space.clear();
    space.push_str(word);
    stem::stem_word(space);
    Some(space)
}

/// Space to work in, kept from one call to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    word: String,
    stemmed: String,
}

/// A character's lower-case form where that is one character, else the character itself, because a name's lower-case
/// form must have as many characters as the name.
pub(crate) fn lower_char(c: char) -> char {
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
    /// A letter of a script that writes no spaces, such as Chinese: a word by itself.
    Solid,
    Other,
}

/// The kind of every ASCII character.
static ASCII: [Kind; 128] = {
    let mut kinds = [Kind::Other; 128];
    let mut at = 0;
    while at < 128 {
        kinds[at] = match at as u8 {
            b'a'..=b'z' => Kind::Lower,
            b'A'..=b'Z' => Kind::Upper,
            b'0'..=b'9' => Kind::Digit,
            _ => Kind::Other,
        };
        at += 1;
    }
    kinds
};

impl Kind {
    fn of(c: char) -> Self {
        match c {
            _ if c.is_ascii() => ASCII[c as usize & 127],
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
        split_words(text, &mut String::new(), &mut |word| found.push(word.to_owned()));
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
    fn both_ways_of_splitting_agree() {
        let mut state = 11_u64;
        for len in 0..400 {
            let text: String = (0..len % 23)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    char::from(b"abXYZ09_ .-"[(state >> 33) as usize % 11])
                })
                .collect();
            let mut found = [Vec::new(), Vec::new()];
            split_ascii(text.as_bytes(), &mut String::new(), &mut |word| found[0].push(word.to_owned()));
            split_any(&text, &mut String::new(), &mut |word| found[1].push(word.to_owned()));
            assert_eq!(found[0], found[1], "{text}");
        }
    }

    #[test]
    fn terms_are_stemmed_and_free_of_noise() {
        let mut found = Vec::new();
        each_term("The parser of queries is a self x", &mut Scratch::default(), &mut |term| {
            found.push(term.to_owned());
        });
        assert_eq!(found, ["pars", "queri"]);
    }
}
