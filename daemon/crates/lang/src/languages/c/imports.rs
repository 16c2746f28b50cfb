//! Includes, and names that come from other namespaces.

use sdl_model::SymbolKind;
use sdl_model::facts::ImportKind;

use super::declarators::last_name;
use super::kinds::{Context, F, K, Node};
use crate::builder::NewDef;
use crate::driver::Visit;

/// `#include "x"`, `#include <x>`.
pub(super) fn read_include<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(path) = node.child(F::Path) else { return Visit::Skip };
    let (kind, text) = match path.kind() {
        K::StringLiteral => (ImportKind::Include, path.text().trim_matches('"')),
        K::SystemLibString => (ImportKind::SystemInclude, path.text().trim_matches(['<', '>'])),
        // A macro states the file.
        _ => return Visit::Skip,
    };
    // A file that includes this one sees its includes.
    cx.b.import(kind, text, None, None, node.start()).reexport = true;
    cx.state.included(cx.b.imports_mut().len() - 1, node.start());
    Visit::Skip
}

/// `using namespace a::b;`, `using a::b;`.
pub(super) fn read_using<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(name) =
        node.children().find(|child| matches!(child.kind(), K::Identifier | K::QualifiedIdentifier))
    else {
        return Visit::Skip;
    };
    let text = plain_name(name.text());
    if node.child_of(K::NamespaceToken).is_some() {
        cx.b.import(ImportKind::Wildcard, &text, None, None, node.start());
        return Visit::Skip;
    }
    let last = last_name(name).map_or("", Node::text);
    let scope = text.strip_suffix(last).unwrap_or("").trim_end_matches(':');
    if !scope.is_empty() {
        cx.b.import(ImportKind::Named, scope, Some(last), Some(last), node.start()).reexport = true;
    }
    Visit::Skip
}

/// `namespace a = b::c;`
pub(super) fn namespace_alias<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(name) = node.child(F::Name) else { return Visit::Skip };
    if let Some(target) = node.children().filter(|child| child.field() != F::Name).last() {
        let text = plain_name(target.text());
        cx.b.import(ImportKind::Module, &text, None, Some(name.text()), node.start());
        let def = cx.b.leaf(NewDef::new(SymbolKind::Type, name.text(), name, node));
        let parts = text.split("::");
        let mut shape = None;
        for part in parts.take(16) {
            shape = Some(match shape {
                Some(base) => cx.b.out.path(base, part),
                None => cx.b.out.type_name(part),
            });
        }
        cx.b.def_mut(def).ty = shape;
    }
    Visit::Skip
}

/// A qualified name without white space and without the `::` that it may start with.
fn plain_name(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    text.trim_start_matches(':').to_owned()
}
