//! Signatures, taken apart and put together again.

use sdl_model::facts::{self, ParamKind};
use sdl_model::{Lang, SymbolKind};

use super::types::{Card, Param, Signature};
use crate::Sym;

/// Longest header or type that is shown, in characters.
const LONGEST: usize = 200;

/// A symbol's signature.
pub(super) fn symbol_signature(sym: &Sym) -> Option<Signature> {
    let (def, outline) = (sym.def(), sym.outline());
    if def.kind == SymbolKind::Module {
        return None;
    }
    let text = |ix| shorten_text(outline.str(ix));
    let callable = def.kind.is_callable() || !def.params.is_empty();
    let params = def.params.iter().filter(|param| param.kind != ParamKind::Receiver);
    let ty = || def.ty.and_then(|ty| outline.arena.dotted(ty));
    let header = outline.str(def.signature);
    Some(Signature {
        params: params.map(|param| one_param(outline.lang, param, &text)).collect(),
        returns: def.ret_text.map(text).or_else(ty).filter(|text| !text.is_empty()),
        generics: def.generics.map(text).filter(|text| !text.is_empty()),
        header: (!callable && !header.is_empty() && header != sym.name()).then(|| shorten_text(header)),
    })
}

fn one_param(lang: Lang, param: &facts::Param, text: &impl Fn(facts::StrIx) -> String) -> Param {
    let stars = lang.traits().calls.stars_mark_rest;
    let mark = match (param.kind, stars) {
        (ParamKind::Rest, true) => "*",
        (ParamKind::KeywordRest, true) => "**",
        (ParamKind::Rest | ParamKind::KeywordRest, false) => "...",
        _ => "",
    };
    let name = text(param.name);
    let name = if mark.is_empty() || name.starts_with(['*', '.']) { name } else { format!("{mark}{name}") };
    Param { name, ty: param.ty_text.map(text).filter(|ty| !ty.is_empty()), optional: param.optional }
}

/// The text cut to `LONGEST` characters, with `…` where something is missing.
pub(super) fn shorten_text(text: &str) -> String {
    cut_text(text, LONGEST)
}

/// At most `most` characters, with a mark where something is missing.
pub(super) fn cut_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text).trim_end()),
        None => text.to_owned(),
    }
}

/// `name<T>(a: int, b?) -> R`, one shape for every language.
pub fn signature_line(card: &Card) -> String {
    let mut line = card.qualified_name.clone();
    let Some(signature) = &card.signature else { return line };
    if let Some(header) = &signature.header {
        return if header.contains(&card.name) && card.qualified_name == card.name {
            header.clone()
        } else {
            format!("{line}: {header}")
        };
    }
    line.push_str(signature.generics.as_deref().unwrap_or(""));
    if card.kind.is_callable() || !signature.params.is_empty() {
        line.push('(');
        for (i, param) in signature.params.iter().enumerate() {
            line.push_str(if i == 0 { "" } else { ", " });
            line.push_str(&param.name);
            if param.optional {
                line.push('?');
            }
            if let Some(ty) = &param.ty {
                line.push_str(": ");
                line.push_str(ty);
            }
        }
        line.push(')');
    }
    if let Some(returns) = &signature.returns {
        line.push_str(if card.kind.is_callable() { " -> " } else { ": " });
        line.push_str(returns);
    }
    line
}
