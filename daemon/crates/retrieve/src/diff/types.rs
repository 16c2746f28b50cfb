//! A changed symbol's fields, as they are on the wire.

use sdl_model::{SymbolId, SymbolKind, Version};
use serde::{Deserialize, Serialize};

use crate::card::{Card, Range, SideEffect};
use crate::names;
use crate::numbers::Milli;

/// The kind of change of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeType {
    /// It is new. In a slice's delta also: newly part of the slice.
    Added,
    /// It is gone.
    Removed,
    /// Its header, body, documentation or dependencies changed.
    Modified,
    /// It has another name, and may have changed otherwise too.
    Renamed,
    /// It has the same name in another file or owner, and may have changed otherwise too.
    Moved,
}

/// How a change of a symbol's header breaks its users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Break {
    /// Less code may use it.
    Hidden,
    /// It takes fewer parameters.
    ParameterGone,
    /// It requires more parameters.
    ParameterNeeded,
    /// It takes the same parameters in another order.
    ParameterMoved,
    /// It states another return type.
    ResultChanged,
    /// It is called in another way: a value became a function, an instance method a static one, or it became `async`.
    KindChanged,
}

impl Break {
    /// The clause that describes the break, to follow the symbol's name and a comma.
    pub fn clause(self) -> &'static str {
        match self {
            Self::Hidden => "which fewer may use now",
            Self::ParameterGone => "which takes fewer parameters now",
            Self::ParameterNeeded => "which asks for more parameters now",
            Self::ParameterMoved => "which takes its parameters in another order now",
            Self::ResultChanged => "which returns something else now",
            Self::KindChanged => "which is called in another way now",
        }
    }
}

/// A text before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextDiff {
    /// The old text.
    pub before: String,
    /// The new text.
    pub after: String,
}

/// Members that were added and removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetDiff<T> {
    /// The added members.
    pub added: Vec<T>,
    /// The removed members.
    pub removed: Vec<T>,
}

impl<T> Default for SetDiff<T> {
    fn default() -> Self {
        Self { added: Vec::new(), removed: Vec::new() }
    }
}

impl<T> SetDiff<T> {
    /// Whether nothing was added or removed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

/// How deep a change goes: which aspects of the symbol its dependents may still rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tiers {
    /// Name, signature, bases and visibility are unchanged.
    pub interface_stable: bool,
    /// Body and invariants are unchanged.
    pub behavior_stable: bool,
    /// The side effects are unchanged.
    pub side_effects_stable: bool,
    /// The symbols that it calls, imports and implements are unchanged.
    pub dependencies_stable: bool,
}

impl Tiers {
    /// Nothing changed.
    pub const STABLE: Self = Self {
        interface_stable: true,
        behavior_stable: true,
        side_effects_stable: true,
        dependencies_stable: true,
    };
}

/// One changed symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedSymbol {
    /// The symbol; for a removed one, its old id.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// The kind of change.
    pub change_type: ChangeType,
    /// Its qualified name, the current or last one.
    pub name: String,
    /// Its kind.
    #[serde(with = "names::kind")]
    pub kind: SymbolKind,
    /// Its file, the current or last one.
    pub file: String,
    /// Its current place. None for a removed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// For a renamed or moved one: its old id.
    #[serde(default, with = "names::symbol_id_option", skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<SymbolId>,
    /// For a renamed or moved one: its old qualified name, if different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_name: Option<String>,
    /// For a renamed or moved one: its old file, if different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_file: Option<String>,
    /// Its header, if it changed. Includes decorators, bases or visibility, where only those changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature_diff: Option<TextDiff>,
    /// Its invariants, if they changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invariant_diff: Option<SetDiff<String>>,
    /// Its side effects, if they changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_effect_diff: Option<SetDiff<SideEffect>>,
    /// Whether its body does something else. Comments, white space and documentation do not count.
    pub body_changed: bool,
    /// Whether its documentation changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doc_changed: bool,
    /// How deep the change goes.
    pub tiers: Tiers,
    /// Its current card, if it was asked for and fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
    /// The etag of its current card, if the card is omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
}

/// A symbol that a change may affect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlastItem {
    /// The symbol.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// Its qualified name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Why it may be affected, for example `calls Command.invoke`.
    pub reason: String,
    /// The number of edges to the nearest changed symbol.
    pub distance: u32,
    /// Its importance, at most 1.
    pub rank: Milli,
    /// How its fan-in changed between the two versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fan_in_trend: Option<FanInTrend>,
    /// How near a test is: 1 for a test, 0.5 for a symbol that a test uses, else none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_proximity: Option<Milli>,
    /// The processes it takes part in, if those are available.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<String>,
    /// The changed symbol that it is affected by; not on the wire.
    #[serde(skip, default = "no_symbol")]
    pub origin: SymbolId,
    /// Whether it can be called; not on the wire.
    #[serde(skip)]
    pub is_callable: bool,
}

fn no_symbol() -> SymbolId {
    SymbolId(0)
}

/// Fan-in in two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FanInTrend {
    /// The old number.
    pub previous: u64,
    /// The current number.
    pub current: u64,
}

impl FanInTrend {
    /// The number of edges added for each one that existed before.
    pub fn growth(self) -> f64 {
        self.current.saturating_sub(self.previous) as f64 / self.previous.max(1) as f64
    }
}

/// The changes between two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    /// The older version.
    #[serde(with = "names::version")]
    pub from_version: Version,
    /// The newer version.
    #[serde(with = "names::version")]
    pub to_version: Version,
    /// The changed symbols.
    pub changed_symbols: Vec<ChangedSymbol>,
    /// The symbols that those changes may affect, most important first.
    pub blast_radius: Vec<BlastItem>,
}
