//! Package and imports.

use sdl_model::facts::ImportKind;

use super::kinds::{Context, K, Node};
use crate::builder::text::fold_line;
use crate::driver::Visit;

pub(super) fn read_header<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let name = node.children().find(|part| matches!(part.kind(), K::ScopedIdentifier | K::Identifier));
    let Some(name) = name else { return Visit::Skip };
    let text = dotted_name(name);
    if node.is(K::PackageDeclaration) {
        cx.b.package(&text);
    } else if node.is(K::ImportDeclaration) {
        if node.child_of(K::Asterisk).is_some() {
            cx.b.import(ImportKind::Wildcard, &text, None, None, node.start());
        } else if let Some((module, last)) = text.rsplit_once('.') {
            cx.b.import(ImportKind::Named, module, Some(last), Some(last), node.start());
        } else {
            cx.b.import(ImportKind::Module, &text, None, Some(&text), node.start());
        }
    }
    Visit::Skip
}

/// A dotted name's text without the white space around its dots.
fn dotted_name(node: Node<'_>) -> String {
    let text = node.text();
    if text.contains(char::is_whitespace) { fold_line(text, 500).replace(' ', "") } else { text.to_owned() }
}
