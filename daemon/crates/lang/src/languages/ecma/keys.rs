//! Strings, and the keys of objects.

use super::kinds::{K, Node};

/// How many properties of an object are looked at.
pub(super) const MAX_FIELDS: usize = 48;

/// The text between a string's quotes.
pub(super) fn string_content(node: Node<'_>) -> &str {
    let text = node.text();
    let quoted = text.len() >= 2 && text.starts_with(['"', '\'', '`']);
    if quoted { text.get(1..text.len() - 1).unwrap_or("") } else { text }
}

/// The text of a property's name: without quotes, with brackets where it is computed.
pub(super) fn property_name(name: Node<'_>) -> &str {
    match name.kind() {
        K::String => string_content(name),
        _ => name.text(),
    }
}

/// Whether `key` is a symbol that the language knows, such as `Symbol.iterator`.
pub(super) fn is_symbol(key: Node<'_>) -> bool {
    key.is(K::MemberExpression) && key.end() - key.start() < 32 && key.text().starts_with("Symbol.")
}

/// The text of a key that is written out.
pub(super) fn plain_key(node: Node<'_>) -> Option<&str> {
    match node.kind() {
        K::PropertyIdentifier | K::PrivatePropertyIdentifier | K::ShorthandProperty => Some(node.text()),
        K::String => Some(string_content(node)).filter(|key| !key.is_empty() && key.len() <= 80),
        _ => None,
    }
}
