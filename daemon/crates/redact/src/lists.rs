//! Passwords that are recognized by their position in a list: `user, password = "u", "V"`, `login("u", "V")`,
//! `auth=("u", "V")`.

use std::ops::Range;

use super::names;
use super::quotes::{self, Quote};
use super::values::Named;

/// The longest list that is searched, in bytes.
const LONGEST: usize = 400;
/// Maximum number of items of a list that is searched.
const MOST: usize = 8;

/// The items of a list that begins at `from`: their places, and where the list ends. A bracket closes it, or else its line.
fn list_items(text: &str, from: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let bytes = text.as_bytes();
    let bytes = bytes.get(..bytes.len().min(from + LONGEST))?;
    let mut items = Vec::new();
    let (mut start, mut at, mut depth) = (from, from, 0_u32);
    loop {
        let byte = bytes.get(at).copied();
        let ends = match byte {
            None if at >= text.len() => true,
            None => return None,
            Some(b')' | b']' | b'}') => depth == 0,
            Some(b'\n' | b';') => depth == 0,
            _ => false,
        };
        if ends || depth == 0 && byte == Some(b',') {
            items.push(trim_range(text, start..at));
            start = at + 1;
        }
        if ends || items.len() > MOST {
            return Some((items, at));
        }
        match byte {
            Some(b'(' | b'[' | b'{') => depth += 1,
            Some(b')' | b']' | b'}') => depth -= 1,
            _ => {}
        }
        at = match Quote::at(bytes, at) {
            Some(quote) => quotes::read_literal(text, at, quote).1.max(at + 1),
            None => at + 1,
        };
    }
}

fn trim_range(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (part.len() - part.trim_start().len());
    start..start.max(range.start + part.trim_end().len())
}

/// The content of an item that is nothing but a literal.
fn literal_content(text: &str, item: &Range<usize>) -> Option<Range<usize>> {
    let quote = Quote::at(text.as_bytes(), item.start)?;
    let (content, end) = quotes::read_literal(text, item.start, quote);
    (end == item.end).then_some(content)
}

/// The argument at `index` of those that begin at `from`, if it is a literal.
pub(super) fn literal_argument(
    text: &str,
    from: usize,
    index: usize,
    named: Named<'_>,
) -> Option<Range<usize>> {
    let (items, _) = list_items(text, from)?;
    let content = literal_content(text, items.get(index)?)?;
    named.takes(text.get(content.clone())?).then_some(content)
}

/// Returns the password of the pair of a name and a password that begins at `from`, after its bracket.
pub(super) fn credential_pair(text: &str, from: usize, named: Named<'_>) -> Option<Range<usize>> {
    let (items, _) = list_items(text, from)?;
    match items.as_slice() {
        [_, second] => {
            literal_content(text, second).filter(|it| text.get(it.clone()).is_some_and(|it| named.takes(it)))
        }
        _ => None,
    }
}

/// Returns the values that the `=` at `equals` assigns to the secrets among several names, and where the assignment
/// ends.
pub(super) fn assigned_secrets(text: &str, equals: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let from = text.floor_char_boundary(equals.saturating_sub(LONGEST));
    let before = text.get(from..equals)?;
    let line = before.get(before.rfind(['\n', ';']).map_or(0, |at| at + 1)..)?;
    let targets = line.trim_matches(|c: char| c.is_whitespace() || "()[]:".contains(c));
    let targets = ["let ", "const ", "var ", "val ", "my (", "mut "]
        .iter()
        .find_map(|word| targets.strip_prefix(word))
        .unwrap_or(targets)
        .trim_matches(['(', '[', ' ']);
    let names: Vec<&str> = targets.split(',').map(str::trim).collect();
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|b| quotes::is_name(b) || b == b'.');
    if names.len() < 2 || !names.iter().all(is_name) {
        return None;
    }
    let values = equals + 1;
    let values = values + text.get(values..)?.bytes().take_while(|b| matches!(b, b' ' | b'(' | b'[')).count();
    let (items, end) = list_items(text, values)?;
    if items.len() != names.len() {
        return None;
    }
    let mut found = Vec::new();
    for (name, item) in names.iter().zip(&items) {
        let named =
            names::sort_of(name.as_bytes()).map(|sort| Named { sort, name: name.as_bytes(), beside: false });
        if let (Some(named), Some(content)) = (named, literal_content(text, item))
            && text.get(content.clone()).is_some_and(|value| named.takes(value))
        {
            found.push(content);
        }
    }
    Some((found, end))
}
