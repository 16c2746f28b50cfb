//! Classes, interfaces, objects, enumerations, aliases.

use sdl_model::SymbolKind;
use sdl_model::facts::{BaseKind, DefFlags};

use super::kinds::{Context, F, K, Node};
use super::types::{plain_name, stated_type, type_name_node};
use super::{exprs, modifiers, params};
use crate::builder::NewDef;

pub(super) fn read_class<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let is_enum = node.child_of(K::EnumClassBody).is_some()
        || node
            .child_of(K::Modifiers)
            .is_some_and(|words| words.children().any(|word| word.text() == "enum"));
    let kind = if node.child_of(K::InterfaceToken).is_some() {
        SymbolKind::Interface
    } else if is_enum {
        SymbolKind::Enum
    } else {
        SymbolKind::Class
    };
    let def = cx.b.open(modifiers::new_declaration(kind, name.text(), name, node));
    modifiers::complete_def(cx, def, node);
    if node.is(K::ObjectDeclaration) {
        cx.b.flag(def, DefFlags::STATIC);
    }
    let list = node.child_of(K::PrimaryConstructor).and_then(|primary| primary.child_of(K::ClassParameters));
    if let Some(list) = list {
        params::read_params(cx, def, list);
    }
}

/// A companion object. Its members are the class's, because they are used by the class's name: `Cart.empty()`.
pub(super) fn read_companion<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let name = node.child(F::Name);
    let text = name.map_or("Companion", Node::text);
    let def = cx.b.leaf(modifiers::new_declaration(SymbolKind::Class, text, name.unwrap_or(node), node));
    modifiers::complete_def(cx, def, node);
    cx.b.flag(def, DefFlags::STATIC);
}

/// `object : T {…}` as a value.
pub(super) fn read_object_literal<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let new = NewDef::new(SymbolKind::Class, "object", node, node).body(node.child_of(K::ClassBody));
    let def = cx.b.open(new);
    cx.b.flag(def, DefFlags::LOCAL.with(DefFlags::NAMELESS));
    cx.b.def_mut(def).visibility = sdl_model::Visibility::Private;
    cx.state.enter_function(node, None);
}

/// An entry of an enumeration, perhaps with members of its own.
pub(super) fn read_enum_member<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child_of(K::Identifier) else { return };
    let def = cx.b.open(modifiers::new_declaration(SymbolKind::EnumMember, name.text(), name, node));
    modifiers::complete_def(cx, def, node);
}

/// `val x: T` of a primary constructor is a property too.
pub(super) fn read_param_property<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if !node.children().any(|word| matches!(word.kind(), K::Val | K::Var)) {
        return;
    }
    let Some(name) = node.child_of(K::Identifier) else { return };
    let mut new = NewDef::new(SymbolKind::Field, plain_name(name.text()), name, node)
        .header_from(modifiers::header_start(node));
    if let Some(value) = exprs::assigned_value(node) {
        new = new.header_to(value.start());
    }
    let def = cx.b.leaf(new);
    modifiers::complete_def(cx, def, node);
    if let Some(ty) = stated_type(node) {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(ty));
    }
}

/// Reads a base of a type.
pub(super) fn read_base<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let invocation = node.child_of(K::ConstructorInvocation);
    let delegation = node.child_of(K::ExplicitDelegation);
    let Some(ty) = stated_type(invocation.or(delegation).unwrap_or(node)) else { return };
    let whole = node.parent().and_then(Node::parent);
    let def = cx.b.scope();
    // A companion's bases are its own.
    if !cx.b.scope_kind().is_type() || whole.is_some_and(|whole| whole.is(K::CompanionObject)) {
        return;
    }
    let kind = if invocation.is_some() || cx.b.scope_kind() == SymbolKind::Interface {
        BaseKind::Extends
    } else {
        BaseKind::Implements
    };
    let Some(named) = type_name_node(ty) else { return };
    let shape = cx.b.out.ty(named);
    cx.b.base(def, kind, shape, named.start());
}

pub(super) fn read_type_alias<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::TypeField) else { return };
    let def = cx.b.open(modifiers::new_declaration(SymbolKind::Type, name.text(), name, node));
    modifiers::complete_def(cx, def, node);
    if let Some(ty) = stated_type(node) {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(ty));
    }
}
