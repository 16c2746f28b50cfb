//! Parameters and results, of functions and of closures.

use sdl_model::facts::{BindingKind, DefIx, Expr, Param, ParamKind};

use super::kinds::{Context, F, K, Node};
use super::patterns;
use crate::builder::text::fold_line;

/// Adds the parameters in `list` to `def`, the innermost open definition. Returns whether the first is a receiver.
pub(super) fn read_params<'a>(cx: &mut Context<'a>, def: DefIx, list: Node<'a>) -> bool {
    let mut has_receiver = false;
    let range = (cx.b.def(def).span.start, cx.b.scope_end());
    for node in list.children() {
        let mut kind = ParamKind::Positional;
        let pattern = node.child(F::Pattern);
        let (name, ty) = match node.kind() {
            K::SelfParameter => {
                kind = ParamKind::Receiver;
                ("self".to_owned(), None)
            }
            K::Parameter => {
                if pattern.is_some_and(|pattern| pattern.is(K::SelfName)) {
                    kind = ParamKind::Receiver;
                }
                let name = pattern.map_or("", Node::text);
                (fold_line(name.trim_start_matches("r#"), 80), node.child(F::TypeField))
            }
            K::VariadicParameter => {
                kind = ParamKind::Rest;
                (pattern.map_or("", Node::text).to_owned(), None)
            }
            // Attributes.
            K::AttributeItem => continue,
            // A type alone, in traits of the 2015 edition and in types of functions.
            _ => (String::new(), Some(node)),
        };
        has_receiver |= kind == ParamKind::Receiver;
        let text = match ty {
            Some(ty) => Some(fold_line(ty.text(), 200)),
            None => (kind == ParamKind::Receiver).then(|| fold_line(node.text(), 40)),
        };
        let stated = Param {
            name: cx.b.out.str(&name),
            ty_text: text.map(|text| cx.b.out.str(&text)),
            ty: ty.map(|ty| cx.b.out.ty(ty)),
            optional: kind == ParamKind::Rest,
            kind,
        };
        cx.b.def_mut(def).params.push(stated);
        if let Some(pattern) = pattern.filter(|_| kind == ParamKind::Positional) {
            let ty = ty.map(|ty| cx.b.body.ty(ty));
            patterns::bind_pattern(cx, BindingKind::Param, pattern, ty, None, range);
        }
    }
    has_receiver
}

/// Adds the stated result of `item` to `def`.
pub(super) fn read_result<'a>(cx: &mut Context<'a>, def: DefIx, item: Node<'a>) {
    if let Some(result) = item.child(F::ReturnType) {
        cx.b.def_mut(def).ret_text = Some(cx.b.out.str(&fold_line(result.text(), 200)));
        cx.b.def_mut(def).ret = Some(cx.b.out.ty(result));
    }
}

/// Names in a parameter's pattern are bound, not read.
pub(super) fn pattern_range<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(pattern) = node.child(F::Pattern) {
        patterns::enter_pattern(cx, pattern);
    }
}

/// A closure: its parameters are known only in it.
pub(super) fn bind_closure_params<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(list) = node.child(F::Parameters) else { return };
    let range = (node.start(), node.end());
    // The callee that takes the closure states its parameters.
    let passed = node.parent().filter(|list| list.is(K::Arguments)).and_then(|list| {
        let at =
            list.children().filter(|arg| !arg.is(K::AttributeItem)).take(8).position(|arg| arg == node)?;
        let call = list.parent().filter(|call| call.is(K::CallExpression))?;
        Some((at as u8, call.child(F::Function)?))
    });
    for (at, param) in list.children().take(16).enumerate() {
        let (pattern, ty) = if param.is(K::Parameter) {
            let Some(pattern) = param.child(F::Pattern) else { continue };
            (pattern, param.child(F::TypeField).map(|ty| cx.b.body.ty(ty)))
        } else {
            (param, None)
        };
        let value = match passed {
            Some((arg, callee)) if ty.is_none() => {
                let callee = cx.b.body.value(callee);
                Some(cx.b.body.add(Expr::Passed(callee, arg, at as u8)))
            }
            _ => None,
        };
        patterns::bind_pattern(cx, BindingKind::Param, pattern, ty, value, range);
    }
    patterns::enter_pattern(cx, list);
}
