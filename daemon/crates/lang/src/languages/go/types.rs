//! Shapes of types. A pointer has the shape of its target.

use sdl_model::facts::{Expr, ExprIx, ParamKind};

use super::kinds::{F, K, Node};
use super::written_params::written_params;
use crate::builder::{Half, MAX_ELEMENTS};

pub(super) fn type_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::TypeIdentifier | K::Identifier => half.type_name(node.text()),
        K::QualifiedType => {
            let package = half.type_name(node.child(F::Package).map_or("", Node::text));
            half.attr(package, node.child(F::Name).map_or("", Node::text))
        }
        K::SelectorExpression => {
            let base = half.ty_or_unknown(node.child(F::Operand));
            half.attr(base, node.child(F::Field).map_or("", Node::text))
        }
        K::PointerType | K::ParenthesizedType | K::NegatedType | K::ParenthesizedExpression => {
            half.ty_or_unknown(node.first())
        }
        K::UnaryExpression => half.ty_or_unknown(node.child(F::Operand)),
        K::SliceType | K::ArrayType | K::ImplicitLengthArrayType => {
            let element = half.ty_or_unknown(node.child(F::Element));
            half.add(Expr::Index(element))
        }
        K::ChannelType => {
            let element = half.ty_or_unknown(node.child(F::Value));
            half.add(Expr::Index(element))
        }
        K::MapType => {
            let key = half.ty_or_unknown(node.child(F::Key));
            let value = half.ty_or_unknown(node.child(F::Value));
            let base = half.type_name("map");
            half.add(Expr::Generic(base, vec![key, value]))
        }
        K::GenericType | K::TypeInstantiation => {
            let base = half.ty_or_unknown(node.child(F::TypeField));
            let args: Vec<_> = match node.child(F::TypeArgumentsField) {
                Some(list) => half.types(list.children()),
                None => half.types(node.children().skip(1)),
            };
            half.add(Expr::Generic(base, args))
        }
        K::FunctionType | K::FuncLiteral => {
            let params = node.child(F::Parameters).map_or_else(Vec::new, |list| param_types(half, list));
            let ret = node.child(F::Result).map(|result| self::result_shape(half, result));
            half.add(Expr::Callable(params, ret))
        }
        K::TypeElem | K::TypeConstraint => {
            let all = half.types(node.children());
            half.union(all)
        }
        _ => half.unknown(),
    }
}

/// The result of a function whose result node is `node`: a type, or a tuple of them.
pub(super) fn result_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    if !node.is(K::ParameterList) {
        return half.ty(node);
    }
    let types = param_types(half, node);
    match types.as_slice() {
        [only] => *only,
        _ => half.add(Expr::Tuple(types)),
    }
}

fn param_types<'a>(half: &mut Half<'a>, list: Node<'a>) -> Vec<ExprIx> {
    written_params(list)
        .take(MAX_ELEMENTS)
        .map(|param| {
            let ty = half.ty_or_unknown(param.ty);
            if param.kind == ParamKind::Rest { half.add(Expr::Index(ty)) } else { ty }
        })
        .collect()
}

/// The type's own name in a type expression: without pointers, arguments and brackets.
pub(super) fn type_name_node(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..8 {
        node = match node.kind() {
            K::TypeIdentifier | K::QualifiedType => return Some(node),
            K::PointerType | K::ParenthesizedType | K::NegatedType => node.first()?,
            K::TypeElem | K::TypeConstraint => node.first().filter(|_| node.children().count() == 1)?,
            K::GenericType => node.child(F::TypeField)?,
            _ => return None,
        };
    }
    None
}

/// The last part of the name of the type that `node` states.
pub(super) fn last_name(node: Node<'_>) -> Option<Node<'_>> {
    let named = type_name_node(node)?;
    if named.is(K::QualifiedType) { named.child(F::Name) } else { Some(named) }
}

/// Types that every file knows.
pub(super) fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "any"
            | "bool"
            | "byte"
            | "comparable"
            | "complex128"
            | "complex64"
            | "error"
            | "float32"
            | "float64"
            | "int"
            | "int16"
            | "int32"
            | "int64"
            | "int8"
            | "rune"
            | "string"
            | "uint"
            | "uint16"
            | "uint32"
            | "uint64"
            | "uint8"
            | "uintptr"
    )
}
