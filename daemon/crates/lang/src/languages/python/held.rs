//! Calls and loops that run code without a name for it.

use sdl_model::facts::{CALLED, Expr, HANDED, ITERATED, RefForm};

use super::kinds::{Context, F, K, Node};

/// How many arguments of a call are looked at.
const MAX_ARGS: usize = 8;

/// A call of the value of `callee`, which no name gives.
pub(super) fn call_held<'a>(cx: &mut Context<'a>, callee: Node<'a>, args: usize) {
    let value = cx.b.body.value(callee);
    if !cx.b.body.is_unknown(value) {
        cx.b.reference(RefForm::Held, CALLED, callee.end(), Some(value), args);
        // The function that made the value may hand back an argument.
        let args = callee.child(F::Arguments).filter(|_| callee.is(K::Call));
        if let Some(args) = args.filter(|args| !args.children().any(|arg| arg.is(K::KeywordArgument))) {
            cx.b.given(callee.end(), args.children());
        }
    }
}

/// A call of the result of the decorator `call`, with the decorated definition.
pub(super) fn apply_decorator<'a>(cx: &mut Context<'a>, call: Node<'a>) {
    let value = cx.b.body.value(call);
    cx.b.reference(RefForm::Decorator, CALLED, call.end(), Some(value), 1);
}

/// Notes the arguments of the call `node` of a name where one of them may be a function.
pub(super) fn note_arguments<'a>(cx: &mut Context<'a>, node: Node<'a>, callee: Node<'a>) {
    let name = if callee.is(K::Attribute) { callee.child(F::AttributeName) } else { Some(callee) };
    let (Some(name), Some(args)) = (name, node.child(F::Arguments)) else { return };
    let may_be_code = |arg: Node<'_>| {
        matches!(arg.kind(), K::Identifier | K::Attribute | K::Call | K::Dictionary | K::List)
    };
    let mut found = Vec::new();
    let mut any = false;
    for arg in args.children().take(MAX_ARGS) {
        let (key, value) = match arg.kind() {
            // What follows may be at any place.
            K::ListSplat | K::DictionarySplat => break,
            K::KeywordArgument => (arg.child(F::Name).map(Node::text), arg.child(F::Value)),
            _ => (None, Some(arg)),
        };
        let code = value.filter(|value| may_be_code(*value));
        any |= code.is_some();
        found.push((key, cx.b.body.value_or_unknown(code)));
    }
    if any {
        cx.b.pass_arguments(name.start(), name.text(), found);
    }
}

/// A loop over the elements of `whole`.
pub(super) fn iterate_over<'a>(cx: &mut Context<'a>, whole: Node<'a>) {
    let value = cx.b.body.value(whole);
    if !matches!(cx.b.body.expr(value), Expr::Unknown | Expr::Lit(_) | Expr::Tuple(_) | Expr::Record(_)) {
        cx.b.reference(RefForm::Iterate, ITERATED, whole.end(), Some(value), 0);
    }
}

/// The argument of the call `node` that the standard library's `callee` runs, where a name gives it: `map(f, list)`,
/// `sorted(list, key=f)`, `Thread(target=f)`.
pub(super) fn hand_over<'a>(cx: &mut Context<'a>, node: Node<'a>, callee: Node<'a>) {
    let (name, whole) = if callee.is(K::Attribute) {
        (callee.child(F::AttributeName), callee.child(F::Object))
    } else {
        (Some(callee), None)
    };
    let keyword = match (name.map_or("", Node::text), whole.is_some()) {
        ("map" | "filter" | "reduce", false) | ("reduce" | "submit", true) => "",
        ("sorted" | "min" | "max", false) | ("sort", true) => "key",
        ("Thread" | "Process", _) => "target",
        _ => return,
    };
    let Some(args) = node.child(F::Arguments) else { return };
    let function = if keyword.is_empty() {
        args.first()
    } else {
        let named = args.children().filter(|arg| arg.is(K::KeywordArgument)).take(MAX_ARGS);
        let mut named = named.filter(|arg| arg.child(F::Name).is_some_and(|name| name.text() == keyword));
        named.next().and_then(|arg| arg.child(F::Value))
    };
    let Some(function) = function.filter(|arg| matches!(arg.kind(), K::Identifier | K::Attribute)) else {
        return;
    };
    let value = cx.b.body.value(function);
    if !cx.b.body.is_unknown(value) {
        cx.b.reference(RefForm::Handed, HANDED, function.end(), Some(value), 0);
        cx.b.given(function.end(), whole.into_iter());
    }
}
