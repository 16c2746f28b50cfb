//! Classes, interfaces, traits, enumerations and their members, except methods.

use sdl_model::facts::{BaseKind, DefFlags, DefIx};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, F, K, Node};
use super::{docs, types};
use crate::builder::NewDef;
use crate::builder::text::fold_line;
use crate::driver::Visit;

/// How long a constant's or property's statement may be to serve as its signature.
const SHORT_VALUE: u32 = 80;
/// Maximum number of parts of a declaration before the declared item.
const MODIFIERS: usize = 10;

pub(super) fn read_class<'a>(cx: &mut Context<'a>, node: Node<'a>, kind: SymbolKind) {
    let Some(name) = node.child(F::NameField) else { return };
    let new =
        NewDef::new(kind, name.text(), name, node).header_from(header_start(node)).body(node.child(F::Body));
    let def = cx.b.open(new);
    apply_modifiers(cx, def, node);
    read_bases(cx, def, node);
    if kind == SymbolKind::Interface {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
}

/// `new class … {}`: it has no name of its own.
pub(super) fn read_anonymous_class<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let body = node.child(F::Body);
    let def = cx.b.open(NewDef::new(SymbolKind::Class, "class@anonymous", node, node).body(body));
    read_bases(cx, def, node);
    cx.b.flag(def, DefFlags::LOCAL.with(DefFlags::NAMELESS));
    cx.b.def_mut(def).visibility = Visibility::Private;
}

fn read_bases<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    for clause in node.children() {
        let kind = match clause.kind() {
            K::BaseClause => BaseKind::Extends,
            K::ClassInterfaceClause => BaseKind::Implements,
            _ => continue,
        };
        for base in clause.children() {
            let shape = cx.b.out.ty(base);
            cx.b.base(def, kind, shape, base.start());
            if types::split_name(base.text()).1.ends_with("TestCase") {
                cx.b.flag(def, DefFlags::TEST);
            }
        }
    }
}

/// `use T, U;` in a class.
pub(super) fn read_trait_use<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let def = cx.b.scope();
    for base in node.children() {
        if matches!(base.kind(), K::Name | K::QualifiedName | K::RelativeName) {
            let shape = cx.b.out.ty(base);
            cx.b.base(def, BaseKind::Mixin, shape, base.start());
        }
    }
    Visit::Skip
}

pub(super) fn read_enum_member<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::NameField) else { return };
    let holder = cx.b.scope();
    let new = NewDef::new(SymbolKind::EnumMember, name.text(), name, node).header_from(header_start(node));
    let def = cx.b.open(new.header_to(name.end()));
    cx.b.flag(def, DefFlags::STATIC.with(DefFlags::EXPORTED));
    let class = cx.b.name_of(holder).to_owned();
    cx.b.def_mut(def).ty = Some(cx.b.out.type_name(&class));
}

/// `X = …` of a `const`.
pub(super) fn read_constant<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(statement), Some(name)) = (node.parent(), node.first()) else { return };
    let value = node.children().nth(1);
    let def = add_member(cx, SymbolKind::Constant, node, statement, name, value);
    if cx.b.def(def).parent.is_some_and(|parent| cx.b.def(parent).kind.is_type()) {
        cx.b.flag(def, DefFlags::STATIC);
    }
}

/// `$x = …` of a property's declaration.
pub(super) fn read_property<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(statement), Some(name)) = (node.parent(), node.child(F::NameField)) else { return };
    let value = node.child(F::DefaultValue);
    add_member(cx, SymbolKind::Field, node, statement, name, value);
}

fn add_member<'a>(
    cx: &mut Context<'a>,
    kind: SymbolKind,
    node: Node<'a>,
    statement: Node<'a>,
    name: Node<'a>,
    value: Option<Node<'a>>,
) -> DefIx {
    let many = statement.children().filter(|part| part.is(node.kind())).nth(1).is_some();
    let start = header_start(statement);
    let text = name.text().trim_start_matches('$');
    let mut new = NewDef::new(kind, text, name, if many { node } else { statement });
    if many {
        let first = statement.child_of(node.kind()).map_or(node.start(), Node::start);
        let header = fold_line(cx.b.slice(start, first), 300);
        new = new.signature(format!("{header} {}", name.text()));
    } else {
        // Literal text stays out of signatures, because it may be long, or secret.
        let simple = |value: &Node<'_>| {
            matches!(
                value.kind(),
                K::Integer | K::Float | K::Boolean | K::Null | K::Name | K::ClassConstantAccess
            )
        };
        let shown = value.filter(simple).filter(|value| value.end() - start <= SHORT_VALUE);
        new = new.header_from(start).header_to(shown.unwrap_or(name).end());
    }
    let def = cx.b.open(new);
    apply_modifiers(cx, def, statement);
    let ty = statement.children().take(MODIFIERS).find(|part| part.field() == F::TypeField);
    let said = (kind == SymbolKind::Field && docs::says_more(ty))
        .then(|| docs::tagged_type(docs::preceding_doc(statement)?, "@var", None))
        .flatten()
        .and_then(|ty| docs::parse_type(&mut cx.b.out, ty));
    if let Some(ty) = said.or_else(|| ty.map(|ty| cx.b.out.ty(ty))) {
        cx.b.def_mut(def).ty = Some(ty);
    }
    if let Some(value) = value {
        cx.b.def_mut(def).value = Some(cx.b.out.value(value));
    }
    def
}

/// Where the declaration `node` starts without its attributes.
pub(super) fn header_start(node: Node<'_>) -> u32 {
    match node.children().take(MODIFIERS).find(|part| part.field() == F::Attributes) {
        Some(attributes) => {
            let rest = node.src().get(attributes.end() as usize..node.end() as usize).unwrap_or("");
            attributes.end() + (rest.len() - rest.trim_start().len()) as u32
        }
        None => node.start(),
    }
}

/// Applies the modifiers and attributes of `node` to `def`.
pub(super) fn apply_modifiers<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let mut flags = DefFlags::default();
    let mut visibility = Visibility::Public;
    for part in node.children().take(MODIFIERS) {
        match part.kind() {
            K::VisibilityModifier if part.text().starts_with("private") => visibility = Visibility::Private,
            K::VisibilityModifier if part.text().starts_with("protected") => {
                visibility = Visibility::Protected
            }
            K::StaticModifier => flags = flags.with(DefFlags::STATIC),
            K::AbstractModifier => flags = flags.with(DefFlags::ABSTRACT),
            _ => {}
        }
    }
    let attributes = node.children().take(MODIFIERS).find(|part| part.field() == F::Attributes);
    let attributes = attributes.into_iter().flat_map(Node::descendants);
    for attribute in attributes.filter(|part| part.is(K::Attribute)).take(16) {
        let Some(name) = attribute.first() else { continue };
        let shape = cx.b.out.ty(name);
        cx.b.def_mut(def).decorators.push(shape);
        match types::split_name(name.text()).1 {
            "Override" => flags = flags.with(DefFlags::OVERRIDE),
            "Deprecated" => flags = flags.with(DefFlags::DEPRECATED),
            "Test" => flags = flags.with(DefFlags::TEST),
            _ => {}
        }
    }
    let doc = cx.b.def(def).doc.map(|doc| cx.b.out.text(doc));
    if doc.is_some_and(|doc| doc.contains("@deprecated")) {
        flags = flags.with(DefFlags::DEPRECATED);
    }
    let local = cx.b.def(def).flags.has(DefFlags::LOCAL);
    if visibility != Visibility::Private && !local {
        flags = flags.with(DefFlags::EXPORTED);
    }
    cx.b.flag(def, flags);
    cx.b.def_mut(def).visibility = visibility;
}
