//! Modifiers, annotations, generics: the parts around a declaration's name.

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, K, Node};
use super::types::{last_name, plain_name, stated_type, type_name_node};
use crate::builder::NewDef;
use crate::builder::text::fold_line;

/// The start of a declaration's header: after its annotations.
pub(super) fn header_start(node: Node<'_>) -> u32 {
    let modifiers = node.child_of(K::Modifiers);
    let annotations =
        modifiers.into_iter().flat_map(Node::children).take_while(|part| part.is(K::Annotation));
    let Some(end) = annotations.last().map(Node::end) else { return node.start() };
    let rest = node.src().get(end as usize..node.end() as usize).unwrap_or("");
    end + (rest.len() - rest.trim_start().len()) as u32
}

/// A declaration with its header but without its body.
pub(super) fn new_declaration<'a>(
    kind: SymbolKind,
    name: &'a str,
    at: Node<'a>,
    node: Node<'a>,
) -> NewDef<'a> {
    let body = node
        .children()
        .find(|part| matches!(part.kind(), K::ClassBody | K::EnumClassBody | K::FunctionBody | K::Block));
    NewDef::new(kind, plain_name(name), at, node).body(body).header_from(header_start(node))
}

/// Completes `def`, declared by `node`: visibility, flags, annotations, generics.
pub(super) fn complete_def<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let mut flags = DefFlags::default();
    let mut visibility = Visibility::Public;
    for part in node.child_of(K::Modifiers).into_iter().flat_map(Node::children) {
        if part.is(K::Annotation) {
            apply_annotation(cx, def, part);
            continue;
        }
        match part.text() {
            "private" => visibility = Visibility::Private,
            "protected" => visibility = Visibility::Protected,
            "internal" => visibility = Visibility::Internal,
            "abstract" | "external" | "expect" => flags = flags.with(DefFlags::ABSTRACT),
            "override" => flags = flags.with(DefFlags::OVERRIDE),
            "suspend" => flags = flags.with(DefFlags::ASYNC),
            _ => {}
        }
    }
    let local = cx.b.def(def).flags.has(DefFlags::LOCAL);
    if local {
        visibility = Visibility::Private;
    } else if visibility != Visibility::Private {
        flags = flags.with(DefFlags::EXPORTED);
    }
    // Members of a companion are used through the name of the class.
    let holder = node.parent().and_then(Node::parent);
    if holder.is_some_and(|holder| matches!(holder.kind(), K::CompanionObject | K::ObjectDeclaration)) {
        flags = flags.with(DefFlags::STATIC);
    }
    cx.b.def_mut(def).visibility = visibility;
    cx.b.flag(def, flags);
    read_generics(cx, def, node);
}

fn apply_annotation<'a>(cx: &mut Context<'a>, def: DefIx, annotation: Node<'a>) {
    let named = annotation.child_of(K::ConstructorInvocation).unwrap_or(annotation);
    let Some(ty) = stated_type(named).and_then(type_name_node) else { return };
    let shape = cx.b.out.ty(ty);
    cx.b.def_mut(def).decorators.push(shape);
    match last_name(ty).map_or("", Node::text) {
        "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" if cx.b.def(def).kind.is_callable() => {
            cx.b.flag(def, DefFlags::TEST);
        }
        "Deprecated" => cx.b.flag(def, DefFlags::DEPRECATED),
        "JvmStatic" => cx.b.flag(def, DefFlags::STATIC),
        _ => {}
    }
}

fn read_generics<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let Some(list) = node.child_of(K::TypeParameters) else { return };
    cx.b.def_mut(def).generics = Some(cx.b.out.str(&fold_line(list.text(), 200)));
    let stated_here = list.children().filter(|part| part.is(K::TypeParameter));
    let stated_apart = node.child_of(K::TypeConstraints).into_iter().flat_map(Node::children);
    for part in stated_here.chain(stated_apart).take(32) {
        let (Some(name), Some(bound)) = (part.child_of(K::Identifier), stated_type(part)) else { continue };
        let bound = cx.b.out.ty(bound);
        let name = cx.b.out.str(plain_name(name.text()));
        cx.b.def_mut(def).bounds.push((name, bound));
    }
}
