//! Shapes of types.

use sdl_model::facts::{Expr, ExprIx};

use super::kinds::{K, Node};
use crate::builder::Half;

pub(super) fn type_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::UserType => user_type(half, node),
        K::Identifier => half.type_name(plain_name(node.text())),
        K::NullableType => {
            let inner = half.ty_or_unknown(stated_type(node));
            half.optional(inner)
        }
        K::ParenthesizedType | K::NonNullableType | K::TypeProjection | K::Parameter | K::TypeTest => {
            half.ty_or_unknown(stated_type(node))
        }
        K::FunctionType => {
            // `T.(A) -> R` is a function of A that is run on a T.
            let mut types = node.children().filter(|part| part.kind().is_type());
            let ret = types.by_ref().last();
            let receiver =
                node.children().find(|part| part.kind().is_type()).filter(|first| Some(*first) != ret);
            let mut params = Vec::new();
            if let Some(receiver) = receiver {
                let receiver = half.ty(receiver);
                params.push(half.add(Expr::Unwrap(receiver)));
            }
            if let Some(list) = node.child_of(K::FunctionTypeParameters) {
                params.extend(half.types(list.children()));
            }
            let ret = ret.map(|ret| half.ty(ret));
            half.add(Expr::Callable(params, ret))
        }
        _ => half.unknown(),
    }
}

fn user_type<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let mut shape = None;
    for part in node.children().take(32) {
        match (part.kind(), shape) {
            (K::Identifier, None) => shape = Some(half.type_name(plain_name(part.text()))),
            (K::Identifier, Some(base)) => shape = Some(half.attr(base, plain_name(part.text()))),
            (K::TypeArguments, Some(base)) => {
                let list = part.children().filter(|arg| arg.is(K::TypeProjection));
                let args = half.types(list);
                shape = Some(half.add(Expr::Generic(base, args)));
            }
            _ => {}
        }
    }
    shape.unwrap_or_else(|| half.unknown())
}

/// The first type inside `node`.
pub(super) fn stated_type(node: Node<'_>) -> Option<Node<'_>> {
    node.children().find(|part| part.kind().is_type())
}

/// A name without its back ticks.
pub(super) fn plain_name(name: &str) -> &str {
    name.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(name)
}

/// The plain name at the core of a type: without arguments and question marks.
pub(super) fn type_name_node(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..8 {
        if node.is(K::UserType) {
            return Some(node);
        }
        node = stated_type(node)?;
    }
    None
}

/// The last part of a type's name.
pub(super) fn last_name(user: Node<'_>) -> Option<Node<'_>> {
    user.children().filter(|part| part.is(K::Identifier)).last()
}

/// The part of a type's name before its last one.
pub(super) fn qualifier_shape<'a>(half: &mut Half<'a>, user: Node<'a>) -> Option<ExprIx> {
    let last = last_name(user)?;
    let mut shape = None;
    for part in user.children().filter(|part| part.is(K::Identifier) && *part != last).take(32) {
        shape = Some(match shape {
            None => half.name(plain_name(part.text())),
            Some(base) => half.attr(base, plain_name(part.text())),
        });
    }
    shape
}
