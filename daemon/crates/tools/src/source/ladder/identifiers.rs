//! Finds the lines of wanted identifiers. An identifier is a token that the grammar treats as one. Words in comments
//! and literals don't count. Neither do masked ones, because a match would confirm a guess at a secret.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use sdl_model::facts::DefIx;
use sdl_retrieve::Sym;

use crate::source::text::SourceText;

/// Names that a class uses for itself. They don't count, because they are on nearly every line.
const EVERYWHERE: &[&str] = &["cls", "self", "super", "this"];

/// Words that say nothing about the subject of code, in any language.
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

/// The identifiers that were found and missed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Matches {
    /// Identifiers that were found, in the order of the request.
    pub(crate) identifiers: Vec<String>,
    /// For each of them, its lines (1-based), sorted.
    pub(crate) places: Vec<Vec<u32>>,
    /// All of these lines, sorted.
    pub(crate) lines: Vec<u32>,
    /// Identifiers that were not found.
    pub(crate) missing: Vec<String>,
    /// Keywords, which are not looked for.
    pub(crate) keywords: Vec<String>,
}

impl Matches {
    /// How many identifiers were looked for.
    pub(crate) fn wanted(&self) -> usize {
        self.identifiers.len() + self.missing.len()
    }

    /// Returns the notes on identifiers that were not found.
    pub(crate) fn notes(&self) -> Vec<String> {
        let shown = |names: &[String]| {
            let names: Vec<String> =
                names.iter().take(8).map(|name| name.chars().take(60).collect()).collect();
            names.join(", ")
        };
        let mut notes = Vec::new();
        if !self.keywords.is_empty() {
            notes.push(format!("keywords are not looked for: {}", shown(&self.keywords)));
        }
        if !self.missing.is_empty() && !self.identifiers.is_empty() {
            notes.push(format!("not in here: {}", shown(&self.missing)));
        }
        notes
    }
}

/// Finds the `wanted` identifiers on the lines `first` to `last`. `names` are the text's identifiers; without a grammar
/// every word may be one.
pub(crate) fn find_identifiers(
    text: &SourceText,
    names: Option<&[Range<u32>]>,
    wanted: &[String],
    first: u32,
    last: u32,
) -> Matches {
    let mut out = Matches::default();
    let source = text.unmasked().get(text.line(first).start..text.line(last).end).unwrap_or_default();
    let words: HashSet<&str> = source.split(|c| !is_word(c)).collect();
    // Most names of a long list are not there, and a look into a set is quicker than a search.
    let is_there =
        |name: &str| word_ranges(name).all(|word| name.get(word).is_some_and(|word| words.contains(word)));
    for one in wanted {
        let known = [&out.identifiers, &out.missing, &out.keywords].iter().any(|list| list.contains(one));
        let plain = one.trim();
        if known || plain.is_empty() {
            continue;
        }
        if EVERYWHERE.contains(&plain) {
            out.keywords.push(one.clone());
            continue;
        }
        let lines = if is_there(plain) { lines_of(text, names, plain, first, last) } else { Vec::new() };
        if !lines.is_empty() {
            out.lines.extend(&lines);
            out.identifiers.push(one.clone());
            out.places.push(lines);
        } else if is_keyword(plain) {
            out.keywords.push(one.clone());
        } else {
            out.missing.push(one.clone());
        }
    }
    out.lines.sort_unstable();
    out.lines.dedup();
    out
}

/// Counts the found identifiers that the symbol's card doesn't show: not its own name or a parameter's, and not only in
/// its header. Counts all of them in a symbol that has no other names.
pub(crate) fn count_inner(
    found: &Matches,
    sym: &Sym,
    text: &SourceText,
    names: Option<&[Range<u32>]>,
) -> usize {
    let header = header_end(sym, text);
    let (first, last) = super::lines::span_lines(text, sym.def(), sym.ix);
    let pairs = found.identifiers.iter().zip(&found.places);
    let inside = |lines: &Vec<u32>| lines.iter().any(|line| *line > header);
    let inner = pairs.filter(|(name, lines)| !is_told(sym, name.trim()) && inside(lines)).count();
    match inner {
        0 if names_inside(sym, text, names.unwrap_or_default(), (first, last)).is_empty() => {
            found.identifiers.len()
        }
        inner => inner,
    }
}

/// Whether a name is the symbol's own or a parameter's: its card shows these.
fn is_told(sym: &Sym, name: &str) -> bool {
    let (outline, def) = (sym.outline(), sym.def());
    name == outline.str(def.name) || def.params.iter().any(|param| outline.str(param.name) == name)
}

/// Returns the identifiers inside a symbol that its card doesn't show, in order of first occurrence.
pub(crate) fn names_inside(
    sym: &Sym,
    text: &SourceText,
    names: &[Range<u32>],
    (first, last): (u32, u32),
) -> Vec<String> {
    let from = text.line(header_end(sym, text).max(first.saturating_sub(1)) + 1).start;
    let to = text.line(last).end;
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    let begin = names.partition_point(|name| (name.start as usize) < from);
    for place in names.get(begin..).unwrap_or_default() {
        let place = place.start as usize..place.end as usize;
        if place.start >= to {
            break;
        }
        let name = text.unmasked().get(place.clone()).unwrap_or_default();
        let telling = name.len() > 2 && !is_keyword(name) && !EVERYWHERE.contains(&name);
        if telling && !is_told(sym, name) && text.is_shown(&place) {
            found.entry(name).or_insert(place.start);
        }
    }
    let mut found: Vec<(usize, &str)> = found.into_iter().map(|(name, at)| (at, name)).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// Returns the last line of a symbol's header; 0 for a file.
pub(crate) fn header_end(sym: &Sym, text: &SourceText) -> u32 {
    let def = sym.def();
    if sym.ix == DefIx::MODULE {
        return 0;
    }
    let first = text.line_of(def.span.start as usize);
    let Some(body) = def.body_start else { return first };
    let line = text.line_of(body as usize);
    let before = text.unmasked().get(text.line(line).start..body as usize).unwrap_or_default();
    if before.trim().is_empty() && line > first { line - 1 } else { line }
}

/// Returns the lines that contain an identifier, or a path of identifiers such as `this.cache`.
fn lines_of(
    text: &SourceText,
    names: Option<&[Range<u32>]>,
    wanted: &str,
    first: u32,
    last: u32,
) -> Vec<u32> {
    let words: Vec<Range<usize>> = word_ranges(wanted)
        .filter(|word| !EVERYWHERE.contains(&wanted.get(word.clone()).unwrap_or_default()))
        .collect();
    let (begin, end) = (text.line(first).start, text.line(last).end);
    let source = text.unmasked().get(begin..end).unwrap_or_default();
    let mut lines = Vec::new();
    if words.is_empty() {
        return lines;
    }
    for at in word_places(source, wanted) {
        let named = words.iter().all(|word| {
            let word = begin + at + word.start..begin + at + word.end;
            text.is_shown(&word) && names.is_none_or(|names| is_inside(names, &word))
        });
        let line = text.line_of(begin + at);
        if named && lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    lines
}

fn is_inside(names: &[Range<u32>], word: &Range<usize>) -> bool {
    let next = names.partition_point(|name| (name.end as usize) <= word.start);
    names.get(next).is_some_and(|name| name.start as usize <= word.start && word.end <= name.end as usize)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the ranges of the words of a text.
pub(crate) fn word_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split_inclusive(|c| !is_word(c)).filter_map(move |part| {
        let (start, word) = (at, part.trim_end_matches(|c| !is_word(c)));
        at += part.len();
        (!word.is_empty()).then_some(start..start + word.len())
    })
}

/// Returns the places where `text` contains `identifier` as a whole word.
fn word_places<'t>(text: &'t str, identifier: &'t str) -> impl Iterator<Item = usize> {
    let starts = identifier.starts_with(is_word);
    let ends = identifier.ends_with(is_word);
    text.match_indices(identifier).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).is_some_and(|text| text.ends_with(is_word));
        let after = text.get(at + identifier.len()..).is_some_and(|text| text.starts_with(is_word));
        !(starts && before || ends && after)
    })
}

/// Whether `line` contains `identifier` as a whole word.
pub(crate) fn contains_identifier(line: &str, identifier: &str) -> bool {
    let identifier = identifier.trim();
    !identifier.is_empty() && word_places(line, identifier).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_whole_words() {
        assert!(
            contains_identifier("a.cache = b", "cache")
                && contains_identifier("this.cache", "this.cache")
                && contains_identifier("f(x)", "f(")
        );
        assert!(
            !contains_identifier("cached", "cache")
                && !contains_identifier("my_cache", "cache")
                && !contains_identifier("x", "")
        );
        assert!(KEYWORDS.is_sorted() && is_keyword("if") && is_keyword("None") && !is_keyword("cache"));
        let found: Vec<&str> =
            word_ranges("this.cache->a_b(c)").map(|at| &"this.cache->a_b(c)"[at]).collect();
        assert_eq!(found, ["this", "cache", "a_b", "c"]);
    }
}
