//! Items and expressions in blocks.

use super::kinds::{K, Node};

/// Whether a node of this kind defines something.
pub(super) fn is_item(kind: K) -> bool {
    matches!(
        kind,
        K::FunctionItem
            | K::FunctionSignature
            | K::StructItem
            | K::UnionItem
            | K::EnumItem
            | K::EnumVariant
            | K::FieldDeclaration
            | K::TraitItem
            | K::ImplItem
            | K::TypeItem
            | K::AssociatedType
            | K::ConstItem
            | K::StaticItem
            | K::MacroDefinition
    ) || kind == K::ModItem
}

/// The expression whose value is the block's.
pub(super) fn block_tail(block: Node<'_>) -> Option<Node<'_>> {
    let last = block.children().last()?;
    match last.kind() {
        // An expression that ends with a block looks like a statement.
        K::ExpressionStatement if last.text().ends_with(';') => None,
        K::ExpressionStatement => last.first(),
        K::LetDeclaration | K::UseDeclaration | K::ModItem | K::AttributeItem => None,
        kind if is_item(kind) => None,
        _ => Some(last),
    }
}
