//! The fixed properties of a language, which the tape and the builder ask for.
//!
//! It is below the walk, which has hooks ([`Language`](crate::Language)), and below the shapes
//! ([`Shapes`](crate::builder::Shapes)), since both need the tape's nodes.

use sdl_model::SymbolKind;

use crate::kinds::{FieldNames, KindNames};
use crate::tokens::Style;

/// The fixed properties of a language. Implemented by a unit struct.
pub trait Syntax: Copy + Sized + 'static {
    /// Node kinds, from `kinds!`.
    type K: KindNames;
    /// Field names, from `kinds!`.
    type F: FieldNames;

    /// Whether a function or variable may be declared apart from its definition: then the two have different keys.
    const DECLARATIONS: bool = false;
    /// Whether a local name is known in its whole function, not only from its declaration to the end of its block.
    const FUNCTION_SCOPED: bool = false;
    /// Whether a blank line is allowed between a block of documentation and the item it describes.
    const DETACHED_DOCS: bool = false;

    /// The choices that formatters may make.
    const STYLE: Style = Style { optional_semicolons: false, either_quote: false };

    /// Whether nodes of this kind are comments. They never reach [`Language::enter`](crate::Language::enter).
    fn is_comment(kind: Self::K) -> bool;

    /// Whether a definition of this kind can be written in several pieces, whose members are then keyed alike.
    fn reopens(kind: SymbolKind) -> bool {
        matches!(kind, SymbolKind::Impl | SymbolKind::Namespace)
    }
}
