//! Parameters.

use sdl_model::facts::{BindingKind, DefIx, Expr, Param, ParamKind};

use super::kinds::{Context, K, Node};
use super::types::result_shape;
use super::written_params::{Written, written_params};
use crate::builder::text::fold_line;

/// Adds the parameters in `list` to `def`, the innermost open definition.
pub(super) fn read_params<'a>(cx: &mut Context<'a>, def: DefIx, list: Node<'a>, kind: Option<ParamKind>) {
    for param in written_params(list).take(255) {
        let stated = Param {
            name: cx.b.out.str(param.name.map_or("", Node::text)),
            ty_text: param.ty.map(|ty| cx.b.out.str(&fold_line(ty.text(), 200))),
            ty: param.ty.map(|ty| cx.b.out.ty(ty)),
            optional: param.kind == ParamKind::Rest,
            kind: kind.unwrap_or(param.kind),
        };
        cx.b.def_mut(def).params.push(stated);
        let from = cx.b.def(def).span.start;
        let to = cx.b.scope_end();
        bind_param(cx, param, (from, to));
    }
}

/// Binds the parameters in `list`, of an anonymous function or of a result, where they are known.
pub(super) fn bind_all<'a>(cx: &mut Context<'a>, list: Node<'a>, range: (u32, u32)) {
    for param in written_params(list).take(255) {
        bind_param(cx, param, range);
    }
}

fn bind_param<'a>(cx: &mut Context<'a>, param: Written<'a>, (from, to): (u32, u32)) {
    let Some(name) = param.name.filter(|name| name.text() != "_") else { return };
    let mut ty = param.ty.map(|ty| cx.b.body.ty(ty));
    if let (Some(of), ParamKind::Rest) = (ty, param.kind) {
        ty = Some(cx.b.body.add(Expr::Index(of)));
    }
    cx.b.bind_within(BindingKind::Param, name.text(), ty, None, (from, to));
}

/// States the result `node` of `def`, and binds its names.
pub(super) fn read_result<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let text = fold_line(node.text(), 200);
    cx.b.def_mut(def).ret_text = Some(cx.b.out.str(&text));
    cx.b.def_mut(def).ret = Some(result_shape(&mut cx.b.out, node));
    if node.is(K::ParameterList) {
        let range = (cx.b.def(def).span.start, cx.b.scope_end());
        bind_all(cx, node, range);
    }
}
