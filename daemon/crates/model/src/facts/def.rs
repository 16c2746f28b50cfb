//! Definitions.

use serde::{Deserialize, Serialize};

use super::{ExprIx, StrIx};
use crate::{SymbolKind, Visibility};

/// A definition's place in [`super::Outline::defs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DefIx(pub u32);

impl DefIx {
    /// The file's own definition.
    pub const MODULE: Self = Self(0);
}

/// A stretch of source. Lines are 1-based, columns 0-based in bytes, the end is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Line of the first byte.
    pub start_line: u32,
    /// Column of the first byte.
    pub start_col: u32,
    /// Line of the last byte.
    pub end_line: u32,
    /// Column one past the last byte.
    pub end_col: u32,
}

/// Yes-or-no properties of a definition, as a bit set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DefFlags(pub u16);

impl DefFlags {
    /// Visible to other files by the language's rules.
    pub const EXPORTED: Self = Self(1);
    /// `async`, a coroutine.
    pub const ASYNC: Self = Self(1 << 1);
    /// Belongs to the type, not to an instance, for example `Session.open()`. Only the type's name leads to it: the members of
    /// an `enum class` of C++ have this, those of an `enum` don't.
    pub const STATIC: Self = Self(1 << 2);
    /// Has no body to run: abstract, an interface's member, a prototype, an overload's signature.
    pub const ABSTRACT: Self = Self(1 << 3);
    /// A test, by the language's conventions.
    pub const TEST: Self = Self(1 << 4);
    /// Takes the class as its first argument (Python's `classmethod`).
    pub const CLASS_METHOD: Self = Self(1 << 5);
    /// The default export.
    pub const DEFAULT_EXPORT: Self = Self(1 << 6);
    /// Marked deprecated.
    pub const DEPRECATED: Self = Self(1 << 7);
    /// A generator.
    pub const GENERATOR: Self = Self(1 << 8);
    /// Marked as overriding.
    pub const OVERRIDE: Self = Self(1 << 9);
    /// Is inside a function, so it is not reachable by path from elsewhere.
    pub const LOCAL: Self = Self(1 << 10);
    /// Is in a file that bears a generator's mark.
    pub const GENERATED: Self = Self(1 << 11);
    /// Excluded from a default build, which is for Linux, by a condition that names another system or setting. On a
    /// module, the whole file is excluded.
    pub const LEFT_OUT: Self = Self(1 << 12);
    /// One part of a type that may be written in several (`partial` in C#).
    pub const PARTIAL: Self = Self(1 << 13);
    /// Code around it can't name it: a class or function in the place of a value, whose name only its own body can use, or
    /// a member of an interface that is implemented under that interface's name only (C#).
    pub const NAMELESS: Self = Self(1 << 14);
    /// Is under a condition that the settings of a build decide.
    pub const OPTIONAL: Self = Self(1 << 15);

    /// Whether all of `other` is set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// This set without `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// This set and `other`.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ParamKind {
    /// By position (and by name where the language allows).
    #[default]
    Positional,
    /// By name only.
    Keyword,
    /// The remaining arguments by position.
    Rest,
    /// The remaining arguments by name.
    KeywordRest,
    /// The receiver: `self`, `this`, `cls`.
    Receiver,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Its name, or empty if it has none.
    pub name: StrIx,
    /// The type's text as written, with white space folded.
    pub ty_text: Option<StrIx>,
    /// The type's shape.
    pub ty: Option<ExprIx>,
    /// Whether it may be omitted.
    pub optional: bool,
    /// How it is passed.
    pub kind: ParamKind,
}

/// How a definition uses a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BaseKind {
    /// Inherits from a class.
    Extends,
    /// Implements an interface or a trait.
    Implements,
    /// Mixes in a module or a trait, embeds a struct.
    Mixin,
}

/// One inheritance clause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// The type it names.
    pub ty: ExprIx,
    /// How the base is used.
    pub kind: BaseKind,
    /// Its line.
    pub line: u32,
}

/// Kinds of side effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum EffectKind {
    Io,
    Network,
    Env,
    Process,
    GlobalState,
    Logging,
}

impl EffectKind {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Io => "io",
            Self::Network => "network",
            Self::Env => "env",
            Self::Process => "process",
            Self::GlobalState => "globalState",
            Self::Logging => "logging",
        }
    }
}

/// One side effect that is visible in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Effect {
    /// Its kind.
    pub kind: EffectKind,
    /// The text that shows it, such as the call `os.environ.get`.
    pub what: StrIx,
}

/// One definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Def {
    /// Its simple name.
    pub name: StrIx,
    /// Its name with those of its owners inside the file, joined as in the language (`Command.invoke`, `Foo::bar`).
    pub qualified: StrIx,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its visibility.
    pub visibility: Visibility,
    /// Its properties.
    pub flags: DefFlags,
    /// The definition around it; none for the module.
    pub parent: Option<DefIx>,
    /// The type that it belongs to, where that is stated and not shown by nesting: a Go receiver, the type of an
    /// `impl`, the qualifier of a C++ member defined outside its class, an extension's receiver.
    pub owner: Option<ExprIx>,
    /// Hash of the descriptor chain and disambiguator. Unique in the file, independent of bodies, lines and paths.
    pub key: u64,
    /// Its whole source, with its documentation, decorators and attributes.
    pub span: Span,
    /// The line of its name.
    pub line: u32,
    /// The byte offset where its body starts, if it has one. The header ends there.
    pub body_start: Option<u32>,
    /// Its header as one line with white space folded, without body, decorators and documentation: `def close(self,
    /// force=False) -> None`.
    pub signature: StrIx,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The text of its stated return type.
    pub ret_text: Option<StrIx>,
    /// The shape of its stated return type.
    pub ret: Option<ExprIx>,
    /// Its generic parameters' text, with the brackets.
    pub generics: Option<StrIx>,
    /// Bounds of its generic parameters: name and bound.
    pub bounds: Vec<(StrIx, ExprIx)>,
    /// The stated type of a variable or field; the target of an alias.
    pub ty: Option<ExprIx>,
    /// The initial value of a variable or field.
    pub value: Option<ExprIx>,
    /// The first eight shapes that its body returns or yields.
    pub returns: Vec<ExprIx>,
    /// The types it inherits from.
    pub bases: Vec<Base>,
    /// Its decorators, annotations, attributes.
    pub decorators: Vec<ExprIx>,
    /// Its documentation without comment marks, at most 1,000 bytes.
    pub doc: Option<StrIx>,
    /// Throws, raises, panics, asserts, early-return guards, as short texts; at most 16.
    pub invariants: Vec<StrIx>,
    /// Its side effects, without duplicates; at most 16.
    pub effects: Vec<Effect>,
    /// Hash of its own bytes: its span, and if it can't be called, without the spans of the definitions inside it.
    pub fingerprint: u64,
    /// Hash of the tokens in the same stretch, with the nodes around them. Comments, white space, documentation and
    /// choices of formatters do not change it.
    pub tokens: u64,
    /// The same hash for its body alone; 0 without a body.
    pub body_tokens: u64,
}

impl Def {
    /// A public definition of which only the name and kind are known.
    pub fn new(name: StrIx, kind: SymbolKind) -> Self {
        Self {
            name,
            qualified: name,
            kind,
            visibility: Visibility::Public,
            flags: DefFlags::default(),
            parent: None,
            owner: None,
            key: 0,
            span: Span::default(),
            line: 1,
            body_start: None,
            signature: name,
            params: Vec::new(),
            ret_text: None,
            ret: None,
            generics: None,
            bounds: Vec::new(),
            ty: None,
            value: None,
            returns: Vec::new(),
            bases: Vec::new(),
            decorators: Vec::new(),
            doc: None,
            invariants: Vec::new(),
            effects: Vec::new(),
            fingerprint: 0,
            tokens: 0,
            body_tokens: 0,
        }
    }
}
