//! A function's return values, and the conditions it requires.

use super::kinds::{Context, F, K, Node};

/// A guard counts only among this many first statements of a function.
const GUARD_STATEMENTS: usize = 5;
/// The longest expression that is an invariant as a whole.
const LONG: u32 = 120;

pub(super) fn read_return<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(value) = node.first() else { return };
    // A closure's returns are its own.
    let of_closure = node
        .ancestors()
        .take(64)
        .find(|around| matches!(around.kind(), K::FunctionItem | K::ClosureExpression | K::AsyncBlock));
    if of_closure.is_some_and(|around| !around.is(K::FunctionItem)) {
        return;
    }
    if let Some(def) = cx.b.callable().filter(|def| cx.b.def(*def).ret.is_some()) {
        let shape = cx.b.body.value(value);
        cx.b.returns(def, shape, node.start());
    }
}

/// `panic!(…)`, `assert!(…)` and their like.
pub(super) fn macro_call<'a>(cx: &mut Context<'a>, node: Node<'a>, name: &str) {
    let insists = matches!(
        name,
        "panic"
            | "unreachable"
            | "todo"
            | "unimplemented"
            | "assert"
            | "assert_eq"
            | "assert_ne"
            | "assert_matches"
            | "debug_assert"
            | "debug_assert_eq"
            | "debug_assert_ne"
            | "bail"
            | "ensure"
            | "compile_error"
    );
    if !insists {
        return;
    }
    let Some(def) = cx.b.callable() else { return };
    let statement = node.parent().filter(|parent| parent.is(K::ExpressionStatement)).unwrap_or(node);
    let condition = statement
        .parent()
        .filter(|block| block.is_in(K::IfExpression, F::Consequence))
        .and_then(Node::parent);
    match condition {
        Some(condition) => add_conditional(cx, condition, node),
        None => cx.b.invariant(def, node.text()),
    }
}

/// `x.unwrap()`, `x.expect("…")`.
pub(super) fn read_unwrap<'a>(cx: &mut Context<'a>, call: Node<'a>, name: Node<'a>) {
    if !matches!(name.text(), "unwrap" | "expect" | "unwrap_err" | "expect_err") {
        return;
    }
    let Some(def) = cx.b.callable() else { return };
    let short = call.end() - call.start() <= LONG;
    let from = if short { call.start() } else { name.start().saturating_sub(1) };
    let text = cx.b.slice(from, call.end());
    cx.b.invariant(def, text);
}

/// `if … { return …; }` among the first statements of a function.
pub(super) fn read_guard<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(statement) = node.parent().filter(|parent| parent.is(K::ExpressionStatement)) else { return };
    let Some(body) = statement.parent().filter(|body| body.is_in(K::FunctionItem, F::Body)) else { return };
    let Some(first) = node.child(F::Consequence).and_then(Node::first) else { return };
    let first = if first.is(K::ExpressionStatement) { first.first().unwrap_or(first) } else { first };
    let early = body.children().take(GUARD_STATEMENTS).any(|one| one == statement);
    if early && first.is(K::ReturnExpression) && node.child(F::Alternative).is_none() {
        add_conditional(cx, node, first);
    }
}

/// Adds the invariant `if condition { statement }`.
fn add_conditional<'a>(cx: &mut Context<'a>, around: Node<'a>, statement: Node<'a>) {
    let (Some(def), Some(condition)) = (cx.b.callable(), around.child(F::Condition)) else { return };
    let cut = |text: &'a str| text.get(..200).unwrap_or(text);
    let text = format!("if {} {{ {} }}", cut(condition.text()), cut(statement.text()));
    cx.b.invariant(def, &text);
}
