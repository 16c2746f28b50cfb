//! Shapes of values.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use super::names;
use crate::builder::Half;

pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier => half.name(node.text()),
        K::This => half.add(Expr::SelfRef),
        K::QualifiedIdentifier => half.ty(node),
        K::TemplateFunction => half.value_or_unknown(node.child(F::Name)),
        K::FieldExpression => {
            let base = half.value_or_unknown(node.child(F::Argument));
            match node.child(F::Field).and_then(super::declarators::last_name) {
                Some(field) => half.attr(base, field.text()),
                None => half.unknown(),
            }
        }
        K::CallExpression => call_shape(half, node),
        K::NewExpression => {
            let ty = half.ty_or_unknown(node.child(F::Type));
            half.add(Expr::New(ty))
        }
        K::CastExpression | K::CompoundLiteral => {
            let ty = half.ty_or_unknown(node.child(F::Type));
            half.add(Expr::New(ty))
        }
        K::SubscriptExpression => {
            let base = half.value_or_unknown(node.child(F::Argument));
            // The shape of the base, because in C a subscripted value is a pointer, which has the shape of its
            // target.
            let cpp = node.child_of(K::SubscriptArguments).is_some();
            half.add(if cpp { Expr::Index(base) } else { Expr::Unwrap(base) })
        }
        K::PointerExpression => half.value_or_unknown(node.child(F::Argument)),
        K::CoAwait => {
            let inner = half.value_or_unknown(node.child(F::Argument).or_else(|| node.first()));
            half.add(Expr::Await(inner))
        }
        K::ParenthesizedExpression | K::ConditionClause => {
            half.value_or_unknown(node.child(F::Value).or_else(|| node.first()))
        }
        K::CommaExpression | K::AssignmentExpression => half.value_or_unknown(node.child(F::Right)),
        K::UpdateExpression => half.value_or_unknown(node.child(F::Argument)),
        K::ConditionalExpression => {
            let then = half.value_or_unknown(node.child(F::Consequence));
            let otherwise = half.value_or_unknown(node.child(F::Alternative));
            half.either(vec![then, otherwise])
        }
        K::StringLiteral | K::ConcatenatedString | K::RawStringLiteral => half.lit(Lit::Str),
        K::NumberLiteral => {
            let text = node.text();
            let hex = text.starts_with("0x") || text.starts_with("0X");
            half.lit(if !hex && text.contains(['.', 'e', 'E']) { Lit::Float } else { Lit::Int })
        }
        K::CharLiteral | K::SizeofExpression => half.lit(Lit::Int),
        K::True | K::False => half.lit(Lit::Bool),
        K::Null => half.lit(Lit::Null),
        K::LambdaExpression => half.lit(Lit::Lambda),
        _ => half.unknown(),
    }
}

fn call_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let Some(callee) = node.child(F::Function) else { return half.unknown() };
    if let Some(ty) = stated_result(callee) {
        let ty = half.ty(ty);
        return half.add(Expr::New(ty));
    }
    // Functions that move or forward a value return that value.
    if matches!(callee.text(), "std::move" | "std::ref" | "std::cref" | "std::as_const") {
        return half.value_or_unknown(node.child(F::Arguments).and_then(Node::first));
    }
    let callee = half.value(callee);
    half.call(callee, arg_count(node.child(F::Arguments)))
}

/// The result type that `callee` states: `static_cast<T>`, `make_unique<T>`.
pub(super) fn stated_result(callee: Node<'_>) -> Option<Node<'_>> {
    let template = template_function(callee)?;
    let name = template.child(F::Name)?.text();
    let casts = matches!(
        name,
        "static_cast"
            | "dynamic_cast"
            | "reinterpret_cast"
            | "const_cast"
            | "static_pointer_cast"
            | "dynamic_pointer_cast"
            | "any_cast"
            | "get_if"
    );
    (casts || is_make_function(name)).then(|| template.child(F::Arguments)?.first()).flatten()
}

/// The type of the new value that `callee` makes.
pub(super) fn made_type(callee: Node<'_>) -> Option<Node<'_>> {
    let template = template_function(callee)?;
    is_make_function(template.child(F::Name)?.text()).then(|| template.child(F::Arguments)?.first()).flatten()
}

fn is_make_function(name: &str) -> bool {
    matches!(name, "make_unique" | "make_shared" | "allocate_shared" | "make_unique_for_overwrite")
}

fn template_function(callee: Node<'_>) -> Option<Node<'_>> {
    let mut at = callee;
    for _ in 0..8 {
        match at.kind() {
            K::TemplateFunction => return Some(at),
            K::QualifiedIdentifier => at = at.child(F::Name)?,
            _ => return None,
        }
    }
    None
}

/// How many arguments are in an argument list.
pub(super) fn arg_count(args: Option<Node<'_>>) -> usize {
    args.map_or(0, |args| args.children().count())
}

/// The scope and name of a callee that is a qualified name.
pub(super) fn scope_and_name<'a>(half: &mut Half<'a>, node: Node<'a>) -> (Option<ExprIx>, Option<Node<'a>>) {
    (names::scope_of(half, node), super::declarators::last_name(node))
}
