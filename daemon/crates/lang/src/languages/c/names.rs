//! Shapes of stated types and of qualified names.

use sdl_model::facts::{Expr, ExprIx};

use super::declarators::function_shape;
use super::kinds::{F, K, Node};
use crate::builder::Half;

pub(super) fn type_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::TypeIdentifier
        | K::Identifier
        | K::NamespaceIdentifier
        | K::PrimitiveType
        | K::FieldIdentifier => half.type_name(node.text()),
        K::SizedTypeSpecifier => {
            let name = if node.text().contains("double") { "double" } else { "int" };
            half.type_name(name)
        }
        K::StructSpecifier | K::UnionSpecifier | K::ClassSpecifier | K::EnumSpecifier => {
            half.ty_or_unknown(node.child(F::Name))
        }
        K::TypeDescriptor => {
            let base = half.ty_or_unknown(node.child(F::Type));
            match node.child(F::Declarator) {
                Some(declarator) => descriptor_shape(half, base, declarator),
                None => base,
            }
        }
        K::TemplateType | K::TemplateFunction | K::TemplateMethod => {
            let base = half.ty_or_unknown(node.child(F::Name));
            generic_shape(half, base, node.child(F::Arguments))
        }
        K::QualifiedIdentifier => qualified_shape(half, node),
        K::DependentName | K::MacroTypeSpecifier => half.ty_or_unknown(node.first()),
        _ => half.unknown(),
    }
}

/// `base<arguments>`.
pub(super) fn generic_shape<'a>(half: &mut Half<'a>, base: ExprIx, arguments: Option<Node<'a>>) -> ExprIx {
    let args = half.types(arguments.into_iter().flat_map(Node::children));
    if args.is_empty() { base } else { half.add(Expr::Generic(base, args)) }
}

/// `scope::name`; of `::name` just the name.
fn qualified_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let Some(name) = node.child(F::Name) else { return half.unknown() };
    let Some(scope) = node.child(F::Scope) else { return half.ty(name) };
    let scope = half.ty(scope);
    nested_shape(half, scope, name)
}

/// `name`, which may be qualified itself, inside `scope`.
fn nested_shape<'a>(half: &mut Half<'a>, mut scope: ExprIx, mut name: Node<'a>) -> ExprIx {
    for _ in 0..16 {
        match name.kind() {
            K::QualifiedIdentifier => {
                if let Some(next) = name.child(F::Scope) {
                    scope = scoped_shape(half, scope, next);
                }
                match name.child(F::Name) {
                    Some(inner) => name = inner,
                    None => return scope,
                }
            }
            K::DependentName => match name.first() {
                Some(inner) => name = inner,
                None => return scope,
            },
            _ => break,
        }
    }
    scoped_shape(half, scope, name)
}

fn scoped_shape<'a>(half: &mut Half<'a>, scope: ExprIx, name: Node<'a>) -> ExprIx {
    match name.kind() {
        K::TemplateType | K::TemplateFunction | K::TemplateMethod => {
            let base = half.path(scope, name.child(F::Name).map_or("", Node::text));
            generic_shape(half, base, name.child(F::Arguments))
        }
        _ => half.path(scope, name.text()),
    }
}

/// The scope that a qualified name states: all of it but the last name. None for `::name`.
pub(super) fn scope_of<'a>(half: &mut Half<'a>, qualified: Node<'a>) -> Option<ExprIx> {
    let mut at = qualified;
    let mut scope: Option<ExprIx> = None;
    for _ in 0..16 {
        if !at.is(K::QualifiedIdentifier) {
            break;
        }
        if let Some(next) = at.child(F::Scope) {
            scope = Some(match scope {
                Some(scope) => scoped_shape(half, scope, next),
                None => half.ty(next),
            });
        }
        at = at.child(F::Name)?;
    }
    scope
}

/// The type that a descriptor's declarator makes of `base`: a function's, an array's, or for a pointer its target's.
fn descriptor_shape<'a>(half: &mut Half<'a>, base: ExprIx, declarator: Node<'a>) -> ExprIx {
    let mut at = declarator;
    for _ in 0..16 {
        if at.is(K::AbstractFunctionDeclarator) {
            return function_shape(half, base, at);
        }
        let Some(inner) = at.child(F::Declarator).or_else(|| at.first()) else { break };
        at = inner;
    }
    base
}
