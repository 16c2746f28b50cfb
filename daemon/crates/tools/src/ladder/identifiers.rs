//! Which of the wanted identifiers stand where. Looks at the masked text, so that no one can guess at a secret, and not into
//! comments.

use std::ops::Range;

use sdl_lang::Structure;

use crate::source_text::SourceText;

/// Words that tell nothing about what code is about, whatever the language.
const KEYWORDS: &[&str] = &[
    "abstract",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "begin",
    "bool",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "defer",
    "del",
    "delete",
    "do",
    "double",
    "elif",
    "else",
    "end",
    "ensure",
    "enum",
    "except",
    "export",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "fn",
    "for",
    "foreach",
    "from",
    "fun",
    "func",
    "function",
    "go",
    "goto",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "int",
    "interface",
    "is",
    "lambda",
    "let",
    "long",
    "loop",
    "match",
    "mod",
    "module",
    "mut",
    "namespace",
    "new",
    "nil",
    "none",
    "not",
    "null",
    "object",
    "or",
    "override",
    "package",
    "pass",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "readonly",
    "ref",
    "rescue",
    "return",
    "self",
    "short",
    "static",
    "str",
    "string",
    "struct",
    "super",
    "switch",
    "this",
    "throw",
    "throws",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "undefined",
    "unless",
    "until",
    "use",
    "using",
    "val",
    "var",
    "void",
    "when",
    "where",
    "while",
    "with",
    "yield",
];

/// Whether it is a keyword of some language.
pub(crate) fn is_keyword(identifier: &str) -> bool {
    KEYWORDS.binary_search(&identifier.to_ascii_lowercase().as_str()).is_ok()
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Matches {
    /// Those found, in the order in which they were asked for.
    pub(crate) identifiers: Vec<String>,
    /// The lines (1-based) on which they stand, in order.
    pub(crate) lines: Vec<u32>,
}

/// Finds the `wanted` on the lines `first` to `last`.
pub(crate) fn find(
    text: &SourceText,
    structure: &Structure,
    wanted: &[String],
    first: u32,
    last: u32,
) -> Matches {
    let mut out = Matches::default();
    let mut seen = vec![false; wanted.len()];
    for number in first..=last {
        let place = text.line(number);
        let line = code_of(text, structure, &place);
        let mut found = false;
        for (one, seen) in wanted.iter().zip(&mut seen) {
            if stands_in(&line, one) {
                (found, *seen) = (true, true);
            }
        }
        if found {
            out.lines.push(number);
        }
    }
    out.identifiers =
        wanted.iter().zip(&seen).filter(|(_, seen)| **seen).map(|(one, _)| one.clone()).collect();
    out.identifiers.dedup();
    out
}

/// A line as it is shown, without its comments.
fn code_of(text: &SourceText, structure: &Structure, place: &Range<usize>) -> String {
    let first = structure.comments.partition_point(|comment| comment.end <= place.start);
    let mut line = String::new();
    let mut at = place.start;
    for comment in structure.comments.iter().skip(first).take_while(|comment| comment.start < place.end) {
        line.push_str(&text.cut(at..comment.start.max(at)));
        line.push(' ');
        at = comment.end.min(place.end);
    }
    line.push_str(&text.cut(at..place.end));
    line
}

/// Whether `identifier` stands in `line` as a whole word.
pub(crate) fn stands_in(line: &str, identifier: &str) -> bool {
    let identifier = identifier.trim();
    if identifier.is_empty() {
        return false;
    }
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let starts = identifier.starts_with(word);
    let ends = identifier.ends_with(word);
    line.match_indices(identifier).any(|(at, _)| {
        let before = line.get(..at).is_some_and(|line| line.ends_with(word));
        let after = line.get(at + identifier.len()..).is_some_and(|line| line.starts_with(word));
        !(starts && before || ends && after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_whole_words() {
        assert!(
            stands_in("a.cache = b", "cache")
                && stands_in("this.cache", "this.cache")
                && stands_in("f(x)", "f(")
        );
        assert!(!stands_in("cached", "cache") && !stands_in("my_cache", "cache") && !stands_in("x", ""));
        assert!(KEYWORDS.is_sorted() && is_keyword("if") && is_keyword("None") && !is_keyword("cache"));
    }
}
