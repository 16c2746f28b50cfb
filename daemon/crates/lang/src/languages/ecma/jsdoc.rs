//! Types that JavaScript states in documentation: `@param {T} name`, `@returns {T}`, `@type {T}`.

use sdl_model::Lang;
use sdl_model::facts::{DefIx, ExprIx, ImportKind};

use super::jsdoc_types::{MAX_TYPE, parse};
use super::{Context, Node, exprs};
use crate::build::Half;
use crate::build::text::fold;

/// How far before a definition its documentation may begin.
const MAX_COMMENT: u32 = 8_000;
/// How far before a value the type that a comment states for it may begin.
const MAX_BEFORE: usize = 400;

/// The documentation block before `def`.
fn block<'a>(cx: &Context<'a>, def: DefIx) -> &'a str {
    let start = cx.b.def(def).span.start;
    let text = cx.b.slice(start, start.saturating_add(MAX_COMMENT).min(cx.b.src().len() as u32));
    if text.starts_with("/*") { text.find("*/").map_or("", |end| text.get(..end).unwrap_or("")) } else { "" }
}

/// Types of parameters and result of `def` as its documentation states them.
pub(super) fn function(cx: &mut Context<'_>, def: DefIx) {
    let text = block(cx, def);
    for (tag, rest) in tags(text) {
        match tag {
            "param" | "arg" | "argument" => {
                let Some((ty, rest)) = braced(rest) else { continue };
                let name = rest.trim_start().trim_start_matches('[');
                let name = name.get(..name.find(|c: char| !is_word(c)).unwrap_or(name.len())).unwrap_or("");
                let at = cx.b.def(def).params.iter().position(|param| cx.b.out.text(param.name) == name);
                let Some(at) = at.filter(|_| !name.is_empty()) else { continue };
                let shape = parse(&mut cx.b.out, ty.trim_start_matches("...").trim_end_matches('='));
                let shape = shape.filter(|shape| !cx.b.out.is_unknown(*shape));
                let written = cx.b.out.str(&fold(ty, 200));
                if let Some(param) = cx.b.def_mut(def).params.get_mut(at).filter(|param| param.ty.is_none()) {
                    param.ty_text = Some(written);
                    param.ty = shape;
                }
            }
            "returns" | "return" if cx.b.def(def).ret_text.is_none() => {
                let Some((ty, _)) = braced(rest) else { continue };
                let shape = parse(&mut cx.b.out, ty);
                cx.b.def_mut(def).ret_text = Some(cx.b.out.str(&fold(ty, 200)));
                cx.b.def_mut(def).ret = shape;
            }
            "type" => {
                let ty = braced(rest).and_then(|(ty, _)| parse(&mut cx.b.out, ty));
                cx.b.def_mut(def).ty = cx.b.def(def).ty.or(ty);
            }
            _ => {}
        }
    }
}

/// The type (of the body) that the documentation of `def` states for parameter `at`, whatever it calls it.
pub(super) fn parameter(cx: &mut Context<'_>, def: DefIx, at: usize) -> Option<ExprIx> {
    let text = block(cx, def);
    let params = tags(text).filter(|(tag, _)| matches!(*tag, "param" | "arg" | "argument"));
    let mut stated = params.filter_map(|(_, rest)| {
        let (ty, rest) = braced(rest)?;
        let name = rest.trim_start().trim_start_matches('[');
        // `options.name` tells of a part of the one before.
        let end = name.find(|c: char| !is_word(c)).unwrap_or(name.len());
        (!name.get(end..)?.starts_with(['.', '['])).then_some(ty)
    });
    let ty = stated.nth(at)?;
    let ty = parse(&mut cx.b.body, ty.trim_end_matches('='))?;
    (!cx.b.body.is_unknown(ty)).then_some(ty)
}

/// The type of `def`, a variable or field, as its documentation states it.
pub(super) fn variable(cx: &mut Context<'_>, def: DefIx) {
    let text = block(cx, def);
    if let Some((_, rest)) = tags(text).find(|(tag, _)| *tag == "type") {
        let ty = braced(rest).and_then(|(ty, _)| parse(&mut cx.b.out, ty));
        if let Some(ty) = ty.filter(|ty| !cx.b.out.is_unknown(*ty)) {
            cx.b.def_mut(def).ty = Some(ty);
        }
    }
}

/// The type (of the body) that documentation right before `node` states.
pub(super) fn before(cx: &mut Context<'_>, node: Node<'_>) -> Option<ExprIx> {
    let text = stated_before(cx, node)?;
    parse(&mut cx.b.body, text)
}

/// The same, of the outline.
pub(super) fn before_outline(cx: &mut Context<'_>, node: Node<'_>) -> Option<ExprIx> {
    let text = stated_before(cx, node)?;
    parse(&mut cx.b.out, text)
}

fn stated_before<'a>(cx: &Context<'a>, node: Node<'_>) -> Option<&'a str> {
    let text = cx.b.slice(node.start().saturating_sub(MAX_BEFORE as u32), node.start());
    let text = text.trim_end().strip_suffix("*/")?;
    let text = text.get(text.rfind("/**")?..)?;
    let (_, rest) = tags(text).find(|(tag, _)| *tag == "type")?;
    Some(braced(rest)?.0)
}

/// Types that a file imports in comments: `@typedef {import('x').T} T`, `@import { T } from 'x'`.
pub(super) fn module(cx: &mut Context<'_>, root: Node<'_>) {
    let src = root.src();
    for (at, _) in src.match_indices("@typedef").take(256) {
        let rest = src.get(at + "@typedef".len()..).unwrap_or("");
        let Some((ty, rest)) = rest.get(..rest.len().min(600)).or(Some(rest)).and_then(braced) else {
            continue;
        };
        let Some((module, name)) = imported(ty) else { continue };
        let local = rest.trim_start();
        let local = local.get(..local.find(|c: char| !is_word(c)).unwrap_or(local.len())).unwrap_or("");
        let local = if local.is_empty() { name } else { local };
        cx.b.import(ImportKind::Named, module, Some(name), Some(local), at as u32);
    }
    if cx.lang == Lang::JavaScript {
        inline_imports(cx, src);
    }
    for (at, _) in src.match_indices("@import ").take(256) {
        let rest = src.get(at + "@import ".len()..).unwrap_or("");
        let rest = rest.get(..rest.len().min(2_400)).or_else(|| rest.split("*/").next()).unwrap_or("");
        imports(cx, rest, at as u32);
    }
}

/// `import('module').T` where a comment states a type.
fn inline_imports(cx: &mut Context<'_>, src: &str) {
    let mut seen: Vec<&str> = Vec::new();
    for (at, _) in src.match_indices("import(").take(1_024) {
        let Some(module) = src.get(at + "import(".len()..).and_then(quoted) else { continue };
        let line = src.get(..at).map_or("", |before| before.rsplit('\n').next().unwrap_or(""));
        let is_comment = line.trim_start().starts_with('*') || line.contains("/**");
        if is_comment && seen.len() < 256 && !seen.contains(&module) {
            seen.push(module);
            let local = exprs::required_name(module);
            cx.b.import(ImportKind::Module, module, None, Some(&local), at as u32);
        }
    }
}

/// `Default, { name, other as local } from 'module'`, `* as space from 'module'`.
fn imports(cx: &mut Context<'_>, text: &str, at: u32) {
    let word = |text: &str| !text.is_empty() && text.chars().all(is_word);
    let named = text.split_once('{').filter(|(before, _)| !before.contains(['\'', '"']));
    let (alone, names, rest) = match named.and_then(|(before, rest)| Some((before, rest.split_once('}')?))) {
        Some((before, (names, rest))) => (before, names, rest.trim_start().strip_prefix("from")),
        None => match text.split_once(" from") {
            Some((before, rest)) => (before, "", Some(rest)),
            None => return,
        },
    };
    let Some(module) = rest.map(str::trim_start).and_then(quoted) else { return };
    for part in alone.split(',').map(|part| part.trim_matches([' ', '*', '\n', '\t', '\r'])) {
        match part.strip_prefix("as ").map(str::trim) {
            Some(space) if word(space) => {
                cx.b.import(ImportKind::Module, module, None, Some(space), at);
            }
            None if word(part) => {
                cx.b.import(ImportKind::Default, module, None, Some(part), at);
            }
            _ => {}
        }
    }
    for name in names.split(',') {
        let name = name.trim().trim_start_matches(['*', ' ', '\n', '\t']);
        let (name, local) = name.split_once(" as ").unwrap_or((name, name));
        if word(name) {
            cx.b.import(ImportKind::Named, module, Some(name), Some(local.trim()), at);
        }
    }
}

/// The type to which documentation right before `node`, an expression in parentheses, casts it.
pub(super) fn cast(half: &mut Half<'_>, node: Node<'_>) -> Option<ExprIx> {
    let start = node.start() as usize;
    let src = node.src();
    // Most are no casts: look at the byte before first.
    let before = src.get(..start)?.trim_end_matches([' ', '\n', '\t', '\r']).strip_suffix("*/")?;
    let text = before.get(before.ceil_char_boundary(before.len().saturating_sub(MAX_BEFORE))..)?;
    let text = text.get(text.rfind("/**")?..)?;
    let (_, rest) = tags(text).find(|(tag, _)| *tag == "type")?;
    let ty = parse(half, braced(rest)?.0)?;
    (!half.is_unknown(ty)).then_some(ty)
}

/// `import('module').Name` and nothing else.
pub(super) fn imported(ty: &str) -> Option<(&str, &str)> {
    let rest = ty.trim().strip_prefix("import(")?;
    let module = quoted(rest)?;
    let (_, name) = rest.split_once(").")?;
    name.chars().all(is_word).then_some((module, name))
}

pub(super) fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text.get(1..)?.split(quote).next().filter(|text| !text.is_empty() && text.len() < 300)
}

pub(super) fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// The tags of a documentation block, each with the text up to the next.
pub(super) fn tags(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let starts = text.match_indices('@').filter(move |(at, _)| {
        text.get(..*at).is_some_and(|before| before.trim_end_matches(' ').ends_with(['*', '\n', '\t']))
    });
    starts.take(64).filter_map(move |(at, _)| {
        let rest = text.get(at + 1..)?;
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        Some((rest.get(..end)?, rest.get(end..)?))
    })
}

/// What stands between the braces that `text` begins with, and what comes after.
pub(super) fn braced(text: &str) -> Option<(&str, &str)> {
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
