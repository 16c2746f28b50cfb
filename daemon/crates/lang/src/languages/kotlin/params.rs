//! Parameters.

use sdl_model::facts::{BindingKind, DefIx, Expr, Param, ParamKind};

use super::kinds::{Context, K, Node};
use super::types::{plain_name, stated_type};
use crate::builder::text::fold_line;

/// How many parameters are looked at.
const MAX_PARAMS: usize = 64;

/// One parameter as written.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    name: Node<'a>,
    ty: Option<Node<'a>>,
    optional: bool,
    rest: bool,
    /// Whether it is a property too, which its name then refers to.
    property: bool,
}

pub(super) fn written_params(list: Node<'_>) -> Vec<Written<'_>> {
    let mut all = Vec::new();
    let mut rest = false;
    for part in list.children().take(4 * MAX_PARAMS) {
        match part.kind() {
            K::ParameterModifiers => rest = part.text().contains("vararg"),
            K::Parameter | K::ClassParameter => {
                let Some(name) = part.child_of(K::Identifier) else { continue };
                let follows = part.next_sibling().is_some_and(|next| next.is(K::EqualSign));
                let own = part.child_of(K::EqualSign).is_some();
                let modifiers =
                    part.child_of(K::Modifiers).is_some_and(|words| words.text().contains("vararg"));
                let rest = std::mem::take(&mut rest) || modifiers;
                let property = part.children().any(|word| matches!(word.kind(), K::Val | K::Var));
                let optional = follows || own || rest;
                all.push(Written { name, ty: stated_type(part), optional, rest, property });
            }
            _ => {}
        }
    }
    all.truncate(MAX_PARAMS);
    all
}

/// Adds the parameters in `list` to `def`, the innermost open definition.
pub(super) fn read_params<'a>(cx: &mut Context<'a>, def: DefIx, list: Node<'a>) {
    for param in written_params(list) {
        let stated = Param {
            name: cx.b.out.str(plain_name(param.name.text())),
            ty_text: param.ty.map(|ty| cx.b.out.str(&fold_line(ty.text(), 200))),
            ty: param.ty.map(|ty| cx.b.out.ty(ty)),
            optional: param.optional,
            kind: if param.rest { ParamKind::Rest } else { ParamKind::Positional },
        };
        cx.b.def_mut(def).params.push(stated);
    }
    let range = (cx.b.def(def).span.start, cx.b.scope_end());
    bind_params(cx, list, range);
}

/// Binds the parameters in `list` where they are known.
pub(super) fn bind_params<'a>(cx: &mut Context<'a>, list: Node<'a>, (from, to): (u32, u32)) {
    for param in written_params(list).into_iter().filter(|param| !param.property) {
        let mut ty = param.ty.map(|ty| cx.b.body.ty(ty));
        if let (Some(of), true) = (ty, param.rest) {
            ty = Some(cx.b.body.add(Expr::Index(of)));
        }
        cx.b.bind_within(BindingKind::Param, plain_name(param.name.text()), ty, None, (from, to));
    }
}
