//! The conditions that a function requires, and the state it changes outside of itself.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx, EffectKind};

use super::kinds::{Context, F, K, Node};
use super::types::plain_name;

/// A guard counts only among this many first statements of a function.
const GUARD_STATEMENTS: usize = 5;

/// `throw`, with its condition.
pub(super) fn read_throw<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    // `throw;` rethrows the caught exception.
    if node.first().is_none() {
        return;
    }
    let def = cx.state.function(node).unwrap_or_else(|| cx.b.scope());
    if !is_callable_def(cx, def) {
        return;
    }
    add_conditional(cx, def, node);
}

fn is_callable_def(cx: &Context<'_>, def: DefIx) -> bool {
    let kind = cx.b.def(def).kind;
    kind.is_callable() || kind == SymbolKind::Property
}

fn add_conditional<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let around =
        std::iter::once(node).chain(node.ancestors()).take(3).find(|around| around.field() == F::Consequence);
    let condition = around.and_then(Node::parent).and_then(|around| around.child(F::Condition));
    let text = node.text().trim_end_matches(';');
    match condition {
        Some(condition) => {
            let cut = |text: &'a str| text.get(..200).unwrap_or(text);
            let text = format!("if {}: {}", cut(condition.text()), cut(text));
            cx.b.invariant(def, &text);
        }
        None => cx.b.invariant(def, text),
    }
}

/// `if (…) return …;` among the first statements of a function.
pub(super) fn read_guard<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if node.child(F::Alternative).is_some() {
        return;
    }
    let Some(consequence) = node.child(F::Consequence) else { return };
    let only = if consequence.is(K::Block) {
        let mut statements = consequence.children();
        let first = statements.next();
        if statements.next().is_some() { None } else { first }
    } else {
        Some(consequence)
    };
    let Some(last) = only.filter(|only| only.is(K::Return)) else { return };
    let early =
        node.parent().filter(|block| block.is(K::Block) && block.field() == F::Body).is_some_and(|block| {
            let of_function = block.parent_kind().is_some_and(|kind| {
                matches!(
                    kind,
                    K::MethodDeclaration
                        | K::ConstructorDeclaration
                        | K::LocalFunction
                        | K::AccessorDeclaration
                        | K::OperatorDeclaration
                )
            });
            of_function && block.children().take(GUARD_STATEMENTS).any(|statement| statement == node)
        });
    if early && let Some(def) = cx.state.function(node) {
        add_conditional(cx, def, last);
    }
}

/// Calls that check a requirement: `ArgumentNullException.ThrowIfNull(x)`, `Debug.Assert(x)`, `Contract.Requires(x)`.
pub(super) fn read_check<'a>(cx: &mut Context<'a>, call: Node<'a>, callee: &str) {
    let (of, name) = callee.rsplit_once('.').unwrap_or(("", callee));
    let insists = match of.rsplit('.').next().unwrap_or(of) {
        "Debug" | "Trace" => name == "Assert",
        "Contract" => matches!(name, "Requires" | "Assert" | "Ensures"),
        "Guard" => true,
        other => other.ends_with("Exception") && name.starts_with("ThrowIf"),
    };
    if insists {
        let def = cx.state.function(call).unwrap_or_else(|| cx.b.scope());
        if is_callable_def(cx, def) {
            cx.b.invariant(def, call.text());
        }
    }
}

/// A function that sets a static field of its type.
pub(super) fn note_static_write<'a>(cx: &mut Context<'a>, left: Node<'a>) {
    let name = match left.kind() {
        K::Identifier => left,
        K::MemberAccess => match left.child(F::Name) {
            Some(name) if left.child(F::ExpressionField).is_some_and(|of| of.is(K::Identifier)) => name,
            _ => return,
        },
        _ => return,
    };
    let scope = cx.b.scope();
    if !is_callable_def(cx, scope) || cx.b.def(scope).kind == SymbolKind::Constructor {
        return;
    }
    let Some(class) = cx.b.def(scope).parent else { return };
    if left.is(K::MemberAccess) && left.child(F::ExpressionField).map(Node::text) != Some(cx.b.name_of(class))
    {
        return;
    }
    if let Some(field) = cx.b.find_def(class, plain_name(name.text()))
        && cx.b.def(field).kind == SymbolKind::Field
        && cx.b.def(field).flags.has(DefFlags::STATIC)
    {
        cx.b.effect(scope, EffectKind::GlobalState, left.text());
    }
}
