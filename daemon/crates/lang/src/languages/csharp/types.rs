//! Shapes of types.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use crate::builder::Half;

pub(super) fn type_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier | K::PredefinedType => half.type_name(plain_name(node.text())),
        K::GenericName => {
            let base = half.type_name(plain_name(node.first().map_or("", Node::text)));
            let args = node.child_of(K::TypeArgumentList).map(|list| half.types(type_arguments(list)));
            match args.filter(|args| !args.is_empty()) {
                Some(args) => half.add(Expr::Generic(base, args)),
                None => base,
            }
        }
        K::QualifiedName | K::MemberAccess => {
            let base =
                half.ty_or_unknown(node.child(F::Qualifier).or_else(|| node.child(F::ExpressionField)));
            member_shape(half, base, node.child(F::Name))
        }
        K::AliasQualifiedName => {
            let alias = node.child(F::AliasField).map_or("", Node::text);
            let Some(name) = node.child(F::Name) else { return half.unknown() };
            if alias == "global" {
                return half.ty(name);
            }
            let base = half.type_name(alias);
            member_shape(half, base, Some(name))
        }
        K::NullableType => {
            let inner = half.ty_or_unknown(node.child(F::TypeField));
            half.optional(inner)
        }
        K::ArrayType => {
            let element = half.ty_or_unknown(node.child(F::TypeField));
            half.add(Expr::Index(element))
        }
        K::PointerType | K::RefType | K::ScopedType | K::TypePattern | K::TupleElement => {
            half.ty_or_unknown(node.child(F::TypeField))
        }
        K::ConstantPattern | K::Parenthesized => half.ty_or_unknown(node.first()),
        K::TupleType => {
            let items = half.types(node.children());
            half.add(Expr::Tuple(items))
        }
        K::FunctionPointerType => {
            let ret = node.child(F::Returns).map(|ret| half.ty(ret));
            half.add(Expr::Callable(Vec::new(), ret))
        }
        K::Null => half.lit(Lit::Null),
        _ => half.unknown(),
    }
}

/// `base.name`, where the name may have arguments.
fn member_shape<'a>(half: &mut Half<'a>, base: ExprIx, name: Option<Node<'a>>) -> ExprIx {
    let Some(name) = name else { return base };
    if !name.is(K::GenericName) {
        return half.attr(base, plain_name(name.text()));
    }
    let shape = half.attr(base, plain_name(name.first().map_or("", Node::text)));
    let args = name.child_of(K::TypeArgumentList).map_or_else(Vec::new, |list| half.types(list.children()));
    if args.is_empty() { shape } else { half.add(Expr::Generic(shape, args)) }
}

/// The types between the brackets.
fn type_arguments(list: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    list.children().filter(|part| !matches!(part.kind(), K::Less | K::Greater))
}

/// A name without the mark that lets it be a keyword.
pub(super) fn plain_name(name: &str) -> &str {
    name.strip_prefix('@').unwrap_or(name)
}

/// The stated type of `node`, unless it is `var`.
pub(super) fn stated_type(node: Node<'_>) -> Option<Node<'_>> {
    node.child(F::TypeField).filter(|ty| !is_var(*ty))
}

/// Whether `node` leaves the type to be inferred.
pub(super) fn is_var(node: Node<'_>) -> bool {
    node.is(K::ImplicitType) || node.is(K::Identifier) && node.text() == "var"
}

/// Splits a type's name: the part before the last one, and the last one itself.
pub(super) fn split_type_name(mut node: Node<'_>) -> Option<(Option<Node<'_>>, Node<'_>)> {
    for _ in 0..8 {
        node = match node.kind() {
            K::Identifier => return Some((None, node)),
            K::GenericName => return Some((None, node.first()?)),
            K::QualifiedName => {
                let name = node.child(F::Name)?;
                let name = if name.is(K::GenericName) { name.first()? } else { name };
                return Some((node.child(F::Qualifier), name));
            }
            K::AliasQualifiedName => {
                let name = node.child(F::Name)?;
                let name = if name.is(K::GenericName) { name.first()? } else { name };
                return Some((node.child(F::AliasField).filter(|alias| alias.text() != "global"), name));
            }
            K::NullableType | K::RefType | K::ScopedType | K::TypePattern => node.child(F::TypeField)?,
            K::ConstantPattern => node.first()?,
            _ => return None,
        };
    }
    None
}
