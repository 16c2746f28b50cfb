//! Classes, interfaces, records, enumerations, annotation types, anonymous classes.

use sdl_model::facts::{BaseKind, DefFlags, DefIx, RefForm};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, F, K, Node};
use super::{exprs, modifiers, params, types};
use crate::builder::NewDef;
use crate::builder::text::fold_line;

pub(super) fn read_class<'a>(cx: &mut Context<'a>, node: Node<'a>, kind: SymbolKind) {
    let Some(name) = node.child(F::Name) else { return };
    let body = node.child(F::Body);
    let new = NewDef::new(kind, name.text(), name, node)
        .header_from(modifiers::header_start(node))
        .body(body)
        .without_comments_in(node.child(F::Parameters));
    let def = cx.b.open(new);
    modifiers::apply_modifiers(cx, def, node);
    modifiers::read_generics(cx, def, node);
    if kind == SymbolKind::Interface {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    for clause in node.children() {
        let base_kind = match clause.kind() {
            K::Superclass | K::ExtendsInterfaces => BaseKind::Extends,
            K::SuperInterfaces => BaseKind::Implements,
            _ => continue,
        };
        for base in clause.children() {
            if base.is(K::TypeList) {
                for base in base.children() {
                    add_base(cx, def, base_kind, base);
                }
            } else {
                add_base(cx, def, base_kind, base);
            }
        }
    }
    if node.is(K::RecordDeclaration)
        && let Some(list) = node.child(F::Parameters)
    {
        params::read_components(cx, list);
    }
}

fn add_base<'a>(cx: &mut Context<'a>, def: DefIx, kind: BaseKind, node: Node<'a>) {
    let ty = cx.b.out.ty(node);
    if !cx.b.out.is_unknown(ty) {
        cx.b.base(def, kind, ty, node.start());
    }
    if types::type_name_node(node).is_some_and(|name| name.text() == "TestCase") {
        cx.b.flag(def, DefFlags::TEST);
    }
}

/// A constant of an enumeration, with the class body that it may have.
pub(super) fn enum_constant<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let holder = cx.b.scope();
    let body = node.child(F::Body);
    let args = node.child(F::Arguments);
    let end = args.unwrap_or(name).start().max(name.end());
    let new = NewDef::new(SymbolKind::EnumMember, name.text(), name, node)
        .header_from(modifiers::header_start(node))
        .body(body)
        .header_to(end);
    let def = cx.b.open(new);
    modifiers::apply_modifiers(cx, def, node);
    cx.b.flag(def, DefFlags::STATIC);
    if args.is_some() {
        let class = cx.b.name_of(holder).to_owned();
        cx.b.reference(RefForm::Construct, &class, name.start(), None, exprs::arg_count(node));
    }
}

/// The body of an anonymous class: a definition that has no name of its own, and so is called after its base.
pub(super) fn read_anonymous_class<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(creation) = node.parent().filter(|parent| parent.is(K::ObjectCreation)) else { return };
    let Some(base) = creation.child(F::TypeField) else { return };
    let named = types::type_name_node(base).unwrap_or(base);
    let part = types::last_part(named);
    let new = NewDef::new(SymbolKind::Class, part, named, node)
        .signature(format!("new {}() {{…}}", fold_line(base.text(), 200)));
    let def = cx.b.open(new);
    let text = format!("{part}$");
    let name = cx.b.out.str(&text);
    let qualified = format!("{}$", cx.b.out.text(cx.b.def(def).qualified));
    let qualified = cx.b.out.str(&qualified);
    let shape = cx.b.out.ty(base);
    cx.b.base(def, BaseKind::Extends, shape, named.start());
    cx.b.flag(def, DefFlags::LOCAL.with(DefFlags::NAMELESS));
    let found = cx.b.def_mut(def);
    found.name = name;
    found.qualified = qualified;
    found.visibility = Visibility::Private;
    found.body_start = Some(node.start());
}
