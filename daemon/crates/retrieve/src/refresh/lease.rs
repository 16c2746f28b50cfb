//! The record of a held slice.

use sdl_model::{Incarnation, SymbolId, Version};
use serde::{Deserialize, Serialize};

use crate::slice::SliceRequest;

/// The layout of [`Lease`] that this build writes.
const LAYOUT: u8 = 1;

/// A symbol that a client holds, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The symbol.
    pub symbol: SymbolId,
    /// The first version in which it was held.
    pub since: Version,
    /// The first version in which it was held no longer.
    pub until: Option<Version>,
}

impl Member {
    /// Whether it was held by a client that knows `version`.
    pub fn held_at(&self, version: Version) -> bool {
        self.since <= version && self.until.is_none_or(|until| version < until)
    }
}

/// A held slice: who is in it since when, and how to build it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The ledger it belongs to.
    pub incarnation: Incarnation,
    /// The version it was built from: nothing older can be refreshed from.
    pub built: Version,
    /// The version up to which its members are known.
    pub current: Version,
    /// Which unsaved buffers lay over that version.
    #[serde(default)]
    pub overlay: Option<u64>,
    /// The members, in the order in which they were served.
    pub members: Vec<Member>,
    /// The request that built it.
    pub request: SliceRequest,
}

impl Lease {
    /// A lease on `members`, all held from `version` on.
    pub fn new(
        incarnation: Incarnation,
        version: Version,
        members: impl IntoIterator<Item = SymbolId>,
        request: SliceRequest,
    ) -> Self {
        let members =
            members.into_iter().map(|symbol| Member { symbol, since: version, until: None }).collect();
        Self { incarnation, built: version, current: version, overlay: None, members, request }
    }

    /// The same, of a version with unsaved buffers over it.
    #[must_use]
    pub fn with_overlay(self, overlay: Option<u64>) -> Self {
        Self { overlay, ..self }
    }

    /// The symbols that a client at `version` holds.
    pub fn held_at(&self, version: Version) -> impl Iterator<Item = SymbolId> {
        self.members.iter().filter(move |member| member.held_at(version)).map(|member| member.symbol)
    }

    /// Whether a symbol is held now.
    pub fn holds(&self, symbol: SymbolId) -> bool {
        self.members.iter().any(|member| member.symbol == symbol && member.until.is_none())
    }

    /// The symbols that a stored lease holds now; none if it is of another ledger, or can't be read.
    pub fn holding(bytes: &[u8], incarnation: Incarnation) -> impl Iterator<Item = SymbolId> {
        /// Of a lease what this asks for; the rest is passed over unread.
        #[derive(Deserialize)]
        struct Held {
            incarnation: Incarnation,
            members: Vec<Member>,
        }
        let held = bytes.split_first().filter(|(layout, _)| **layout == LAYOUT);
        let held = held.and_then(|(_, rest)| serde_json::from_slice::<Held>(rest).ok());
        let held = held.filter(|held| held.incarnation == incarnation);
        let members = held.map_or_else(Vec::new, |held| held.members);
        members.into_iter().filter(|member| member.until.is_none()).map(|member| member.symbol)
    }

    /// The oldest version that a client of it may still ask from.
    pub fn oldest(&self) -> Version {
        self.built
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
