//! Local names.

use sdl_model::facts::{BindingKind, Expr, ExprIx, Lit};

use super::kinds::{Context, F, K, Node};

/// One past the last byte at which a name declared by `node` is known: its block's end.
pub(super) fn scope_end(cx: &Context<'_>, node: Node<'_>) -> u32 {
    for around in node.ancestors() {
        match around.kind() {
            K::Block => {
                let function =
                    matches!(around.parent_kind(), Some(K::FunctionDeclaration | K::MethodDeclaration));
                return if function { cx.b.scope_end() } else { around.end() };
            }
            K::IfStatement
            | K::ForStatement
            | K::ExpressionSwitch
            | K::TypeSwitch
            | K::ExpressionCase
            | K::DefaultCase
            | K::TypeCase
            | K::CommunicationCase => return around.end(),
            _ => {}
        }
    }
    cx.b.scope_end()
}

/// The value of the name at place `at` of `count`.
pub(super) fn value_at<'a>(
    cx: &mut Context<'a>,
    values: &[Node<'a>],
    at: usize,
    count: usize,
) -> Option<ExprIx> {
    if values.len() == count {
        return values.get(at).map(|value| cx.b.body.value(*value));
    }
    let [value] = values else { return None };
    // `v, ok := m[k]` and the like.
    let receives = |node: &Node<'_>| node.child(F::Operator).is_some_and(|operator| operator.is(K::Arrow));
    let checked = matches!(value.kind(), K::IndexExpression | K::TypeAssertion)
        || value.is(K::UnaryExpression) && receives(value);
    if checked {
        return Some(if at == 0 { cx.b.body.value(*value) } else { cx.b.body.lit(Lit::Bool) });
    }
    let whole = cx.b.body.value(*value);
    Some(cx.b.body.add(Expr::Item(whole, at.min(255) as u8)))
}

/// `a, b := …`, also in a `select`.
pub(super) fn bind_short_declaration<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if node.is(K::ReceiveStatement) && node.child_of(K::Define).is_none() {
        return;
    }
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    let values: Vec<Node<'a>> =
        if right.is(K::ExpressionList) { right.children().collect() } else { vec![right] };
    let count = left.children().count();
    let to = scope_end(cx, node);
    for (at, name) in left.children().enumerate() {
        if !name.is(K::Identifier) || name.text() == "_" {
            continue;
        }
        // A function that is bound to a name is a definition.
        if values.len() == count && values.get(at).is_some_and(|value| value.is(K::FuncLiteral)) {
            continue;
        }
        let value = value_at(cx, &values, at, count);
        shadow_receiver(cx, name.text(), node.end(), to);
        cx.b.bind_within(BindingKind::Local, name.text(), None, value, (node.end(), to));
    }
}

/// `for k, v := range x`.
pub(super) fn bind_range<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    let whole = cx.b.body.value(right);
    let to = scope_end(cx, node);
    let alone = left.children().nth(1).is_none();
    for (at, name) in left.children().enumerate().take(2) {
        if !name.is(K::Identifier) || name.text() == "_" {
            continue;
        }
        let value = if at == 1 {
            cx.b.body.add(Expr::Index(whole))
        } else {
            let one = cx.b.body.add(Expr::Iter(whole));
            let key = cx.b.body.add(Expr::Item(one, 0));
            // `for x := range channel`: a channel gives its elements to the first name.
            if alone { cx.b.body.either(vec![key, one]) } else { key }
        };
        shadow_receiver(cx, name.text(), node.end(), to);
        cx.b.bind_within(BindingKind::Local, name.text(), None, Some(value), (node.end(), to));
    }
}

/// A local has the receiver's name: between the two bytes the name is the local's.
fn shadow_receiver(cx: &mut Context<'_>, name: &str, from: u32, to: u32) {
    if cx.b.body.is_receiver(name) {
        cx.state.receiver_hidden = Some((from, to));
    }
}

/// Gives the receiver's name at byte `at` the meaning that it has there.
pub(super) fn hide_receiver(cx: &mut Context<'_>, at: u32, (from, to): (u32, u32)) {
    if at >= to {
        cx.state.receiver_hidden = None;
    }
    cx.b.hide_receiver((from..to).contains(&at));
}

/// `switch v := x.(type)`: in each case, `v` has that case's type.
pub(super) fn type_switch<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(alias), Some(value)) = (node.child(F::Alias).and_then(Node::first), node.child(F::Value))
    else {
        return;
    };
    if !alias.is(K::Identifier) || alias.text() == "_" {
        return;
    }
    shadow_receiver(cx, alias.text(), value.end(), node.end());
    let value = cx.b.body.value(value);
    for case in node.children().filter(|child| matches!(child.kind(), K::TypeCase | K::DefaultCase)) {
        let mut types = case.children_in(F::TypeField);
        let (first, more) = (types.next(), types.next().is_some());
        let ty = first.filter(|_| !more).map(|ty| cx.b.body.ty(ty));
        let value = ty.is_none().then_some(value);
        cx.b.bind_within(BindingKind::Local, alias.text(), ty, value, (case.start(), case.end()));
    }
}
