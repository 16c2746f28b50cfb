//! A function's return values, and the conditions it requires.

use super::kinds::{Context, F, K, Node};

/// A guard counts only among this many first statements of a function.
const GUARD_STATEMENTS: usize = 8;

pub(super) fn read_return<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    // A stated result type is more precise.
    let inside = node
        .ancestors()
        .take(64)
        .find(|around| matches!(around.kind(), K::LambdaExpression | K::FunctionDefinition));
    if inside.is_some_and(|around| around.is(K::LambdaExpression) && !is_bound(around)) {
        return;
    }
    if let (Some(def), Some(value)) = (cx.b.callable(), node.first())
        && cx.b.def(def).ret.is_none()
    {
        let shape = cx.b.body.value(value);
        cx.b.returns(def, shape, node.start());
    }
}

fn is_bound(lambda: Node<'_>) -> bool {
    lambda.is_in(K::InitDeclarator, F::Value)
}

pub(super) fn read_throw<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    // A bare `throw` rethrows an exception from elsewhere.
    if node.first().is_some() {
        add_failure(cx, node);
    }
}

/// Adds `node`, which does not return, as an invariant. If it is all that an `if` does, the condition is included.
pub(super) fn add_failure<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(def) = cx.b.callable() else { return };
    let statement = node.parent().filter(|around| around.is(K::ExpressionStatement)).unwrap_or(node);
    let block = statement.parent().filter(|around| around.is(K::CompoundStatement)).unwrap_or(statement);
    let around =
        [statement, block].into_iter().find(|inner| inner.field() == F::Consequence).and_then(Node::parent);
    match around.filter(|around| around.is(K::IfStatement)) {
        Some(around) => add_conditional(cx, around, statement),
        None => cx.b.invariant(def, statement.text()),
    }
}

pub(super) fn static_assert<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(def) = cx.b.callable() {
        cx.b.invariant(def, node.text());
    }
}

/// `if (…) return …;` among the first statements of a function.
pub(super) fn read_guard<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(body) = node.parent().filter(|body| body.is_in(K::FunctionDefinition, F::Body)) else { return };
    let Some(then) = node.child(F::Consequence) else { return };
    let first = if then.is(K::CompoundStatement) { then.first() } else { Some(then) };
    let early = body.children().take(GUARD_STATEMENTS).any(|statement| statement == node);
    if early
        && node.child(F::Alternative).is_none()
        && let Some(first) = first.filter(|first| first.is(K::ReturnStatement))
    {
        add_conditional(cx, node, first);
    }
}

/// Adds the invariant `if (condition) statement`.
fn add_conditional<'a>(cx: &mut Context<'a>, around: Node<'a>, statement: Node<'a>) {
    let (Some(def), Some(condition)) = (cx.b.callable(), around.child(F::Condition)) else { return };
    let cut = |text: &'a str| text.get(..200).unwrap_or(text);
    let text = format!("if {} {}", cut(condition.text()), cut(statement.text()));
    cx.b.invariant(def, &text);
}
