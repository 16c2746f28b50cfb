//! Classes, structs, records, interfaces, enumerations, delegates.

use sdl_model::SymbolKind;
use sdl_model::facts::{BaseKind, DefFlags, DefIx, Expr};

use super::kinds::{Context, F, K, Node};
use super::types::plain_name;
use super::{modifiers, params};
use crate::builder::NewDef;
use crate::builder::text::fold_line;

pub(super) fn read_class<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let kind = match node.kind() {
        K::StructDeclaration => SymbolKind::Struct,
        K::InterfaceDeclaration => SymbolKind::Interface,
        K::RecordDeclaration => {
            let word = cx.b.slice(node.start(), name.start()).trim_end();
            if word.ends_with("struct") { SymbolKind::Struct } else { SymbolKind::Class }
        }
        _ => SymbolKind::Class,
    };
    let def = cx.b.open(modifiers::new_declaration(kind, name.text(), name, node));
    modifiers::complete_def(cx, def, node);
    read_bases(cx, def, node, kind);
    // A primary constructor; a record's parameters are properties too.
    if let Some(list) = node.child_of(K::ParameterList) {
        if node.is(K::RecordDeclaration) {
            params::add_params(cx, def, list);
            for param in params::written_params(list) {
                add_component(cx, def, param);
            }
        } else {
            params::read_params(cx, def, list);
        }
    }
}

/// A parameter of a record, as the property that it makes.
fn add_component<'a>(cx: &mut Context<'a>, class: DefIx, param: params::Written<'a>) {
    let Some(whole) = param.name.parent().filter(|whole| whole.is(K::Parameter)) else { return };
    let text = plain_name(param.name.text());
    let header = modifiers::header_start(whole);
    let def =
        cx.b.leaf_of(class, NewDef::new(SymbolKind::Property, text, param.name, whole).header_from(header));
    cx.b.flag(def, DefFlags::EXPORTED);
    if let Some(ty) = param.ty {
        let shape = cx.b.out.ty(ty);
        let def = cx.b.def_mut(def);
        def.ty = Some(shape);
        def.ret = Some(shape);
    }
}

/// Reads the bases of a type. Only the name of the first one shows whether it is a class.
fn read_bases<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>, kind: SymbolKind) {
    let Some(list) = node.child_of(K::BaseList) else { return };
    let listed = list.children().filter(|part| !part.is(K::ArgumentList) && !part.is(K::Colon));
    for (at, base) in listed.take(32).enumerate() {
        let named = if base.is(K::PrimaryBase) { base.child(F::TypeField).unwrap_or(base) } else { base };
        let shape = cx.b.out.ty(named);
        let kind = match kind {
            SymbolKind::Interface => BaseKind::Extends,
            SymbolKind::Struct => BaseKind::Implements,
            _ if at > 0 || is_interface_name(named) => BaseKind::Implements,
            _ => BaseKind::Extends,
        };
        cx.b.base(def, kind, shape, named.start());
    }
}

/// `IName`: by rule all names of interfaces, and no others, look like this.
fn is_interface_name(ty: Node<'_>) -> bool {
    let Some((_, name)) = super::types::split_type_name(ty) else { return false };
    let mut chars = name.text().chars();
    chars.next() == Some('I') && chars.next().is_some_and(char::is_uppercase)
}

/// `class A(int x) : B(x)`: a call of the base's constructor.
pub(super) fn base_arguments<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let mut last = None;
    for part in node.children() {
        if part.is(K::ArgumentList) {
            if let Some(ty) = last {
                super::refs::add_construction(cx, ty, node.start(), part.children().count());
            }
        } else {
            last = Some(part);
        }
    }
}

pub(super) fn read_enum<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let def = cx.b.open(modifiers::new_declaration(SymbolKind::Enum, name.text(), name, node));
    modifiers::complete_def(cx, def, node);
}

pub(super) fn enum_member<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let def = cx.b.open(modifiers::new_declaration(SymbolKind::EnumMember, name.text(), name, node));
    modifiers::complete_def(cx, def, node);
}

/// `delegate R D(P p)`: the type of functions.
pub(super) fn read_delegate<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let def = cx.b.open(modifiers::new_declaration(SymbolKind::Type, name.text(), name, node));
    modifiers::complete_def(cx, def, node);
    let mut types = Vec::new();
    if let Some(list) = node.child(F::Parameters) {
        params::read_params(cx, def, list);
        for param in params::written_params(list) {
            types.push(cx.b.out.ty_or_unknown(param.ty));
        }
    }
    let ret = node.child(F::TypeField);
    let text = ret.map(|ret| cx.b.out.str(&fold_line(ret.text(), 200)));
    let shape = ret.filter(|ret| ret.text() != "void").map(|ret| cx.b.out.ty(ret));
    let ty = cx.b.out.add(Expr::Callable(types, shape));
    let def = cx.b.def_mut(def);
    def.ret_text = text;
    def.ty = Some(ty);
}
