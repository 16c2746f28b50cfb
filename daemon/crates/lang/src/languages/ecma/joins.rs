//! Statements whose branches set a name to different values.

use super::kinds::{Context, F, K, Node};
use crate::builder::{Branch, Branches};

/// Maximum number of branches.
const MAX_BRANCHES: usize = 12;

/// Whether `node` is a statement with branches.
pub(super) fn has_branches(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        K::IfStatement
            | K::ForStatement
            | K::ForInStatement
            | K::WhileStatement
            | K::DoStatement
            | K::SwitchStatement
            | K::TryStatement
    )
}

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

/// The branches of `node`.
fn statement_branches(node: Node<'_>) -> Branches {
    let ends = |last: Node<'_>| {
        matches!(
            last.kind(),
            K::ReturnStatement | K::ThrowStatement | K::BreakStatement | K::ContinueStatement
        )
    };
    let branch = |block: Node<'_>| {
        let last = if block.is(K::StatementBlock) { block.children().last() } else { Some(block) };
        Branch { start: block.start(), end: block.end(), goes_on: !last.is_some_and(ends) }
    };
    match node.kind() {
        K::IfStatement => {
            let other = node.child(F::Alternative);
            let blocks = node.child(F::Consequence).into_iter().chain(other.and_then(Node::first));
            Branches { all: blocks.map(branch).collect(), is_complete: other.is_some(), repeats: false }
        }
        K::TryStatement => {
            let handler = node.child_of(K::CatchClause).and_then(|clause| clause.child(F::Body));
            let blocks = node.child(F::Body).into_iter().chain(handler);
            Branches { all: blocks.map(branch).collect(), is_complete: true, repeats: false }
        }
        K::SwitchStatement => {
            let cases = node.child(F::Body).into_iter().flat_map(Node::children).take(MAX_BRANCHES);
            let all: Vec<Branch> = cases.map(|case| Branch { goes_on: true, ..branch(case) }).collect();
            Branches { all, is_complete: false, repeats: false }
        }
        // The body of a loop may never run, and its values last whatever ends it.
        kind => {
            let body = node.child(F::Body).map(|body| Branch { goes_on: true, ..branch(body) });
            let is_complete = kind == K::DoStatement;
            Branches { all: body.into_iter().collect(), is_complete, repeats: true }
        }
    }
}
