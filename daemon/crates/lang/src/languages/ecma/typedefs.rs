//! Types that JavaScript defines in documentation: `@typedef`, `@callback`.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx, Expr, ExprIx, StrIx};

use super::doc_tags::{Template, doc_tags, imported_type, is_word, parse_templates, split_braces};
use super::jsdoc::add_generics;
use super::jsdoc_types::parse_type;
use super::keys::MAX_FIELDS;
use super::kinds::{Context, Node};
use crate::builder::{Half, MAX_ELEMENTS, NewDef};

/// Defines the types that the comment `node` declares.
pub(super) fn read_typedefs<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let text = node.text();
    if !text.starts_with("/**") || !(text.contains("@typedef") || text.contains("@callback")) {
        return;
    }
    let mut open: Option<Defined<'a>> = None;
    let mut templates = Vec::new();
    for (tag, rest) in doc_tags(text) {
        match tag {
            "template" => templates.extend(parse_templates(rest)),
            "typedef" => {
                define_type(cx, node, open.take(), &mut templates);
                let (ty, rest) = split_braces(rest).map_or((None, rest), |(ty, rest)| (Some(ty), rest));
                if ty.is_none_or(|ty| imported_type(ty).is_none()) {
                    open = Defined::new(rest, ty);
                }
            }
            "callback" => {
                define_type(cx, node, open.take(), &mut templates);
                open = Defined::new(rest, None);
                if let Some(open) = &mut open {
                    open.is_callback = true;
                }
            }
            "property" | "prop" | "param" | "arg" | "argument" => {
                let (Some(open), Some((ty, rest))) = (&mut open, split_braces(rest)) else { continue };
                let name = rest.trim_start().trim_start_matches('[');
                let (name, rest) = name.split_at(name.find(|c: char| !is_word(c)).unwrap_or(name.len()));
                // `options.name` describes a part of the previous one.
                if !rest.starts_with(['.', '[']) && open.parts.len() < MAX_FIELDS {
                    open.parts.push((name, ty.trim_end_matches('=')));
                }
            }
            "returns" | "return" => {
                if let (Some(open), Some((ty, _))) = (&mut open, split_braces(rest)) {
                    open.result = Some(ty);
                }
            }
            _ => {}
        }
    }
    define_type(cx, node, open, &mut templates);
}

/// A type as a comment writes it.
struct Defined<'a> {
    name: &'a str,
    ty: Option<&'a str>,
    is_callback: bool,
    /// Properties or parameters.
    parts: Vec<(&'a str, &'a str)>,
    result: Option<&'a str>,
}

impl<'a> Defined<'a> {
    fn new(rest: &'a str, ty: Option<&'a str>) -> Option<Self> {
        let name = rest.trim_start_matches([' ', '*', '\n', '\t', '\r']);
        let name = name.get(..name.find(|c: char| !is_word(c)).unwrap_or(name.len()))?;
        let written = Self { name, ty, is_callback: false, parts: Vec::new(), result: None };
        (!name.is_empty()).then_some(written)
    }
}

fn define_type<'a>(
    cx: &mut Context<'a>,
    node: Node<'a>,
    written: Option<Defined<'a>>,
    templates: &mut Vec<Template<'a>>,
) {
    let Some(written) = written else { return };
    let templates = std::mem::take(templates);
    if cx.b.find_def(DefIx::MODULE, written.name).is_some() {
        return;
    }
    let ty = typedef_shape(&mut cx.b.out, &written);
    let at = written.name.as_ptr() as usize - node.text().as_ptr() as usize;
    let new = NewDef::new(SymbolKind::Type, written.name, node, node).written(node.start() + at as u32);
    let def = cx.b.leaf_of(DefIx::MODULE, new.signature(format!("@typedef {}", written.name)));
    cx.b.flag(def, DefFlags::EXPORTED);
    cx.b.def_mut(def).ty = ty;
    add_generics(cx, def, &templates);
}

fn typedef_shape(half: &mut Half<'_>, written: &Defined<'_>) -> Option<ExprIx> {
    let mut read = |ty: &str| parse_type(half, ty).unwrap_or_else(|| half.unknown());
    let parts: Vec<ExprIx> = written.parts.iter().map(|(_, ty)| read(ty)).collect();
    if written.is_callback {
        let result = written.result.map(read);
        return Some(half.add(Expr::Callable(parts.into_iter().take(MAX_ELEMENTS).collect(), result)));
    }
    if parts.is_empty() {
        return written.ty.and_then(|ty| parse_type(half, ty));
    }
    let names: Vec<StrIx> = written.parts.iter().map(|(name, _)| half.str(name)).collect();
    Some(half.add(Expr::Record(names.into_iter().zip(parts).collect())))
}
