//! References.

use sdl_model::SymbolKind;
use sdl_model::facts::RefForm;

use super::kinds::{Context, F, K, Node};
use super::{exprs, types};
use crate::driver::Visit;

/// A reference to the name `node`, with its namespace as the receiver.
fn add_name_ref<'a>(cx: &mut Context<'a>, form: RefForm, node: Node<'a>, args: usize) {
    let (base, last) = types::split_name(node.text());
    let recv = base.map(|base| types::name_shape(&mut cx.b.body, base));
    let last = last.trim();
    cx.b.reference(form, last, node.end() - last.len() as u32, recv, args);
}

pub(super) fn read_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(callee) = node.child(F::Function) else { return };
    if !matches!(callee.kind(), K::Name | K::QualifiedName | K::RelativeName) {
        return;
    }
    let form = if callee.is(K::Name) { RefForm::Call } else { RefForm::PathCall };
    add_name_ref(cx, form, callee, exprs::arg_count(node));
    let name = types::split_name(callee.text()).1;
    cx.b.effect_of(name);
    match name {
        "getenv" | "env" | "config" => add_config_ref(cx, exprs::first_text(node)),
        "assert" => {
            if let Some(def) = cx.b.callable() {
                cx.b.invariant(def, node.text().get(..200).unwrap_or(node.text()));
            }
        }
        _ => {}
    }
}

fn add_config_ref(cx: &mut Context<'_>, key: Option<(&str, u32)>) {
    if let Some((key, at)) = key {
        cx.b.reference(RefForm::Config, key, at, None, 0);
    }
}

/// `$_ENV['X']`.
pub(super) fn read_subscript<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let mut parts = node.children();
    let (Some(base), Some(key)) = (parts.next(), parts.next()) else { return };
    if matches!(base.text(), "$_ENV" | "$_SERVER") {
        cx.b.effect_of(base.text());
        add_config_ref(cx, exprs::string_content(key).map(|text| (text, key.start())));
    }
}

/// `$x->m(…)`.
pub(super) fn member_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(object), Some(name)) = (node.child(F::Object), node.child(F::NameField)) else { return };
    if !name.is(K::Name) {
        return;
    }
    let recv = cx.b.body.value(object);
    cx.b.reference(RefForm::MethodCall, name.text(), name.start(), Some(recv), exprs::arg_count(node));
    if object.end() - object.start() <= 60 && matches!(object.kind(), K::VariableName | K::MemberAccess) {
        let holder = object.text().rsplit(['>', '$']).next().unwrap_or("");
        let callee = format!("{holder}.{}", name.text());
        cx.b.effect_of(&callee);
    }
}

/// `A::m(…)`, `self::m(…)`, `parent::m(…)`.
pub(super) fn scoped_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(scope), Some(name)) = (node.child(F::Scope), node.child(F::NameField)) else { return };
    if !name.is(K::Name) {
        return;
    }
    let recv = cx.b.body.value(scope);
    cx.b.reference(RefForm::PathCall, name.text(), name.start(), Some(recv), exprs::arg_count(node));
    let callee = format!("{}::{}", types::split_name(scope.text().get(..80).unwrap_or("")).1, name.text());
    cx.b.effect_of(&callee);
}

/// `new T(…)`.
pub(super) fn read_creation<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.children().find(exprs::is_class_name) else { return };
    let args = exprs::arg_count(node);
    if !matches!(name.text(), "self" | "static" | "parent") {
        add_name_ref(cx, RefForm::Construct, name, args);
        return;
    }
    // The class around it, by its name.
    let around = node
        .ancestors()
        .find(|around| matches!(around.kind(), K::ClassDeclaration | K::EnumDeclaration | K::AnonymousClass));
    let class = if name.text() == "parent" {
        around.and_then(|around| around.child_of(K::BaseClause)).and_then(Node::first)
    } else {
        around.and_then(|around| around.child(F::NameField))
    };
    if let Some(class) = class {
        let (base, last) = types::split_name(class.text());
        let recv = base.map(|base| types::name_shape(&mut cx.b.body, base));
        cx.b.reference(RefForm::Construct, last, name.start(), recv, args);
    }
}

/// `$x->y`.
pub(super) fn read_member<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(object), Some(name)) = (node.child(F::Object), node.child(F::NameField)) else { return };
    if name.is(K::Name) {
        let recv = cx.b.body.value(object);
        cx.b.reference(RefForm::Attr, name.text(), name.start(), Some(recv), 0);
    }
}

/// `A::$x`, `A::X`.
pub(super) fn read_scoped_member<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let mut parts = node.children();
    let (Some(scope), Some(name)) = (parts.next(), parts.next()) else { return };
    if exprs::is_plain(&name) && name.text() != "class" {
        let recv = cx.b.body.value(scope);
        cx.b.reference(RefForm::Attr, name.text().trim_start_matches('$'), name.start(), Some(recv), 0);
    }
}

/// `#[A(…)]`.
pub(super) fn read_attribute<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(name) = node.first() {
        let args = node.child(F::Parameters).map_or(0, |list| list.children().count());
        add_name_ref(cx, RefForm::Decorator, name, args);
    }
}

/// A name that is not read above: a type, a class before `::`, a constant.
pub(super) fn read_name<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(parent) = node.parent() else { return Visit::Skip };
    let form = match parent.kind() {
        K::NamedType => RefForm::Type,
        K::Binary if parent.child(F::Operator).is_some_and(|operator| operator.is(K::Instanceof)) => {
            RefForm::Type
        }
        K::ScopedCall | K::ScopedPropertyAccess if node.field() == F::Scope => RefForm::Type,
        K::ClassConstantAccess if parent.first() == Some(node) => RefForm::Type,
        // A declared name, or one that has its reference already.
        K::ClassConstantAccess
        | K::Attribute
        | K::ObjectCreation
        | K::ConstElement
        | K::Label
        | K::PropertyHook
        | K::NamespaceDefinition
        | K::UseClause => {
            let value = parent.is(K::ConstElement) && parent.first() != Some(node);
            if !value {
                return Visit::Skip;
            }
            RefForm::Value
        }
        _ if matches!(node.field(), F::NameField | F::Function | F::Alias) => return Visit::Skip,
        _ => RefForm::Value,
    };
    let text = node.text();
    let keyword = matches!(text, "self" | "static" | "parent")
        || text.starts_with("__") && text.ends_with("__") && cx.b.scope_kind() != SymbolKind::Namespace;
    if !keyword {
        add_name_ref(cx, form, node, 0);
    }
    Visit::Skip
}
