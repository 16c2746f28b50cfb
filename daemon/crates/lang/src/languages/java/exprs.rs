//! Shapes of values.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use super::types;
use crate::builder::Half;

/// How deep people nest code.
const MAX_NESTING: usize = 64;

pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier => half.name(node.text()),
        K::This => half.add(Expr::SelfRef),
        K::Super => half.add(Expr::SuperRef),
        K::FieldAccess => {
            let object = node.child(F::Object);
            let Some(field) = node.child(F::Field) else { return half.unknown() };
            if field.is(K::This) {
                let outer = half.ty_or_unknown(object);
                return half.add(Expr::New(outer));
            }
            let base = half.value_or_unknown(object);
            half.attr(base, field.text())
        }
        K::MethodInvocation => {
            let callee = callee_shape(half, node);
            half.call(callee, arg_count(node))
        }
        // `outer.new Inner()`: the inner type is a member of the outer one.
        K::ObjectCreation
            if let (Some(outer), Some(named)) =
                (outer_object(node), node.child(F::TypeField).filter(|ty| ty.is(K::TypeIdentifier))) =>
        {
            let base = half.value(outer);
            let class = half.attr(base, named.text());
            half.call(class, arg_count(node))
        }
        K::ObjectCreation | K::CastExpression => {
            let ty = half.ty_or_unknown(node.child(F::TypeField));
            half.add(Expr::New(ty))
        }
        K::ArrayCreation => {
            let element = half.ty_or_unknown(node.child(F::TypeField));
            let dimensions = node.children_in(F::DimensionsField).take(8).count();
            let written = node.child_of(K::Dimensions);
            let ty = if written.is_some() {
                types::array_shape(half, element, written)
            } else {
                (0..dimensions).fold(element, |inner, _| half.add(Expr::Index(inner)))
            };
            half.add(Expr::New(ty))
        }
        K::ArrayInitializer => {
            let items = half.values(node.children());
            if items.is_empty() { half.lit(Lit::List) } else { half.add(Expr::Tuple(items)) }
        }
        K::ArrayAccess => {
            let base = half.value_or_unknown(node.child(F::Array));
            half.add(Expr::Index(base))
        }
        _ => operation_shape(half, node),
    }
}

/// The shape of operators and conditions.
fn operation_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::ParenthesizedExpression | K::ExpressionStatement => half.value_or_unknown(node.first()),
        K::AssignmentExpression => half.value_or_unknown(node.child(F::Right)),
        K::TernaryExpression => {
            let then = half.value_or_unknown(node.child(F::Consequence));
            let otherwise = half.value_or_unknown(node.child(F::Alternative));
            half.either(vec![then, otherwise])
        }
        K::LambdaExpression => match node.child(F::Body).filter(|body| !body.is(K::Block)) {
            Some(body) => {
                let ret = half.value(body);
                half.add(Expr::Callable(Vec::new(), Some(ret)))
            }
            None => half.lit(Lit::Lambda),
        },
        K::MethodReference => method_reference(half, node),
        K::ClassLiteral => {
            let class = half.type_name("Class");
            half.add(Expr::New(class))
        }
        K::BinaryExpression => {
            let compares = node.child(F::Operator).is_some_and(|operator| operator.kind() != K::Other);
            if compares {
                return half.lit(Lit::Bool);
            }
            // Only text keeps its type whatever is added to it: `"a" + b` is text.
            let left = node.child(F::Left).map(|left| half.value(left));
            match left.map(|left| half.expr(left)) {
                Some(Expr::Lit(Lit::Str)) => half.lit(Lit::Str),
                _ => half.unknown(),
            }
        }
        K::UnaryExpression if node.child_of(K::Bang).is_some() => half.lit(Lit::Bool),
        K::UnaryExpression => half.value_or_unknown(node.child(F::Operand)),
        K::InstanceofExpression | K::True | K::False => half.lit(Lit::Bool),
        _ => literal_shape(half, node),
    }
}

/// The shape of a literal, or a class with the name of a value.
fn literal_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::StringLiteral => half.lit(Lit::Str),
        K::DecimalInteger | K::HexInteger | K::OctalInteger | K::BinaryInteger | K::CharacterLiteral => {
            half.lit(Lit::Int)
        }
        K::DecimalFloat | K::HexFloat => half.lit(Lit::Float),
        K::NullLiteral => half.lit(Lit::Null),
        // A type before `::`.
        K::TypeIdentifier | K::ScopedTypeIdentifier | K::GenericType | K::ArrayType => half.ty(node),
        _ => half.unknown(),
    }
}

/// The object in which `node`, a creation, makes one of an inner type: `outer` in `outer.new Inner()`.
pub(super) fn outer_object(node: Node<'_>) -> Option<Node<'_>> {
    node.first().filter(|first| {
        matches!(
            first.kind(),
            K::Identifier
                | K::FieldAccess
                | K::This
                | K::MethodInvocation
                | K::ParenthesizedExpression
                | K::ArrayAccess
                | K::ObjectCreation
        )
    })
}

/// The shape of the callee of `node`, a call.
pub(super) fn callee_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let name = node.child(F::Name).map_or("", Node::text);
    match node.child(F::Object) {
        Some(object) => {
            let base = receiver_shape(half, node, object);
            half.attr(base, name)
        }
        None => half.name(name),
    }
}

/// The value before the dot of a call.
pub(super) fn receiver_shape<'a>(half: &mut Half<'a>, node: Node<'a>, object: Node<'a>) -> ExprIx {
    // `Outer.super.m()`.
    if node.children().any(|part| part.is(K::Super) && part.field() != F::Object) {
        return qualified_super(half, node, object);
    }
    half.value(object)
}

/// The receiver of `object.super.m()`: the interface that is named, or the base of the type around that is.
fn qualified_super<'a>(half: &mut Half<'a>, node: Node<'a>, object: Node<'a>) -> ExprIx {
    let is_around = |around: Node<'_>| around.child(F::Name).is_some_and(|name| name.text() == object.text());
    if node.ancestors().take(MAX_NESTING).any(is_around) {
        return half.add(Expr::SuperRef);
    }
    let interface = half.dotted(object.text());
    half.add(Expr::New(interface))
}

fn method_reference<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let base = half.value_or_unknown(node.first());
    match node.children().last() {
        Some(name) if name.is(K::Identifier) => half.attr(base, name.text()),
        Some(_) => {
            let built = half.add(Expr::New(base));
            half.add(Expr::Callable(Vec::new(), Some(built)))
        }
        None => half.unknown(),
    }
}

/// How many arguments a call or a creation has.
pub(super) fn arg_count(node: Node<'_>) -> usize {
    node.child(F::Arguments).map_or(0, |args| args.children().count())
}

/// The text between a string's quotes.
pub(super) fn string_content(node: Node<'_>) -> &str {
    node.text().trim_matches('"')
}
