//! The conditions that a function requires, and the state it changes outside of itself.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefIx, EffectKind};

use super::kinds::{Context, F, K, Node};

/// A guard counts only among this many first statements of a function.
const GUARD_STATEMENTS: usize = 5;
/// How much of a return statement is looked at.
const LONG_RETURN: usize = 400;

/// `if …: return …` among the first statements of a function, and every error made in place.
pub(super) fn read_guard<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(consequence) = node.child(F::Consequence) else { return };
    let Some(last) = block_statements(consequence).last().filter(|last| last.is(K::ReturnStatement)) else {
        return;
    };
    let text = last.text().get(..LONG_RETURN).unwrap_or(last.text());
    let fails = ["errors.New(", "fmt.Errorf(", "errors.Errorf("].iter().any(|make| text.contains(make));
    let early = || {
        node.parent().filter(|list| list.is(K::StatementList)).is_some_and(|list| {
            let body = list.parent().is_some_and(|block| block.field() == F::Body);
            body && list.children().take(GUARD_STATEMENTS).any(|statement| statement == node)
        }) && node.child(F::Alternative).is_none()
            && block_statements(consequence).count() == 1
    };
    let passes_on = node.child(F::Condition).is_some_and(|condition| condition.text() == "err != nil");
    if (fails || early() && !passes_on)
        && let Some(def) = cx.state.function(node)
    {
        add_conditional(cx, def, last, last);
    }
}

fn block_statements(block: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    block.child_of(K::StatementList).into_iter().flat_map(Node::children)
}

/// Adds the invariant `statement`, with its condition.
pub(super) fn add_conditional<'a>(cx: &mut Context<'a>, def: DefIx, statement: Node<'a>, at: Node<'a>) {
    let around = at.ancestors().take(4).find(|around| around.field() == F::Consequence);
    let condition = around.and_then(Node::parent).and_then(|around| around.child(F::Condition));
    match condition {
        Some(condition) => {
            let cut = |text: &'a str| text.get(..200).unwrap_or(text);
            let text = format!("if {}: {}", cut(condition.text()), cut(statement.text()));
            cx.b.invariant(def, &text);
        }
        None => cx.b.invariant(def, statement.text()),
    }
}

/// A function that sets a variable of the package.
pub(super) fn note_global_write<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(left) = node.child(F::Left) else { return };
    let scope = cx.b.scope();
    if !cx.b.def(scope).kind.is_callable() {
        return;
    }
    for target in left.children().filter(|target| target.is(K::Identifier)).take(8) {
        if let Some(def) = cx.b.find_def(DefIx::MODULE, target.text())
            && cx.b.def(def).kind == SymbolKind::Variable
        {
            cx.b.effect(scope, EffectKind::GlobalState, target.text());
        }
    }
}
