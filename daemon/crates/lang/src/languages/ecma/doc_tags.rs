//! The tags of documentation as text: `@tag {type} name`.

/// The longest type that is read.
pub(super) const MAX_TYPE: usize = 2_000;

/// The tags of a documentation block, each with the text up to the next.
pub(super) fn doc_tags(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let starts = text.match_indices('@').filter(move |(at, _)| {
        text.get(..*at).is_some_and(|before| before.trim_end_matches(' ').ends_with(['*', '\n', '\t']))
    });
    starts.take(64).filter_map(move |(at, _)| {
        let rest = text.get(at + 1..)?;
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        Some((rest.get(..end)?, rest.get(end..)?))
    })
}

/// The text between the braces that `text` begins with, and the text after them.
pub(super) fn split_braces(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start().strip_prefix('{')?;
    let mut depth = 1;
    for (at, c) in text.char_indices().take(MAX_TYPE) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((text.get(..at)?, text.get(at + 1..)?));
        }
    }
    None
}

/// A generic parameter and its bound.
pub(super) type Template<'a> = (&'a str, Option<&'a str>);

/// The generic parameters that `@template` before `rest` names: `{Bound} T`, `[T=Default]`, `T, U`.
pub(super) fn parse_templates(rest: &str) -> Vec<Template<'_>> {
    let (bound, names) = split_braces(rest).map_or((None, rest), |(ty, rest)| (Some(ty), rest));
    let line = names.lines().next().unwrap_or("");
    let mut found = Vec::new();
    for name in line.split(',').take(8) {
        let name = name.trim_start().trim_start_matches('[').trim_start();
        let end = name.find(|c: char| !is_word(c)).unwrap_or(name.len());
        match name.get(..end).filter(|name| !name.is_empty()) {
            Some(name) => found.push((name, bound)),
            None => break,
        }
        // The text after the last name is prose.
        if name.get(end..).is_some_and(|rest| !rest.trim().is_empty() && !rest.starts_with(['=', ']'])) {
            break;
        }
    }
    found
}

/// `import('module').Name` and nothing else.
pub(super) fn imported_type(ty: &str) -> Option<(&str, &str)> {
    let rest = ty.trim().strip_prefix("import(")?;
    let module = quoted_text(rest)?;
    let (_, name) = rest.split_once(").")?;
    name.chars().all(is_word).then_some((module, name))
}

pub(super) fn quoted_text(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text.get(1..)?.split(quote).next().filter(|text| !text.is_empty() && text.len() < 300)
}

pub(super) fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}
