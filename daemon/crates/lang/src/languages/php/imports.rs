//! Namespaces, `use`, inclusion of files.

use sdl_model::facts::ImportKind;
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, F, K, Node};
use super::{exprs, types};
use crate::builder::NewDef;
use crate::driver::Visit;

pub(super) fn count_namespaces(cx: &mut Context<'_>, root: Node<'_>) {
    cx.state.many = root.children().filter(|node| node.is(K::NamespaceDefinition)).nth(1).is_some();
}

pub(super) fn read_namespace<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::NameField) else { return };
    if !cx.state.many {
        cx.b.package(name.text());
        return;
    }
    let body = node.child(F::Body);
    let mut new = NewDef::new(SymbolKind::Namespace, name.text(), name, node).body(body);
    if body.is_none() {
        // It goes on to the next one.
        let mut last = node;
        while let Some(next) = last.next_sibling().filter(|next| !next.is(K::NamespaceDefinition)) {
            last = next;
        }
        new = new.until(last).header_to(name.end());
    }
    let def = cx.b.open(new);
    cx.b.def_mut(def).visibility = Visibility::Public;
    cx.b.flag(def, sdl_model::facts::DefFlags::EXPORTED);
}

/// `use A\B, A\C as D;`, `use function A\f;`, `use A\{B, C as D};`
pub(super) fn read_use<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let group = node.child(F::Body).filter(|body| body.is(K::UseGroup));
    let prefix = node.child_of(K::NamespaceName).map_or("", Node::text);
    for clause in group.unwrap_or(node).children().filter(|part| part.is(K::UseClause)) {
        let alias = clause.child(F::Alias);
        let named = clause.children().find(|part| {
            matches!(part.kind(), K::Name | K::QualifiedName | K::NamespaceName) && Some(*part) != alias
        });
        let Some(named) = named else { continue };
        let (base, name) = types::split_name(named.text().trim_start_matches('\\'));
        let base = base.unwrap_or("");
        let module = match (prefix.trim_matches('\\'), base) {
            ("", base) => base.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, base) => format!("{prefix}\\{base}"),
        };
        let local = alias.map_or(name, Node::text);
        cx.b.import(ImportKind::Named, &module, Some(name), Some(local), clause.start());
    }
    Visit::Skip
}

/// `require 'x.php'`, `require __DIR__ . '/x.php'`.
pub(super) fn read_include<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let mut path = node.first();
    while let Some(inner) = path.filter(|path| path.is(K::Parenthesized)) {
        path = inner.first();
    }
    let Some(path) = path else { return };
    if let Some(text) = exprs::string_content(path) {
        cx.b.import(ImportKind::Include, text, None, None, node.start());
        return;
    }
    let beside = path
        .child(F::Left)
        .is_some_and(|left| matches!(left.text(), "__DIR__" | "dirname(__FILE__)") && path.is(K::Binary));
    if beside && let Some(text) = path.child(F::Right).and_then(exprs::string_content) {
        cx.b.import(ImportKind::Include, &format!(".{text}"), None, None, node.start());
    }
}
