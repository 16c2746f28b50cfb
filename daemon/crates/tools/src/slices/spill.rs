//! The data of a spillover handle: the symbols that did not fit, and the requested form of their cards.

use sdl_model::SymbolId;
use sdl_retrieve::card::{CardOptions, Detail};
use serde::{Deserialize, Serialize};

use crate::call::context::ReadCx;
use crate::call::leases::LeaseWrite;

/// The layout of [`Spill`] that this build writes.
const LAYOUT: u8 = 1;

/// The data of a spillover handle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spill {
    /// The symbols, best first.
    pub(crate) symbols: Vec<SymbolId>,
    /// As in the slice's request.
    pub(crate) min_call_confidence: u8,
    /// As in the slice's request.
    pub(crate) resolution_metadata: bool,
}

impl Spill {
    /// Queues the spillover to be written under its handle; does nothing if no symbol was spilled.
    pub(crate) fn keep(self, cx: &ReadCx<'_>, handle: &str) {
        if !self.symbols.is_empty() {
            // Its cards are read at the head of the moment, so it holds no past version.
            let (handle, data) = (handle.to_owned(), self.to_bytes());
            let (holds_from, known_to) = (cx.kept_version(), cx.kept_version());
            cx.write(LeaseWrite::Put { handle, holds_from, known_to, replaces: None, data, at_once: true });
        }
    }

    /// Returns how its cards are built.
    pub(crate) fn options(&self) -> CardOptions {
        CardOptions {
            detail: Detail::Full,
            min_call_confidence: self.min_call_confidence,
            resolution_metadata: self.resolution_metadata,
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![LAYOUT];
        // Serializing plain types into memory can't fail; an empty record is read back as none.
        if serde_json::to_writer(&mut bytes, self).is_err() {
            bytes.truncate(1);
        }
        bytes
    }

    /// Reads the stored form; none if it is damaged or has a layout that this build doesn't know.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (&layout, rest) = bytes.split_first()?;
        (layout == LAYOUT).then(|| serde_json::from_slice(rest).ok()).flatten()
    }
}
