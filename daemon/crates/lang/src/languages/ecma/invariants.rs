//! The conditions that a function requires.

use super::kinds::{Context, F, K, Node};

/// A guard counts only among this many first statements of a function.
const GUARD_STATEMENTS: usize = 5;

pub(super) fn read_throw<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(def) = cx.b.callable() else { return };
    match condition_around(node) {
        Some(condition) => add_conditional(cx, condition, node),
        None => cx.b.invariant(def, node.text().trim_end_matches(';')),
    }
}

/// The `if` whose consequence `node` is, or begins.
fn condition_around(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    if let Some(block) = at.parent().filter(|block| block.is(K::StatementBlock)) {
        at = block;
    }
    at.parent().filter(|parent| parent.is(K::IfStatement) && at.field() == F::Consequence)
}

/// `if (…) return …` among the first statements of a function.
pub(super) fn read_guard<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(body) = node.parent().filter(|body| body.is(K::StatementBlock) && body.field() == F::Body)
    else {
        return;
    };
    if cx.state.own_function().is_none() || cx.b.def(cx.b.scope()).body_start != Some(body.start()) {
        return;
    }
    let Some(mut first) = node.child(F::Consequence) else { return };
    if first.is(K::StatementBlock) {
        let Some(inner) = first.first() else { return };
        first = inner;
    }
    let early = body.children().take(GUARD_STATEMENTS).any(|statement| statement == node);
    if early && first.is(K::ReturnStatement) && node.child(F::Alternative).is_none() {
        add_conditional(cx, node, first);
    }
}

/// Adds the invariant `if (condition) statement`.
fn add_conditional<'a>(cx: &mut Context<'a>, around: Node<'a>, statement: Node<'a>) {
    let (Some(def), Some(condition)) = (cx.b.callable(), around.child(F::Condition)) else { return };
    let cut = |text: &'a str| text.get(..200).unwrap_or(text);
    let text = format!("if {} {}", cut(condition.text()), cut(statement.text()).trim_end_matches(';'));
    cx.b.invariant(def, &text);
}

/// `assert(…)`, `invariant(…)`.
pub(super) fn read_assert<'a>(cx: &mut Context<'a>, node: Node<'a>, callee: &str) {
    let known = matches!(callee, "assert" | "invariant" | "ok")
        || callee.strip_prefix("assert.").is_some_and(|rest| !rest.contains('.'))
        || callee == "console.assert";
    if let Some(def) = cx.b.callable().filter(|_| known) {
        cx.b.invariant(def, node.text());
    }
}
