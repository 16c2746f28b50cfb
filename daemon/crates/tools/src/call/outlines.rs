//! The facts store in the form that retrieval queries.

use std::sync::Arc;

use sdl_ledger::{Briefs, FactsStore};
use sdl_model::{Body, FactsKey, Outline};
use sdl_navigate::mentions::Bodies;
use sdl_retrieve::Outlines;

/// Outlines as stored; the store keeps a bounded cache of its own.
pub(crate) struct StoredOutlines<'a>(pub(crate) &'a FactsStore);

impl Outlines for StoredOutlines<'_> {
    fn outline(&self, key: FactsKey) -> sdl_ledger::Result<Option<Arc<Outline>>> {
        require_facts(key, self.0.outline(&key)?)
    }

    fn briefs(&self, key: FactsKey) -> sdl_ledger::Result<Option<Briefs>> {
        require_facts(key, self.0.briefs(&key)?)
    }
}

/// Outlines of files that are being indexed: facts that are missing are those of an index that was given up.
pub(crate) struct PartOutlines<'a>(pub(crate) &'a FactsStore);

impl Outlines for PartOutlines<'_> {
    fn outline(&self, key: FactsKey) -> sdl_ledger::Result<Option<Arc<Outline>>> {
        self.0.outline(&key)
    }

    fn briefs(&self, key: FactsKey) -> sdl_ledger::Result<Option<Briefs>> {
        self.0.briefs(&key)
    }
}

/// The second halves of files' facts, as stored.
pub(crate) struct StoredBodies<'f>(pub(crate) &'f FactsStore);

impl Bodies for StoredBodies<'_> {
    fn body(&self, key: FactsKey) -> sdl_ledger::Result<Option<Body>> {
        self.0.body(&key)
    }
}

/// Missing facts are an error, because a file without them would look empty, and no answer may claim that.
fn require_facts<T>(key: FactsKey, facts: Option<T>) -> sdl_ledger::Result<Option<T>> {
    match facts {
        Some(facts) => Ok(Some(facts)),
        None => Err(sdl_ledger::Error::Corrupt {
            table: "facts",
            why: format!("the facts of {} are named by a version, but are not stored", key.content),
        }),
    }
}
