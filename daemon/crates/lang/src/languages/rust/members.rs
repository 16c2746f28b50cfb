//! Fields, variants, constants.

use sdl_model::facts::DefIx;
use sdl_model::{SymbolKind, Visibility};

use super::headers::{new_def, set_visibility, stated_visibility};
use super::kinds::{Context, F, K, Node};
use super::tuples::tuple_field_name;
use crate::builder::NewDef;

/// How long a constant may be to serve as its signature with its value.
const SHORT_VALUE: u32 = 60;

pub(super) fn read_variant<'a>(cx: &mut Context<'a>, item: Node<'a>, whole: Node<'a>) -> Option<DefIx> {
    let name = item.child(F::Name)?;
    let body = item.child(F::Body);
    let named = body.filter(|body| body.is(K::FieldDeclarationList));
    let def = cx.b.open(new_def(SymbolKind::EnumMember, name, item, whole).body(named));
    set_visibility(cx, def, item);
    if let Some(listed) = body.filter(|body| body.is(K::OrderedFields)) {
        read_tuple_fields(cx, listed);
    }
    Some(def)
}

pub(super) fn read_field<'a>(cx: &mut Context<'a>, item: Node<'a>, whole: Node<'a>) -> Option<DefIx> {
    let name = item.child(F::Name)?;
    let def = cx.b.leaf(new_def(SymbolKind::Field, name, item, whole));
    set_visibility(cx, def, item);
    if let Some(ty) = item.child(F::TypeField) {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(ty));
    }
    Some(def)
}

/// The fields of a tuple struct or variant, which is the innermost open definition.
pub(super) fn read_tuple_fields<'a>(cx: &mut Context<'a>, list: Node<'a>) {
    let mut stated = None;
    let mut at = 0;
    for node in list.children() {
        if node.is(K::VisibilityModifier) {
            stated = Some(node);
        }
        if node.field() != F::TypeField {
            continue;
        }
        let Some(name) = tuple_field_name(at) else { break };
        at += 1;
        let first = stated.unwrap_or(node);
        let new = NewDef::new(SymbolKind::Field, name, node, first).until(node);
        let def = cx.b.leaf(new);
        let outer = cx.b.def(cx.b.scope());
        let inherited =
            if outer.kind == SymbolKind::EnumMember { outer.visibility } else { Visibility::Private };
        cx.b.def_mut(def).visibility = stated.take().map_or(inherited, stated_visibility);
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(node));
    }
}

pub(super) fn read_constant<'a>(cx: &mut Context<'a>, item: Node<'a>, whole: Node<'a>) -> Option<DefIx> {
    // `const _: () = …;` defines nothing.
    let name = item.child(F::Name).filter(|name| name.text() != "_")?;
    let mutable = item.is(K::StaticItem) && item.child_of(K::MutableSpecifier).is_some();
    let kind = if mutable { SymbolKind::Variable } else { SymbolKind::Constant };
    let mut new = new_def(kind, name, item, whole);
    let value = item.child(F::Value);
    if let Some(value) = value {
        let simple = matches!(
            value.kind(),
            K::IntegerLiteral
                | K::FloatLiteral
                | K::NegativeLiteral
                | K::BooleanLiteral
                | K::CharLiteral
                | K::Identifier
                | K::ScopedIdentifier
        );
        // Literal text stays out of signatures, because it may be long, or secret.
        if !simple || item.end() - item.start() > SHORT_VALUE {
            new = new.header_to(value.start());
        }
    }
    // The value of a constant in a function is part of the function's behaviour.
    let local = cx.b.scope_kind().is_callable();
    let def = if local { cx.b.leaf(new) } else { cx.b.open(new) };
    set_visibility(cx, def, item);
    if let Some(ty) = item.child(F::TypeField) {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(ty));
    }
    if let Some(value) = value {
        let shape = cx.b.body.value(value);
        cx.b.add_value(def, shape, item.start());
    }
    Some(def)
}
