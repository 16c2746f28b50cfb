//! Local names: loops, patterns, `out` variables, queries, tuple deconstruction.

use sdl_model::facts::{BindingKind, Expr, ExprIx};

use super::kinds::{Context, F, K, Node};
use super::scopes::scope_end;
use super::types::{plain_name, stated_type};

fn bind_local<'a>(
    cx: &mut Context<'a>,
    name: Node<'a>,
    ty: Option<ExprIx>,
    value: Option<ExprIx>,
    at: Node<'a>,
    from: u32,
) {
    if name.text() == "_" || !matches!(name.kind(), K::Identifier) {
        return;
    }
    let to = scope_end(cx, at);
    cx.b.bind_within(BindingKind::Local, plain_name(name.text()), ty, value, (from, to));
}

/// `foreach (var x in xs)`.
pub(super) fn bind_foreach<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    let whole = cx.b.body.value(right);
    let element = cx.b.body.add(Expr::Iter(whole));
    if left.is(K::Identifier) {
        let ty = stated_type(node).map(|ty| cx.b.body.ty(ty));
        let value = ty.is_none().then_some(element);
        if left.text() != "_" {
            let name = plain_name(left.text());
            cx.b.bind_within(BindingKind::Local, name, ty, value, (right.end(), node.end()));
        }
    } else {
        bind_tuple_parts(cx, left, element, (right.end(), node.end()), 0);
    }
}

/// Binds the names in the tuple `left` to the parts of `whole`.
fn bind_tuple_parts<'a>(cx: &mut Context<'a>, left: Node<'a>, whole: ExprIx, range: (u32, u32), depth: u8) {
    if depth > 4 {
        return;
    }
    let parts = left.children().filter(|part| part.field() != F::TypeField);
    for (at, part) in parts.take(16).enumerate() {
        let part = if part.is(K::Argument) { part.first().unwrap_or(part) } else { part };
        let item = cx.b.body.add(Expr::Item(whole, at.min(255) as u8));
        match part.kind() {
            K::Identifier if !left.is(K::TupleExpression) && part.text() != "_" => {
                let name = plain_name(part.text());
                cx.b.bind_within(BindingKind::Local, name, None, Some(item), range);
            }
            K::DeclarationExpression => {
                // Stated types are bound where the walk meets the declaration.
                if let Some(name) =
                    part.child(F::Name).filter(|name| name.text() != "_" && stated_type(part).is_none())
                {
                    let name = plain_name(name.text());
                    cx.b.bind_within(BindingKind::Local, name, None, Some(item), range);
                }
            }
            K::TuplePattern | K::TupleExpression | K::ParenthesizedDesignation => {
                bind_tuple_parts(cx, part, item, range, depth + 1);
            }
            _ => {}
        }
    }
}

/// `var (a, b) = f();` parses as a declarator with a pattern.
pub(super) fn bind_tuple_pattern<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(declarator) = node.parent().filter(|parent| parent.is(K::VariableDeclarator)) else { return };
    let value = declarator.children().last().filter(|value| *value != node);
    let whole = cx.b.body.value_or_unknown(value);
    let to = scope_end(cx, declarator);
    bind_tuple_parts(cx, node, whole, (declarator.end(), to), 0);
}

/// `(var a, var b) = f();`, and assignments to static fields.
pub(super) fn read_assignment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    if left.is(K::TupleExpression) {
        let whole = cx.b.body.value(right);
        let to = scope_end(cx, node);
        bind_tuple_parts(cx, left, whole, (node.end(), to), 0);
    } else {
        super::invariants::note_static_write(cx, left);
    }
}

/// `T x` as a pattern, as an `out` argument, in a `catch`.
pub(super) fn bind_typed_pattern<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let ty = stated_type(node).map(|ty| cx.b.body.ty(ty));
    if ty.is_none() && node.is(K::DeclarationExpression) {
        // The assignment has more information about a tuple's parts.
        let part = node.parent().filter(|part| part.is(K::Argument));
        if part.is_some_and(|part| part.parent_kind() == Some(K::TupleExpression)) {
            return;
        }
        bind_local(cx, name, None, None, node, node.end());
        return;
    }
    let value = if ty.is_none() { matched_value(node).map(|subject| cx.b.body.value(subject)) } else { None };
    bind_local(cx, name, ty, value, node, node.end());
}

/// The value that a pattern is matched against: of `x is …`, of `switch (x)`.
fn matched_value(pattern: Node<'_>) -> Option<Node<'_>> {
    let mut at = pattern;
    for _ in 0..6 {
        let parent = at.parent()?;
        match parent.kind() {
            K::IsPattern => return parent.child(F::ExpressionField),
            K::SwitchArm => return parent.parent()?.first(),
            K::SwitchSection => return parent.parent()?.parent()?.child(F::Value),
            K::AndPattern => at = parent,
            _ => return None,
        }
    }
    None
}

/// `var x`, `var (a, b)`.
pub(super) fn var_pattern<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let value = matched_value(node).map(|subject| cx.b.body.value(subject));
    if let Some(name) = node.child(F::Name) {
        bind_local(cx, name, None, value, node, node.end());
    } else if let Some(list) = node.child_of(K::ParenthesizedDesignation) {
        let whole = value.unwrap_or_else(|| cx.b.body.unknown());
        let to = scope_end(cx, node);
        bind_tuple_parts(cx, list, whole, (node.end(), to), 0);
    }
}

/// `from x in xs`.
pub(super) fn from_clause<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(name), Some(source)) = (node.child(F::Name), node.children().last()) else { return };
    bind_element(cx, node, name, source);
}

/// `join x in xs on …`.
pub(super) fn join_clause<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let mut parts = node.children().filter(|part| part.field() != F::TypeField);
    if let (Some(name), Some(source)) = (parts.next(), parts.next()) {
        bind_element(cx, node, name, source);
    }
    if let Some(name) = node.child_of(K::JoinInto).and_then(Node::first) {
        bind_local(cx, name, None, None, node, node.end());
    }
}

fn bind_element<'a>(cx: &mut Context<'a>, node: Node<'a>, name: Node<'a>, source: Node<'a>) {
    let ty = stated_type(node).map(|ty| cx.b.body.ty(ty));
    let value = if ty.is_none() {
        let whole = cx.b.body.value(source);
        Some(cx.b.body.add(Expr::Iter(whole)))
    } else {
        None
    };
    bind_local(cx, name, ty, value, node, source.end());
}

/// `let x = …`.
pub(super) fn let_clause<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(name), Some(value)) = (node.first(), node.children().last()) else { return };
    let shape = cx.b.body.value(value);
    bind_local(cx, name, None, Some(shape), node, node.end());
}
