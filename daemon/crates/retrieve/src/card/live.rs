//! Enrichment from a ledger's snapshot and the data kept beside it.

use std::cell::OnceCell;
use std::sync::Arc;

use sdl_graph::clusters::{ClusterCache, Clusters};
use sdl_ledger::Snapshot;
use sdl_model::{FileId, SymbolId};

use super::{Enrichment, process_chains};
use crate::{Result, Source};

/// Commits that touched a file, by its path.
pub type Churn<'a> = Box<dyn Fn(&str) -> Option<u32> + 'a>;

/// All data of cards. Nothing is computed before it is requested.
pub struct Live<'a> {
    snapshot: &'a Snapshot<'a>,
    cache: &'a ClusterCache,
    churn: Churn<'a>,
    clusters: OnceCell<Option<Arc<Clusters>>>,
}

impl<'a> Live<'a> {
    /// Of a snapshot, with the clusters kept in `cache`.
    pub fn new(snapshot: &'a Snapshot<'a>, cache: &'a ClusterCache, churn: Churn<'a>) -> Self {
        Self { snapshot, cache, churn, clusters: OnceCell::new() }
    }
}

impl Enrichment for Live<'_> {
    fn churn_30d(&self, path: &str) -> Option<u32> {
        (self.churn)(path)
    }

    fn clusters(&self) -> Result<Option<Arc<Clusters>>> {
        if let Some(known) = self.clusters.get() {
            return Ok(known.clone());
        }
        let clusters = self.cache.at(self.snapshot)?;
        Ok(self.clusters.get_or_init(|| clusters).clone())
    }

    fn cluster(&self, file: FileId) -> Result<Option<String>> {
        let clusters = self.clusters()?;
        Ok(clusters.and_then(|clusters| clusters.of_file(file).map(|cluster| cluster.label.clone())))
    }

    fn processes(&self, source: &Source<'_>, symbol: SymbolId) -> Result<Vec<String>> {
        process_chains(source, symbol)
    }
}
