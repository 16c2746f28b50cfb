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

/// Whether a definition has the code that the anchor keeps. Anchors of older builds keep the hash of its bytes.
pub(crate) fn is_same_code(anchor: &SymbolAnchor, def: &Def) -> bool {
    anchor.fingerprint == code_hash(def) || anchor.fingerprint == def.fingerprint
}
