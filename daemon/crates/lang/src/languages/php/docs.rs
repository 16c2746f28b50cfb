//! Types that documentation states, where the code states none, or states just an array.

use sdl_model::facts::{BindingKind, Expr, ExprIx};

use super::kinds::{Context, Node};
use super::types;
use crate::builder::Half;

/// The longest comment that is read.
const LONGEST: usize = 16 * 1024;
/// How deep a type is read.
const DEPTH: u8 = 4;
/// Maximum number of parts of a type.
const PARTS: usize = 6;

/// The documentation right before `node`.
pub(super) fn preceding_doc(node: Node<'_>) -> Option<&str> {
    let start = node.start() as usize;
    let src = node.src();
    let mut from = start.saturating_sub(LONGEST);
    while !src.is_char_boundary(from) {
        from += 1;
    }
    let text = src.get(from..start)?.trim_end();
    let text = text.strip_suffix("*/")?;
    let open = text.rfind("/*")?;
    text.get(open..).filter(|text| text.starts_with("/**"))
}

/// The type after `tag` of `doc`; with a name, that of the line which also names it.
pub(super) fn tagged_type<'d>(doc: &'d str, tag: &str, name: Option<&str>) -> Option<&'d str> {
    let mut at = 0;
    while let Some(found) = doc.get(at..)?.find(tag) {
        at += found + tag.len();
        let rest = doc.get(at..)?;
        if !rest.starts_with([' ', '\t']) {
            continue;
        }
        let rest = rest.trim_start_matches([' ', '\t']);
        let ty = first_type(rest)?;
        match name {
            None => return Some(ty),
            Some(name) => {
                let behind = rest.get(ty.len()..)?.trim_start_matches([' ', '\t', '&', '.']);
                let word = behind.split(|c: char| c != '$' && c != '_' && !c.is_alphanumeric()).next();
                if word == Some(name) {
                    return Some(ty);
                }
            }
        }
    }
    None
}

/// The type that a text begins with: up to white space that no bracket holds.
fn first_type(text: &str) -> Option<&str> {
    let mut depth = 0u32;
    let end = text.char_indices().take(400).find(|(_, c)| {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        matches!(c, '\n' | '\r') || (depth == 0 && c.is_whitespace())
    });
    let ty = text.get(..end.map_or(text.len().min(400), |(at, _)| at))?;
    (!ty.is_empty() && !ty.starts_with('$')).then_some(ty)
}

/// Whether documentation is more precise than a stated type, such as `@param Cart[] $carts` for `array $carts`.
pub(super) fn says_more(ty: Option<Node<'_>>) -> bool {
    let text = ty.map_or("", |ty| ty.text()).trim_start_matches('?').trim_start_matches('\\');
    matches!(
        text.to_ascii_lowercase().as_str(),
        "" | "array"
            | "iterable"
            | "object"
            | "mixed"
            | "traversable"
            | "iterator"
            | "generator"
            | "array|null"
            | "\\traversable|array"
            | "iteratoraggregate"
            | "arrayaccess"
    )
}

/// The shape of the type that `text` spells out.
pub(super) fn parse_type(half: &mut Half<'_>, text: &str) -> Option<ExprIx> {
    parse_nested_type(half, text, DEPTH)
}

fn parse_nested_type(half: &mut Half<'_>, text: &str, depth: u8) -> Option<ExprIx> {
    let text = text.trim();
    if depth == 0 || text.is_empty() {
        return None;
    }
    let parts = split_outside_brackets(text, &['|', '&']);
    if parts.len() > 1 {
        let known: Vec<ExprIx> =
            parts.iter().take(PARTS).filter_map(|part| parse_nested_type(half, part, depth - 1)).collect();
        return (!known.is_empty()).then(|| half.union(known));
    }
    if let Some(inner) = text.strip_prefix('?') {
        let inner = parse_nested_type(half, inner, depth - 1)?;
        return Some(half.optional(inner));
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        return parse_nested_type(half, inner, depth - 1);
    }
    if let Some(inner) = text.strip_suffix("[]") {
        let inner = parse_nested_type(half, inner, depth - 1)?;
        return Some(half.add(Expr::Index(inner)));
    }
    if let Some((base, args)) = text.strip_suffix('>').and_then(|text| text.split_once('<')) {
        let args = split_outside_brackets(args, &[',']);
        let name = base.rsplit('\\').next().unwrap_or(base).to_ascii_lowercase();
        let element = match name.as_str() {
            "generator" => args.get(1).or(args.first()),
            "array" | "list" | "iterable" | "non-empty-array" | "non-empty-list" | "traversable"
            | "iterator" | "arrayiterator" | "iteratoraggregate" | "arrayobject" | "splobjectstorage"
            | "collection" | "arraycollection" => args.last(),
            _ => return name_of(half, base),
        };
        let element = parse_nested_type(half, element?, depth - 1)?;
        return Some(half.add(Expr::Index(element)));
    }
    name_of(half, text)
}

fn name_of(half: &mut Half<'_>, text: &str) -> Option<ExprIx> {
    let is_name = text.chars().all(|c| c == '_' || c == '\\' || c.is_alphanumeric());
    match text {
        "$this" | "static" | "self" => Some(half.add(Expr::SelfType)),
        "mixed" | "array" | "iterable" | "callable" | "object" | "resource" | "false" | "true" | "scalar" => {
            None
        }
        _ if is_name && !text.starts_with(|c: char| c.is_numeric()) => Some(types::name_shape(half, text)),
        _ => None,
    }
}

/// `text` in parts, at those of `at` that no bracket holds.
fn split_outside_brackets<'t>(text: &'t str, at: &[char]) -> Vec<&'t str> {
    let mut depth = 0u32;
    text.split(|c: char| {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && at.contains(&c)
    })
    .take(2 * PARTS)
    .collect()
}

/// `/** @var T $x */`.
pub(super) fn read_var_comment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let text = node.text();
    if text.len() > LONGEST || !text.starts_with("/**") || cx.b.callable().is_none() {
        return;
    }
    let Some(at) = text.find("@var") else { return };
    let rest = text.get(at + 4..).unwrap_or("").trim_start_matches([' ', '\t']);
    let Some(ty) = first_type(rest) else { return };
    let behind = rest.get(ty.len()..).unwrap_or("").trim_start();
    let name = behind.split(|c: char| c != '$' && c != '_' && !c.is_alphanumeric()).next().unwrap_or("");
    if name.len() > 1
        && name.starts_with('$')
        && let Some(ty) = parse_type(&mut cx.b.body, ty)
    {
        let to = cx.b.scope_end();
        cx.b.bind_within(BindingKind::Narrowed, name, Some(ty), None, (node.end(), to));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_tags() {
        let doc =
            "/**\n * @param array<string, Foo> $all what\n * @param Bar|null  $one\n * @return Foo[] the\n";
        assert_eq!(tagged_type(doc, "@param", Some("$all")), Some("array<string, Foo>"));
        assert_eq!(tagged_type(doc, "@param", Some("$one")), Some("Bar|null"));
        assert_eq!(tagged_type(doc, "@param", Some("$other")), None);
        assert_eq!(tagged_type(doc, "@return", None), Some("Foo[]"));
        assert_eq!(tagged_type("@returns x", "@return", None), None);
    }

    #[test]
    fn parts_of_types() {
        assert_eq!(split_outside_brackets("a|b<c|d>|e", &['|']), ["a", "b<c|d>", "e"]);
    }
}
