//! Documentation, and the types that it states: `---@param x T` of EmmyLua, `@tparam T x` of LDoc.

use sdl_model::facts::{DefIx, Expr, ExprIx, Lit};

use super::kinds::{Context, Node};
use crate::builder::Half;
use crate::builder::text::clean_comment;

/// The longest documentation that is read.
const LONGEST: usize = 16 * 1024;
/// How deep a type is read.
const DEPTH: u8 = 4;
/// Most parts of a type.
const PARTS: usize = 6;

/// The comments right above the statement `whole`, in which `def` was opened.
pub(super) fn comments_of<'a>(cx: &Context<'a>, def: DefIx, whole: Node<'a>) -> &'a str {
    let from = cx.b.def(def).span.start;
    cx.b.slice(from, whole.start()).get(..LONGEST).unwrap_or_else(|| cx.b.slice(from, whole.start()))
}

/// Sets the documentation of `def` to its comments without their marks.
pub(super) fn read_doc<'a>(cx: &mut Context<'a>, def: DefIx, whole: Node<'a>) {
    let comments = comments_of(cx, def, whole);
    if comments.is_empty() {
        return;
    }
    if let Some(doc) = clean_comment(&without_marks(comments)) {
        cx.b.doc(def, &doc);
    }
}

/// Comments with `--` as the only mark.
fn without_marks(comments: &str) -> String {
    let mut out = String::with_capacity(comments.len());
    for line in comments.lines() {
        let line = line.trim();
        let text = match line.strip_prefix("--") {
            Some(text) => block_start(text).unwrap_or_else(|| text.trim_start_matches('-')),
            None => line,
        };
        let text = text.strip_suffix("]]").or_else(|| text.strip_suffix("]=]")).unwrap_or(text);
        out.push_str("--");
        out.push_str(text);
        out.push('\n');
    }
    out
}

/// The text after the mark that begins a comment of several lines: `[[`, `[=[`.
fn block_start(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('-').strip_prefix('[')?;
    text.trim_start_matches('=').strip_prefix('[')
}

/// What a line of documentation states by a tag.
#[derive(Debug, PartialEq, Eq)]
enum Stated<'d> {
    /// The type of a parameter.
    Param(&'d str, &'d str),
    /// The type of the result.
    Return(&'d str),
    /// The type of the value.
    Type(&'d str),
    /// The bases of the class.
    Class(&'d str),
}

fn stated(line: &str) -> Option<Stated<'_>> {
    let text = line.trim_start().strip_prefix("--")?;
    // Without a space, it is EmmyLua's; LuaDoc describes a parameter in words.
    if let Some(tag) = text.strip_prefix("-@") {
        let (tag, rest) = tag.split_once([' ', '\t']).unwrap_or((tag, ""));
        let rest = rest.trim();
        return match tag {
            "param" => {
                let (name, rest) = rest.split_once([' ', '\t'])?;
                Some(Stated::Param(name.trim_end_matches('?'), first_type(rest)?))
            }
            "return" => Some(Stated::Return(first_type(rest)?)),
            "type" => Some(Stated::Type(first_type(rest)?)),
            "class" => Some(Stated::Class(rest.split_once(':').map_or("", |(_, bases)| bases.trim()))),
            _ => None,
        };
    }
    let text = text.trim_start_matches('-').trim_start();
    let (tag, rest) = text.strip_prefix('@')?.split_once([' ', '\t'])?;
    let ty = first_type(rest)?;
    match tag.split('[').next().unwrap_or(tag) {
        "tparam" => {
            let name = rest.trim_start().get(ty.len()..)?.split_whitespace().next()?;
            Some(Stated::Param(name, ty))
        }
        "treturn" => Some(Stated::Return(ty)),
        _ => None,
    }
}

/// The type that a text begins with: up to a comma, or white space that no bracket holds.
fn first_type(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let mut depth = 0u32;
    let end = text.char_indices().take(400).find(|(_, c)| {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c.is_whitespace() || *c == ',')
    });
    let ty = text.get(..end.map_or(text.len().min(400), |(at, _)| at))?;
    (!ty.is_empty()).then_some(ty)
}

/// The type of the parameter `name` in `half`, and its text.
pub(super) fn param_type<'d>(
    half: &mut Half<'_>,
    comments: &'d str,
    name: &str,
) -> Option<(ExprIx, &'d str)> {
    comments.lines().find_map(|line| match stated(line)? {
        Stated::Param(of, text) if of == name => Some((parse_type(half, text, DEPTH)?, text)),
        _ => None,
    })
}

/// The type of the first result, and its text.
pub(super) fn return_type<'d>(half: &mut Half<'_>, comments: &'d str) -> Option<(ExprIx, &'d str)> {
    comments.lines().find_map(|line| match stated(line)? {
        Stated::Return(text) => Some((parse_type(half, text, DEPTH)?, text)),
        _ => None,
    })
}

/// The type of the value.
pub(super) fn value_type(half: &mut Half<'_>, comments: &str) -> Option<ExprIx> {
    comments.lines().find_map(|line| match stated(line)? {
        Stated::Type(text) => parse_type(half, text, DEPTH),
        _ => None,
    })
}

/// Whether the comments make the table that they describe a class, and the bases that they state.
pub(super) fn class_bases(half: &mut Half<'_>, comments: &str) -> Option<Vec<ExprIx>> {
    let bases = comments.lines().find_map(|line| match stated(line)? {
        Stated::Class(bases) => Some(bases),
        _ => None,
    })?;
    Some(bases.split(',').take(PARTS).filter_map(|base| parse_type(half, base, DEPTH)).collect())
}

fn parse_type(half: &mut Half<'_>, text: &str, depth: u8) -> Option<ExprIx> {
    let text = text.trim();
    if depth == 0 || text.is_empty() {
        return None;
    }
    if let Some(inner) = text.strip_suffix('?') {
        let inner = parse_type(half, inner, depth - 1)?;
        return Some(half.optional(inner));
    }
    let parts = split_outside_brackets(text);
    if parts.len() > 1 {
        let known: Vec<ExprIx> =
            parts.iter().take(PARTS).filter_map(|part| parse_type(half, part, depth - 1)).collect();
        return (!known.is_empty()).then(|| half.union(known));
    }
    if let Some(inner) = text.strip_suffix("[]") {
        let inner = parse_type(half, inner, depth - 1)?;
        return Some(half.add(Expr::Index(inner)));
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        return parse_type(half, inner, depth - 1);
    }
    // `table<string, T>`.
    if let Some((_, last)) = text.strip_suffix('>').and_then(|text| text.rsplit_once([',', '<'])) {
        let inner = parse_type(half, last, depth - 1)?;
        return Some(half.add(Expr::Index(inner)));
    }
    match text {
        "nil" => Some(half.lit(Lit::Null)),
        "self" => Some(half.add(Expr::SelfType)),
        "string" | "str" => Some(half.lit(Lit::Str)),
        "number" | "int" | "integer" => Some(half.lit(Lit::Float)),
        "boolean" | "bool" => Some(half.lit(Lit::Bool)),
        "any" | "tab" | "table" | "func" | "function" | "userdata" | "thread" | "unknown" => None,
        // The parts before the last name an author's packages, and no tables.
        _ => {
            let name = text.rsplit('.').next().unwrap_or(text);
            let is_name = name.chars().all(|c| c == '_' || c.is_alphanumeric());
            (is_name && name.starts_with(|c: char| !c.is_numeric())).then(|| half.type_name(name))
        }
    }
}

/// `text` in parts, at each `|` that no bracket holds.
fn split_outside_brackets(text: &str) -> Vec<&str> {
    let mut depth = 0u32;
    let parts = text.split(|c: char| {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c == '|'
    });
    parts.take(2 * PARTS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags() {
        assert_eq!(
            stated("---@param all? table<string, Foo> what"),
            Some(Stated::Param("all", "table<string, Foo>"))
        );
        assert_eq!(stated("  ---@return Foo|nil, string"), Some(Stated::Return("Foo|nil")));
        assert_eq!(stated("---@class Foo: Bar"), Some(Stated::Class("Bar")));
        assert_eq!(stated("-- @tparam pl.List xs the list"), Some(Stated::Param("xs", "pl.List")));
        assert_eq!(stated("--- @treturn Foo it"), Some(Stated::Return("Foo")));
        assert_eq!(stated("-- @param xs the list"), None);
        assert_eq!(stated("--- @param xs the list"), None);
    }

    #[test]
    fn marks() {
        assert_eq!(
            without_marks("--- Adds.\n--  two\n--[[ Three\nfour ]]\n"),
            "-- Adds.\n--  two\n-- Three\n--four \n"
        );
    }
}
