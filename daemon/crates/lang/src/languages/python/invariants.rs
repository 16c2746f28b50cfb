//! A function's return values, and the conditions it requires.

use sdl_model::facts::{DefFlags, Expr};

use super::kinds::{Context, F, K, Node};

/// A guard counts only among this many first statements of a function.
const GUARD_STATEMENTS: usize = 5;

pub(super) fn read_return<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let (Some(def), Some(value)) = (cx.b.callable(), node.first()) {
        let shape = cx.b.body.value(value);
        cx.b.returns(def, shape, node.start());
    }
}

pub(super) fn read_yield<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(def) = cx.b.callable() else { return };
    cx.b.flag(def, DefFlags::GENERATOR);
    let Some(value) = node.children().find(|child| !child.is(K::From)) else { return };
    let mut shape = cx.b.body.value(value);
    if node.child_of(K::From).is_some() {
        shape = cx.b.body.add(Expr::Iter(shape));
    }
    cx.b.returns(def, shape, node.start());
}

pub(super) fn read_raise<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    // A bare `raise` raises an exception from elsewhere again.
    let (Some(def), Some(_)) = (cx.b.callable(), node.first()) else { return };
    match node.parent().filter(|block| block.field() == F::Consequence).and_then(Node::parent) {
        Some(condition) => add_conditional(cx, condition, node),
        None => cx.b.invariant(def, node.text()),
    }
}

pub(super) fn read_assert<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(def) = cx.b.callable() {
        cx.b.invariant(def, node.text());
    }
}

/// `if …: return …` among the first statements of a function.
pub(super) fn read_guard<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(body) = node.parent().filter(|body| body.is_in(K::FunctionDefinition, F::Body)) else { return };
    let Some(first) = node.child(F::Consequence).and_then(Node::first) else { return };
    let early = body.children().take(GUARD_STATEMENTS).any(|statement| statement == node);
    if early && first.is(K::ReturnStatement) && node.child(F::Alternative).is_none() {
        add_conditional(cx, node, first);
    }
}

/// Adds the invariant `if condition: statement`.
fn add_conditional<'a>(cx: &mut Context<'a>, around: Node<'a>, statement: Node<'a>) {
    let (Some(def), Some(condition)) = (cx.b.callable(), around.child(F::Condition)) else { return };
    let cut = |text: &'a str| text.get(..200).unwrap_or(text);
    let text = format!("if {}: {}", cut(condition.text()), cut(statement.text()));
    cx.b.invariant(def, &text);
}
