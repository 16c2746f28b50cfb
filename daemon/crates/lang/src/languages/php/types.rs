//! Shapes of types.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{K, Node};
use crate::builder::{Half, MAX_ELEMENTS};

pub(super) fn type_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Name | K::QualifiedName | K::RelativeName | K::RelativeScope | K::PrimitiveType => {
            name_shape(half, node.text())
        }
        K::NamedType => half.ty_or_unknown(node.first()),
        K::OptionalType => {
            let inner = half.ty_or_unknown(node.first());
            half.optional(inner)
        }
        K::UnionType | K::IntersectionType | K::TypeList => {
            let all = half.types(node.children());
            half.union(all)
        }
        // `bottom_type`, and groups in brackets.
        _ => match node.first() {
            Some(inner) => half.ty(inner),
            None => half.unknown(),
        },
    }
}

/// The type that `text` names: `T`, `a\T`, `\a\T` (whose first part is then empty), `self`.
pub(super) fn name_shape(half: &mut Half<'_>, text: &str) -> ExprIx {
    match text {
        "self" | "static" => return half.add(Expr::SelfType),
        "parent" => return half.add(Expr::SuperRef),
        "null" | "void" => return half.lit(Lit::Null),
        _ => {}
    }
    let mut parts = text.split('\\').map(str::trim);
    let mut ix = half.type_name(parts.next().unwrap_or(""));
    for part in parts.take(MAX_ELEMENTS) {
        ix = half.path(ix, part);
    }
    ix
}

/// The qualifier of a name, if it has one, and its last part.
pub(super) fn split_name(text: &str) -> (Option<&str>, &str) {
    match text.rsplit_once('\\') {
        Some((base, last)) => (Some(base), last),
        None => (None, text),
    }
}
