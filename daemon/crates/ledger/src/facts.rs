//! Facts by content.
#![allow(missing_docs, unused_variables, clippy::todo, reason = "signatures first")]

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use sdl_model::{Body, Facts, FactsKey, Outline};

use crate::{How, Options, Result};

/// Facts by content.
pub struct FactsStore {}
/// Facts, ready to be stored.
#[derive(Clone, Debug)]
pub struct EncodedFacts {
    pub(crate) outline: Vec<u8>,
    pub(crate) body: Vec<u8>,
}
/// Keeps facts from being swept while it lives.
#[must_use]
pub struct Pins<'s> {
    store: &'s FactsStore,
}
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub kept: u64,
    pub removed: u64,
}
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FactsStats {
    pub facts: u64,
    pub failed: u64,
    pub bytes: u64,
    pub cached: usize,
    pub cached_bytes: usize,
}

impl EncodedFacts {
    pub fn encode(facts: &Facts) -> Result<Self> {
        todo!()
    }
}

impl FactsStore {
    pub fn open(dir: &Path, options: &Options) -> Result<(Self, How)> {
        todo!()
    }
    pub fn put_many(&self, facts: &[(FactsKey, &Facts)]) -> Result<usize> {
        todo!()
    }
    pub fn put_encoded(&self, facts: &[(FactsKey, EncodedFacts)]) -> Result<usize> {
        todo!()
    }
    pub fn outline(&self, key: &FactsKey) -> Result<Option<Arc<Outline>>> {
        todo!()
    }
    pub fn body(&self, key: &FactsKey) -> Result<Option<Body>> {
        todo!()
    }
    pub fn has(&self, key: &FactsKey) -> Result<bool> {
        todo!()
    }
    pub fn mark_failed(&self, key: &FactsKey, why: &str) -> Result<()> {
        todo!()
    }
    pub fn failed(&self, key: &FactsKey) -> Result<Option<String>> {
        todo!()
    }
    pub fn pin(&self, keys: &[FactsKey]) -> Pins<'_> {
        todo!()
    }
    /// `live` is asked after the sweep has begun: all facts that any repository's kept versions name.
    pub fn sweep(&self, live: impl FnOnce() -> Result<HashSet<FactsKey>>) -> Result<Swept> {
        todo!()
    }
    pub fn stats(&self) -> Result<FactsStats> {
        todo!()
    }
    pub fn set_cache_bytes(&self, bytes: usize) {
        todo!()
    }
}
