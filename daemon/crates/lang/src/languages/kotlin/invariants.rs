//! The conditions that a function requires.

use sdl_model::facts::DefIx;

use super::kinds::{Context, F, K, Node};

/// A guard counts only among this many first statements of a function.
const GUARD_STATEMENTS: usize = 5;

/// `throw`, with its condition.
pub(super) fn read_throw<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    add_requirement(cx, node);
}

/// Adds the requirement of `node` to the function around it.
fn add_requirement<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let def = cx.state.function(node).unwrap_or_else(|| cx.b.scope());
    if cx.b.def(def).kind.is_callable() {
        add_conditional(cx, def, node);
    }
}

fn add_conditional<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let branch = node.parent().filter(|around| around.is(K::Block)).unwrap_or(node);
    let condition = branch
        .parent()
        .filter(|whole| whole.is(K::IfExpression))
        .and_then(|whole| whole.child(F::Condition))
        .filter(|condition| condition.next_sibling() == Some(branch));
    match condition {
        Some(condition) => {
            let cut = |text: &'a str| text.get(..200).unwrap_or(text);
            let text = format!("if {}: {}", cut(condition.text()), cut(node.text()));
            cx.b.invariant(def, &text);
        }
        None => cx.b.invariant(def, node.text()),
    }
}

/// `if (…) return …` among the first statements of a function.
pub(super) fn read_guard<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(then) = node.child(F::Condition).and_then(Node::next_sibling) else { return };
    if then.next_sibling().is_some() {
        return;
    }
    let only = if then.is(K::Block) {
        let mut statements = then.children();
        statements.next().filter(|_| statements.next().is_none())
    } else {
        Some(then)
    };
    let Some(last) = only.filter(|only| only.is(K::ReturnExpression)) else { return };
    let early = node.parent().filter(|block| block.is(K::Block)).is_some_and(|block| {
        block.parent_kind() == Some(K::FunctionBody)
            && block.children().take(GUARD_STATEMENTS).any(|statement| statement == node)
    });
    if early && let Some(def) = cx.state.function(node) {
        add_conditional(cx, def, last);
    }
}

/// Calls that check a requirement.
pub(super) fn read_check<'a>(cx: &mut Context<'a>, call: Node<'a>, callee: &str) {
    if matches!(callee, "require" | "requireNotNull" | "check" | "checkNotNull" | "error" | "assert" | "TODO")
    {
        add_requirement(cx, call);
    }
}
