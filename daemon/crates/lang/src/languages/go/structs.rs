//! Types, their fields and the types they embed.

use sdl_model::SymbolKind;
use sdl_model::facts::{BaseKind, DefIx};

use super::kinds::{Context, F, K, Node};
use super::{functions, types};
use crate::builder::NewDef;
use crate::builder::text::fold_line;

/// `type T …`, `type T = …`.
pub(super) fn type_spec<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(name), Some(ty)) = (node.child(F::Name), node.child(F::TypeField)) else { return };
    let kind = match ty.kind() {
        K::StructType => SymbolKind::Struct,
        K::InterfaceType => SymbolKind::Interface,
        _ => SymbolKind::Type,
    };
    let (whole, grouped) = super::defs::whole_declaration(node);
    let body = match kind {
        SymbolKind::Struct => ty.child_of(K::FieldDeclarationList),
        SymbolKind::Interface => Some(ty),
        _ => None,
    };
    let end = match (kind, body) {
        (SymbolKind::Interface, _) => ty.start() + "interface".len() as u32,
        (_, Some(body)) => body.start(),
        (_, None) => node.end(),
    };
    let mut new = NewDef::new(kind, name.text(), name, whole).body(body).header_to(end);
    if grouped {
        new = new.signature(format!("type {}", fold_line(cx.b.slice(node.start(), end), 500)));
    }
    let def = cx.b.open(new);
    functions::set_visibility(cx, def, name.text());
    functions::read_generics(cx, def, node);
    functions::mark_deprecated(cx, def);
    if kind == SymbolKind::Type {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(ty));
    }
}

/// A field, or several of one type, or an embedded type.
pub(super) fn read_field<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(ty) = node.child(F::TypeField) else { return };
    let holder = cx.b.scope();
    if !matches!(cx.b.scope_kind(), SymbolKind::Struct | SymbolKind::Field | SymbolKind::Variable) {
        return;
    }
    // The anonymous structure of something else: a parameter's, an element's.
    let direct =
        node.parent().and_then(Node::parent).filter(|of| of.is(K::StructType)).and_then(Node::parent);
    let holds = direct.is_some_and(|of| matches!(of.kind(), K::TypeSpec | K::FieldDeclaration | K::VarSpec));
    if !holds {
        return;
    }
    let mut names: Vec<Node<'a>> = node.children_in(F::Name).collect();
    if names.is_empty() {
        let Some(name) = types::last_name(ty) else { return };
        let shape = cx.b.out.ty(ty);
        cx.b.base(holder, BaseKind::Mixin, shape, name.start());
        names.push(name);
    }
    let tag = node.children().find(|part| matches!(part.kind(), K::RawString | K::InterpretedString));
    let many = names.len() > 1;
    let shared = names.len() <= super::defs::MAX_SHARED;
    for name in names {
        let whole = if shared { node } else { name };
        let mut new = NewDef::new(SymbolKind::Field, name.text(), name, whole);
        if many {
            new = new.signature(format!("{} {}", name.text(), fold_line(ty.text(), 300)));
        } else if ty.is(K::StructType) {
            new = new.header_to(ty.start() + "struct".len() as u32);
        } else if let Some(tag) = tag {
            new = new.header_to(tag.start());
        }
        let def = if many { cx.b.leaf(new) } else { cx.b.open(new) };
        functions::set_visibility(cx, def, name.text());
        let shape = cx.b.out.ty(ty);
        if !cx.b.out.is_unknown(shape) {
            cx.b.def_mut(def).ty = Some(shape);
        }
    }
}

/// An interface in an interface.
pub(super) fn read_embedded_interface<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let of_interface = node.parent().filter(|of| of.is(K::InterfaceType)).and_then(Node::parent);
    if of_interface.is_none_or(|of| !of.is(K::TypeSpec)) || cx.b.scope_kind() != SymbolKind::Interface {
        return;
    }
    let plain = node.first().filter(|_| node.children().count() == 1);
    if let Some(named) = plain.filter(|ty| !ty.is(K::NegatedType)).and_then(types::type_name_node)
        && !types::is_builtin(named.text())
    {
        let shape = cx.b.out.ty(named);
        cx.b.base(cx.b.scope(), BaseKind::Extends, shape, named.start());
    }
}

/// Whether `node` is the name of an embedded type, which is a base and not a reference.
pub(super) fn is_embedded(node: Node<'_>) -> bool {
    let mut at = node;
    for _ in 0..4 {
        let Some(parent) = at.parent() else { return false };
        match parent.kind() {
            K::PointerType => {}
            K::GenericType if at.field() == F::TypeField => {}
            K::TypeElem => {
                return parent.children().count() == 1 && parent.parent_kind() == Some(K::InterfaceType);
            }
            K::FieldDeclaration => return parent.child(F::Name).is_none(),
            _ => return false,
        }
        at = parent;
    }
    false
}

pub(super) fn add_asserted_bases(cx: &mut Context<'_>) {
    for (name, shape, at) in std::mem::take(&mut cx.state.assertions) {
        if let Some(def) = cx.b.find_def(DefIx::MODULE, &name)
            && cx.b.def(def).kind.is_type()
        {
            cx.b.base(def, BaseKind::Implements, shape, at);
        }
    }
}
