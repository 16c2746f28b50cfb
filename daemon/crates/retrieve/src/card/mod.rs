//! The description of one symbol.

mod build;
mod deps;
mod etag;
mod live;
mod metrics;
mod processes;
mod signature;
mod summary;
mod text;
mod types;

pub(crate) use build::{Opened, side_effects};
pub use build::{build_card, card_of, etag_of, symbol_range};
pub use etag::etag_covers;
pub use live::{Churn, Live};
pub(crate) use metrics::used_by_test;
pub use processes::{Process, Start, find_chains, is_main, process_chains};
pub use signature::signature_line;
pub(crate) use text::brief_text;
pub use text::card_text;
pub use types::{
    Card, CardRef, Dep, Deps, Detail, How, MemberRef, Metrics, Param, Range, SideEffect, Signature, TestRef,
};

use std::sync::Arc;

pub use sdl_graph::clusters::{Cluster, ClusterCache, Clusters};
use sdl_model::{FileId, SymbolId};

use crate::{Result, Source};

/// How a card is built.
#[derive(Clone, Copy, Debug, Default)]
pub struct CardOptions {
    /// Its level of detail.
    pub detail: Detail,
    /// Call dependencies below this confidence, in percent, are omitted.
    pub min_call_confidence: u8,
    /// Whether dependencies include how they were found.
    pub resolution_metadata: bool,
}

/// Data of cards that is neither in the graph nor in the facts.
pub trait Enrichment {
    /// Commits that touched the file in the 30 days before the version's HEAD.
    fn churn_30d(&self, path: &str) -> Option<u32> {
        let _ = path;
        None
    }
    /// The clusters of the version.
    fn clusters(&self) -> Result<Option<Arc<Clusters>>> {
        Ok(None)
    }
    /// The cluster that a file belongs to.
    fn cluster(&self, file: FileId) -> Result<Option<String>> {
        let _ = file;
        Ok(None)
    }
    /// The processes that a symbol takes part in.
    fn processes(&self, source: &Source<'_>, symbol: SymbolId) -> Result<Vec<String>> {
        let _ = (source, symbol);
        Ok(Vec::new())
    }
}

/// No enrichment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Enrichment for Plain {}
