//! The parameters of a function as they are written.

use sdl_model::facts::ParamKind;

use super::kinds::{F, K, Node};

/// One parameter as written; several may share a type.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) name: Option<Node<'a>>,
    pub(super) ty: Option<Node<'a>>,
    pub(super) kind: ParamKind,
}

pub(super) fn written_params(list: Node<'_>) -> impl Iterator<Item = Written<'_>> {
    list.children().flat_map(|node| {
        let kind = if node.is(K::VariadicParameter) { ParamKind::Rest } else { ParamKind::Positional };
        let ty = node.child(F::TypeField);
        let unnamed = node.child(F::Name).is_none();
        let names = node.children_in(F::Name).map(Some).chain(unnamed.then_some(None));
        names.map(move |name| Written { name, ty, kind })
    })
}
