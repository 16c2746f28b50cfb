//! Parameters.

use sdl_model::facts::{BindingKind, DefIx, Param, ParamKind};

use super::kinds::{Context, F, K, Node};
use super::types::plain_name;
use crate::builder::text::fold_line;

/// How many parameters are looked at.
const MAX_PARAMS: usize = 64;

/// One parameter as written.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) name: Node<'a>,
    pub(super) ty: Option<Node<'a>>,
    optional: bool,
    /// `this T x`, the receiver of an extension method.
    pub(super) extends: bool,
    rest: bool,
}

pub(super) fn written_params(list: Node<'_>) -> Vec<Written<'_>> {
    if list.is(K::ImplicitParameter) {
        return vec![Written { name: list, ty: None, optional: false, extends: false, rest: false }];
    }
    let mut all = Vec::new();
    // `params T[] x` is in the list without a node of its own.
    let mut rest_ty = None;
    for part in list.children().take(MAX_PARAMS) {
        if part.is(K::Parameter) {
            let Some(name) = part.child(F::Name) else { continue };
            all.push(Written {
                name,
                ty: part.child(F::TypeField),
                optional: part.children().any(|token| token.is(K::EqualSign)),
                extends: part.children().any(|word| word.is(K::Modifier) && word.text() == "this"),
                rest: false,
            });
        } else if part.field() == F::TypeField {
            rest_ty = Some(part);
        } else if part.field() == F::Name {
            all.push(Written { name: part, ty: rest_ty.take(), optional: true, extends: false, rest: true });
        }
    }
    all
}

/// Adds the parameters in `list` to `def`, the innermost open definition, and binds them.
pub(super) fn read_params<'a>(cx: &mut Context<'a>, def: DefIx, list: Node<'a>) {
    add_params(cx, def, list);
    let range = (cx.b.def(def).span.start, cx.b.scope_end());
    bind_params(cx, list, range);
}

/// Adds the parameters in `list` to `def`. Sets the owner of an extension method.
pub(super) fn add_params<'a>(cx: &mut Context<'a>, def: DefIx, list: Node<'a>) {
    for param in written_params(list) {
        let ty = param.ty.map(|ty| cx.b.out.ty(ty));
        let kind = if param.rest {
            ParamKind::Rest
        } else if param.extends {
            ParamKind::Receiver
        } else {
            ParamKind::Positional
        };
        let stated = Param {
            name: cx.b.out.str(plain_name(param.name.text())),
            ty_text: param.ty.map(|ty| cx.b.out.str(&fold_line(ty.text(), 200))),
            ty,
            optional: param.optional,
            kind,
        };
        cx.b.def_mut(def).params.push(stated);
        if param.extends {
            cx.b.def_mut(def).owner = ty;
        }
    }
}

/// Binds the parameters in `list` where they are known.
pub(super) fn bind_params<'a>(cx: &mut Context<'a>, list: Node<'a>, (from, to): (u32, u32)) {
    for param in written_params(list) {
        let ty = param.ty.map(|ty| cx.b.body.ty(ty));
        cx.b.bind_within(BindingKind::Param, plain_name(param.name.text()), ty, None, (from, to));
    }
}
