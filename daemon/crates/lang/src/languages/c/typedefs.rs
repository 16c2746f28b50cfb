//! Names for types: `typedef`, `using X = Y`, concepts.

use sdl_model::SymbolKind;
use sdl_model::facts::DefFlags;

use super::declarators;
use super::declarators::{Declared, declared_shape};
use super::kinds::{Context, F, K, Node, is_cpp};
use super::state::{read_generics, set_visibility, with_template};
use crate::builder::NewDef;
use crate::driver::Visit;

/// `typedef T a, *b;`
pub(super) fn read_typedef<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(base) = node.child(F::Type) else { return };
    let written_out = base.child(F::Body).is_some();
    let tag = base.child(F::Name).map(Node::text);
    let mut unnamed = written_out && tag.is_none();
    let cpp = is_cpp(cx);
    for declarator in node.children_in(F::Declarator) {
        let Some(declared) = Declared::of(declarator) else { continue };
        let text = declared.name.text();
        let plain = declared.callable.is_none() && declared.function.is_none() && !declared.pointer;
        if plain && (unnamed || (written_out && tag == Some(text))) {
            // This is the name of the type that is written out.
            unnamed = false;
            continue;
        }
        let mut new = NewDef::new(SymbolKind::Type, text, declared.name, node);
        if let Some(body) = base.child(F::Body) {
            new = new.header_to(body.start());
        }
        let def = cx.b.leaf(new);
        let ty = match declared.function {
            Some(function) => {
                let result = cx.b.out.ty(base);
                declarators::function_shape(&mut cx.b.out, result, function)
            }
            None => declared_shape(&mut cx.b.out, base, &declared, cpp),
        };
        cx.b.def_mut(def).ty = Some(ty);
        if tag == Some(text) && plain {
            // `typedef struct X X;` refers to a type that is written out elsewhere.
            cx.b.flag(def, DefFlags::ABSTRACT);
        }
        set_visibility(cx, def, node, false);
    }
}

/// `using X = Y;`
pub(super) fn read_type_alias<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let (Some(name), Some(ty)) = (node.child(F::Name), node.child(F::Type)) else { return Visit::Into };
    let whole = with_template(node);
    let def = cx.b.open(NewDef::new(SymbolKind::Type, name.text(), name, whole).header_from(node.start()));
    cx.b.def_mut(def).ty = Some(cx.b.out.ty(ty));
    read_generics(cx, def, node);
    set_visibility(cx, def, node, false);
    Visit::Into
}

/// `template <typename T> concept X = …;`
pub(super) fn read_concept<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(name) = node.child(F::Name).filter(|name| name.is(K::Identifier)) else { return Visit::Into };
    let whole = with_template(node);
    let def = cx.b.open(NewDef::new(SymbolKind::Type, name.text(), name, whole).header_from(node.start()));
    read_generics(cx, def, node);
    set_visibility(cx, def, node, false);
    Visit::Into
}
