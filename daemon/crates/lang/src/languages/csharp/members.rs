//! Fields, properties, events, and the declarators that fields and locals share.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, DefFlags};

use super::kinds::{Context, F, K, Node};
use super::scopes::scope_end;
use super::types::{plain_name, stated_type};
use super::{functions, modifiers, params};
use crate::builder::NewDef;
use crate::builder::text::fold_line;

/// A property, an indexer or an event with accessors.
pub(super) fn read_property<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (text, at) = if node.is(K::IndexerDeclaration) {
        let Some(this) = node.child_of(K::This) else { return };
        ("this[]", this)
    } else {
        let Some(name) = node.child(F::Name) else { return };
        (name.text(), name)
    };
    let kind = if node.is(K::EventDeclaration) { SymbolKind::Field } else { SymbolKind::Property };
    let arrow = node.child(F::Value).filter(|value| value.is(K::ArrowClause));
    let new = modifiers::new_declaration(kind, text, at, node).body(arrow);
    let def = cx.b.open(new);
    modifiers::complete_def(cx, def, node);
    if let Some(list) = node.child(F::Parameters) {
        params::read_params(cx, def, list);
    }
    if let Some(ty) = node.child(F::TypeField) {
        let shape = cx.b.out.ty(ty);
        let text = cx.b.out.str(&fold_line(ty.text(), 200));
        let def = cx.b.def_mut(def);
        def.ty = Some(shape);
        def.ret = Some(shape);
        def.ret_text = Some(text);
    }
    let bodiless =
        node.child(F::Accessors).is_some_and(|list| list.children().all(|one| one.child(F::Body).is_none()));
    let of_interface =
        cx.b.def(def).parent.is_some_and(|parent| cx.b.def(parent).kind == SymbolKind::Interface);
    if bodiless && of_interface {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    if node.child_of(K::ExplicitInterface).is_some() {
        cx.b.flag(def, DefFlags::NAMELESS);
    }
    cx.state.enter_function(node, Some(def));
}

/// `get`, `set`, `add`, `remove`: their behaviour belongs to the property.
pub(super) fn read_accessor<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(body) = node.child(F::Body) else { return };
    if node.child_of(K::Get).is_none() {
        let property = node.parent().and_then(Node::parent);
        let ty = property.and_then(|property| property.child(F::TypeField)).map(|ty| cx.b.body.ty(ty));
        cx.b.bind_within(BindingKind::Param, "value", ty, None, (body.start(), body.end()));
        // A setter has no result.
        cx.state.enter_function(node, None);
    }
}

/// `x = 1` of a field, an event or a local.
pub(super) fn read_declarator<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(declaration) = node.parent() else { return };
    let Some(name) = node.child(F::Name) else { return };
    let value = node.children().last().filter(|value| *value != name && value.field() == F::None);
    let value = value.filter(|value| !value.is(K::EqualSign));
    match declaration
        .parent()
        .filter(|whole| matches!(whole.kind(), K::FieldDeclaration | K::EventFieldDeclaration))
    {
        Some(whole) => add_field(cx, node, declaration, whole, name, value),
        None => bind_local(cx, node, declaration, name, value),
    }
}

fn add_field<'a>(
    cx: &mut Context<'a>,
    node: Node<'a>,
    declaration: Node<'a>,
    whole: Node<'a>,
    name: Node<'a>,
    value: Option<Node<'a>>,
) {
    if !cx.b.scope_kind().is_type() {
        return;
    }
    let many = declaration.children().filter(|part| part.is(K::VariableDeclarator)).nth(1).is_some();
    let constant = whole.children().any(|word| word.is(K::Modifier) && word.text() == "const");
    let kind = if constant { SymbolKind::Constant } else { SymbolKind::Field };
    let ty = declaration.child(F::TypeField);
    let text = plain_name(name.text());
    let mut new = NewDef::new(kind, text, name, if many { node } else { whole });
    if many {
        let ty = ty.map_or_else(String::new, |ty| fold_line(ty.text(), 300));
        new = new.signature(format!("{ty} {text}"));
    } else {
        new = new.header_from(modifiers::header_start(whole));
        // Text stays out of signatures, because it may be long, or secret.
        if let Some(value) = value.filter(|value| !is_short(*value)) {
            new = new.header_to(value.start());
        }
    }
    let def = cx.b.open(new);
    modifiers::complete_def(cx, def, whole);
    if let Some(ty) = ty {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(ty));
    }
    if let Some(value) = value {
        let shape = cx.b.out.value(value);
        if !cx.b.out.is_unknown(shape) {
            cx.b.def_mut(def).value = Some(shape);
        }
    }
}

/// Whether a value is so plain that it may be in a signature, such as `true` or `30`.
fn is_short(value: Node<'_>) -> bool {
    let plain =
        matches!(value.kind(), K::Integer | K::Real | K::Boolean | K::Null | K::Identifier | K::MemberAccess);
    plain && value.end() - value.start() < 60
}

fn bind_local<'a>(
    cx: &mut Context<'a>,
    node: Node<'a>,
    declaration: Node<'a>,
    name: Node<'a>,
    value: Option<Node<'a>>,
) {
    // A function that is bound to a name is a definition.
    if value.is_some_and(|value| {
        matches!(value.kind(), K::Lambda | K::AnonymousMethod) && functions::bound_name(value).is_some()
    }) {
        return;
    }
    let ty = stated_type(declaration).map(|ty| cx.b.body.ty(ty));
    let value = value.filter(|_| ty.is_none()).map(|value| cx.b.body.value(value));
    let to = scope_end(cx, declaration);
    cx.b.bind_within(BindingKind::Local, plain_name(name.text()), ty, value, (node.end(), to));
}
