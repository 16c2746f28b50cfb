//! Calls and loops that run code without a name for it.

use sdl_model::facts::{CALLED, Expr, HANDED, ITERATED, RefForm};

use super::calls::arg_count;
use super::keys::is_symbol;
use super::kinds::{Context, F, K, Node};

/// How many arguments of a call are looked at.
const MAX_ARGS: usize = 8;

/// The call `node` of the value of `callee`, if no name gives that.
pub(super) fn call_held<'a>(cx: &mut Context<'a>, node: Node<'a>, callee: Node<'a>) {
    let mut inner = callee;
    while let Some(within) = inner.first().filter(|_| inner.is(K::ParenthesizedExpression)) {
        inner = within;
    }
    let is_held = match inner.kind() {
        K::CallExpression | K::TernaryExpression | K::BinaryExpression => true,
        // With a text for a key, it is a member.
        K::SubscriptExpression => {
            inner.child(F::Index).is_some_and(|index| !index.is(K::String) && !is_symbol(index))
        }
        _ => false,
    };
    if !is_held {
        return;
    }
    let value = cx.b.body.value(inner);
    if !cx.b.body.is_unknown(value) {
        let args = arg_count(node.child(F::Arguments));
        cx.b.reference(RefForm::Held, CALLED, callee.end(), Some(value), args);
        // The function that made the value may hand back an argument.
        let inner = Some(inner).filter(|inner| inner.is(K::CallExpression));
        if let Some(args) = inner.and_then(|call| call.child(F::Arguments)) {
            cx.b.given(callee.end(), args.children());
        }
    }
}

/// A loop over the elements of `whole`.
pub(super) fn iterate_over<'a>(cx: &mut Context<'a>, whole: Node<'a>) {
    let value = cx.b.body.value(whole);
    if !matches!(cx.b.body.expr(value), Expr::Unknown | Expr::Lit(_) | Expr::Tuple(_) | Expr::Record(_)) {
        cx.b.reference(RefForm::Iterate, ITERATED, whole.end(), Some(value), 0);
    }
}

/// Notes the arguments of the call `node` of a name where one of them may be a function.
pub(super) fn note_arguments<'a>(cx: &mut Context<'a>, node: Node<'a>, callee: Node<'a>) {
    let name = match callee.kind() {
        K::Identifier => Some(callee),
        K::MemberExpression => callee.child(F::Property),
        _ => None,
    };
    let (Some(name), Some(args)) = (name, node.child(F::Arguments)) else { return };
    let may_be_code = |arg: Node<'_>| {
        matches!(
            arg.kind(),
            K::Identifier | K::MemberExpression | K::CallExpression | K::NewExpression | K::Object | K::Array
        )
    };
    let mut found = Vec::new();
    let mut any = false;
    // What follows a spread may be at any place.
    for arg in args.children().take(MAX_ARGS).take_while(|arg| !arg.is(K::SpreadElement)) {
        let code = may_be_code(arg);
        any |= code;
        found.push((None, if code { cx.b.body.object_value(arg) } else { cx.b.body.unknown() }));
    }
    if any {
        cx.b.pass_arguments(name.start(), name.text(), found);
    }
}

/// Methods of the standard library that run their first argument.
const RUN_FIRST: [&str; 19] = [
    "every",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flatMap",
    "forEach",
    "map",
    "reduce",
    "reduceRight",
    "some",
    "sort",
    "toSorted",
    "then",
    "catch",
    "finally",
    "from",
    "nextTick",
];

/// Functions of the standard library that run their first argument.
const RUN_LATER: [&str; 5] =
    ["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "requestAnimationFrame"];

/// A function that is named as an argument of the call `node`, where the standard library's `callee` runs it.
pub(super) fn hand_over<'a>(cx: &mut Context<'a>, node: Node<'a>, callee: Node<'a>) {
    let (name, whole) = match callee.kind() {
        K::Identifier => (Some(callee), None),
        K::MemberExpression => (callee.child(F::Property), callee.child(F::ObjectField)),
        _ => return,
    };
    let name = name.map_or("", Node::text);
    let runs = if whole.is_some() { RUN_FIRST.contains(&name) } else { RUN_LATER.contains(&name) };
    // `Array.from(list, f)`.
    let place = usize::from(name == "from");
    let function = node.child(F::Arguments).filter(|_| runs).and_then(|args| args.children().nth(place));
    let Some(function) = function.filter(|arg| matches!(arg.kind(), K::Identifier | K::MemberExpression))
    else {
        return;
    };
    let value = cx.b.body.value(function);
    if !cx.b.body.is_unknown(value) {
        cx.b.reference(RefForm::Handed, HANDED, function.end(), Some(value), 0);
        cx.b.given(function.end(), whole.into_iter());
    }
}
