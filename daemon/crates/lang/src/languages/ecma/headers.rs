//! The headers of definitions.

use sdl_model::SymbolKind;

use super::kinds::{F, K, Node};
use crate::builder::NewDef;

/// A definition whose header is that of `function`.
pub(super) fn with_header<'a>(new: NewDef<'a>, function: Node<'a>) -> NewDef<'a> {
    let list = function.child(F::Parameters);
    let new = new.body(function.child(F::Body)).without_comments_in(list);
    let end = function.child(F::ReturnType).or(list).or_else(|| function.child(F::Parameter));
    match end {
        Some(end) => new.header_to(end.end()),
        None => new,
    }
}

pub(super) fn method_kind(node: Node<'_>, name: &str) -> SymbolKind {
    let accessor = node.children().any(|part| matches!(part.kind(), K::Get | K::Set | K::StaticGet));
    match name {
        "constructor" if node.parent_kind() == Some(K::ClassBody) => SymbolKind::Constructor,
        _ if accessor => SymbolKind::Property,
        _ => SymbolKind::Method,
    }
}

/// Whether a value is so plain that it may be in a signature: longer text may be secret.
pub(super) fn is_short(value: Node<'_>) -> bool {
    let plain = matches!(
        value.kind(),
        K::Number | K::True | K::False | K::Null | K::Undefined | K::Identifier | K::MemberExpression
    );
    plain && value.end() - value.start() < 60
}
