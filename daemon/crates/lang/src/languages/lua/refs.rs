//! References.

use sdl_model::facts::RefForm;

use super::kinds::{Context, F, K, Node};
use super::{effects, imports, invariants, names, tables};
use crate::driver::Visit;

pub(super) fn read_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(callee) = node.child(F::Name) else { return };
    if let Some(text) = effects::spelled(callee) {
        cx.b.effect_of(&text);
    }
    let args = names::arguments(node).count();
    if let Some((table, name)) = names::member_parts(callee) {
        if callee.text() == "os.getenv"
            && let Some(key) = names::arguments(node).next().filter(|key| key.is(K::String))
        {
            cx.b.reference(RefForm::Config, names::text_of(key), key.start(), None, 0);
        }
        let recv = cx.b.body.value(table);
        cx.b.reference(RefForm::MethodCall, names::name_text(name), name.start(), Some(recv), args);
        return;
    }
    if !callee.is(K::Identifier) {
        return;
    }
    match callee.text() {
        "require" => return imports::read_require(cx, node),
        "dofile" => imports::read_dofile(cx, node),
        "setmetatable" => tables::read_setmetatable(cx, node),
        "error" | "assert" => invariants::read_check(cx, node),
        _ => {}
    }
    cx.b.reference(RefForm::Call, callee.text(), callee.start(), None, args);
}

/// `a.b` that is not called.
pub(super) fn read_member<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if node.is_in(K::FunctionDeclaration, F::Name) {
        return Visit::Skip;
    }
    let Some((table, name)) = names::member_parts(node) else { return Visit::Into };
    if !node.is_in(K::FunctionCall, F::Name) && !cx.state.declared.contains(&name.start()) {
        let recv = cx.b.body.value(table);
        cx.b.reference(RefForm::Attr, names::name_text(name), name.start(), Some(recv), 0);
    }
    Visit::Into
}

pub(super) fn read_identifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(parent) = node.parent() else { return };
    let declares = match parent.kind() {
        K::DotIndex => node.field() == F::FieldField,
        K::MethodIndex => node.field() == F::Method,
        // `[name] = …` reads the name.
        K::Field => node.field() == F::Name && !parent.text().starts_with('['),
        K::FunctionCall | K::ForNumeric | K::FunctionDeclaration => node.field() == F::Name,
        K::VariableList | K::Parameters | K::Attribute | K::Label | K::Goto => true,
        _ => false,
    };
    // `self` leads to no definition of its own.
    if !declares && !cx.b.body.is_receiver(node.text()) {
        cx.b.reference(RefForm::Value, node.text(), node.start(), None, 0);
    }
}
