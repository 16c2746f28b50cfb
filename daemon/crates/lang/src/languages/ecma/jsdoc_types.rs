//! Types that JavaScript writes in documentation: read, and defined (`@typedef`, `@callback`).

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx, Expr, ExprIx, Lit, StrIx};

use super::jsdoc::{braced, imported, is_word, tags};
use super::{Context, Node, exprs};
use crate::build::{Half, MAX_ELEMENTS, NewDef};

/// Longest type that is read.
pub(super) const MAX_TYPE: usize = 2_000;

/// Defines the types that the comment `node` does.
pub(super) fn comment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let text = node.text();
    if !text.starts_with("/**") || !(text.contains("@typedef") || text.contains("@callback")) {
        return;
    }
    let mut open: Option<Written<'a>> = None;
    for (tag, rest) in tags(text) {
        match tag {
            "typedef" => {
                define(cx, node, open.take());
                let (ty, rest) = braced(rest).map_or((None, rest), |(ty, rest)| (Some(ty), rest));
                if ty.is_none_or(|ty| imported(ty).is_none()) {
                    open = Written::new(rest, ty);
                }
            }
            "callback" => {
                define(cx, node, open.take());
                open = Written::new(rest, None);
                if let Some(open) = &mut open {
                    open.is_callback = true;
                }
            }
            "property" | "prop" | "param" | "arg" | "argument" => {
                let (Some(open), Some((ty, rest))) = (&mut open, braced(rest)) else { continue };
                let name = rest.trim_start().trim_start_matches('[');
                let (name, rest) = name.split_at(name.find(|c: char| !is_word(c)).unwrap_or(name.len()));
                // `options.name` tells of a part of the one before.
                if !rest.starts_with(['.', '[']) && open.parts.len() < exprs::MAX_FIELDS {
                    open.parts.push((name, ty.trim_end_matches('=')));
                }
            }
            "returns" | "return" => {
                if let (Some(open), Some((ty, _))) = (&mut open, braced(rest)) {
                    open.result = Some(ty);
                }
            }
            _ => {}
        }
    }
    define(cx, node, open);
}

/// A type as a comment writes it.
struct Written<'a> {
    name: &'a str,
    ty: Option<&'a str>,
    is_callback: bool,
    /// Properties or parameters.
    parts: Vec<(&'a str, &'a str)>,
    result: Option<&'a str>,
}

impl<'a> Written<'a> {
    fn new(rest: &'a str, ty: Option<&'a str>) -> Option<Self> {
        let name = rest.trim_start_matches([' ', '*', '\n', '\t', '\r']);
        let name = name.get(..name.find(|c: char| !is_word(c)).unwrap_or(name.len()))?;
        let written = Self { name, ty, is_callback: false, parts: Vec::new(), result: None };
        (!name.is_empty()).then_some(written)
    }
}

fn define<'a>(cx: &mut Context<'a>, node: Node<'a>, written: Option<Written<'a>>) {
    let Some(written) = written else { return };
    if cx.b.find_def(DefIx::MODULE, written.name).is_some() {
        return;
    }
    let ty = shape(&mut cx.b.out, &written);
    let at = written.name.as_ptr() as usize - node.text().as_ptr() as usize;
    let new = NewDef::new(SymbolKind::Type, written.name, node, node).written(node.start() + at as u32);
    let def = cx.b.leaf_of(DefIx::MODULE, new.signature(format!("@typedef {}", written.name)));
    cx.b.flag(def, DefFlags::EXPORTED);
    cx.b.def_mut(def).ty = ty;
}

fn shape(half: &mut Half<'_>, written: &Written<'_>) -> Option<ExprIx> {
    let mut read = |ty: &str| parse(half, ty).unwrap_or_else(|| half.unknown());
    let parts: Vec<ExprIx> = written.parts.iter().map(|(_, ty)| read(ty)).collect();
    if written.is_callback {
        let result = written.result.map(read);
        return Some(half.add(Expr::Callable(parts.into_iter().take(MAX_ELEMENTS).collect(), result)));
    }
    if parts.is_empty() {
        return written.ty.and_then(|ty| parse(half, ty));
    }
    let names: Vec<StrIx> = written.parts.iter().map(|(name, _)| half.str(name)).collect();
    Some(half.add(Expr::Record(names.into_iter().zip(parts).collect())))
}

/// The type that `text` states; none unless all of it is one.
pub(super) fn parse(half: &mut Half<'_>, text: &str) -> Option<ExprIx> {
    if text.len() > MAX_TYPE {
        return None;
    }
    let text = text.trim_end().trim_end_matches('=');
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
            return self.object();
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

    /// What follows `{`: `a: T, b?: U }`. One with an index is a map.
    fn object(&mut self) -> Option<ExprIx> {
        let mut depth = 1;
        let end = self.rest.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '{') - i32::from(*c == '}');
            depth == 0
        })?;
        let after = self.rest.get(end.0 + 1..)?;
        let fields = self.fields();
        self.rest = after;
        Some(fields.unwrap_or_else(|| self.half.lit(Lit::Object)))
    }

    fn fields(&mut self) -> Option<ExprIx> {
        let mut fields = Vec::new();
        while !self.eat("}") && fields.len() < exprs::MAX_FIELDS {
            self.eat("readonly ");
            if self.eat("[") {
                self.rest = self.rest.split_once("]:")?.1;
                let element = self.union()?;
                let map = self.half.type_name("Record");
                let key = self.half.lit(Lit::Str);
                return Some(self.half.add(Expr::Generic(map, vec![key, element])));
            }
            let rest = self.rest.trim_start_matches([' ', '*', '\n', '\t', '\r', '"', '\'']);
            let name = rest.get(..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()))?;
            self.rest = rest.get(name.len()..)?.trim_start_matches(['"', '\'']);
            self.eat("?");
            if name.is_empty() || !self.eat(":") {
                return None;
            }
            let ty = self.union()?;
            fields.push((self.half.str(name), ty));
            let _ = self.eat(",") || self.eat(";");
        }
        (!fields.is_empty()).then(|| self.half.add(Expr::Record(fields)))
    }

    /// `a: T, b?: U)`.
    fn params(&mut self) -> Option<Vec<ExprIx>> {
        let mut params = Vec::new();
        while !self.eat(")") && params.len() < MAX_ELEMENTS {
            self.eat("...");
            let rest = self.rest.trim_start_matches([' ', '*', '\n', '\t', '\r']);
            let name = rest.get(..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()))?;
            self.rest = rest.get(name.len()..)?;
            self.eat("?");
            let ty = if !name.is_empty() && self.eat(":") { self.union()? } else { return None };
            params.push(ty);
            self.eat(",");
        }
        Some(params)
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
            let after = self.rest;
            self.rest = inside;
            let params = self.params().unwrap_or_default();
            self.rest = after;
            return Some(self.half.add(Expr::Callable(params, Some(ret))));
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
                let module = super::jsdoc::quoted(self.rest)?;
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
