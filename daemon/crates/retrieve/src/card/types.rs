//! A card's fields, as they are on the wire.

use sdl_model::{Resolution, SymbolId, SymbolKind, Version};
use serde::{Deserialize, Serialize};

use crate::names;
use crate::numbers::Percent;

/// How much a card tells; each level holds all that the one before holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Detail {
    /// Identity.
    Minimal,
    /// And the signature and a one-line summary.
    Signature,
    /// And what it calls, imports and implements.
    Deps,
    /// And its invariants and side effects.
    Compact,
    /// And every dependency, columns, metrics, cluster and processes.
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

/// Where a symbol stands. Lines are 1-based.
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
    /// Whether it may be left out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
}

/// A signature, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signature {
    /// The parameters, receiver left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Param>,
    /// The stated result type; for a variable or field its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<String>,
    /// The generic parameters, with their brackets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generics: Option<String>,
    /// For what has no parameters: the header as written.
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
    /// How sure the target is.
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
    /// How many sites.
    pub sites: u16,
}

/// What a symbol depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deps {
    /// What it calls, constructs or is decorated by.
    pub calls: Vec<Dep>,
    /// What it imports.
    pub imports: Vec<Dep>,
    /// What it extends or implements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub implements: Vec<Dep>,
    /// The configuration it reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub config: Vec<Dep>,
    /// What it names without calling; on full cards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Dep>,
    /// How many dependencies this level of detail leaves out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u32,
}

/// One side effect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SideEffect {
    /// `io`, `network`, `env`, `process`, `globalState`, `logging`.
    pub kind: String,
    /// What shows it.
    pub what: String,
}

/// A test, named.
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

/// A member of a type, named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberRef {
    /// The member.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// Its simple name.
    pub name: String,
    /// What it is.
    #[serde(with = "names::kind")]
    pub kind: SymbolKind,
}

/// Numbers of the graph and of history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// How many edges lead here.
    pub fan_in: u64,
    /// How many edges lead away.
    pub fan_out: u64,
    /// Commits that touched its file in the 30 days before the version's HEAD.
    #[serde(default, rename = "churn30d", skip_serializing_if = "Option::is_none")]
    pub churn_30d: Option<u32>,
    /// How many edges from tests lead here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_refs: Option<u32>,
    /// The test that tests it most directly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical_test: Option<TestRef>,
}

/// What is told of one symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    /// Its id.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// Its simple name.
    pub name: String,
    /// Its name with its owners' inside the file.
    pub qualified_name: String,
    /// What it is.
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
    /// From `signature` on: the first sentence of its documentation; none where that says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// From `deps` on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deps: Option<Deps>,
    /// From `deps` on, of a type: the members that its own file states. Callable ones first, then nested types, then
    /// values; of each, those that other files see first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberRef>,
    /// How many members this level of detail leaves out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub members_omitted: u32,
    /// From `compact` on: what it throws, asserts and guards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<String>,
    /// From `compact` on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub side_effects: Vec<SideEffect>,
    /// On `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
    /// On `full`, where the graph's clusters are at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// On `full`, where the graph's processes are at hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<String>,
    /// Changes when what a full card says of the symbol itself, or its body, changes; begins with the card's level.
    pub etag: String,
    /// The version it was read from. Left out in slices, which say it once.
    #[serde(default, with = "names::version_option", skip_serializing_if = "Option::is_none")]
    pub ledger_version: Option<Version>,
}

/// Stands for a card that the client holds already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CardRef {
    /// The symbol.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// The etag that still holds.
    pub etag: String,
    /// Where it stands now; lines may have moved since.
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
