//! The prose of a file while it is read.

use sdl_model::facts::DefIx;

/// The prose so far: the definition and the bytes.
#[derive(Debug, Default)]
pub(super) struct Said(pub(super) Vec<(DefIx, u32, u32)>);

impl Said {
    /// Removes the prose from `from` on: it turned out to be documentation.
    pub(super) fn forget_from(&mut self, from: u32) {
        while self.0.pop_if(|(_, start, _)| *start >= from).is_some() {}
    }
}
