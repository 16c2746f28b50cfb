//! The ranges of locals.

use super::kinds::{Context, K, Node};

/// The end of the block around `node`, which is the end of the range of its locals.
pub(super) fn scope_end(cx: &Context<'_>, node: Node<'_>) -> u32 {
    block_end(node).unwrap_or_else(|| cx.b.scope_end())
}

/// The end of the block around `node`, where names declared at `node` go out of scope.
fn block_end(node: Node<'_>) -> Option<u32> {
    let around = node.ancestors().take(200).find(|around| {
        matches!(
            around.kind(),
            K::Block
                | K::Foreach
                | K::For
                | K::Using
                | K::Fixed
                | K::SwitchSection
                | K::SwitchArm
                | K::Lambda
                | K::ArrowClause
                | K::CatchClause
                | K::Query
                | K::FieldDeclaration
                | K::PropertyDeclaration
        )
    })?;
    Some(around.end())
}
