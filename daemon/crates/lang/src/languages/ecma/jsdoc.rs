//! Types that JavaScript states in documentation: `@param {T} name`, `@returns {T}`, `@type {T}`.

use sdl_model::facts::{DefIx, Expr, ExprIx, ImportKind, Lit};

use super::{Context, Node, exprs};
use crate::build::text::fold;
use crate::build::{Half, MAX_ELEMENTS};

/// How far before a definition its documentation may begin.
const MAX_COMMENT: u32 = 8_000;
/// Longest type that is read.
const MAX_TYPE: usize = 400;

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
    let text = cx.b.slice(node.start().saturating_sub(MAX_TYPE as u32), node.start());
    let text = text.trim_end().strip_suffix("*/")?;
    let text = text.get(text.rfind("/**")?..)?;
    let (_, rest) = tags(text).find(|(tag, _)| *tag == "type")?;
    parse(&mut cx.b.body, braced(rest)?.0)
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
    for (at, _) in src.match_indices("@import {").take(256) {
        let rest = src.get(at + "@import {".len()..).unwrap_or("");
        let Some((names, rest)) = rest.split_once('}') else { continue };
        let module = rest.trim_start().strip_prefix("from").map(str::trim_start).and_then(quoted);
        let Some(module) = module.filter(|_| names.len() < 2_000) else { continue };
        for name in names.split(',') {
            let name = name.trim().trim_start_matches(['*', ' ', '\n']);
            let (name, local) = name.split_once(" as ").unwrap_or((name, name));
            if !name.is_empty() && name.chars().all(is_word) {
                cx.b.import(ImportKind::Named, module, Some(name), Some(local.trim()), at as u32);
            }
        }
    }
}

/// `import('module').Name` and nothing else.
fn imported(ty: &str) -> Option<(&str, &str)> {
    let rest = ty.trim().strip_prefix("import(")?;
    let module = quoted(rest)?;
    let (_, name) = rest.split_once(").")?;
    name.chars().all(is_word).then_some((module, name))
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text.get(1..)?.split(quote).next().filter(|text| !text.is_empty() && text.len() < 300)
}

fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// The tags of a documentation block, each with the text up to the next.
fn tags(text: &str) -> impl Iterator<Item = (&str, &str)> {
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
fn braced(text: &str) -> Option<(&str, &str)> {
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

/// The type that `text` states; none unless all of it is one.
fn parse(half: &mut Half<'_>, text: &str) -> Option<ExprIx> {
    if text.len() > MAX_TYPE {
        return None;
    }
    let mut reader = Reader { half, rest: text, depth: 0 };
    let ty = reader.union()?;
    reader.rest.trim_start_matches([' ', '*', '\n', '\t', '\r']).is_empty().then_some(ty)
}

/// Reads a type from text.
struct Reader<'h, 'a, 't> {
    half: &'h mut Half<'a>,
    rest: &'t str,
    depth: u32,
}

impl Reader<'_, '_, '_> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start_matches([' ', '*', '\n', '\t', '\r']);
        // `*` alone is any type; before something else it is the margin.
        match rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn union(&mut self) -> Option<ExprIx> {
        self.depth += 1;
        if self.depth > 16 {
            return None;
        }
        self.eat("|");
        let mut all = vec![self.postfix()?];
        while self.eat("|") || self.eat("&") {
            all.push(self.postfix()?);
        }
        self.depth -= 1;
        all.truncate(MAX_ELEMENTS);
        Some(self.half.union(all))
    }

    fn postfix(&mut self) -> Option<ExprIx> {
        let nullable = self.eat("?");
        self.eat("!");
        let mut ty = self.single()?;
        loop {
            if self.eat("[]") {
                ty = self.half.add(Expr::Index(ty));
            } else if self.eat("[") {
                // `T['key']`.
                self.rest = self.rest.split_once(']')?.1;
                ty = self.half.unknown();
            } else {
                break;
            }
        }
        Some(if nullable { self.half.optional(ty) } else { ty })
    }

    fn single(&mut self) -> Option<ExprIx> {
        if self.eat("(") {
            return self.parenthesized();
        }
        if self.eat("{") {
            let mut depth = 1;
            let end = self.rest.char_indices().find(|(_, c)| {
                depth += i32::from(*c == '{') - i32::from(*c == '}');
                depth == 0
            })?;
            self.rest = self.rest.get(end.0 + 1..)?;
            return Some(self.half.lit(Lit::Object));
        }
        if self.eat("[") {
            let items = self.list("]")?;
            return Some(self.half.add(Expr::Tuple(items)));
        }
        let rest = self.rest.trim_start_matches([' ', '*', '\n', '\t', '\r']);
        if rest.is_empty() {
            self.rest = rest;
            return Some(self.half.unknown());
        }
        if let Some(text) = rest.chars().next().filter(|c| matches!(c, '\'' | '"' | '`')) {
            let end = rest.get(1..)?.find(text)?;
            self.rest = rest.get(end + 2..)?;
            return Some(self.half.lit(Lit::Str));
        }
        self.named(rest)
    }

    /// `(…) => T`, or a type in parentheses.
    fn parenthesized(&mut self) -> Option<ExprIx> {
        let mut depth = 1;
        let inside = self.rest;
        let end = inside.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        })?;
        let after = inside.get(end.0 + 1..)?;
        if let Some(result) = after.trim_start().strip_prefix("=>") {
            self.rest = result;
            let ret = self.union()?;
            return Some(self.half.add(Expr::Callable(Vec::new(), Some(ret))));
        }
        let ty = self.union()?;
        self.eat(")").then_some(ty)
    }

    fn named(&mut self, rest: &str) -> Option<ExprIx> {
        let length = |text: &str| text.find(|c: char| !is_word(c)).unwrap_or(text.len());
        let skipped = self.rest.len() - rest.len();
        let word = rest.get(..length(rest)).filter(|word| !word.is_empty())?;
        self.rest = self.rest.get(skipped + word.len()..)?;
        let mut ty = match word {
            "string" | "String" => self.half.lit(Lit::Str),
            "number" | "Number" | "bigint" => self.half.lit(Lit::Float),
            "boolean" | "Boolean" | "true" | "false" => self.half.lit(Lit::Bool),
            "null" | "undefined" | "void" | "never" => self.half.lit(Lit::Null),
            "object" | "Object" if !self.rest.starts_with(['<', '.']) => self.half.lit(Lit::Object),
            "any" | "unknown" | "symbol" => self.half.unknown(),
            "Function" | "function" => self.half.add(Expr::Callable(Vec::new(), None)),
            "this" => self.half.add(Expr::SelfType),
            "typeof" | "keyof" => {
                self.postfix()?;
                return Some(self.half.unknown());
            }
            "readonly" => return self.postfix(),
            "import" if self.eat("(") => {
                let module = quoted(self.rest)?;
                self.rest = self.rest.split_once(')')?.1;
                self.half.type_name(&exprs::required_name(module))
            }
            // `Object<K, V>` is a map.
            "Object" | "object" => self.half.type_name("Record"),
            _ => self.half.type_name(word),
        };
        while let Some(rest) = self.rest.strip_prefix('.') {
            if rest.starts_with('<') {
                self.rest = rest;
                break;
            }
            let word = rest.get(..length(rest)).filter(|word| !word.is_empty())?;
            self.rest = rest.get(word.len()..)?;
            ty = self.half.attr(ty, word);
        }
        if self.eat("<") {
            let args = self.list(">")?;
            ty = self.half.add(Expr::Generic(ty, args));
        }
        Some(ty)
    }

    /// What stands before `end`, separated by commas.
    fn list(&mut self, end: &str) -> Option<Vec<ExprIx>> {
        let mut items = Vec::new();
        while !self.eat(end) {
            items.push(self.union()?);
            if !self.eat(",") {
                if !self.eat(end) {
                    return None;
                }
                break;
            }
        }
        items.truncate(MAX_ELEMENTS);
        Some(items)
    }
}
