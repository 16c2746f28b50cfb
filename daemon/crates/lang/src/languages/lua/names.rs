//! Names as they are written.

use super::kinds::{F, K, Node};

/// The longest name of a table that is kept.
const LONG_NAME: usize = 120;
/// How many fields of a table are looked at.
pub(super) const MAX_FIELDS: usize = 256;
/// How many targets of one assignment are looked at.
pub(super) const MAX_TARGETS: usize = 32;

/// The text of a literal without its quotes.
pub(super) fn text_of(literal: Node<'_>) -> &str {
    literal.child(F::Content).map_or("", Node::text)
}

/// `a.b.c`, if `node` spells such a name and nothing else.
pub(super) fn dotted(node: Node<'_>) -> Option<&str> {
    let text = node.text();
    if text.len() > LONG_NAME {
        return None;
    }
    let mut at = node;
    while at.is(K::DotIndex) {
        at = at.child(F::Table)?;
    }
    (at.is(K::Identifier) && !text.contains(char::is_whitespace)).then_some(text)
}

/// The table and the name of a member: `a.b`, `a:b`, `a["b"]`.
pub(super) fn member_parts(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let table = node.child(F::Table)?;
    match node.kind() {
        K::DotIndex => Some((table, node.child(F::FieldField)?)),
        K::MethodIndex => Some((table, node.child(F::Method)?)),
        K::BracketIndex => Some((table, node.child(F::FieldField).filter(|name| name.is(K::String))?)),
        _ => None,
    }
}

/// The name that `node` spells: an identifier, or a literal in brackets.
pub(super) fn name_text(node: Node<'_>) -> &str {
    if node.is(K::String) { text_of(node) } else { node.text() }
}

/// The arguments of a call. A literal or table without brackets is the only one.
pub(super) fn arguments(call: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    call.child(F::ArgumentsField).into_iter().flat_map(Node::children)
}

/// Whether `call` calls the global function `name`.
pub(super) fn calls(call: Node<'_>, name: &str) -> bool {
    call.is(K::FunctionCall)
        && call.child(F::Name).is_some_and(|callee| callee.is(K::Identifier) && callee.text() == name)
}

/// The value inside brackets.
pub(super) fn unwrapped(mut node: Node<'_>) -> Node<'_> {
    for _ in 0..8 {
        match node.first().filter(|_| node.is(K::Parenthesized)) {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// The targets of an assignment or declaration and their values, by position.
pub(super) fn targets(
    assignment: Node<'_>,
) -> (impl Iterator<Item = Node<'_>>, impl Iterator<Item = Node<'_>>) {
    let names = assignment.child_of(K::VariableList).into_iter();
    let values = assignment.child_of(K::ExpressionList).into_iter();
    (names.flat_map(|list| list.children_in(F::Name)), values.flat_map(Node::children))
}

/// The first name of `a.b.c`.
pub(super) fn root_of(dotted: &str) -> &str {
    dotted.split('.').next().unwrap_or(dotted)
}

/// Whether some value in a table is a function.
pub(super) fn holds_functions(table: Node<'_>) -> bool {
    let values = table.children().take(MAX_FIELDS).filter_map(|field| field.child(F::Value));
    table.is(K::TableConstructor) && values.into_iter().any(|value| value.is(K::FunctionDefinition))
}
