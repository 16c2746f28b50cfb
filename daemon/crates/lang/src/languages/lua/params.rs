//! Parameters.

use sdl_model::facts::{BindingKind, DefIx, Param, ParamKind};

use super::kinds::{Context, F, K, Node};
use super::{docs, scopes};

/// Most parameters of one function.
const MAX_PARAMS: usize = 255;

fn written(function: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let list = function.child(F::ParametersField).into_iter().flat_map(Node::children);
    list.filter(|param| matches!(param.kind(), K::Identifier | K::Vararg)).take(MAX_PARAMS)
}

/// The first parameter of `function`, the member `name` of a table, if that is the receiver: it is called `self`, or the
/// function is one of a metatable.
pub(super) fn receiver<'a>(function: Node<'a>, name: &str) -> Option<&'a str> {
    let first = written(function).next().filter(|first| first.is(K::Identifier))?.text();
    (first == "self" || name.starts_with("__")).then_some(first)
}

/// Adds the parameters of `function` to `def`, the innermost open definition. The first may be its `receiver`.
pub(super) fn read_params<'a>(
    cx: &mut Context<'a>,
    def: DefIx,
    function: Node<'a>,
    receiver: Option<&str>,
    comments: &str,
) {
    let range = (cx.b.def(def).span.start, cx.b.scope_end());
    for (at, param) in written(function).enumerate() {
        let rest = param.is(K::Vararg);
        let name = if rest { "" } else { param.text() };
        let is_receiver = !rest && at == 0 && receiver == Some(name);
        let kind = match (rest, is_receiver) {
            (true, _) => ParamKind::Rest,
            (_, true) => ParamKind::Receiver,
            _ => ParamKind::Positional,
        };
        let said = if rest { None } else { docs::param_type(&mut cx.b.out, comments, name) };
        let stated = Param {
            name: cx.b.out.str(name),
            ty_text: said.map(|(_, text)| cx.b.out.str(text)),
            ty: said.map(|(ty, _)| ty),
            // An argument that a call omits is nil, but only `...` says that it may be.
            optional: rest,
            kind,
        };
        cx.b.def_mut(def).params.push(stated);
        if rest || is_receiver {
            continue;
        }
        scopes::shadow_receiver(cx, name, range);
        let ty = docs::param_type(&mut cx.b.body, comments, name).map(|(ty, _)| ty);
        cx.b.bind_within(BindingKind::Param, name, ty, None, range);
    }
}

/// The parameters of an anonymous function are known only in it.
pub(super) fn bind_params<'a>(cx: &mut Context<'a>, function: Node<'a>) {
    let range = (function.start(), function.end());
    for param in written(function).filter(|param| param.is(K::Identifier)) {
        scopes::shadow_receiver(cx, param.text(), range);
        cx.b.bind_within(BindingKind::Param, param.text(), None, None, range);
    }
}
