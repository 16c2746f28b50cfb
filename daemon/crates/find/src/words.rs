//! Texts to words, sentences and clauses.

use sdl_retrieve::index::every_word;

/// Longer texts are cut, because a description may come from anywhere and its beginning says most.
const MAX_CHARS: usize = 6_000;

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// The word in lower case.
    pub(crate) word: String,
    /// The form under which it is looked up; none if it says nothing, such as `the`.
    pub(crate) term: Option<String>,
}

impl Token {
    /// The form in which phrases are compared: also words that say nothing have one.
    pub(crate) fn form(&self) -> &str {
        self.term.as_deref().unwrap_or(&self.word)
    }
}

/// Returns the words of a text in order. A script without spaces gives each two neighbouring characters, because most words of
/// Chinese have two.
pub(crate) fn tokens_of(text: &str) -> Vec<Token> {
    let text = cut_text(text);
    if text.is_ascii() {
        return plain_tokens(text).collect();
    }
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let solid = is_solid(first);
        let end = rest.find(|c: char| is_solid(c) != solid).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        if solid {
            push_pairs(run, &mut found);
        } else {
            found.extend(plain_tokens(run));
        }
        rest = after;
    }
    found
}

fn plain_tokens(text: &str) -> impl Iterator<Item = Token> {
    every_word(text).into_iter().map(|(word, term)| Token { word, term })
}

fn push_pairs(run: &str, found: &mut Vec<Token>) {
    let chars: Vec<char> = run.chars().collect();
    let mut push = |part: &[char]| {
        let word: String = part.iter().collect();
        found.push(Token { term: Some(word.clone()), word });
    };
    if chars.len() == 1 {
        push(&chars);
    } else {
        chars.windows(2).for_each(push);
    }
}

/// Returns for each token of a text whether it is in parentheses.
pub(crate) fn asides_of(text: &str) -> Vec<bool> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for part in cut_text(text).split_inclusive(['(', ')', '（', '）']) {
        let is_aside = depth > 0;
        found.extend(tokens_of(part).iter().map(|_| is_aside));
        if part.ends_with(['(', '（']) {
            depth += 1;
        } else if part.ends_with([')', '）']) {
            depth = depth.saturating_sub(1);
        }
    }
    found
}

/// Whether a character is of a script that writes no spaces.
fn is_solid(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        && c.is_alphabetic()
}

/// Returns the terms of a text in order.
pub(crate) fn terms_of(text: &str) -> Vec<String> {
    tokens_of(text).into_iter().filter_map(|token| token.term).collect()
}

/// Returns the term of a text that is one word.
pub(crate) fn single_term(text: &str) -> Option<String> {
    let mut tokens = tokens_of(text).into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(only), None) => only.term,
        _ => None,
    }
}

fn cut_text(text: &str) -> &str {
    text.char_indices().nth(MAX_CHARS).map_or(text, |(at, _)| text.get(..at).unwrap_or(text))
}

/// Returns the first sentence of a text, and the rest.
pub(crate) fn first_sentence(text: &str) -> (&str, &str) {
    let text = text.trim();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let ends = (c.is_whitespace() && matches!(before, '.' | '!' | '?'))
            || matches!(before, '。' | '！' | '？')
            || (c == '\n' && text.get(at + 1..).is_some_and(starts_empty));
        if ends {
            return text.split_at(at);
        }
        before = c;
    }
    (text, "")
}

/// Whether the rest of the line is empty.
fn starts_empty(rest: &str) -> bool {
    rest.lines().next().is_some_and(|line| line.trim().is_empty())
}

/// Words between two things that are wanted.
const JOINTS: [&str; 5] = ["or", "and", "then", "also", "but"];

/// Cuts a text where one wish ends and the next begins.
pub(crate) fn clauses_of(text: &str) -> Vec<String> {
    let text = cut_text(text);
    let mut found = vec![String::new()];
    for part in text.split_inclusive(ends_clause) {
        for word in part.split_inclusive(char::is_whitespace) {
            let bare = word.trim();
            let ends = JOINTS.iter().any(|joint| bare.eq_ignore_ascii_case(joint));
            if ends {
                found.push(String::new());
            } else if let Some(last) = found.last_mut() {
                last.push_str(word);
            }
        }
        found.push(String::new());
    }
    found.retain(|clause| clause.chars().any(char::is_alphanumeric));
    found
}

fn ends_clause(c: char) -> bool {
    matches!(
        c,
        ',' | ';'
            | '.'
            | '+'
            | '('
            | ')'
            | '\n'
            | '?'
            | '!'
            | ':'
            | '，'
            | '。'
            | '；'
            | '、'
            | '：'
            | '？'
            | '！'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_without_spaces_give_pairs() {
        assert_eq!(terms_of("查询天气 weather 图"), ["查询", "询天", "天气", "weath", "图"]);
        assert_eq!(terms_of("getStock_price"), ["get", "stock", "pric"]);
    }

    #[test]
    fn words_that_say_nothing_keep_their_place() {
        let forms: Vec<String> = tokens_of("look at the files").iter().map(|t| t.form().to_owned()).collect();
        assert_eq!(forms, ["look", "at", "the", "fil"]);
        assert!(tokens_of("at")[0].term.is_none());
    }

    #[test]
    fn what_stands_in_parentheses_is_aside() {
        let aside = |text: &str| asides_of(text).iter().map(|one| u8::from(*one)).collect::<Vec<_>>();
        assert_eq!(aside("read it (from (a) disk) now"), [0, 0, 1, 1, 1, 0]);
        assert_eq!(aside("a) b (c"), [0, 0, 1], "what is open at the end is aside");
        assert_eq!(aside("天气（城市）"), [0, 1]);
    }

    #[test]
    fn asides_are_one_for_each_token() {
        for text in ["foo(bar)Baz", "(((", "a(b)c(d", "", "天(气)x(图)", "getX()"] {
            assert_eq!(asides_of(text).len(), tokens_of(text).len(), "{text}");
        }
    }

    #[test]
    fn a_sentence_ends_at_its_mark_or_an_empty_line() {
        assert_eq!(first_sentence("Reads v1.5 files. Then stops.").0, "Reads v1.5 files.");
        assert_eq!(first_sentence("Reads\nfiles\n\nMore").0, "Reads\nfiles");
        assert_eq!(first_sentence("读取文件。然后").0, "读取文件。");
        assert_eq!(first_sentence(""), ("", ""));
    }

    #[test]
    fn a_long_wish_is_cut_into_clauses() {
        assert_eq!(clauses_of("read a file or save it (disk), Then stop").len(), 4);
        assert_eq!(clauses_of("one wish"), ["one wish"]);
        assert!(clauses_of(" ;, ").is_empty());
    }
}
