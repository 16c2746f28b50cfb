//! Shapes of values.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use super::types::{plain_name, stated_type};
use crate::builder::Half;

pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier => match node.text() {
            "null" => half.lit(Lit::Null),
            "true" | "false" => half.lit(Lit::Bool),
            name => half.name(plain_name(name)),
        },
        K::ThisExpression => match node.text().strip_prefix("this@") {
            // The receiver of a class around this one.
            Some(outer) if outer.starts_with(char::is_uppercase) => {
                let outer = half.type_name(outer);
                half.add(Expr::New(outer))
            }
            _ => half.add(Expr::SelfRef),
        },
        K::SuperExpression => match stated_type(node) {
            Some(ty) => {
                let ty = half.ty(ty);
                half.add(Expr::New(ty))
            }
            None => half.add(Expr::SuperRef),
        },
        K::NavigationExpression => {
            let base = half.value_or_unknown(node.first().map(without_prefix));
            half.attr(base, member_name(node).map_or("", |name| plain_name(name.text())))
        }
        K::CallExpression => {
            let (Some(callee), args) = (callee_node(node), arg_count(node)) else { return half.unknown() };
            if let Some(same) = hands_on(callee) {
                return half.value(same);
            }
            if is_negated(callee) {
                return half.lit(Lit::Bool);
            }
            let callee = without_prefix(callee);
            if let Some(list) = collection_shape(half, node, callee) {
                return list;
            }
            let callee = half.value(callee);
            half.call(callee, args)
        }
        K::ObjectLiteral => {
            let base = node.child_of(K::DelegationSpecifiers).and_then(Node::first).and_then(|base| {
                base.child_of(K::ConstructorInvocation).and_then(stated_type).or_else(|| stated_type(base))
            });
            match base {
                Some(ty) => {
                    let ty = half.ty(ty);
                    half.add(Expr::New(ty))
                }
                None => half.lit(Lit::Object),
            }
        }
        _ => operation_shape(half, node),
    }
}

/// The shape of operators and conditions.
fn operation_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::AsExpression => {
            let ty = half.ty_or_unknown(node.child(F::Right));
            half.add(Expr::New(ty))
        }
        K::IndexExpression => {
            let base = half.value_or_unknown(node.first().map(without_prefix));
            half.add(Expr::Index(base))
        }
        K::UnaryExpression => {
            if is_negated(node) {
                return half.lit(Lit::Bool);
            }
            half.value_or_unknown(node.child(F::Argument))
        }
        K::BinaryExpression => binary_shape(half, node),
        K::InExpression | K::IsExpression => half.lit(Lit::Bool),
        K::ParenthesizedExpression
        | K::SpreadExpression
        | K::AnnotatedExpression
        | K::LabeledExpression
        | K::ValueArgument
        | K::Block
        | K::PropertyDelegate => half.value_or_unknown(node.children().last()),
        K::IfExpression => {
            let branches = node.children().filter(|part| part.field() != F::Condition && is_value(*part));
            let branches = half.values(branches.take(2));
            half.either(branches)
        }
        K::WhenExpression => {
            let entries = node.children().filter(|part| part.is(K::WhenEntry));
            let values = entries.filter_map(|entry| entry.children().last()).filter(|part| is_value(*part));
            let values = half.values(values.take(4));
            half.either(values)
        }
        K::TryExpression => half.value_or_unknown(node.child_of(K::Block)),
        K::InfixExpression => {
            let parts: Vec<Node<'a>> = node.children().take(3).collect();
            match parts.as_slice() {
                [left, name, right] if name.text() == "to" => {
                    let pair = half.values([*left, *right].into_iter());
                    half.add(Expr::Tuple(pair))
                }
                [left, name, _] => {
                    let base = half.value(*left);
                    let callee = half.attr(base, plain_name(name.text()));
                    half.call(callee, 1)
                }
                _ => half.unknown(),
            }
        }
        _ => literal_shape(half, node),
    }
}

/// The shape of a literal.
fn literal_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::RangeExpression | K::CollectionLiteral => half.lit(Lit::List),
        K::LambdaLiteral | K::AnonymousFunction | K::CallableReference => half.lit(Lit::Lambda),
        K::StringLiteral | K::MultilineStringLiteral => half.lit(Lit::Str),
        K::NumberLiteral | K::CharacterLiteral => half.lit(Lit::Int),
        K::FloatLiteral => half.lit(Lit::Float),
        _ => half.unknown(),
    }
}

fn is_negated(node: Node<'_>) -> bool {
    node.is(K::UnaryExpression) && node.child(F::Operator).is_some_and(|operator| operator.is(K::Not))
}

/// Whether `node` is an operator with its operand after it.
pub(super) fn is_prefixed(node: Node<'_>) -> bool {
    node.is(K::UnaryExpression)
        && node.child(F::Argument).is_some_and(|argument| node.start() < argument.start())
}

/// The operand that is called, indexed or has the member: the grammar takes `!a.b()` for `(!a).b()`.
pub(super) fn without_prefix(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    for _ in 0..8 {
        match at.child(F::Argument).filter(|_| is_prefixed(at)) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    at
}

/// Whether running `node` to its end yields a value.
fn is_value(node: Node<'_>) -> bool {
    let last = if node.is(K::Block) { node.children().last() } else { Some(node) };
    last.is_some_and(|last| !matches!(last.kind(), K::ThrowExpression | K::ReturnExpression | K::Assignment))
}

/// Comparisons are truth values, `a ?: b` is either.
fn binary_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else {
        return half.unknown();
    };
    match node.child(F::Operator).map(Node::kind) {
        Some(K::Elvis) => {
            let left = half.value(left);
            if !is_value(right) {
                return left;
            }
            let right = half.value(right);
            half.either(vec![left, right])
        }
        Some(_) => half.lit(Lit::Bool),
        // The left operand's type, because arithmetic of a type mostly gives that type.
        None => half.value(left),
    }
}

/// The receiver of `x.apply {…}` and `x.also {…}`, which return their receiver.
fn hands_on(callee: Node<'_>) -> Option<Node<'_>> {
    let name = member_name(callee).filter(|_| callee.is(K::NavigationExpression))?;
    matches!(name.text(), "apply" | "also" | "takeIf" | "takeUnless").then(|| callee.first()).flatten()
}

/// The collection that `call` makes of its arguments, or for values of stated types: `listOf(a, b)`, `mutableMapOf<K, V>()`.
fn collection_shape<'a>(half: &mut Half<'a>, call: Node<'a>, callee: Node<'a>) -> Option<ExprIx> {
    if !callee.is(K::Identifier) {
        return None;
    }
    let kind = match callee.text() {
        "listOf" | "mutableListOf" | "arrayListOf" | "arrayOf" | "setOf" | "mutableSetOf" | "hashSetOf"
        | "linkedSetOf" | "sequenceOf" | "listOfNotNull" | "emptyList" | "emptySet" => "List",
        "mapOf" | "mutableMapOf" | "hashMapOf" | "linkedMapOf" | "emptyMap" => "Map",
        _ => return None,
    };
    if let Some(stated) = call.child_of(K::TypeArguments) {
        let args = half.types(stated.children().filter(|arg| arg.is(K::TypeProjection)));
        let base = half.type_name(kind);
        let ty = half.add(Expr::Generic(base, args));
        return Some(half.add(Expr::New(ty)));
    }
    let args = call.child_of(K::ValueArguments).filter(|_| kind == "List")?;
    let items = half.values(args.children().take(4));
    (!items.is_empty()).then(|| half.add(Expr::Tuple(items)))
}

/// The name after the dot.
pub(super) fn member_name(navigation: Node<'_>) -> Option<Node<'_>> {
    let first = navigation.first()?;
    navigation.children().last().filter(|name| name.is(K::Identifier) && *name != first)
}

/// The callee of `call`. `f(1) {…}` parses as a call of a call, but is one call.
pub(super) fn callee_node(call: Node<'_>) -> Option<Node<'_>> {
    let first = call.first()?;
    if is_completed(first) { first.first() } else { Some(first) }
}

/// Whether the call `node` has a trailing lambda as its last argument.
pub(super) fn is_completed(node: Node<'_>) -> bool {
    node.is(K::CallExpression)
        && node.child_of(K::ValueArguments).is_some()
        && node.child_of(K::AnnotatedLambda).is_none()
        && node.parent().is_some_and(|outer| {
            outer.is(K::CallExpression)
                && outer.first() == Some(node)
                && outer.child_of(K::ValueArguments).is_none()
                && outer.child_of(K::AnnotatedLambda).is_some()
        })
}

/// The number of arguments of `call`, including a trailing lambda.
pub(super) fn arg_count(call: Node<'_>) -> usize {
    let listed = |node: Node<'_>| node.child_of(K::ValueArguments).map_or(0, |list| list.children().count());
    let inner = call.first().filter(|first| is_completed(*first)).map_or(0, listed);
    listed(call) + inner + usize::from(call.child_of(K::AnnotatedLambda).is_some())
}

/// The value after the equals sign in `node`.
pub(super) fn assigned_value(node: Node<'_>) -> Option<Node<'_>> {
    node.children().skip_while(|part| !part.is(K::EqualSign)).nth(1)
}

/// The text of a plain string literal without its quotes.
pub(super) fn string_content(node: Node<'_>) -> Option<&str> {
    let text = node.text().strip_prefix('"')?.strip_suffix('"')?;
    (node.is(K::StringLiteral) && !text.contains('$')).then_some(text)
}
