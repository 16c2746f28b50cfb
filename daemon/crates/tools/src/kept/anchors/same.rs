//! Whether the code of an anchor is as it was.
//!
//! The law: code is the same if its tokens are. Comments, documentation and layout are no reason to doubt what was written about it, and a delta names
//! none of them either.

use sdl_memory::SymbolAnchor;
use sdl_model::facts::Def;

/// The hash that an anchor keeps of a definition: of its tokens, or of its bytes where a language tells no tokens.
pub(crate) fn code_hash(def: &Def) -> u64 {
    if def.tokens == 0 { def.fingerprint } else { def.tokens }
}

/// The hashes by which the code of a definition is known again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeHashes {
    /// See [`code_hash`].
    code: u64,
    bytes: u64,
}

impl CodeHashes {
    /// Of a definition.
    pub(crate) fn of(def: &Def) -> Self {
        Self { code: code_hash(def), bytes: def.fingerprint }
    }

    /// Whether this is the code that the anchor keeps. Anchors of older builds keep the hash of its bytes.
    pub(crate) fn are_of(self, anchor: &SymbolAnchor) -> bool {
        anchor.fingerprint == self.code || anchor.fingerprint == self.bytes
    }
}

/// Whether a definition has the code that the anchor keeps.
pub(crate) fn is_same_code(anchor: &SymbolAnchor, def: &Def) -> bool {
    CodeHashes::of(def).are_of(anchor)
}
