//! Shapes of values.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::{F, K, Node};
use crate::build::Half;

pub(super) fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier => half.name(node.text()),
        K::Attribute => {
            let base = half.value_or_unknown(node.child(F::Object));
            let name = node.child(F::AttributeName).map_or("", Node::text);
            half.attr(base, name)
        }
        K::Call => call(half, node),
        K::Subscript => {
            let base = half.value_or_unknown(node.child(F::Value));
            half.add(Expr::Index(base))
        }
        K::Await => {
            let inner = half.value_or_unknown(node.first());
            half.add(Expr::Await(inner))
        }
        K::ParenthesizedExpression | K::ExpressionStatement => half.value_or_unknown(node.first()),
        K::NamedExpression => half.value_or_unknown(node.child(F::Value)),
        K::ConditionalExpression => {
            // `a if condition else b`.
            let mut parts = node.children();
            let then = half.value_or_unknown(parts.next());
            let otherwise = half.value_or_unknown(parts.nth(1));
            half.either(vec![then, otherwise])
        }
        K::BooleanOperator => {
            let left = half.value_or_unknown(node.child(F::Left));
            let right = half.value_or_unknown(node.child(F::Right));
            half.either(vec![left, right])
        }
        K::Tuple | K::ExpressionList => {
            let items = half.values(node.children());
            half.add(Expr::Tuple(items))
        }
        K::List => {
            let items = half.values(node.children());
            if items.is_empty() { half.lit(Lit::List) } else { half.add(Expr::Tuple(items)) }
        }
        K::Type => half.ty(node),
        K::BinaryOperator => {
            // Only text stays what it is whatever is added to it.
            let left = node.child(F::Left).map(|left| half.value(left));
            match left.map(|left| half.expr(left)) {
                Some(Expr::Lit(Lit::Str)) => half.lit(Lit::Str),
                _ => half.unknown(),
            }
        }
        K::NotOperator | K::ComparisonOperator | K::True | K::False => half.lit(Lit::Bool),
        K::String | K::ConcatenatedString => {
            let quote = node.text().find(['"', '\'']).unwrap_or(0);
            let bytes = node.text().get(..quote).is_some_and(|prefix| prefix.contains(['b', 'B']));
            half.lit(if bytes { Lit::Bytes } else { Lit::Str })
        }
        K::Integer => half.lit(Lit::Int),
        K::Float => half.lit(Lit::Float),
        K::NoneLiteral => half.lit(Lit::Null),
        K::ListComprehension => half.lit(Lit::List),
        K::Dictionary | K::DictionaryComprehension => half.lit(Lit::Dict),
        K::Set | K::SetComprehension => half.lit(Lit::Set),
        K::Lambda => half.lit(Lit::Lambda),
        _ => half.unknown(),
    }
}

fn call<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let callee = node.child(F::Function);
    let args = node.child(F::Arguments);
    let first = args.and_then(Node::first);
    match callee.map_or("", Node::text) {
        "super" => return half.add(Expr::SuperRef),
        "type" if first.is_some_and(|arg| half.is_receiver(arg.text())) => return half.add(Expr::SelfType),
        "cast" | "typing.cast" | "t.cast" => {
            let ty = half.ty_or_unknown(first);
            return half.add(Expr::New(ty));
        }
        _ => {}
    }
    let callee = half.value_or_unknown(callee);
    half.call(callee, arg_count(args))
}

/// How many arguments stand in an argument list.
pub(super) fn arg_count(args: Option<Node<'_>>) -> usize {
    match args {
        Some(args) if args.is(K::GeneratorExpression) => 1,
        Some(args) => args.children().count(),
        None => 0,
    }
}
