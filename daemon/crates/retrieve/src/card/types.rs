//! A card's fields, as they are on the wire.

use sdl_model::{Resolution, SymbolId, SymbolKind, Version};
use serde::{Deserialize, Serialize};

use crate::names;
use crate::numbers::Percent;

/// The amount of detail of a card. Each level includes all levels before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Detail {
    /// Id, name and place.
    Minimal,
    /// Adds the signature and a one-line summary.
    Signature,
    /// Adds the symbols that it calls, imports and implements.
    Deps,
    /// Adds its invariants and side effects.
    Compact,
    /// Adds every dependency, columns, metrics, cluster and processes.
    #[default]
    Full,
}

impl Detail {
    /// Every level, from the least.
    pub const ALL: [Self; 5] = [Self::Minimal, Self::Signature, Self::Deps, Self::Compact, Self::Full];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Signature => "signature",
            Self::Deps => "deps",
            Self::Compact => "compact",
            Self::Full => "full",
        }
    }

    /// The level of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// The place of a symbol in its file. Lines are 1-based.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    /// First line.
    pub start_line: u32,
    /// First column in bytes, 0-based; on full cards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_col: Option<u32>,
    /// Last line.
    pub end_line: u32,
    /// Column past the last byte; on full cards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_col: Option<u32>,
}

/// One parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Param {
    /// Its name, with the marks of a rest parameter (`*args`, `**kwargs`).
    pub name: String,
    /// Its type as written.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub ty: Option<String>,
    /// Whether it may be omitted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
}

/// A signature, split into its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signature {
    /// The parameters without the receiver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Param>,
    /// The stated return type; for a variable or field, its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<String>,
    /// The generic parameters, with their brackets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generics: Option<String>,
    /// The header as written, for symbols without parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
}

/// One dependency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dep {
    /// The target.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// Its qualified name.
    pub name: String,
    /// Measured precision of the rule that found it.
    pub confidence: Percent,
    /// How certain the target is.
    #[serde(with = "names::resolution")]
    pub resolution: Resolution,
    /// How it was found; on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<How>,
}

/// How a dependency was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct How {
    /// The rule's name.
    pub strategy: String,
    /// The first site's line in the file.
    pub line: u32,
    /// The number of sites.
    pub sites: u16,
}

/// The dependencies of a symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deps {
    /// The symbols that it calls, constructs or is decorated by.
    pub calls: Vec<Dep>,
    /// The symbols that it imports.
    pub imports: Vec<Dep>,
    /// The types that it extends or implements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub implements: Vec<Dep>,
    /// The configuration it reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub config: Vec<Dep>,
    /// The symbols that it names without calling them; on full cards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Dep>,
    /// The number of dependencies omitted at this level of detail.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u32,
}

/// One side effect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SideEffect {
    /// `io`, `network`, `env`, `process`, `globalState`, `logging`.
    pub kind: String,
    /// The text that shows it.
    pub what: String,
}

/// A reference to a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TestRef {
    /// The test.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// Its qualified name.
    pub name: String,
    /// Its file.
    pub file: String,
}

/// A reference to a member of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberRef {
    /// The member.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// Its simple name.
    pub name: String,
    /// Its kind.
    #[serde(with = "names::kind")]
    pub kind: SymbolKind,
}

/// Counts from the graph and from history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// The number of edges that lead here.
    pub fan_in: u64,
    /// The number of edges that lead away.
    pub fan_out: u64,
    /// Commits that touched its file in the 30 days before the version's HEAD.
    #[serde(default, rename = "churn30d", skip_serializing_if = "Option::is_none")]
    pub churn_30d: Option<u32>,
    /// The number of edges from tests that lead here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_refs: Option<u32>,
    /// The test that tests it most directly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical_test: Option<TestRef>,
}

/// The card of one symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    /// Its id.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// Its simple name.
    pub name: String,
    /// Its name with those of its owners inside the file, such as `Cart.checkout`.
    pub qualified_name: String,
    /// Its kind.
    #[serde(with = "names::kind")]
    pub kind: SymbolKind,
    /// Whether other files can see it.
    pub exported: bool,
    /// Its file's path.
    pub file: String,
    /// Where in the file.
    pub range: Range,
    /// From `signature` on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
    /// From `signature` on: the first sentence of its documentation. None if that has no content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// From `deps` on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deps: Option<Deps>,
    /// From `deps` on, for a type: the members in its own file. Callable members come first, then nested types, then
    /// values; in each group, those visible to other files come first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberRef>,
    /// The number of members omitted at this level of detail.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub members_omitted: u32,
    /// From `compact` on: its exceptions, assertions and guards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<String>,
    /// From `compact` on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub side_effects: Vec<SideEffect>,
    /// On `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
    /// On `full`, if the graph's clusters are available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// On `full`, if the graph's processes are available.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<String>,
    /// Changes when the symbol's body or its own part of a full card changes; begins with the card's level.
    pub etag: String,
    /// The version it was read from. Omitted in slices, which state it once.
    #[serde(default, with = "names::version_option", skip_serializing_if = "Option::is_none")]
    pub ledger_version: Option<Version>,
}

/// Replaces a card that the client already holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CardRef {
    /// The symbol.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// The etag, which is still valid.
    pub etag: String,
    /// Its current place; lines may have moved since.
    pub range: Range,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over by reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over by reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}
