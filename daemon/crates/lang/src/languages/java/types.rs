//! Shapes of types.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use crate::builder::Half;

/// Maximum number of dimensions of an array.
const MAX_DIMENSIONS: usize = 8;

pub(super) fn type_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::TypeIdentifier | K::Identifier | K::IntegralType | K::FloatingPointType | K::BooleanType => {
            half.type_name(node.text())
        }
        K::VoidType => half.lit(Lit::Null),
        K::ScopedTypeIdentifier | K::ScopedIdentifier => {
            let base = half.ty_or_unknown(node.first());
            half.attr(base, last_part(node))
        }
        K::FieldAccess => {
            let base = half.ty_or_unknown(node.child(F::Object));
            half.attr(base, node.child(F::Field).map_or("", Node::text))
        }
        K::GenericType => {
            let base = half.ty_or_unknown(node.first());
            let list = node.child_of(K::TypeArguments);
            let args = list.map_or_else(Vec::new, |list| half.types(list.children().filter(is_argument)));
            if args.is_empty() { base } else { half.add(Expr::Generic(base, args)) }
        }
        K::ArrayType => {
            let element = half.ty_or_unknown(node.child(F::Element));
            array_shape(half, element, node.child(F::DimensionsField))
        }
        K::AnnotatedType => {
            let stated =
                node.children().find(|part| !matches!(part.kind(), K::MarkerAnnotation | K::Annotation));
            half.ty_or_unknown(stated)
        }
        K::Wildcard => {
            let bounded = node
                .children()
                .find(|part| !matches!(part.kind(), K::MarkerAnnotation | K::Annotation | K::Super));
            half.ty_or_unknown(bounded)
        }
        K::CatchType | K::TypeBound | K::TypeList => {
            let all = half.types(node.children());
            half.union(all)
        }
        _ => half.unknown(),
    }
}

fn is_argument(node: &Node<'_>) -> bool {
    !matches!(node.kind(), K::Less | K::Greater)
}

/// An array of `element` with as many dimensions as `dimensions` writes, such as `int[][]`.
pub(super) fn array_shape<'a>(half: &mut Half<'a>, element: ExprIx, dimensions: Option<Node<'a>>) -> ExprIx {
    let count = dimensions.map_or(0, |node| node.text().bytes().filter(|byte| *byte == b'[').count());
    (0..count.min(MAX_DIMENSIONS)).fold(element, |inner, _| half.add(Expr::Index(inner)))
}

/// A type that is written out; `var` is none.
pub(super) fn stated_type(node: Option<Node<'_>>) -> Option<Node<'_>> {
    node.filter(|ty| !(ty.is(K::TypeIdentifier) && ty.text() == "var"))
}

/// The last part of a dotted name.
pub(super) fn last_part(node: Node<'_>) -> &str {
    let text = node.text();
    text.rsplit_once('.').map_or(text, |(_, last)| last.rsplit(char::is_whitespace).next().unwrap_or(last))
}

/// The name in a type: without arguments, brackets, annotations.
pub(super) fn type_name_node(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..8 {
        node = match node.kind() {
            K::TypeIdentifier | K::ScopedTypeIdentifier => return Some(node),
            K::GenericType => node.first()?,
            K::AnnotatedType => {
                node.children().find(|part| !matches!(part.kind(), K::MarkerAnnotation | K::Annotation))?
            }
            _ => return None,
        };
    }
    None
}
