//! The record of a held slice.

use std::collections::{BTreeSet, HashSet};

use sdl_ledger::View;
use sdl_model::{FileId, Incarnation, SymbolId, Version};
use serde::{Deserialize, Serialize};

use super::standing::HeldState;
use crate::Result;
use crate::slice::{BuiltSlice, SliceRequest};

/// The layout of [`Lease`] that this build writes.
const LAYOUT: u8 = 2;

/// A symbol that a slice follows: it is held in every version that has it, from `since` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Followed {
    /// The symbol.
    pub symbol: SymbolId,
    /// The file that defines it in every version that has it: a symbol in another file is another symbol.
    pub file: FileId,
    /// The first version in which it is followed.
    pub since: Version,
    /// The symbol that it was when the slice began to follow it. Renames and moves keep this.
    pub origin: SymbolId,
}

/// The symbols that a slice follows, in the order in which it began to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Following {
    symbols: Vec<Followed>,
    /// Everything that a followed symbol called or implemented when the slice began to follow it. A callee in this set
    /// is not new.
    called: BTreeSet<SymbolId>,
}

impl Following {
    /// Every followed symbol.
    pub fn symbols(&self) -> &[Followed] {
        &self.symbols
    }

    /// Whether a symbol is followed.
    pub fn has(&self, symbol: SymbolId) -> bool {
        self.symbols.iter().any(|known| known.symbol == symbol)
    }

    /// Whether a followed symbol called `symbol` when the slice began to follow it.
    pub(super) fn called(&self, symbol: SymbolId) -> bool {
        self.called.contains(&symbol)
    }

    /// The symbols followed at a version.
    pub(super) fn at(&self, version: Version) -> Self {
        let symbols = self.symbols.iter().filter(|known| known.since <= version).copied().collect();
        Self { symbols, called: self.called.clone() }
    }

    /// Follows a symbol that is new to the slice, and records `calls` as its calls from the beginning.
    pub(super) fn begin(&mut self, followed: Followed, calls: impl IntoIterator<Item = SymbolId>) {
        self.symbols.push(followed);
        self.called.extend(calls);
    }

    /// Follows the symbol that a followed one became. Its calls are compared with those of the earlier one.
    pub(super) fn succeed(&mut self, followed: Followed) {
        self.symbols.push(followed);
    }

    /// The files of the followed symbols.
    pub(super) fn files(&self) -> HashSet<FileId> {
        self.symbols.iter().map(|known| known.file).collect()
    }
}

/// A held slice: the symbols that it follows and since when, and the request that built it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The ledger it belongs to.
    pub incarnation: Incarnation,
    /// The version it was built from. A refresh from an older one is not possible.
    pub built: Version,
    /// The version up to which `following` is known.
    pub current: Version,
    /// The symbols it follows.
    pub following: Following,
    /// The request that built it.
    pub request: SliceRequest,
    /// Of a view without a past: what it held in the states that were served last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<HeldState>,
}

impl Lease {
    /// A lease on the symbols that `built` serves; `view` is the one it was built from.
    pub fn begin(
        view: &dyn View,
        incarnation: Incarnation,
        built: &BuiltSlice,
        request: SliceRequest,
    ) -> Result<Self> {
        let mut following = Following::default();
        for symbol in built.members() {
            let Some(file) = view.symbol_file(symbol)? else { continue };
            let calls = view.out_edges(symbol)?.into_iter().map(|edge| edge.to);
            following.begin(Followed { symbol, file, since: built.version, origin: symbol }, calls);
        }
        let (built, current) = (built.version, built.version);
        Ok(Self { incarnation, built, current, following, request, states: Vec::new() })
    }

    /// The symbols that a stored lease follows; none if it is of another ledger, or can't be read.
    pub fn followed_in(bytes: &[u8], incarnation: Incarnation) -> impl Iterator<Item = SymbolId> {
        /// The part of a lease that this asks for; the rest is skipped unread.
        #[derive(Deserialize)]
        struct Part {
            incarnation: Incarnation,
            following: Following,
        }
        let part = bytes.split_first().filter(|(layout, _)| **layout == LAYOUT);
        let part = part.and_then(|(_, rest)| serde_json::from_slice::<Part>(rest).ok());
        let part = part.filter(|part| part.incarnation == incarnation);
        part.map_or_else(Vec::new, |part| part.following.symbols).into_iter().map(|known| known.symbol)
    }

    /// The oldest version that a client may still refresh from.
    pub fn oldest(&self) -> Version {
        self.states.first().map_or(self.built, |state| state.version)
    }

    /// The stored form: a layout number, then JSON. Leases are few and small.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![LAYOUT];
        // Serializing these plain types into memory cannot fail; an empty record reads back as none.
        if serde_json::to_writer(&mut bytes, self).is_err() {
            bytes.truncate(1);
        }
        bytes
    }

    /// Reads the stored form; none if it is of a layout that this build does not know, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (&layout, rest) = bytes.split_first()?;
        (layout == LAYOUT).then(|| serde_json::from_slice(rest).ok()).flatten()
    }
}
