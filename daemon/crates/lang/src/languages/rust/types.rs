//! Shapes of stated types.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use super::names::plain_name;
use crate::builder::{Half, MAX_ELEMENTS};

pub(super) fn type_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::TypeIdentifier | K::Identifier | K::PrimitiveType => name_shape(half, node.text()),
        K::Crate | K::Super | K::SelfName => half.type_name(node.text()),
        K::Metavariable if node.text() == "$crate" => half.type_name("crate"),
        // `&x` has the shape of `x`, because a borrowed value has the members of the value.
        K::ReferenceType | K::PointerType => half.ty_or_unknown(node.child(F::TypeField)),
        K::ScopedTypeIdentifier | K::ScopedIdentifier => {
            let name = node.child(F::Name).map_or("", Node::text);
            match node.child(F::Path) {
                Some(base) => {
                    let base = half.ty(base);
                    half.path(base, name)
                }
                None => half.type_name(name),
            }
        }
        K::GenericType | K::GenericTypeTurbofish => {
            let base = half.ty_or_unknown(node.child(F::TypeField));
            let args = type_arguments(half, node.child(F::TypeArgumentsField));
            if args.is_empty() { base } else { half.add(Expr::Generic(base, args)) }
        }
        K::BracketedType | K::TypeBinding => {
            let inner = node.child(F::TypeField).or_else(|| node.first());
            half.ty_or_unknown(inner)
        }
        // `<T as Trait>`: T's own member, unless T has no name.
        K::QualifiedType => {
            let ty = half.ty_or_unknown(node.child(F::TypeField));
            let named =
                matches!(half.expr(ty), Expr::Name(_) | Expr::Path(..) | Expr::SelfType | Expr::Generic(..));
            if named { ty } else { half.ty_or_unknown(node.child(F::Alias)) }
        }
        K::DynamicType | K::AbstractType => half.ty_or_unknown(node.child(F::Trait)),
        K::HigherRankedBound => half.ty_or_unknown(node.child(F::TypeField)),
        K::BoundedType => {
            let mut all = half.types(node.children().filter(|part| !part.is(K::Lifetime)));
            all.retain(|ix| !half.is_unknown(*ix));
            half.union(all)
        }
        K::ArrayType => {
            let element = half.ty_or_unknown(node.child(F::Element));
            half.add(Expr::Index(element))
        }
        K::TupleType => {
            let items = half.types(node.children());
            half.add(Expr::Tuple(items))
        }
        K::UnitType => half.lit(Lit::Null),
        K::FunctionType => {
            let params = node.child(F::Parameters).into_iter().flat_map(Node::children);
            let params = params.map(|param| param.child(F::TypeField).unwrap_or(param));
            let params = half.types(params);
            let ret = node.child(F::ReturnType).map(|ret| half.ty(ret));
            half.add(Expr::Callable(params, ret))
        }
        _ => half.unknown(),
    }
}

fn name_shape(half: &mut Half<'_>, text: &str) -> ExprIx {
    match text {
        "Self" => half.add(Expr::SelfType),
        _ => half.type_name(plain_name(text)),
    }
}

/// The types among type arguments; for `Iterator<Item = T>`, T.
fn type_arguments<'a>(half: &mut Half<'a>, list: Option<Node<'a>>) -> Vec<ExprIx> {
    let args = list.into_iter().flat_map(Node::children);
    args.filter(|arg| !matches!(arg.kind(), K::Lifetime | K::Block) && arg.field() != F::Bounds)
        .take(MAX_ELEMENTS)
        .map(|arg| half.ty(arg))
        .collect()
}

/// The node that names a type: its last part, without references and arguments.
pub(super) fn type_head(ty: Node<'_>) -> Node<'_> {
    let mut at = ty;
    for _ in 0..32 {
        let inner = match at.kind() {
            K::GenericType | K::ReferenceType | K::PointerType => at.child(F::TypeField),
            K::ScopedTypeIdentifier => at.child(F::Name),
            K::DynamicType | K::AbstractType => at.child(F::Trait),
            K::ArrayType => at.child(F::Element),
            _ => None,
        };
        match inner {
            Some(inner) => at = inner,
            None => break,
        }
    }
    at
}
