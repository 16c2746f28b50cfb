//! References.

use sdl_model::facts::RefForm;

use super::kinds::{Context, F, K, Node};
use super::{binds, exprs, held, hooks, setup, tables, types};
use crate::driver::Visit;

/// The longest callee that is looked up as a whole for side effects.
const LONG_CALLEE: usize = 120;

pub(super) fn read_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(callee) = node.child(F::Function) else { return };
    let text = callee.text();
    match callee.kind() {
        K::Identifier => cx.b.effect_of(text),
        K::Attribute if text.len() <= LONG_CALLEE => cx.b.effect_of(text),
        _ => {}
    }
    match callee.kind() {
        K::Identifier => {
            held::note_arguments(cx, node, callee);
            held::hand_over(cx, node, callee);
        }
        K::Attribute => {
            held::note_arguments(cx, node, callee);
            held::hand_over(cx, node, callee);
            tables::read_update(cx, node, callee);
        }
        K::Subscript if exprs::is_generic_class(callee) => {}
        _ => held::call_held(cx, callee, exprs::arg_count(node.child(F::Arguments))),
    }
    if node.parent_kind() == Some(K::Decorator) {
        held::apply_decorator(cx, node);
    }
    match text {
        "getattr" => hooks::read_getattr(cx, node),
        "os.getenv"
        | "getenv"
        | "os.environ.get"
        | "environ.get"
        | "os.environ.setdefault"
        | "os.environ.pop" => {
            let key = node.child(F::Arguments).and_then(Node::first);
            add_config_ref(cx, key);
        }
        "setup" | "setuptools.setup" | "distutils.core.setup" => setup::read_setup(cx, node),
        "__all__.extend" | "__all__.append" => super::defs::export_strings(cx, node),
        _ => {}
    }
}

/// `os.environ["KEY"]`.
pub(super) fn read_subscript<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(base) = node.child(F::Value) else { return };
    if matches!(base.text(), "os.environ" | "environ") {
        cx.b.effect_of(base.text());
        add_config_ref(cx, node.child(F::SubscriptIndex));
    }
}

fn add_config_ref(cx: &mut Context<'_>, key: Option<Node<'_>>) {
    if let Some(key) = key.filter(|key| key.is(K::String)) {
        cx.b.reference(RefForm::Config, types::string_content(key), key.start(), None, 0);
    }
}

pub(super) fn read_member<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let (Some(object), Some(name)) = (node.child(F::Object), node.child(F::AttributeName)) else {
        return Visit::Into;
    };
    if is_superclass(node) {
        return Visit::Skip;
    }
    if node.ix() < cx.state.type_until {
        let recv = cx.b.body.ty(object);
        cx.b.reference(RefForm::Type, name.text(), name.start(), Some(recv), 0);
        return Visit::Skip;
    }
    let recv = cx.b.body.value(object);
    let (form, args) = match reference_form(node) {
        (RefForm::Call, args) => (RefForm::MethodCall, args),
        (RefForm::Value, args) => (RefForm::Attr, args),
        other => other,
    };
    cx.b.reference(form, name.text(), name.start(), Some(recv), args);
    Visit::Into
}

pub(super) fn read_identifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let name = node.text();
    let Some(parent) = node.parent() else { return };
    let declares = match parent.kind() {
        K::Attribute => node.field() == F::AttributeName,
        K::KeywordArgument | K::FunctionDefinition | K::ClassDefinition => node.field() == F::Name,
        K::DefaultParameter | K::TypedDefaultParameter => node.field() == F::Name,
        K::TypedParameter | K::Parameters | K::LambdaParameters | K::DictionarySplatPattern => true,
        K::ListSplatPattern => true,
        K::KeywordPattern => parent.first() == Some(node),
        K::MemberType => parent.first() != Some(node),
        _ => binds::is_target(node),
    };
    if declares || is_superclass(node) {
        return;
    }
    if node.ix() < cx.state.type_until {
        cx.b.reference(RefForm::Type, name, node.start(), None, 0);
        return;
    }
    let (form, args) = reference_form(node);
    // `self` and `super` lead to no definition of their own.
    let bare = form == RefForm::Value && cx.b.body.is_receiver(name);
    let to_super = form == RefForm::Call && name == "super";
    if !bare && !to_super {
        cx.b.reference(form, name, node.start(), None, args);
    }
}

/// How the value of `node` is used: called, applied as a decorator, or used in another way.
fn reference_form(node: Node<'_>) -> (RefForm, usize) {
    let Some(parent) = node.parent() else { return (RefForm::Value, 0) };
    match parent.kind() {
        K::Call if node.field() == F::Function => {
            let decorates = parent.parent_kind() == Some(K::Decorator);
            let form = if decorates { RefForm::Decorator } else { RefForm::Call };
            (form, exprs::arg_count(parent.child(F::Arguments)))
        }
        K::Decorator => (RefForm::Decorator, 0),
        // `raise Error` constructs one.
        K::RaiseStatement if parent.first() == Some(node) && names_class(node) => (RefForm::Construct, 0),
        // `Box[int](1)`.
        K::Subscript if node.field() == F::Value && exprs::is_generic_class(parent) => {
            let call = parent.parent().and_then(|call| call.child(F::Arguments));
            (RefForm::Construct, exprs::arg_count(call))
        }
        _ => (RefForm::Value, 0),
    }
}

/// Whether `node`, by naming custom, names a class: `Error`, `errors.Stop`.
fn names_class(node: Node<'_>) -> bool {
    let name = node.text().rsplit('.').next().unwrap_or("").trim_start_matches('_');
    name.starts_with(char::is_uppercase) && (name.len() == 1 || name.chars().any(char::is_lowercase))
}

/// Whether `node` is a class's base, by itself or before its type arguments, and so not a reference.
fn is_superclass(node: Node<'_>) -> bool {
    let is_base =
        |node: Node<'_>| node.parent().is_some_and(|list| list.is_in(K::ClassDefinition, F::Superclasses));
    is_base(node) || (node.is_in(K::Subscript, F::Value) && node.parent().is_some_and(is_base))
}
