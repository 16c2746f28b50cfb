//! Imports.

use sdl_model::facts::ImportKind;

use super::kinds::{Context, F, K, Node};
use crate::builder::text::fold_line;
use crate::driver::Visit;

pub(super) fn read_import<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    match node.kind() {
        K::ImportStatement => {
            for item in node.children_in(F::Name) {
                let (name, alias) = name_and_alias(item);
                let module = dotted_name(name);
                let local = alias.unwrap_or_else(|| module.split('.').next().unwrap_or(""));
                let import = cx.b.import(ImportKind::Module, &module, None, Some(local), item.start());
                import.reexport = alias.is_some_and(|alias| alias == module);
            }
        }
        K::ImportFrom => {
            let module = node.child(F::ModuleName).map(dotted_name).unwrap_or_default();
            if node.child_of(K::Wildcard).is_some() {
                cx.b.import(ImportKind::Wildcard, &module, None, None, node.start()).reexport = true;
            }
            for item in node.children_in(F::Name) {
                let (name, alias) = name_and_alias(item);
                let name = dotted_name(name);
                let local = alias.unwrap_or(&name);
                let import = cx.b.import(ImportKind::Named, &module, Some(&name), Some(local), item.start());
                // `from m import a as a` is how stubs and type checkers mark a re-export.
                import.reexport = alias.is_some_and(|alias| alias == name);
            }
        }
        // Nothing for `from __future__ import …`, because nobody looks up these names.
        _ => {}
    }
    Visit::Skip
}

fn name_and_alias(item: Node<'_>) -> (Node<'_>, Option<&str>) {
    if item.is(K::AliasedImport) {
        (item.child(F::Name).unwrap_or(item), item.child(F::Alias).map(Node::text))
    } else {
        (item, None)
    }
}

/// A dotted name's text without the white space around its dots.
fn dotted_name(node: Node<'_>) -> String {
    let text = node.text();
    if text.contains(char::is_whitespace) { fold_line(text, 500).replace(' ', "") } else { text.to_owned() }
}
