//! What a spillover handle holds: the symbols that did not fit, and how their cards were wanted.

use sdl_model::SymbolId;
use sdl_retrieve::card::{CardOptions, Detail};
use serde::{Deserialize, Serialize};

use crate::call::context::ReadCx;
use crate::call::leases::LeaseWrite;

/// The layout of [`Spill`] that this build writes.
const LAYOUT: u8 = 1;

/// What a spillover handle holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spill {
    /// The symbols, best first.
    pub(crate) symbols: Vec<SymbolId>,
    /// As the slice was asked for.
    pub(crate) min_call_confidence: u8,
    /// As the slice was asked for.
    pub(crate) resolution_metadata: bool,
}

impl Spill {
    /// Leaves the spillover to be written under its handle; nothing if nothing was spilled.
    pub(crate) fn keep(self, cx: &ReadCx<'_>, handle: &str) {
        if !self.symbols.is_empty() {
            // It reads cards at the head, whatever that is then: it holds no past version.
            let (handle, data) = (handle.to_owned(), self.to_bytes());
            let (holds_from, known_to) = (cx.version, cx.version);
            cx.write(LeaseWrite::Put { handle, holds_from, known_to, replaces: None, data, at_once: true });
        }
    }

    /// How its cards are built.
    pub(crate) fn options(&self) -> CardOptions {
        CardOptions {
            detail: Detail::Full,
            min_call_confidence: self.min_call_confidence,
            resolution_metadata: self.resolution_metadata,
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![LAYOUT];
        // Plain types into memory cannot fail; an empty record reads back as none.
        if serde_json::to_writer(&mut bytes, self).is_err() {
            bytes.truncate(1);
        }
        bytes
    }

    /// Reads the stored form; none if it is of a layout that this build does not know, or damaged.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (&layout, rest) = bytes.split_first()?;
        (layout == LAYOUT).then(|| serde_json::from_slice(rest).ok()).flatten()
    }
}
