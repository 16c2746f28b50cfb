//! A slice's fields, as they are on the wire.

use std::cmp::Reverse;
use std::collections::HashMap;

use sdl_model::{EdgeKind, Resolution, SymbolId, Version};
use serde::{Deserialize, Serialize};

use crate::card::{Card, CardRef};
use crate::numbers::{Milli, Percent};
use crate::{Evidence, names};

/// The meaning of a slice's edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Link {
    /// An edge of the graph.
    Edge(EdgeKind),
    /// The source is a type and the target one of its members. Outlines hold this relation; the ledger stores no such
    /// edge.
    Member,
}

impl Link {
    /// Every kind, in the order in which slices list them.
    pub fn all() -> impl Iterator<Item = Self> {
        EdgeKind::ALL.into_iter().map(Self::Edge).chain([Self::Member])
    }

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Edge(kind) => kind.name(),
            Self::Member => "member",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|link| link.name() == name)
    }
}

/// An edge between two symbols of a slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SliceEdge {
    /// The source.
    #[serde(with = "names::symbol_id")]
    pub from: SymbolId,
    /// The target.
    #[serde(with = "names::symbol_id")]
    pub to: SymbolId,
    /// Its meaning.
    #[serde(rename = "type", with = "names::link")]
    pub kind: Link,
    /// Measured precision of the rule that found it.
    pub confidence: Percent,
    /// How certain the target is.
    #[serde(with = "names::resolution")]
    pub resolution: Resolution,
}

/// A symbol just outside a slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrontierItem {
    /// The symbol.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// Its qualified name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Its score; the best card of the slice has 1 or less.
    pub score: Milli,
}

/// A slice as written in the `standard` format. The other formats decode to exactly this.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SliceDoc {
    /// The cards, best first.
    pub cards: Vec<Card>,
    /// Symbols whose cards the client holds, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub card_refs: Vec<CardRef>,
    /// The edges between them.
    pub edges: Vec<SliceEdge>,
    /// The symbols just outside, best first.
    pub frontier: Vec<FrontierItem>,
    /// The exact number of `o200k_base` tokens of this slice as it was served.
    pub estimated_tokens: u32,
}

impl SliceDoc {
    /// Sorts the edges into their only order: by type, the most certain first, then in the order of the cards. Every
    /// wire format keeps it.
    pub fn sort_edges(&mut self) {
        let members: Vec<SymbolId> = self.members().collect();
        sort_edges(&mut self.edges, members.into_iter());
    }

    /// The symbols in the slice, as cards or card references, best first.
    pub fn members(&self) -> impl Iterator<Item = SymbolId> {
        let refs = self.card_refs.iter().map(|held| held.symbol_id);
        self.cards.iter().map(|card| card.symbol_id).chain(refs)
    }
}

/// Sorts edges by type, the most certain first, then in the order of the symbols.
pub(super) fn sort_edges(edges: &mut [SliceEdge], members: impl Iterator<Item = SymbolId>) {
    let mut places = HashMap::new();
    for (place, id) in members.enumerate() {
        places.entry(id).or_insert(place);
    }
    let place = |id: SymbolId| (places.get(&id).copied().unwrap_or(usize::MAX), id);
    edges.sort_by_cached_key(|edge| {
        (edge.kind, edge.resolution, Reverse(edge.confidence), place(edge.from), place(edge.to))
    });
}

/// The symbols and edges that did not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Truncation {
    /// Whether anything was dropped.
    pub truncated: bool,
    /// The number of dropped cards, of those that the search found.
    pub dropped_cards: u32,
    /// The number of edges between served and dropped symbols.
    pub dropped_edges: u32,
    /// Whether the search stopped at its limit, so that there are more symbols than the dropped ones.
    pub search_stopped: bool,
}

/// A built slice.
#[derive(Clone, Debug)]
pub struct BuiltSlice {
    /// The version it was built from.
    pub version: Version,
    /// Its content.
    pub doc: SliceDoc,
    /// The number of entry symbols that are missing or below `compact`, for lack of tokens or cards.
    pub entries_reduced: u32,
    /// Its content in the asked wire format.
    pub json: serde_json::Value,
    /// Tokens of `json`, serialized.
    pub tokens: u32,
    /// The symbols and edges that did not fit, if any.
    pub truncation: Option<Truncation>,
    /// The symbols that did not fit, best first. The spillover handle serves them.
    pub spilled: Vec<SymbolId>,
    /// How the seeds were found, if asked.
    pub evidence: Option<Evidence>,
    /// A hash of the content, for `sliceEtag`.
    pub hash: String,
}

impl BuiltSlice {
    /// The symbols in the slice, as cards or card references, best first.
    pub fn members(&self) -> impl Iterator<Item = SymbolId> {
        self.doc.members()
    }
}
