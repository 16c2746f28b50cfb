//! The conditions that a function requires.

use super::kinds::{Context, F, K, Node};

/// The longest part of a condition that is kept.
const MAX_PART: usize = 200;

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_PART)).unwrap_or(text)
}

/// `error(…)`, with its condition, and `assert(…)`.
pub(super) fn read_check<'a>(cx: &mut Context<'a>, call: Node<'a>) {
    let Some(def) = cx.b.callable() else { return };
    let branch = call.parent().filter(|block| block.is(K::Block)).and_then(Node::parent);
    let condition = branch
        .filter(|branch| matches!(branch.kind(), K::If | K::ElseifStatement))
        .and_then(|branch| branch.child(F::Condition));
    match condition {
        Some(condition) => {
            let text = format!("if {}: {}", cut(condition.text()), cut(call.text()));
            cx.b.invariant(def, &text);
        }
        None => cx.b.invariant(def, cut(call.text())),
    }
}
