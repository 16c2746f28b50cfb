//! Types as JavaScript writes them in documentation.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::calls::required_name;
use super::doc_tags::{MAX_TYPE, is_word, quoted_text};
use super::keys::MAX_FIELDS;
use crate::builder::{Half, MAX_ELEMENTS, Written};

/// The type that `text` states; none unless all of it is one.
pub(super) fn parse_type(half: &mut Half<'_>, text: &str) -> Option<ExprIx> {
    if text.len() > MAX_TYPE {
        return None;
    }
    let text = text.trim_end().trim_end_matches('=');
    let mut reader = Written::new(half, text, is_margin);
    let ty = parse_union(&mut reader)?;
    reader.is_done().then_some(ty)
}

/// White space, and the margin of a comment. `*` alone is any type.
fn is_margin(c: char) -> bool {
    matches!(c, ' ' | '*' | '\n' | '\t' | '\r')
}

type Reader<'h, 'a, 't> = Written<'h, 'a, 't>;

fn parse_union(reader: &mut Reader<'_, '_, '_>) -> Option<ExprIx> {
    reader.deeper(|reader| {
        reader.eat("|");
        let mut all = vec![parse_postfix(reader)?];
        while reader.eat("|") || reader.eat("&") {
            all.push(parse_postfix(reader)?);
        }
        all.truncate(MAX_ELEMENTS);
        Some(reader.half.union(all))
    })
}

fn parse_postfix(reader: &mut Reader<'_, '_, '_>) -> Option<ExprIx> {
    let nullable = reader.eat("?");
    reader.eat("!");
    let mut ty = parse_single(reader)?;
    loop {
        if reader.eat("[]") {
            ty = reader.half.add(Expr::Index(ty));
        } else if reader.eat("[") {
            // `T['key']`.
            reader.rest = reader.rest.split_once(']')?.1;
            ty = reader.half.unknown();
        } else {
            break;
        }
    }
    Some(if nullable { reader.half.optional(ty) } else { ty })
}

fn parse_single(reader: &mut Reader<'_, '_, '_>) -> Option<ExprIx> {
    if reader.eat("(") {
        return parse_parenthesized(reader);
    }
    if reader.eat("{") {
        return parse_object(reader);
    }
    if reader.eat("[") {
        let items = reader.list("]", parse_union)?;
        return Some(reader.half.add(Expr::Tuple(items)));
    }
    let rest = reader.ahead();
    if rest.is_empty() {
        reader.rest = rest;
        return Some(reader.half.unknown());
    }
    if let Some(text) = rest.chars().next().filter(|c| matches!(c, '\'' | '"' | '`')) {
        let end = rest.get(1..)?.find(text)?;
        reader.rest = rest.get(end + 2..)?;
        return Some(reader.half.lit(Lit::Str));
    }
    parse_named(reader, rest)
}

/// Reads the text after `{`: `a: T, b?: U }`. One with an index is a map.
fn parse_object(reader: &mut Reader<'_, '_, '_>) -> Option<ExprIx> {
    let mut depth = 1;
    let end = reader.rest.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '{') - i32::from(*c == '}');
        depth == 0
    })?;
    let after = reader.rest.get(end.0 + 1..)?;
    let fields = parse_fields(reader);
    reader.rest = after;
    Some(fields.unwrap_or_else(|| reader.half.lit(Lit::Object)))
}

fn parse_fields(reader: &mut Reader<'_, '_, '_>) -> Option<ExprIx> {
    let mut fields = Vec::new();
    while !reader.eat("}") && fields.len() < MAX_FIELDS {
        reader.eat("readonly ");
        if reader.eat("[") {
            reader.rest = reader.rest.split_once("]:")?.1;
            let element = parse_union(reader)?;
            let map = reader.half.type_name("Record");
            let key = reader.half.lit(Lit::Str);
            return Some(reader.half.add(Expr::Generic(map, vec![key, element])));
        }
        let rest = reader.rest.trim_start_matches([' ', '*', '\n', '\t', '\r', '"', '\'']);
        let name = rest.get(..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()))?;
        reader.rest = rest.get(name.len()..)?.trim_start_matches(['"', '\'']);
        reader.eat("?");
        if name.is_empty() || !reader.eat(":") {
            return None;
        }
        let ty = parse_union(reader)?;
        fields.push((reader.half.str(name), ty));
        let _ = reader.eat(",") || reader.eat(";");
    }
    (!fields.is_empty()).then(|| reader.half.add(Expr::Record(fields)))
}

/// `a: T, b?: U)`.
fn parse_params(reader: &mut Reader<'_, '_, '_>) -> Option<Vec<ExprIx>> {
    let mut params = Vec::new();
    while !reader.eat(")") && params.len() < MAX_ELEMENTS {
        reader.eat("...");
        let rest = reader.ahead();
        let name = rest.get(..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()))?;
        reader.rest = rest.get(name.len()..)?;
        reader.eat("?");
        let ty = if !name.is_empty() && reader.eat(":") { parse_union(reader)? } else { return None };
        params.push(ty);
        reader.eat(",");
    }
    Some(params)
}

/// `(…) => T`, or a type in parentheses.
fn parse_parenthesized(reader: &mut Reader<'_, '_, '_>) -> Option<ExprIx> {
    let mut depth = 1;
    let inside = reader.rest;
    let end = inside.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth == 0
    })?;
    let after = inside.get(end.0 + 1..)?;
    if let Some(result) = after.trim_start().strip_prefix("=>") {
        reader.rest = result;
        let ret = parse_union(reader)?;
        let after = reader.rest;
        reader.rest = inside;
        let params = parse_params(reader).unwrap_or_default();
        reader.rest = after;
        return Some(reader.half.add(Expr::Callable(params, Some(ret))));
    }
    let ty = parse_union(reader)?;
    reader.eat(")").then_some(ty)
}

fn parse_named(reader: &mut Reader<'_, '_, '_>, rest: &str) -> Option<ExprIx> {
    let length = |text: &str| text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    let skipped = reader.rest.len() - rest.len();
    let word = rest.get(..length(rest)).filter(|word| !word.is_empty())?;
    reader.rest = reader.rest.get(skipped + word.len()..)?;
    let mut ty = match word {
        "string" | "String" => reader.half.lit(Lit::Str),
        "number" | "Number" | "bigint" => reader.half.lit(Lit::Float),
        "boolean" | "Boolean" | "true" | "false" => reader.half.lit(Lit::Bool),
        "null" | "undefined" | "void" | "never" => reader.half.lit(Lit::Null),
        "object" | "Object" if !reader.rest.starts_with(['<', '.']) => reader.half.lit(Lit::Object),
        "any" | "unknown" | "symbol" => reader.half.unknown(),
        "Function" | "function" => reader.half.add(Expr::Callable(Vec::new(), None)),
        "this" => reader.half.add(Expr::SelfType),
        "typeof" | "keyof" => {
            parse_postfix(reader)?;
            return Some(reader.half.unknown());
        }
        "readonly" => return parse_postfix(reader),
        "import" if reader.eat("(") => {
            let module = quoted_text(reader.rest)?;
            reader.rest = reader.rest.split_once(')')?.1;
            reader.half.type_name(&required_name(module))
        }
        // `Object<K, V>` is a map.
        "Object" | "object" => reader.half.type_name("Record"),
        _ => reader.half.type_name(word),
    };
    while let Some(rest) = reader.rest.strip_prefix('.') {
        if rest.starts_with('<') {
            reader.rest = rest;
            break;
        }
        let word = rest.get(..length(rest)).filter(|word| !word.is_empty())?;
        reader.rest = rest.get(word.len()..)?;
        ty = reader.half.attr(ty, word);
    }
    if reader.eat("<") {
        let args = reader.list(">", parse_union)?;
        ty = reader.half.add(Expr::Generic(ty, args));
    }
    Some(ty)
}
