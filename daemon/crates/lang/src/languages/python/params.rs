//! Parameters.

use sdl_model::facts::{BindingKind, DefIx, Expr, Param, ParamKind};

use super::kinds::{Context, F, K, Node};
use crate::builder::text::fold_line;

/// One parameter as written.
struct Written<'a> {
    name: Node<'a>,
    ty: Option<Node<'a>>,
    default: Option<Node<'a>>,
    kind: ParamKind,
}

fn written_params(list: Node<'_>) -> impl Iterator<Item = Written<'_>> {
    let mut by_position = ParamKind::Positional;
    list.children().filter_map(move |node| {
        let mut kind = by_position;
        let mut name = match node.kind() {
            K::Identifier | K::ListSplatPattern | K::DictionarySplatPattern => node,
            K::DefaultParameter | K::TypedDefaultParameter => node.child(F::Name)?,
            K::TypedParameter => node.first()?,
            K::KeywordSeparator => {
                by_position = ParamKind::Keyword;
                return None;
            }
            _ => return None,
        };
        if name.is(K::ListSplatPattern) {
            kind = ParamKind::Rest;
            by_position = ParamKind::Keyword;
            name = name.first()?;
        } else if name.is(K::DictionarySplatPattern) {
            kind = ParamKind::KeywordRest;
            name = name.first()?;
        }
        Some(Written { name, ty: node.child(F::TypeField), default: node.child(F::Value), kind })
    })
}

/// Adds the parameters in `list` to `def`, the innermost open definition. `receiver_of` is the class that the first one
/// is an instance of, and whether it is that class itself.
pub(super) fn read_params<'a>(
    cx: &mut Context<'a>,
    def: DefIx,
    list: Node<'a>,
    receiver_of: Option<(DefIx, bool)>,
) {
    let from = cx.b.def(def).span.start;
    for (at, mut param) in written_params(list).enumerate() {
        if let (0, ParamKind::Positional, Some((class, is_type))) = (at, param.kind, receiver_of) {
            param.kind = ParamKind::Receiver;
            cx.b.set_receiver(param.name.text(), class, is_type);
        }
        let stated = Param {
            name: cx.b.out.str(param.name.text()),
            ty_text: param.ty.map(|ty| cx.b.out.str(&fold_line(ty.text(), 200))),
            ty: param.ty.map(|ty| cx.b.out.ty(ty)),
            optional: param.default.is_some()
                || matches!(param.kind, ParamKind::Rest | ParamKind::KeywordRest),
            kind: param.kind,
        };
        cx.b.def_mut(def).params.push(stated);
        bind_param(cx, &param, from, None);
    }
}

fn bind_param<'a>(cx: &mut Context<'a>, param: &Written<'a>, from: u32, to: Option<u32>) {
    let mut ty = param.ty.map(|ty| cx.b.body.ty(ty));
    if let (Some(of), ParamKind::Rest | ParamKind::KeywordRest) = (ty, param.kind) {
        let (name, args) = if param.kind == ParamKind::Rest {
            ("tuple", vec![of])
        } else {
            let key = cx.b.body.type_name("str");
            ("dict", vec![key, of])
        };
        let name = cx.b.body.type_name(name);
        ty = Some(cx.b.body.add(Expr::Generic(name, args)));
    }
    let value = match param.kind {
        ParamKind::Receiver => Some(cx.b.body.name(param.name.text())),
        _ => param.default.map(|default| cx.b.body.value(default)),
    };
    let to = to.unwrap_or_else(|| cx.b.scope_end());
    cx.b.bind_within(BindingKind::Param, param.name.text(), ty, value, (from, to));
}

/// A lambda: its parameters are known only in it. A lambda that is bound to a name is a definition, which has its own
/// parameters.
pub(super) fn bind_lambda_params<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let opened = node.is_in(K::Assignment, F::Right)
        && cx.b.def(cx.b.scope()).kind.is_callable()
        && cx.b.def(cx.b.scope()).body_start == node.child(F::Body).map(Node::start);
    if opened {
        return;
    }
    if let Some(list) = node.child(F::Parameters) {
        for param in written_params(list) {
            bind_param(cx, &param, node.start(), Some(node.end()));
        }
    }
}
