//! Reads a skeleton back: which control flow it still has, and whether its brackets are in pairs.

#![allow(dead_code, reason = "not every program uses all of it")]

use std::collections::HashMap;

use sdl_lang::skeleton::{self, Piece, View, is_control};
use sdl_lang::{ExtractError, extract_facts, parse_only, source_structure};
use sdl_model::Lang;

/// Marks an omitted part.
pub(crate) const MARK: &str = "/* ... */";

/// The skeleton of a whole text.
pub(crate) fn skeleton_of(lang: Lang, text: &str) -> Result<String, ExtractError> {
    let facts = extract_facts(lang, text.as_bytes())?;
    let structure = source_structure(lang, text.as_bytes(), &facts.outline)?;
    let view = View { text, structure: &structure, within: 0..text.len(), hidden: &[], shown: &[] };
    let lines = skeleton::skeleton_lines(&view).into_iter().map(|line| {
        let pieces = line.pieces.iter().map(|piece| match piece {
            Piece::Text(range) => &text[range.clone()],
            Piece::Gap(_) => MARK,
        });
        pieces.collect::<String>().trim_end().to_owned()
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// A skeleton with code in place of each mark, so that it can be parsed.
pub(crate) fn filled(lang: Lang, skeleton: &str) -> String {
    let mut out = String::with_capacity(skeleton.len());
    let mut rest = skeleton;
    while let Some((before, after)) = rest.split_once(MARK) {
        out.push_str(before);
        let line = out.rfind('\n').map_or(0, |at| at + 1);
        // A body may be on a line of its own, after the header that it belongs to.
        let own = out[line..].trim();
        let header = out.trim_end().rsplit('\n').next().unwrap_or_default();
        let header = [" //", " /*"]
            .iter()
            .fold(header, |line, mark| line.split(mark).next().unwrap_or_default())
            .trim();
        let before = if own.is_empty() && goes_on(lang, header) { header } else { own };
        let filling = filling(lang, before, after.trim_start_matches(' '), innermost(&out));
        out.push_str(filling);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether the next line continues this one: a body without braces, the rest of an expression.
fn goes_on(lang: Lang, line: &str) -> bool {
    let braces = matches!(lang, Lang::Go | Lang::Rust);
    if line.ends_with(['=', '\\', '?', '&', '|', '+']) || line.ends_with("=>") || line.ends_with("return") {
        return true;
    }
    !braces
        && !line.starts_with('#')
        && (line.ends_with([')', ':']) || line.ends_with("else") || line.ends_with("do"))
}

/// The bracket that is open at the end of `text`; only literals of single characters are recognised.
fn innermost(text: &str) -> Option<u8> {
    let bytes = text.as_bytes();
    let mut closed = 0;
    for (at, byte) in bytes.iter().enumerate().rev() {
        let quoted = bytes.get(at + 1) == Some(&b'\'') && at > 0 && bytes.get(at - 1) == Some(&b'\'');
        match byte {
            _ if quoted => {}
            b')' | b']' | b'}' => closed += 1,
            b'(' | b'[' | b'{' if closed == 0 => return Some(*byte),
            b'(' | b'[' | b'{' => closed -= 1,
            _ => {}
        }
    }
    None
}

/// Text that is allowed between `before` and `after` on a line.
fn filling(lang: Lang, before: &str, after: &str, inside: Option<u8>) -> &'static str {
    let arm = before.starts_with("case") || before.starts_with("default");
    match lang {
        Lang::Python => "...",
        Lang::Bash | Lang::Ruby => "gap",
        Lang::Kotlin => "gap",
        _ if after.starts_with([',', ')', ']']) => "gap",
        _ if before.is_empty() || before.ends_with(['{', ';', '}']) => match inside {
            Some(b'(' | b'[') => "gap",
            _ => "",
        },
        _ if before.ends_with([')', ':']) || before.ends_with("else") || before.ends_with("do") => "gap();",
        // The right side of a macro's rule is a tree of tokens.
        Lang::Rust if after.starts_with(';') && before.ends_with("=>") => "{}",
        Lang::Java if arm && before.ends_with("->") => "gap();",
        _ => "gap",
    }
}

/// Each piece of control flow in a text: its kind after those of the nodes around it, outer first.
pub(crate) fn control_flow(lang: Lang, text: &str) -> Vec<String> {
    let Some(Ok(tree)) = parse_only(lang, text.as_bytes()) else { return Vec::new() };
    let mut found = Vec::new();
    let mut path: Vec<(usize, &str)> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        // Bindings are control flow only with an `else`, which has no node of its own.
        let plain = node.kind() == "let_declaration" && node.child_by_field_name("alternative").is_none();
        if node.is_named() && is_control(lang, node.kind_id()) && !plain {
            while path.last().is_some_and(|(end, _)| *end <= node.start_byte()) {
                path.pop();
            }
            // The parser's end of a conditional group depends on its whole content.
            let around = path.iter().map(|(_, kind)| *kind).filter(|kind| !kind.starts_with("preproc"));
            found.push(around.chain([node.kind()]).collect::<Vec<_>>().join(" "));
            path.push((node.end_byte(), node.kind()));
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// The number of `wanted` that are among `found`.
pub(crate) fn shared(wanted: &[String], found: &[String]) -> usize {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for one in found {
        *left.entry(one).or_default() += 1;
    }
    let mut shared = 0;
    for one in wanted {
        if let Some(count) = left.get_mut(one.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    shared
}

/// Whether each bracket outside comments and literals has its partner.
pub(crate) fn is_balanced(lang: Lang, text: &str) -> bool {
    let Some(Ok(tree)) = parse_only(lang, text.as_bytes()) else { return true };
    let mut open = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.child_count() == 0 && !node.is_named() && !node.is_missing() {
            // A pattern of a shell's `case` ends in a bracket that nothing opens.
            let pattern = node.parent().is_some_and(|parent| parent.kind() == "case_item");
            for c in text.get(node.byte_range()).unwrap_or_default().chars().filter(|_| !pattern) {
                match c {
                    '(' => open.push(')'),
                    '[' => open.push(']'),
                    '{' => open.push('}'),
                    ')' | ']' | '}' if open.pop() != Some(c) => return false,
                    _ => {}
                }
            }
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return open.is_empty();
            }
        }
    }
}
