//! The conditions that a function requires.

use super::kinds::{Context, F, K, Node};

/// `throw …;`, with its condition.
pub(super) fn read_throw<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(def) = cx.b.callable() else { return };
    let cut = |text: &'a str| text.get(..200).unwrap_or(text);
    let under = std::iter::once(node)
        .chain(node.ancestors())
        .take(4)
        .take_while(|around| !around.is(K::If))
        .find(|around| around.field() == F::Body && around.parent_kind() == Some(K::If));
    let condition = under.and_then(Node::parent).and_then(|around| around.child(F::Condition));
    match condition {
        Some(condition) => {
            let text = format!("if {}: {}", cut(condition.text()), cut(node.text()));
            cx.b.invariant(def, &text);
        }
        None => cx.b.invariant(def, cut(node.text())),
    }
}
