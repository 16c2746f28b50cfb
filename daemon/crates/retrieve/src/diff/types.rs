//! A changed symbol's fields, as they are on the wire.

use sdl_model::{SymbolId, SymbolKind, Version};
use serde::{Deserialize, Serialize};

use crate::card::{Card, Range, SideEffect};
use crate::names;
use crate::numbers::Milli;

/// What became of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeType {
    /// It is new; in a slice's delta also: newly part of the slice.
    Added,
    /// It is gone.
    Removed,
    /// Its header, body, documentation or dependencies changed.
    Modified,
    /// It goes by another name, and may have changed besides.
    Renamed,
    /// It lives in another file or owner under the same name, and may have changed besides.
    Moved,
}

/// What those who use a symbol lose by a change of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Break {
    /// Fewer may use it.
    Hidden,
    /// It takes fewer parameters.
    ParameterGone,
    /// It asks for more parameters.
    ParameterNeeded,
    /// It takes the same parameters in another order.
    ParameterMoved,
    /// It states another result.
    ResultChanged,
    /// It is called otherwise: a value for a function, a static method for one of an instance, `async`.
    KindChanged,
}

impl Break {
    /// What became of a symbol, after its name and a comma.
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
    /// As it was.
    pub before: String,
    /// As it is.
    pub after: String,
}

/// Members that came and went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetDiff<T> {
    /// What came.
    pub added: Vec<T>,
    /// What went.
    pub removed: Vec<T>,
}

impl<T> Default for SetDiff<T> {
    fn default() -> Self {
        Self { added: Vec::new(), removed: Vec::new() }
    }
}

impl<T> SetDiff<T> {
    /// Whether nothing came or went.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

/// How deep a change goes: what those who depend on the symbol may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tiers {
    /// Name, signature, bases and visibility are as they were.
    pub interface_stable: bool,
    /// Body and invariants are as they were.
    pub behavior_stable: bool,
    /// The side effects are as they were.
    pub side_effects_stable: bool,
    /// What it calls, imports and implements is as it was.
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
    /// The symbol; for a removed one the id it had.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// What became of it.
    pub change_type: ChangeType,
    /// Its qualified name, now or last.
    pub name: String,
    /// What it is.
    #[serde(with = "names::kind")]
    pub kind: SymbolKind,
    /// Its file, now or last.
    pub file: String,
    /// Where it stands now; none for a removed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// For a renamed or moved one: the id it had.
    #[serde(default, with = "names::symbol_id_option", skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<SymbolId>,
    /// For a renamed or moved one: the qualified name it had, if another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_name: Option<String>,
    /// For a renamed or moved one: the file it had, if another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_file: Option<String>,
    /// Its header, if that changed: with decorators, bases or who may use it, where only those did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature_diff: Option<TextDiff>,
    /// Its invariants, if those changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invariant_diff: Option<SetDiff<String>>,
    /// Its side effects, if those changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_effect_diff: Option<SetDiff<SideEffect>>,
    /// Whether its body does something else. Comments, white space and documentation don't count.
    pub body_changed: bool,
    /// Whether its documentation changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doc_changed: bool,
    /// How deep the change goes.
    pub tiers: Tiers,
    /// Its card as it is now, where that was asked for and fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
    /// Its card's etag as it is now, where the card is not given.
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
    /// Why it may be affected, e.g. `calls Command.invoke`.
    pub reason: String,
    /// How many edges away from the nearest changed symbol.
    pub distance: u32,
    /// How much it matters, 1 at most.
    pub rank: Milli,
    /// How its fan-in changed between the two versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fan_in_trend: Option<FanInTrend>,
    /// How near a test is: 1 for a test, 0.5 for a symbol that a test uses, none otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_proximity: Option<Milli>,
    /// The processes it takes part in, where those are at hand.
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
    /// As it was.
    pub previous: u64,
    /// As it is.
    pub current: u64,
}

impl FanInTrend {
    /// How many came for each that was there.
    pub fn growth(self) -> f64 {
        self.current.saturating_sub(self.previous) as f64 / self.previous.max(1) as f64
    }
}

/// What changed between two versions.
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
