//! Types that JavaScript states in documentation: `@param {T} name`, `@returns {T}`, `@type {T}`.

use sdl_model::Lang;
use sdl_model::facts::{DefIx, Expr, ExprIx, ImportKind};

use super::calls::required_name;
use super::doc_tags::{
    Template, doc_tags, imported_type, is_word, parse_templates, quoted_text, split_braces,
};
use super::jsdoc_types::parse_type;
use super::keys::MAX_FIELDS;
use super::kinds::{Context, Node};
use crate::builder::Half;
use crate::builder::text::fold_line;

/// The largest distance from a definition back to the start of its documentation.
const MAX_COMMENT: u32 = 8_000;
/// How many comments before a definition are looked at.
const MAX_COMMENTS: usize = 16;
/// The largest distance from a value back to the start of the comment that states its type.
const MAX_BEFORE: usize = 400;

/// The documentation block before `def`.
fn doc_block<'a>(cx: &Context<'a>, def: DefIx) -> &'a str {
    let start = cx.b.def(def).span.start;
    let text = cx.b.slice(start, start.saturating_add(MAX_COMMENT).min(cx.b.src().len() as u32));
    // The last of several comments counts.
    let mut rest = text;
    let mut found = "";
    for _ in 0..MAX_COMMENTS {
        rest = rest.trim_start();
        if rest.starts_with("/*") {
            let Some((comment, after)) = rest.split_once("*/") else { break };
            if found.is_empty() || comment.starts_with("/**") {
                found = comment;
            }
            rest = after;
        } else if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else {
            break;
        }
    }
    found
}

/// The types that documentation states for parts of the parameter `name`: `@param {T} name.part`.
fn param_part_types<'a>(text: &'a str, name: &str) -> Vec<(&'a str, &'a str)> {
    let params = doc_tags(text).filter(|(tag, _)| matches!(*tag, "param" | "arg" | "argument"));
    let part = |rest: &'a str| {
        let (ty, rest) = split_braces(rest)?;
        let rest = rest.trim_start().trim_start_matches('[').strip_prefix(name)?.strip_prefix('.')?;
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let part = rest.get(..end).filter(|part| !part.is_empty())?;
        // Parts of parts are read when those are destructured.
        (!rest.get(end..)?.starts_with(['.', '['])).then_some((part, ty.trim_end_matches('=')))
    };
    params.filter_map(|(_, rest)| part(rest)).take(MAX_FIELDS).collect()
}

/// The shape of a parameter that is stated to be `ty`: an object whose parts are stated one by one consists of those.
fn of_parts(half: &mut Half<'_>, ty: &str, text: &str, name: &str) -> Option<ExprIx> {
    let is_object = matches!(ty.trim_end_matches('=').trim(), "object" | "Object" | "{}" | "?object" | "any");
    let parts = if is_object && !name.is_empty() { param_part_types(text, name) } else { Vec::new() };
    if parts.is_empty() {
        return parse_type(half, ty.trim_end_matches('='));
    }
    let mut fields = Vec::new();
    for (part, ty) in parts {
        let ty = parse_type(half, ty).unwrap_or_else(|| half.unknown());
        fields.push((half.str(part), ty));
    }
    Some(half.add(Expr::Record(fields)))
}

/// Types of parameters and result of `def` as its documentation states them.
pub(super) fn apply_function_doc(cx: &mut Context<'_>, def: DefIx) {
    let text = doc_block(cx, def);
    let mut templates = Vec::new();
    for (tag, rest) in doc_tags(text) {
        match tag {
            "template" => templates.extend(parse_templates(rest)),
            "param" | "arg" | "argument" => {
                let Some((ty, rest)) = split_braces(rest) else { continue };
                let name = rest.trim_start().trim_start_matches('[');
                let name = name.get(..name.find(|c: char| !is_word(c)).unwrap_or(name.len())).unwrap_or("");
                let at = cx.b.def(def).params.iter().position(|param| cx.b.out.text(param.name) == name);
                let Some(at) = at.filter(|_| !name.is_empty()) else { continue };
                let shape = of_parts(&mut cx.b.out, ty.trim_start_matches("..."), text, name);
                let shape = shape.filter(|shape| !cx.b.out.is_unknown(*shape));
                let written = cx.b.out.str(&fold_line(ty, 200));
                if let Some(param) = cx.b.def_mut(def).params.get_mut(at).filter(|param| param.ty.is_none()) {
                    param.ty_text = Some(written);
                    param.ty = shape;
                }
            }
            "returns" | "return" if cx.b.def(def).ret_text.is_none() => {
                let Some((ty, _)) = split_braces(rest) else { continue };
                let shape = parse_type(&mut cx.b.out, ty);
                cx.b.def_mut(def).ret_text = Some(cx.b.out.str(&fold_line(ty, 200)));
                cx.b.def_mut(def).ret = shape;
            }
            "type" => {
                let ty = split_braces(rest).and_then(|(ty, _)| parse_type(&mut cx.b.out, ty));
                cx.b.def_mut(def).ty = cx.b.def(def).ty.or(ty);
            }
            _ => {}
        }
    }
    add_generics(cx, def, &templates);
}

/// The generic parameters of the class `def` as its documentation states them.
pub(super) fn apply_class_doc(cx: &mut Context<'_>, def: DefIx) {
    let text = doc_block(cx, def);
    if text.contains("@template") {
        let templates: Vec<_> = doc_tags(text).filter(|(tag, _)| *tag == "template").collect();
        let templates: Vec<_> = templates.into_iter().flat_map(|(_, rest)| parse_templates(rest)).collect();
        add_generics(cx, def, &templates);
    }
}

/// Gives `def` generic parameters, where each has a bound.
pub(super) fn add_generics(cx: &mut Context<'_>, def: DefIx, templates: &[Template<'_>]) {
    let bounded = templates.iter().filter_map(|(name, bound)| Some((*name, (*bound)?)));
    for (name, bound) in bounded {
        if let Some(bound) = parse_type(&mut cx.b.out, bound).filter(|bound| !cx.b.out.is_unknown(*bound)) {
            let name = cx.b.out.str(name);
            cx.b.def_mut(def).bounds.push((name, bound));
        }
    }
    let all = cx.b.def(def).bounds.len() == templates.len();
    if all && !templates.is_empty() && cx.b.def(def).generics.is_none() {
        let names: Vec<&str> = templates.iter().map(|(name, _)| *name).collect();
        cx.b.def_mut(def).generics = Some(cx.b.out.str(&format!("<{}>", names.join(", "))));
    }
}

/// The type (of the body) that the documentation of `def` states for parameter `at`, under any name.
pub(super) fn param_type(cx: &mut Context<'_>, def: DefIx, at: usize) -> Option<ExprIx> {
    let text = doc_block(cx, def);
    let params = doc_tags(text).filter(|(tag, _)| matches!(*tag, "param" | "arg" | "argument"));
    let mut stated = params.filter_map(|(_, rest)| {
        let (ty, rest) = split_braces(rest)?;
        let name = rest.trim_start().trim_start_matches('[');
        // `options.name` describes a part of the previous parameter.
        let end = name.find(|c: char| !is_word(c)).unwrap_or(name.len());
        let rest = name.get(end..)?;
        (!rest.starts_with(['.', '['])).then_some((ty, name.get(..end)?))
    });
    let (ty, name) = stated.nth(at)?;
    let ty = of_parts(&mut cx.b.body, ty, text, name)?;
    (!cx.b.body.is_unknown(ty)).then_some(ty)
}

/// The type of `def`, a variable or field, as its documentation states it.
pub(super) fn apply_variable_doc(cx: &mut Context<'_>, def: DefIx) {
    let text = doc_block(cx, def);
    if let Some((_, rest)) = doc_tags(text).find(|(tag, _)| *tag == "type") {
        let ty = split_braces(rest).and_then(|(ty, _)| parse_type(&mut cx.b.out, ty));
        if let Some(ty) = ty.filter(|ty| !cx.b.out.is_unknown(*ty)) {
            cx.b.def_mut(def).ty = Some(ty);
        }
    }
}

/// The type (of the body) that documentation right before `node` states.
pub(super) fn preceding_type(cx: &mut Context<'_>, node: Node<'_>) -> Option<ExprIx> {
    let text = stated_before(cx, node)?;
    parse_type(&mut cx.b.body, text)
}

/// The same, of the outline.
pub(super) fn before_outline(cx: &mut Context<'_>, node: Node<'_>) -> Option<ExprIx> {
    let text = stated_before(cx, node)?;
    parse_type(&mut cx.b.out, text)
}

fn stated_before<'a>(cx: &Context<'a>, node: Node<'_>) -> Option<&'a str> {
    let text = cx.b.slice(node.start().saturating_sub(MAX_BEFORE as u32), node.start());
    let text = text.trim_end().strip_suffix("*/")?;
    let text = text.get(text.rfind("/**")?..)?;
    let (_, rest) = doc_tags(text).find(|(tag, _)| *tag == "type")?;
    Some(split_braces(rest)?.0)
}

/// Types that a file imports in comments: `@typedef {import('x').T} T`, `@import { T } from 'x'`.
pub(super) fn read_type_imports(cx: &mut Context<'_>, root: Node<'_>) {
    let src = root.src();
    for (at, _) in src.match_indices("@typedef").take(256) {
        let rest = src.get(at + "@typedef".len()..).unwrap_or("");
        let Some((ty, rest)) = rest.get(..rest.len().min(600)).or(Some(rest)).and_then(split_braces) else {
            continue;
        };
        let Some((module, name)) = imported_type(ty) else { continue };
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
        add_type_imports(cx, rest, at as u32);
    }
}

/// `import('module').T` where a comment states a type.
fn inline_imports(cx: &mut Context<'_>, src: &str) {
    let mut seen: Vec<&str> = Vec::new();
    for (at, _) in src.match_indices("import(").take(1_024) {
        let Some(module) = src.get(at + "import(".len()..).and_then(quoted_text) else { continue };
        let line = src.get(..at).map_or("", |before| before.rsplit('\n').next().unwrap_or(""));
        let is_comment = line.trim_start().starts_with('*') || line.contains("/**");
        if is_comment && seen.len() < 256 && !seen.contains(&module) {
            seen.push(module);
            let local = required_name(module);
            cx.b.import(ImportKind::Module, module, None, Some(&local), at as u32);
        }
    }
}

/// `Default, { name, other as local } from 'module'`, `* as space from 'module'`.
fn add_type_imports(cx: &mut Context<'_>, text: &str, at: u32) {
    let word = |text: &str| !text.is_empty() && text.chars().all(is_word);
    let named = text.split_once('{').filter(|(before, _)| !before.contains(['\'', '"']));
    let (alone, names, rest) = match named.and_then(|(before, rest)| Some((before, rest.split_once('}')?))) {
        Some((before, (names, rest))) => (before, names, rest.trim_start().strip_prefix("from")),
        None => match text.split_once(" from") {
            Some((before, rest)) => (before, "", Some(rest)),
            None => return,
        },
    };
    let Some(module) = rest.map(str::trim_start).and_then(quoted_text) else { return };
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
pub(super) fn cast_type(half: &mut Half<'_>, node: Node<'_>) -> Option<ExprIx> {
    let start = node.start() as usize;
    let src = node.src();
    // Most are no casts: look at the byte before first.
    let before = src.get(..start)?.trim_end_matches([' ', '\n', '\t', '\r']).strip_suffix("*/")?;
    let text = before.get(before.ceil_char_boundary(before.len().saturating_sub(MAX_BEFORE))..)?;
    let text = text.get(text.rfind("/**")?..)?;
    let (_, rest) = doc_tags(text).find(|(tag, _)| *tag == "type")?;
    let ty = parse_type(half, split_braces(rest)?.0)?;
    (!half.is_unknown(ty)).then_some(ty)
}
