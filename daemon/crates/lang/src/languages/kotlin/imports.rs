//! Package and imports.

use sdl_model::facts::ImportKind;

use super::kinds::{Context, K, Node};
use super::types::plain_name;
use crate::driver::Visit;

/// A dotted name without white space and back ticks.
fn dotted_name(node: Node<'_>) -> String {
    node.text().chars().filter(|c| !c.is_whitespace() && *c != '`').collect()
}

pub(super) fn read_package<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if let Some(name) = node.child_of(K::QualifiedIdentifier) {
        cx.b.package(&dotted_name(name));
    }
    Visit::Skip
}

pub(super) fn read_import<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(name) = node.child_of(K::QualifiedIdentifier) else { return Visit::Skip };
    let text = dotted_name(name);
    let alias = node.child_of(K::Identifier).map(|alias| plain_name(alias.text()));
    if node.text().trim_end_matches([';', ' ']).ends_with('*') {
        cx.b.import(ImportKind::Wildcard, &text, None, None, node.start());
    } else if let Some((module, last)) = text.rsplit_once('.') {
        cx.b.import(ImportKind::Named, module, Some(last), Some(alias.unwrap_or(last)), node.start());
    } else {
        cx.b.import(ImportKind::Module, &text, None, Some(alias.unwrap_or(&text)), node.start());
    }
    Visit::Skip
}
