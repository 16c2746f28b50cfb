//! The facts store as retrieval asks it.

use std::sync::Arc;

use sdl_ledger::{Brief, FactsStore};
use sdl_model::{FactsKey, Outline};
use sdl_retrieve::Outlines;

/// Outlines as stored; the store keeps a bounded cache of its own.
pub(crate) struct StoredOutlines<'a>(pub(crate) &'a FactsStore);

impl Outlines for StoredOutlines<'_> {
    fn outline(&self, key: FactsKey) -> sdl_ledger::Result<Option<Arc<Outline>>> {
        self.0.outline(&key)
    }

    fn brief(&self, key: FactsKey, is: &dyn Fn(u64) -> bool) -> sdl_ledger::Result<Option<Brief>> {
        self.0.brief(&key, is)
    }
}
