//! Shapes of values: all but arrays are text.

use sdl_model::facts::{ExprIx, Lit};

use super::kinds::{K, Node};
use crate::builder::Half;

pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Array => half.lit(Lit::List),
        K::Number => half.lit(Lit::Int),
        K::Word | K::StringNode | K::RawString | K::Concatenation => half.lit(Lit::Str),
        _ => half.unknown(),
    }
}

/// The text of a word, without the quotes around it.
pub(super) fn unquoted_text(node: Node<'_>) -> &str {
    node.text().trim_matches(['"', '\''])
}
