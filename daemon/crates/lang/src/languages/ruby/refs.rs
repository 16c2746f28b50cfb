//! References, and the calls by which Ruby declares things.

use sdl_model::facts::{BaseKind, ImportKind, RefForm};

use super::kinds::{Context, F, K, Node};
use super::{defs, exprs, gems};
use crate::driver::Visit;

pub(super) fn read_call<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(method) = node.child(F::MethodField) else { return Visit::Into };
    let (name, args) = (method.text(), exprs::arg_count(node));
    let Some(receiver) = node.child(F::Receiver) else {
        return read_bare_call(cx, node, method, args);
    };
    if let Some(class) = exprs::constructed_class(node) {
        if class.text() == "Gem::Specification" {
            gems::read_specification(cx, node);
        }
        let (recv, named) = if class.is(K::ScopeResolution) {
            (class.child(F::Scope).map(|scope| cx.b.body.value(scope)), class.child(F::NameField))
        } else {
            (None, Some(class))
        };
        if let Some(named) = named {
            cx.b.reference(RefForm::Construct, named.text(), named.start(), recv, args);
        }
        return Visit::Into;
    }
    let recv = cx.b.body.value(receiver);
    cx.b.reference(RefForm::MethodCall, name, method.start(), Some(recv), args);
    if method.end() - node.start() <= 80 && receiver.first().is_none() {
        cx.b.effect_of(&format!("{}.{name}", receiver.text()));
    }
    if receiver.text() == "ENV" && matches!(name, "fetch" | "key?") {
        add_config_ref(cx, node.child(F::Arguments).and_then(Node::first));
    }
    Visit::Into
}

/// A call without a receiver: some of them declare.
fn read_bare_call<'a>(cx: &mut Context<'a>, node: Node<'a>, method: Node<'a>, args: usize) -> Visit {
    let name = method.text();
    let list = node.child(F::Arguments);
    let first = list.and_then(Node::first);
    match name {
        "require" | "load" => {
            if let Some(text) = first.and_then(exprs::string_content) {
                cx.b.import(ImportKind::Module, text, None, None, node.start());
                return Visit::Skip;
            }
        }
        "require_relative" => {
            if let Some(text) = first.and_then(exprs::string_content) {
                let dot = if text.starts_with('.') { "" } else { "./" };
                cx.b.import(ImportKind::Include, &format!("{dot}{text}"), None, None, node.start());
                return Visit::Skip;
            }
        }
        "gem" | "source" | "gemspec" => gems::read_bundle(cx, name, node),
        "include" | "extend" | "prepend" if cx.b.scope_kind().is_type() => {
            let def = cx.b.scope();
            for base in list.into_iter().flat_map(Node::children).take(32) {
                if matches!(base.kind(), K::Constant | K::ScopeResolution) {
                    let shape = cx.b.out.value(base);
                    cx.b.base(def, BaseKind::Mixin, shape, base.start());
                }
            }
            return Visit::Skip;
        }
        "attr_reader" | "attr_writer" | "attr_accessor" => {
            if let Some(list) = list {
                defs::add_attributes(cx, name, list);
            }
            return Visit::Skip;
        }
        "private" | "protected" | "public" | "private_class_method" => {
            if let (Some(list), Some(level)) = (list, defs::parse_visibility(name)) {
                defs::restrict_methods(cx, list, level);
            }
            return Visit::Into;
        }
        "new" => {
            if let Some(of) = cx.b.receiver_type() {
                let class = cx.b.name_of(of).to_owned();
                cx.b.reference(RefForm::Construct, &class, method.start(), None, args);
                return Visit::Into;
            }
        }
        "raise" | "fail" => {
            if let Some(def) = cx.b.callable() {
                let whole = node
                    .parent()
                    .filter(|around| matches!(around.kind(), K::IfModifier | K::UnlessModifier))
                    .unwrap_or(node);
                cx.b.invariant(def, whole.text().get(..200).unwrap_or(whole.text()));
            }
            return Visit::Into;
        }
        _ => {}
    }
    if method.is(K::Super) {
        return Visit::Into;
    }
    let form = RefForm::Call;
    cx.b.reference(form, name, method.start(), None, args);
    cx.b.effect_of(name);
    Visit::Into
}

fn add_config_ref(cx: &mut Context<'_>, key: Option<Node<'_>>) {
    cx.b.effect_of("ENV");
    if let Some((key, text)) = key.and_then(|key| exprs::string_content(key).map(|text| (key, text))) {
        cx.b.reference(RefForm::Config, text, key.start(), None, 0);
    }
}

/// `ENV['X']`.
pub(super) fn read_subscript<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if node.child(F::ObjectField).is_some_and(|object| object.text() == "ENV") {
        add_config_ref(cx, node.children().nth(1));
    }
}

/// A bare name: a local, or a call without arguments.
pub(super) fn read_identifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(parent) = node.parent() else { return };
    let said = match parent.kind() {
        K::MethodParameters | K::BlockParameters | K::LeftAssignmentList | K::ExceptionVariable => true,
        K::Call => node.field() == F::MethodField,
        K::Assignment | K::OperatorAssignment => node.field() == F::Left,
        _ => matches!(node.field(), F::NameField | F::Variable),
    };
    if said {
        return;
    }
    let name = node.text();
    if let Some(level) = defs::parse_visibility(name).filter(|_| cx.b.scope_kind().is_type()) {
        let holder = cx.b.scope();
        cx.state.visibility.insert(holder, level);
        return;
    }
    let key = (cx.b.scope(), cx.b.body.str(name));
    let form = if cx.state.locals.contains(&key) { RefForm::Value } else { RefForm::Call };
    cx.b.reference(form, name, node.start(), None, 0);
}

/// Whether `node` is a constructed, declared or assigned name, which has its fact already.
fn is_said(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return true };
    match parent.kind() {
        K::Call => node.field() == F::MethodField || exprs::constructed_class(parent) == Some(node),
        K::Assignment | K::OperatorAssignment => node.field() == F::Left,
        _ => node.field() == F::NameField,
    }
}

pub(super) fn read_constant<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if !is_said(node) && node.text() != "ENV" {
        cx.b.reference(RefForm::Value, node.text(), node.start(), None, 0);
    }
}

/// `A::B`.
pub(super) fn read_scoped_constant<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(name) = node.child(F::NameField).filter(|_| !is_said(node)) {
        let recv = node.child(F::Scope).map(|scope| cx.b.body.value(scope));
        cx.b.reference(RefForm::Attr, name.text(), name.start(), recv, 0);
    }
}

pub(super) fn instance_variable<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let recv = cx.b.body.add(sdl_model::facts::Expr::SelfRef);
    cx.b.reference(RefForm::Attr, node.text(), node.start(), Some(recv), 0);
}

/// `super`: the method of the same name in an ancestor.
pub(super) fn bare_super<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(def) = cx.b.callable() else { return };
    if node.field() == F::Receiver {
        return;
    }
    let args = node.parent().filter(|call| call.is(K::Call)).map_or(0, exprs::arg_count);
    let name = cx.b.name_of(def).to_owned();
    let recv = cx.b.body.add(sdl_model::facts::Expr::SuperRef);
    cx.b.reference(RefForm::MethodCall, &name, node.start(), Some(recv), args);
}
