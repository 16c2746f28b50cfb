//! Calls and loops that run code without a name for it.

use sdl_model::facts::{CALLED, Expr, ITERATED, RefForm};

use super::kinds::{Context, F, K, Node};

/// How many arguments of a call are looked at.
const MAX_ARGS: usize = 8;

/// A call of the value of `callee`, which no name gives.
pub(super) fn call_held<'a>(cx: &mut Context<'a>, callee: Node<'a>, args: usize) {
    let value = cx.b.body.value(callee);
    if !cx.b.body.is_unknown(value) {
        cx.b.reference(RefForm::Held, CALLED, callee.end(), Some(value), args);
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
