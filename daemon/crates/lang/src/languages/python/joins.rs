//! Statements whose branches set a name to different values.

use super::kinds::{Context, F, K, Node};
use crate::builder::{Branch, Branches};

/// Maximum number of branches.
const MAX_BRANCHES: usize = 12;

/// Notes the start of the bindings of a statement with branches.
pub(super) fn enter_branches(cx: &mut Context<'_>) {
    let count = cx.b.bindings().len();
    cx.state.branching.push(count);
}

/// Binds, after `node`, the names that its branches set to different values.
pub(super) fn join_branches<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(first) = cx.state.branching.pop() else { return };
    if cx.b.bindings().len() > first {
        cx.b.join_branches(first, &statement_branches(node), node.end());
    }
}

/// The branch from `start` that runs `block`.
fn branch(start: u32, block: Option<Node<'_>>) -> Branch {
    let last = block.and_then(|block| block.children().last());
    let leaves = last.is_some_and(|last| {
        matches!(
            last.kind(),
            K::ReturnStatement | K::RaiseStatement | K::ContinueStatement | K::BreakStatement
        )
    });
    Branch { start, end: block.map_or(start, Node::end), goes_on: !leaves }
}

/// The branches of `node`.
fn statement_branches(node: Node<'_>) -> Branches {
    match node.kind() {
        K::IfStatement => condition_branches(node),
        K::ForStatement | K::WhileStatement => {
            // The body of a loop may never run, and whatever ends it, its values last.
            let body = node.child(F::Body);
            let body = branch(body.map_or(node.start(), Node::start), body);
            Branches { all: vec![Branch { goes_on: true, ..body }], is_complete: false, repeats: true }
        }
        _ => try_branches(node),
    }
}

fn condition_branches(node: Node<'_>) -> Branches {
    let then = node.child(F::Consequence);
    let mut all = vec![branch(then.map_or(node.start(), Node::start), then)];
    let mut is_complete = false;
    for part in node.children_in(F::Alternative).take(MAX_BRANCHES) {
        is_complete |= part.is(K::ElseClause);
        let block = part.child(F::Consequence).or_else(|| part.child(F::Body));
        all.push(branch(part.start(), block));
    }
    Branches { all, is_complete, repeats: false }
}

fn try_branches(node: Node<'_>) -> Branches {
    // The `try` body continues in its `else`; an `except` clause replaces it.
    let tried = node.child(F::Body);
    let rest = node.child_of(K::ElseClause);
    let block = rest.and_then(|rest| rest.child(F::Body)).or(tried);
    let start = branch(node.start(), tried).start;
    let mut all = vec![branch(start, block)];
    for part in node.children().filter(|part| part.is(K::ExceptClause)).take(MAX_BRANCHES) {
        all.push(branch(part.start(), part.children().find(|child| child.is(K::Block))));
    }
    Branches { all, is_complete: true, repeats: false }
}
