//! Modifiers, attributes, generics: the parts around a declaration's name.

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::{SymbolKind, Visibility};

use super::docs;
use super::kinds::{Context, F, K, Node};
use super::types::plain_name;
use crate::builder::NewDef;
use crate::builder::text::fold_line;

/// The start of a declaration's header: after its attributes.
pub(super) fn header_start(node: Node<'_>) -> u32 {
    let skipped = |part: &Node<'_>| matches!(part.kind(), K::AttributeList | K::PreprocIf);
    let attributes: Option<u32> = node.children().take_while(skipped).last().map(Node::end);
    let Some(end) = attributes else { return node.start() };
    let rest = node.src().get(end as usize..node.end() as usize).unwrap_or("");
    end + (rest.len() - rest.trim_start().len()) as u32
}

/// A declaration with its header, body left out.
pub(super) fn new_declaration<'a>(
    kind: SymbolKind,
    name: &'a str,
    at: Node<'a>,
    node: Node<'a>,
) -> NewDef<'a> {
    let body = node.child(F::Body).or_else(|| node.child(F::Accessors));
    NewDef::new(kind, plain_name(name), at, node)
        .body(body)
        .header_from(header_start(node))
        .without_comments_in(node.child(F::Parameters))
}

/// Completes `def`, declared by `node`: visibility, flags, attributes, documentation, generics.
pub(super) fn complete_def<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let words = node.children().filter(|part| part.is(K::Modifier)).map(Node::text);
    let mut flags = DefFlags::default();
    let (mut public, mut internal, mut protected, mut private) = (false, false, false, false);
    for word in words {
        match word {
            "public" => public = true,
            "internal" => internal = true,
            "protected" => protected = true,
            "private" | "file" => private = true,
            "static" => flags = flags.with(DefFlags::STATIC),
            "partial" => flags = flags.with(DefFlags::PARTIAL),
            "const" => flags = flags.with(DefFlags::STATIC),
            "abstract" | "extern" => flags = flags.with(DefFlags::ABSTRACT),
            "override" => flags = flags.with(DefFlags::OVERRIDE),
            "async" => flags = flags.with(DefFlags::ASYNC),
            _ => {}
        }
    }
    // `private protected` and `protected internal` count as protected.
    let stated = if protected {
        Some(Visibility::Protected)
    } else if public {
        Some(Visibility::Public)
    } else if internal {
        Some(Visibility::Internal)
    } else if private {
        Some(Visibility::Private)
    } else {
        None
    };
    let visibility = stated.unwrap_or_else(|| default_visibility(cx, def, node));
    cx.b.def_mut(def).visibility = visibility;
    let local = cx.b.def(def).flags.has(DefFlags::LOCAL);
    if visibility != Visibility::Private && !local {
        flags = flags.with(DefFlags::EXPORTED);
    }
    cx.b.flag(def, flags);
    apply_attributes(cx, def, node);
    docs::clean_doc(cx, def);
    read_generics(cx, def, node);
}

/// The visibility of a declaration that does not state it.
fn default_visibility<'a>(cx: &Context<'a>, def: DefIx, node: Node<'a>) -> Visibility {
    let parent = cx.b.def(def).parent.map(|parent| cx.b.def(parent).kind);
    match parent {
        _ if node.child_of(K::ExplicitInterface).is_some() => Visibility::Public,
        Some(SymbolKind::Interface | SymbolKind::Enum) => Visibility::Public,
        Some(SymbolKind::Module | SymbolKind::Namespace) | None => Visibility::Internal,
        _ => Visibility::Private,
    }
}

fn apply_attributes<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let lists = node.children().filter(|part| part.is(K::AttributeList));
    for attribute in lists.flat_map(Node::children).filter(|part| part.is(K::Attribute)).take(32) {
        let Some(name) = attribute.child(F::Name) else { continue };
        let shape = cx.b.out.ty(name);
        cx.b.def_mut(def).decorators.push(shape);
        let text = name.text().rsplit('.').next().unwrap_or("");
        match text.strip_suffix("Attribute").unwrap_or(text) {
            "Fact" | "Theory" | "Test" | "TestCase" | "TestCaseSource" | "TestMethod" | "DataTestMethod"
                if cx.b.def(def).kind.is_callable() =>
            {
                cx.b.flag(def, DefFlags::TEST);
            }
            "TestFixture" | "TestClass" if cx.b.def(def).kind.is_type() => cx.b.flag(def, DefFlags::TEST),
            "Obsolete" => cx.b.flag(def, DefFlags::DEPRECATED),
            _ => {}
        }
    }
}

fn read_generics<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let Some(list) = node.child_of(K::TypeParameterList) else { return };
    cx.b.def_mut(def).generics = Some(cx.b.out.str(&fold_line(list.text(), 200)));
    for clause in node.children().filter(|part| part.is(K::TypeConstraints)).take(16) {
        let Some(name) = clause.first() else { continue };
        for constraint in clause.children().filter(|part| part.is(K::TypeParameterConstraint)).take(8) {
            let Some(ty) = constraint.child(F::TypeField) else { continue };
            let bound = cx.b.out.ty(ty);
            let name = cx.b.out.str(plain_name(name.text()));
            cx.b.def_mut(def).bounds.push((name, bound));
        }
    }
}
