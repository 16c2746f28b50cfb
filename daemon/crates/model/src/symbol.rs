//! Kinds of symbols.

use serde::{Deserialize, Serialize};

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum SymbolKind {
    /// The file itself: owner of its top-level statements.
    Module,
    /// A namespace or an inline module.
    Namespace,
    Class,
    Struct,
    Union,
    Interface,
    Trait,
    Enum,
    EnumMember,
    /// A type alias.
    Type,
    Function,
    Method,
    Constructor,
    /// A property with accessor code.
    Property,
    Field,
    Constant,
    Variable,
    Macro,
    /// An `impl` block or an extension. It holds members of a type that is named elsewhere, and is never listed.
    Impl,
}

impl SymbolKind {
    /// Every kind.
    pub const ALL: [Self; 19] = [
        Self::Module,
        Self::Namespace,
        Self::Class,
        Self::Struct,
        Self::Union,
        Self::Interface,
        Self::Trait,
        Self::Enum,
        Self::EnumMember,
        Self::Type,
        Self::Function,
        Self::Method,
        Self::Constructor,
        Self::Property,
        Self::Field,
        Self::Constant,
        Self::Variable,
        Self::Macro,
        Self::Impl,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Namespace => "namespace",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Union => "union",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Enum => "enum",
            Self::EnumMember => "enumMember",
            Self::Type => "type",
            Self::Function => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Property => "property",
            Self::Field => "field",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Macro => "macro",
            Self::Impl => "impl",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it can be called as a function is.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor | Self::Property | Self::Macro)
    }

    /// Whether a name alone may lead to one, as far as the kind says. Only its type leads to a field. For example, many
    /// headers of C have a field `next`.
    pub fn is_free(self) -> bool {
        self != Self::Field
    }

    /// Whether it names a type that can have members.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Union
                | Self::Interface
                | Self::Trait
                | Self::Enum
                | Self::Type
        )
    }
}

/// The code that may use a symbol, as its text states it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Visibility {
    /// Anyone.
    Public,
    /// The package, crate, module or assembly.
    Internal,
    /// The type and those derived from it.
    Protected,
    /// The file or type alone.
    #[default]
    Private,
}
