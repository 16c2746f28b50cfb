//! Edges: typed links between symbols, each with the rule that found it.

use serde::{Deserialize, Serialize};

use crate::SymbolId;

/// The relation of an edge's source to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum EdgeKind {
    /// Calls it, constructs it, or applies it as a decorator.
    Call = 1,
    /// Extends or implements it.
    Implements = 2,
    /// Reads configuration that it holds.
    Config = 3,
    /// Imports it.
    Import = 4,
    /// Names it without calling it, for example passed as a value or used as a type.
    Ref = 5,
}

impl EdgeKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Call, Self::Implements, Self::Config, Self::Import, Self::Ref];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Implements => "implements",
            Self::Config => "config",
            Self::Import => "import",
            Self::Ref => "ref",
        }
    }
}

/// How certain the resolver is of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Resolution {
    /// The language's own rules lead to one target.
    Exact = 1,
    /// A rule of thumb leads to one target, for example "only one type has a method of that name".
    Inferred = 2,
    /// One of several that fit.
    Ambiguous = 3,
}

impl Resolution {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Inferred => "inferred",
            Self::Ambiguous => "ambiguous",
        }
    }
}

/// The rule that found an edge, by number; `sdl-graph` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Strategy(pub u8);

/// One outgoing edge of a symbol; several sites with the same target and kind are one edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    /// The target.
    pub to: SymbolId,
    /// Its kind.
    pub kind: EdgeKind,
    /// How certain the target is.
    pub resolution: Resolution,
    /// Which rule found it.
    pub strategy: Strategy,
    /// Measured precision of that rule, in percent.
    pub confidence: u8,
    /// The first site's line, counted from the source symbol's first line, because then moving the symbol changes
    /// nothing.
    pub line_offset: u32,
    /// The number of sites.
    pub sites: u16,
}

/// One incoming edge of a symbol, as the reverse table holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InEdge {
    /// The source.
    pub from: SymbolId,
    /// Its kind.
    pub kind: EdgeKind,
    /// How certain the target is.
    pub resolution: Resolution,
    /// Which rule found it.
    pub strategy: Strategy,
    /// Measured precision of that rule, in percent.
    pub confidence: u8,
}
