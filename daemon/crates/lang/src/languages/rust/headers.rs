//! The header and the visibility of a definition.

use sdl_model::facts::DefIx;
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, K, Node};
use super::names::plain_name;
use crate::builder::NewDef;

/// A definition that `item` makes, with the attributes before it.
pub(super) fn new_def<'a>(kind: SymbolKind, name: Node<'a>, item: Node<'a>, whole: Node<'a>) -> NewDef<'a> {
    new_named_def(kind, plain_name(name.text()), name, item, whole)
}

pub(super) fn new_named_def<'a>(
    kind: SymbolKind,
    text: &'a str,
    name: Node<'a>,
    item: Node<'a>,
    whole: Node<'a>,
) -> NewDef<'a> {
    NewDef::new(kind, text, name, whole).until(item).header_from(item.start())
}

/// Sets the visibility that `item` states; members of traits and enums share that of their owner.
pub(super) fn set_visibility(cx: &mut Context<'_>, def: DefIx, item: Node<'_>) {
    let stated = item.child_of(K::VisibilityModifier).map(stated_visibility);
    let parent = cx.b.def(def).parent.unwrap_or(DefIx::MODULE);
    let outer = cx.b.def(parent);
    let inherited = match outer.kind {
        SymbolKind::Trait | SymbolKind::Enum | SymbolKind::EnumMember => outer.visibility,
        SymbolKind::Impl if !outer.bases.is_empty() => Visibility::Public,
        _ => Visibility::Private,
    };
    cx.b.def_mut(def).visibility = stated.unwrap_or(inherited);
}

pub(super) fn stated_visibility(node: Node<'_>) -> Visibility {
    match node.first() {
        None => Visibility::Public,
        Some(inner) if inner.is(K::SelfName) => Visibility::Private,
        Some(_) => Visibility::Internal,
    }
}
