//! The value of a name after branches that set it to different values.

use std::collections::BTreeMap;

use sdl_model::facts::{Binding, BindingKind, Expr, ExprIx, StrIx};

use super::kinds::{Context, F, K, Node};

/// A statement whose branches bind more names than this is a table of data and is not joined.
const MAX_BINDINGS: usize = 128;
/// Maximum number of branches.
const MAX_BRANCHES: usize = 12;
/// Maximum number of parts of a value that are searched.
const MAX_PARTS: usize = 32;

/// Notes the start of the bindings of a statement with branches.
pub(super) fn enter_branches(cx: &mut Context<'_>) {
    let count = cx.b.bindings().len();
    cx.state.branching.push(count);
}

/// Binds, after `node`, the names that its branches set to different values.
pub(super) fn join_branches<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(first) = cx.state.branching.pop() else { return };
    let count = cx.b.bindings().len().saturating_sub(first);
    if count == 0 || count > MAX_BINDINGS {
        return;
    }
    let (branches, is_complete) = statement_branches(node);
    if branches.len() > MAX_BRANCHES {
        return;
    }
    let (scope, to) = (cx.b.scope(), cx.b.scope_end());
    // For each name, its value at the end of each branch.
    let mut ends: BTreeMap<StrIx, Vec<Option<ExprIx>>> = BTreeMap::new();
    for binding in cx.b.bindings().get(first..).unwrap_or_default() {
        let is_plain = binding.kind == BindingKind::Local && binding.scope == scope && binding.to == to;
        let at = branches.iter().position(|one| one.start < binding.from && binding.from <= one.end);
        if let (Some(at), Some(value), true) = (at, binding.value, is_plain && binding.ty.is_none()) {
            let known = ends.entry(binding.name).or_insert_with(|| vec![None; branches.len()]);
            if let Some(end) = known.get_mut(at) {
                *end = Some(value);
            }
        }
    }
    for (name, ends) in ends {
        let goes_on = || branches.iter().zip(&ends).filter(|(branch, _)| branch.goes_on);
        let mut values: Vec<ExprIx> = goes_on().filter_map(|(_, end)| *end).collect();
        if !is_complete || goes_on().any(|(_, end)| end.is_none()) {
            values.extend(earlier_binding(cx, name, first).and_then(|binding| binding.value));
        }
        values.dedup();
        let text = cx.b.body.text(name).to_owned();
        let latest = ends.iter().rev().find_map(|end| *end);
        let is_known = values.iter().all(|value| Some(*value) == latest);
        // A value derived from the name itself would be looked up from here.
        if is_known || values.iter().any(|value| names_itself(cx, *value, name)) {
            continue;
        }
        let value = cx.b.body.either(values);
        cx.b.bind_within(BindingKind::Local, &text, None, Some(value), (node.end(), to));
    }
}

/// A branch: its position, and whether control reaches the code after the statement from it.
struct Branch {
    start: u32,
    end: u32,
    goes_on: bool,
}

/// The branches of `node`, and whether one of them is always taken.
fn statement_branches(node: Node<'_>) -> (Vec<Branch>, bool) {
    let branch = |start: u32, block: Option<Node<'_>>| {
        let last = block.and_then(|block| block.children().last());
        let leaves = last.is_some_and(|last| {
            matches!(
                last.kind(),
                K::ReturnStatement | K::RaiseStatement | K::ContinueStatement | K::BreakStatement
            )
        });
        Branch { start, end: block.map_or(start, Node::end), goes_on: !leaves }
    };
    let mut found = Vec::new();
    let mut is_complete = false;
    if node.is(K::IfStatement) {
        let then = node.child(F::Consequence);
        found.push(branch(then.map_or(node.start(), Node::start), then));
        for part in node.children_in(F::Alternative).take(MAX_BRANCHES) {
            is_complete |= part.is(K::ElseClause);
            let block = part.child(F::Consequence).or_else(|| part.child(F::Body));
            found.push(branch(part.start(), block));
        }
    } else {
        // The `try` body continues in its `else`; an `except` clause replaces it.
        let tried = node.child(F::Body);
        let rest = node.child_of(K::ElseClause);
        let block = rest.and_then(|rest| rest.child(F::Body)).or(tried);
        found.push(branch(node.start(), tried));
        if let Some(first) = found.first_mut() {
            *first = branch(first.start, block);
        }
        for part in node.children().filter(|part| part.is(K::ExceptClause)).take(MAX_BRANCHES) {
            found.push(branch(part.start(), part.children().find(|child| child.is(K::Block))));
        }
        is_complete = true;
    }
    (found, is_complete)
}

/// The last binding of `name` before the one numbered `first`.
fn earlier_binding(cx: &Context<'_>, name: StrIx, first: usize) -> Option<Binding> {
    let found = cx.b.binding_before(cx.b.scope(), name, first)?;
    (found.kind == BindingKind::Local && found.ty.is_none()).then_some(found)
}

/// Whether `value` is derived from `name`.
fn names_itself(cx: &Context<'_>, value: ExprIx, name: StrIx) -> bool {
    let mut todo = vec![value];
    for _ in 0..MAX_PARTS {
        let Some(ix) = todo.pop() else { return false };
        match cx.b.body.expr(ix) {
            Expr::Name(one) if *one == name => return true,
            expr => crate::builder::visit_parts(expr, |part| todo.push(part)),
        }
    }
    true
}
