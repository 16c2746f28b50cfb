//! Modifiers and annotations.

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, F, K, Node};
use crate::builder::text::fold_line;

fn modifier_list(node: Node<'_>) -> Option<Node<'_>> {
    node.first().filter(|first| first.is(K::Modifiers))
}

/// Whether the declaration `node` has the modifier `kind`.
pub(super) fn has_modifier(node: Node<'_>, kind: K) -> bool {
    modifier_list(node).is_some_and(|list| list.child_of(kind).is_some())
}

/// The start of the header: after the annotations.
pub(super) fn header_start(node: Node<'_>) -> u32 {
    let Some(list) = modifier_list(node) else { return node.start() };
    let last =
        list.children().filter(|part| matches!(part.kind(), K::MarkerAnnotation | K::Annotation)).last();
    match last {
        // A keyword may be before an annotation, as in `public @Nullable String`. Then all of it is the header.
        Some(last)
            if list
                .first()
                .is_some_and(|first| matches!(first.kind(), K::MarkerAnnotation | K::Annotation)) =>
        {
            let rest = node.src().get(last.end() as usize..node.end() as usize).unwrap_or("");
            let gap = rest.len() - rest.trim_start().len();
            if rest.trim_start().starts_with('/') {
                return list.next_sibling().map_or(last.end(), |next| {
                    list.children().find(|part| part.start() > last.end()).map_or(next.start(), Node::start)
                });
            }
            last.end() + gap as u32
        }
        _ => node.start(),
    }
}

/// Applies the modifiers and annotations of `node` to `def`.
pub(super) fn apply_modifiers<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let mut flags = DefFlags::default();
    let mut visibility = None;
    for part in modifier_list(node).into_iter().flat_map(Node::children) {
        match part.kind() {
            K::Public => visibility = Some(Visibility::Public),
            K::Protected => visibility = Some(Visibility::Protected),
            K::Private => visibility = Some(Visibility::Private),
            K::Static => flags = flags.with(DefFlags::STATIC),
            K::Abstract => flags = flags.with(DefFlags::ABSTRACT),
            K::MarkerAnnotation | K::Annotation => flags = flags.with(apply_annotation(cx, def, part)),
            _ => {}
        }
    }
    let doc = cx.b.def(def).doc.map(|doc| cx.b.out.text(doc));
    if doc.is_some_and(|doc| doc.contains("@deprecated")) {
        flags = flags.with(DefFlags::DEPRECATED);
    }
    let (kind, local) = (cx.b.def(def).kind, cx.b.def(def).flags.has(DefFlags::LOCAL));
    let parent = cx.b.def(def).parent.map(|parent| cx.b.def(parent).kind);
    let implied = match parent {
        _ if local => Visibility::Private,
        Some(SymbolKind::Interface) => Visibility::Public,
        Some(SymbolKind::Enum) if kind == SymbolKind::EnumMember => Visibility::Public,
        Some(SymbolKind::Enum) if kind == SymbolKind::Constructor => Visibility::Private,
        _ => Visibility::Internal,
    };
    let visibility = visibility.unwrap_or(implied);
    if visibility != Visibility::Private && !local {
        flags = flags.with(DefFlags::EXPORTED);
    }
    cx.b.flag(def, flags);
    cx.b.def_mut(def).visibility = visibility;
}

/// Adds an annotation to `def`. Returns the flags that it sets.
fn apply_annotation<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) -> DefFlags {
    let Some(name) = node.child(F::Name) else { return DefFlags::default() };
    let shape = cx.b.out.dotted(name.text());
    let shape = match node.child(F::Arguments) {
        Some(args) => cx.b.out.call(shape, args.children().count()),
        None => shape,
    };
    cx.b.def_mut(def).decorators.push(shape);
    match name.text().rsplit('.').next().unwrap_or("") {
        "Override" => DefFlags::OVERRIDE,
        "Deprecated" => DefFlags::DEPRECATED,
        "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate" | "Benchmark" => {
            DefFlags::TEST
        }
        _ => DefFlags::default(),
    }
}

/// Type parameters and their bounds.
pub(super) fn read_generics<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let Some(list) = node.child(F::TypeParameters) else { return };
    cx.b.def_mut(def).generics = Some(cx.b.out.str(&fold_line(list.text(), 200)));
    for parameter in list.children().filter(|part| part.is(K::TypeParameter)).take(16) {
        let Some(name) = parameter.child_of(K::TypeIdentifier) else { continue };
        let bound = match parameter.child_of(K::TypeBound) {
            Some(bound) => cx.b.out.ty(bound),
            None => cx.b.out.type_name("Object"),
        };
        let name = cx.b.out.str(name.text());
        cx.b.def_mut(def).bounds.push((name, bound));
    }
}
