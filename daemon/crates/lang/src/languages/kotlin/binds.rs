//! Local names: loops, `when`, `catch`, and the types that tests show for names.

use sdl_model::facts::{BindingKind, Expr, ExprIx};

use super::exprs;
use super::kinds::{Context, F, K, Node};
use super::types::{plain_name, stated_type};

/// The end of the block around `node`, where names declared at `node` go out of scope.
pub(super) fn scope_end(cx: &Context<'_>, node: Node<'_>) -> u32 {
    let around = node.ancestors().take(200).find(|around| {
        matches!(around.kind(), K::Block | K::LambdaLiteral | K::WhenExpression | K::ForStatement)
    });
    around.map_or_else(|| cx.b.scope_end(), Node::end)
}

/// Binds the name, or the names in brackets, that `target` declares, set to `value`.
pub(super) fn bind_declared<'a>(
    cx: &mut Context<'a>,
    target: Node<'a>,
    value: Option<ExprIx>,
    kind: BindingKind,
    (from, to): (u32, u32),
) {
    if target.is(K::MultiVariableDeclaration) {
        for (at, part) in target.children().take(16).enumerate() {
            let item = value.map(|whole| cx.b.body.add(Expr::Item(whole, at.min(255) as u8)));
            bind_variable(cx, part, item, kind, (from, to));
        }
    } else {
        bind_variable(cx, target, value, kind, (from, to));
    }
}

fn bind_variable<'a>(
    cx: &mut Context<'a>,
    target: Node<'a>,
    value: Option<ExprIx>,
    kind: BindingKind,
    (from, to): (u32, u32),
) {
    let Some(name) = target.child_of(K::Identifier).filter(|name| name.text() != "_") else { return };
    let ty = stated_type(target).map(|ty| cx.b.body.ty(ty));
    let value = value.filter(|_| ty.is_none());
    cx.b.bind_within(kind, plain_name(name.text()), ty, value, (from, to));
}

/// `for (x in xs)`.
pub(super) fn for_loop<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let mut parts = node
        .children()
        .skip_while(|part| !matches!(part.kind(), K::VariableDeclaration | K::MultiVariableDeclaration));
    let (Some(target), Some(source)) = (parts.next(), parts.next()) else { return };
    let whole = cx.b.body.value(source);
    let element = cx.b.body.add(Expr::Iter(whole));
    bind_declared(cx, target, Some(element), BindingKind::Local, (source.end(), node.end()));
}

/// `catch (e: E)`.
pub(super) fn bind_catch<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    bind_variable(cx, node, None, BindingKind::Local, (node.start(), node.end()));
}

/// `when (val x = …)`.
pub(super) fn when_subject<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(target), Some(value)) = (node.child_of(K::VariableDeclaration), exprs::assigned_value(node))
    else {
        return;
    };
    let end = node.parent().map_or(node.end(), Node::end);
    let value = cx.b.body.value(value);
    bind_declared(cx, target, Some(value), BindingKind::Local, (node.end(), end));
}

/// `is T -> …`: there the subject is a T.
pub(super) fn when_entry<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let mut conditions = node.children_in(F::Condition);
    let (Some(test), None) = (conditions.next(), conditions.next()) else { return };
    if test.is(K::IsExpression) {
        return narrow_by_test(cx, test, (test.end(), node.end()));
    }
    if !test.is(K::TypeTest) || test.child_of(K::NotIs).is_some() {
        return;
    }
    let subject = node.parent().and_then(|when| when.child_of(K::WhenSubject));
    let Some(subject) = subject else { return };
    let declared = subject.child_of(K::VariableDeclaration).and_then(|one| one.child_of(K::Identifier));
    let name = declared.or_else(|| subject.children().last().filter(|name| name.is(K::Identifier)));
    if let (Some(name), Some(ty)) = (name, stated_type(test)) {
        let ty = cx.b.body.ty(ty);
        cx.b.bind_within(
            BindingKind::Local,
            plain_name(name.text()),
            Some(ty),
            None,
            (test.end(), node.end()),
        );
    }
}

/// `if (x is T) …`: there x is a T. After `if (x !is T) return`, too.
pub(super) fn narrow_if<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(test) = node.child(F::Condition) else { return };
    let Some(then) = test.next_sibling() else { return };
    for test in condition_parts(test, K::And) {
        narrow_by_test(cx, test, (test.end(), then.end()));
    }
    if then.next_sibling().is_none() && always_leaves(then) {
        let end = scope_end(cx, node);
        for test in condition_parts(test, K::Or) {
            narrow_to(cx, test, true, (then.end(), end));
        }
    }
}

/// `x is T && …`, `x !is T || …`: the facts of the first part apply in the second.
pub(super) fn narrow_logical<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    let Some(operator) = node.child(F::Operator).map(Node::kind) else { return };
    if matches!(operator, K::And | K::Or) {
        for test in condition_parts(left, operator) {
            narrow_to(cx, test, operator == K::Or, (right.start(), right.end()));
        }
    }
}

/// `x as T` as a statement: from there on x is a T.
pub(super) fn narrow_cast<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(name), Some(ty)) = (node.child(F::Left), node.child(F::Right)) else { return };
    if node.parent_kind() == Some(K::Block) && name.is(K::Identifier) {
        let ty = cx.b.body.ty(ty);
        let to = scope_end(cx, node);
        cx.b.bind_within(BindingKind::Local, plain_name(name.text()), Some(ty), None, (node.end(), to));
    }
}

/// The parts of a condition that `operator` joins, at most a few.
fn condition_parts(condition: Node<'_>, operator: K) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut todo = vec![condition];
    for _ in 0..8 {
        let Some(node) = todo.pop() else { break };
        let joined =
            node.is(K::BinaryExpression) && node.child(F::Operator).is_some_and(|joins| joins.is(operator));
        if joined {
            todo.extend(node.child(F::Right));
            todo.extend(node.child(F::Left));
        } else {
            found.push(node);
        }
    }
    found
}

/// Whether a branch's last statement leaves the enclosing block.
fn always_leaves(then: Node<'_>) -> bool {
    let last = if then.is(K::Block) { then.children().last() } else { Some(then) };
    last.is_some_and(|last| {
        matches!(last.kind(), K::ReturnExpression | K::ThrowExpression)
            || last.text().starts_with("continue")
            || last.text().starts_with("break")
    })
}

fn narrow_by_test<'a>(cx: &mut Context<'a>, test: Node<'a>, range: (u32, u32)) {
    narrow_to(cx, test, false, range);
}

/// Binds the name that `test` tests, where that is true, or with `negated` where it is false.
fn narrow_to<'a>(cx: &mut Context<'a>, test: Node<'a>, negated: bool, range: (u32, u32)) {
    if !test.is(K::IsExpression) || test.child_of(K::NotIs).is_some() != negated {
        return;
    }
    let (Some(name), Some(ty)) = (test.child(F::Left), test.child(F::Right)) else { return };
    if name.is(K::Identifier) {
        let ty = cx.b.body.ty(ty);
        cx.b.bind_within(BindingKind::Local, plain_name(name.text()), Some(ty), None, range);
    }
}
