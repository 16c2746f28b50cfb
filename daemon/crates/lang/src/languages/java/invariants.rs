//! The conditions that a method requires.

use sdl_model::facts::DefIx;

use super::kinds::{Context, F, K, Node};

/// A guard counts only among this many first statements of a method.
const GUARD_STATEMENTS: usize = 5;

/// `throws A, B`.
pub(super) fn read_throws_clause<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    cx.b.invariant(def, node.text());
}

pub(super) fn read_throw<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(def) = cx.b.callable() else { return };
    add_conditional(cx, def, node);
}

pub(super) fn read_assert<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(def) = cx.b.callable() {
        cx.b.invariant(def, node.text().trim_end_matches(';'));
    }
}

/// `Objects.requireNonNull(x)` and its like.
pub(super) fn read_check<'a>(cx: &mut Context<'a>, node: Node<'a>, object: &str, name: &str) {
    let checks = match object {
        "Objects" => name.starts_with("require") || name.starts_with("check"),
        "Preconditions" | "Validate" | "Assert" => true,
        _ => false,
    };
    if checks && let Some(def) = cx.b.callable() {
        cx.b.invariant(def, node.text().get(..200).unwrap_or(node.text()));
    }
}

/// `if (…) return …;` among the first statements of a method.
pub(super) fn read_guard<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(body) = node.parent() else { return };
    let of_method = body.is(K::ConstructorBody) || body.is_in(K::MethodDeclaration, F::Body);
    if !of_method || node.child(F::Alternative).is_some() {
        return;
    }
    let Some(consequence) = node.child(F::Consequence) else { return };
    let first = if consequence.is(K::Block) { consequence.first() } else { Some(consequence) };
    let Some(first) = first.filter(|first| first.is(K::ReturnStatement)) else { return };
    if body.children().take(GUARD_STATEMENTS).any(|statement| statement == node)
        && let Some(def) = cx.b.callable()
    {
        add_conditional(cx, def, first);
    }
}

/// Adds the invariant `statement`, with its condition.
fn add_conditional<'a>(cx: &mut Context<'a>, def: DefIx, statement: Node<'a>) {
    let cut = |text: &'a str| text.get(..200).unwrap_or(text).trim_end_matches(';');
    let under = std::iter::once(statement)
        .chain(statement.ancestors())
        .take(3)
        .take_while(|around| !around.is(K::IfStatement))
        .find(|around| around.field() == F::Consequence);
    let condition = under.and_then(Node::parent).and_then(|around| around.child(F::Condition));
    match condition {
        Some(condition) => {
            let text = format!("if {}: {}", cut(condition.text()), cut(statement.text()));
            cx.b.invariant(def, &text);
        }
        None => cx.b.invariant(def, cut(statement.text())),
    }
}
