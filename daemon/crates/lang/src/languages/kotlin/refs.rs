//! References.

use sdl_model::facts::RefForm;

use super::kinds::{Context, F, K, Node};
use super::types::{last_name, plain_name, qualifier_shape, stated_type, type_name_node};
use super::{exprs, invariants};

/// The longest callee that is looked up as a whole for side effects.
const LONG_CALLEE: usize = 120;

pub(super) fn read_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    // This is read as part of the call with the lambda.
    if exprs::is_completed(node) {
        return;
    }
    let Some(callee) = exprs::callee_node(node).map(exprs::without_prefix) else { return };
    masked_types(cx, callee);
    let text = callee.text();
    if text.len() > LONG_CALLEE || !matches!(callee.kind(), K::Identifier | K::NavigationExpression) {
        return;
    }
    cx.b.effect_of(text);
    invariants::read_check(cx, node, text);
    let name = text.rsplit('.').next().unwrap_or(text);
    let of = text.rsplit('.').nth(1).unwrap_or("");
    let reads = match of {
        "System" => matches!(name, "getenv" | "getProperty" | "setProperty"),
        "env" | "environment" | "config" | "properties" | "props" => {
            matches!(name, "getProperty" | "getRequiredProperty" | "property" | "getString" | "getInt")
        }
        _ => false,
    };
    if reads {
        let list = node.child_of(K::ValueArguments);
        let key = list.and_then(Node::first).and_then(|first| first.children().last());
        if let Some((key, text)) = key.and_then(|key| Some((key, exprs::string_content(key)?))) {
            cx.b.reference(RefForm::Config, text, key.start(), None, 0);
        }
    }
}

/// The types in the brackets after `callee`, which are hidden from the grammar.
fn masked_types<'a>(cx: &mut Context<'a>, callee: Node<'a>) {
    let start = callee.end();
    if cx.b.slice(start, start + 1) != "<" || callee.next_sibling().is_some_and(|next| next.start() == start)
    {
        return;
    }
    let text = cx.b.slice(start, callee.parent().map_or(start, Node::end));
    let mut at = start + 1;
    for part in text.get(1..text.find('>').unwrap_or(1)).unwrap_or("").split(',').take(4) {
        let path = part.trim_end();
        let name = path.rsplit(['.', ' ']).next().unwrap_or(path);
        if name.starts_with(char::is_uppercase) && !path.contains('<') {
            cx.b.reference(RefForm::Type, name, at + (path.len() - name.len()) as u32, None, 0);
        }
        at += part.len() as u32 + 1;
    }
}

/// `a.b`, `a?.b`, `a::b`.
pub(super) fn read_member<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(of), Some(name)) = (node.first().map(exprs::without_prefix), exprs::member_name(node)) else {
        return;
    };
    let recv = cx.b.body.value(of);
    let (form, args) = match reference_form(node) {
        (RefForm::Call, args) => (RefForm::MethodCall, args),
        (_, args) => (RefForm::Attr, args),
    };
    cx.b.reference(form, plain_name(name.text()), name.start(), Some(recv), args);
    note_arguments(cx, node, name.start());
}

/// The arguments that `callee` is called with, of the reference at byte `at`.
fn note_arguments<'a>(cx: &mut Context<'a>, callee: Node<'a>, at: u32) {
    let call = callee.parent().filter(|call| call.is(K::CallExpression) && call.first() == Some(callee));
    if let Some(list) = call.and_then(|call| call.child_of(K::ValueArguments)) {
        note_listed_arguments(cx, list, at);
    }
}

fn note_listed_arguments<'a>(cx: &mut Context<'a>, list: Node<'a>, at: u32) {
    // Named ones are in any order.
    let is_named = |one: Node<'_>| one.child_of(K::EqualSign).is_some();
    if !list.children().take(8).any(is_named) {
        cx.b.given(at, list.children());
    }
}

/// `a f b`.
pub(super) fn read_infix_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(name)) = (node.first(), node.children().nth(1)) else { return };
    if name.is(K::Identifier) {
        let recv = cx.b.body.value(left);
        cx.b.reference(RefForm::MethodCall, plain_name(name.text()), name.start(), Some(recv), 1);
        cx.b.given(name.start(), node.children().skip(2));
    }
}

/// `T::f`, `::f`.
pub(super) fn callable_reference<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.children().last().filter(|name| name.is(K::Identifier)) else { return };
    match stated_type(node) {
        Some(of) => {
            let recv = cx.b.body.ty(of);
            cx.b.reference(RefForm::Attr, plain_name(name.text()), name.start(), Some(recv), 0);
        }
        None => cx.b.reference(RefForm::Value, plain_name(name.text()), name.start(), None, 0),
    }
}

/// `this(…)`, `super(…)` of a constructor.
pub(super) fn delegation_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(class) = node.ancestors().take(6).find(|around| around.is(K::ClassDeclaration)) else { return };
    let args = exprs::arg_count(node);
    if node.text().starts_with("this") {
        if let Some(name) = class.child(F::Name) {
            cx.b.reference(RefForm::Construct, plain_name(name.text()), node.start(), None, args);
            if let Some(list) = node.child_of(K::ValueArguments) {
                note_listed_arguments(cx, list, node.start());
            }
        }
        return;
    }
    let base = class
        .child_of(K::DelegationSpecifiers)
        .and_then(Node::first)
        .and_then(stated_type)
        .and_then(type_name_node);
    if let Some(base) = base
        && let Some(name) = last_name(base)
    {
        let recv = qualifier_shape(&mut cx.b.body, base);
        cx.b.reference(RefForm::Construct, plain_name(name.text()), node.start(), recv, args);
    }
}

/// `: Base(…)` of a class or an object; annotations are read as a whole.
pub(super) fn constructor_invocation<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if node.parent_kind() != Some(K::DelegationSpecifier) {
        return;
    }
    let Some(base) = stated_type(node).and_then(type_name_node) else { return };
    if let Some(name) = last_name(base) {
        let recv = qualifier_shape(&mut cx.b.body, base);
        cx.b.reference(
            RefForm::Construct,
            plain_name(name.text()),
            name.start(),
            recv,
            exprs::arg_count(node),
        );
        if let Some(list) = node.child_of(K::ValueArguments) {
            note_listed_arguments(cx, list, name.start());
        }
    }
}

/// `@A(…)`, `@[A B]`.
pub(super) fn read_annotation<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    for part in node.children().take(16) {
        let (ty, args) = match part.kind() {
            K::ConstructorInvocation => (stated_type(part), exprs::arg_count(part)),
            kind if kind.is_type() => (Some(part), 0),
            _ => continue,
        };
        let Some(ty) = ty.and_then(type_name_node) else { continue };
        if let Some(name) = last_name(ty) {
            let recv = qualifier_shape(&mut cx.b.body, ty);
            cx.b.reference(RefForm::Decorator, plain_name(name.text()), name.start(), recv, args);
        }
    }
}

/// A type that is used: not a base, not an annotation.
pub(super) fn user_type<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let seen = match node.parent_kind() {
        Some(K::DelegationSpecifier | K::ExplicitDelegation | K::Annotation | K::FileAnnotation) => true,
        Some(K::ConstructorInvocation) => true,
        // A receiver that is an object or a type: the next part shows how it is used.
        _ => false,
    };
    if seen {
        return;
    }
    if let Some(name) = last_name(node) {
        let recv = qualifier_shape(&mut cx.b.body, node);
        cx.b.reference(RefForm::Type, plain_name(name.text()), name.start(), recv, 0);
    }
}

pub(super) fn read_identifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(parent) = node.parent() else { return };
    let first = || parent.children().find(|part| part.is(K::Identifier)) == Some(node);
    let seen = match parent.kind() {
        K::UserType | K::QualifiedIdentifier | K::Import | K::CallableReference | K::SuperExpression => true,
        K::NavigationExpression => parent.first() != Some(node),
        K::InfixExpression => parent.children().nth(1) == Some(node),
        K::VariableDeclaration
        | K::ClassParameter
        | K::Parameter
        | K::TypeParameter
        | K::TypeConstraint
        | K::EnumEntry
        | K::CatchBlock
        | K::Setter => first(),
        K::ValueArgument => node.next_sibling().is_some_and(|next| next.is(K::EqualSign)),
        K::ReturnExpression => node.field() == F::LabelField,
        K::TypeAlias => true,
        K::ClassDeclaration | K::ObjectDeclaration | K::CompanionObject | K::FunctionDeclaration => {
            node.field() == F::Name
        }
        _ => false,
    };
    let name = node.text();
    if seen || matches!(name, "null" | "true" | "false" | "break" | "continue") {
        return;
    }
    // `break@loop`: the grammar takes the label for a name.
    if cx.b.slice(node.start().saturating_sub(1), node.start()) == "@" {
        return;
    }
    let (form, args) = reference_form(node);
    cx.b.reference(form, plain_name(name), node.start(), None, args);
    if form == RefForm::Call {
        note_arguments(cx, node, node.start());
    }
}

/// How the value of `node` is used.
fn reference_form(node: Node<'_>) -> (RefForm, usize) {
    let mut node = node;
    for _ in 0..8 {
        match node.parent().filter(|whole| exprs::is_prefixed(*whole)) {
            Some(whole) => node = whole,
            None => break,
        }
    }
    match node.parent() {
        Some(call) if call.is(K::CallExpression) && call.first() == Some(node) => {
            let whole = if exprs::is_completed(call) { call.parent().unwrap_or(call) } else { call };
            (RefForm::Call, exprs::arg_count(whole))
        }
        _ => (RefForm::Value, 0),
    }
}
