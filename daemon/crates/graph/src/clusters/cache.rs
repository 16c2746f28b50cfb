//! Clusters, made when they are asked for and kept until the version they were made from is not the newest any more.

use std::sync::{Arc, Mutex, PoisonError};

use sdl_ledger::{Result, Snapshot, View as _};
use sdl_model::{Incarnation, Version};

use super::{Clusters, FileRows};

/// With more edges than this there are no clusters, because reading them all takes longer than anyone waits.
const MOST_EDGES: u64 = 8_000_000;

struct Held {
    incarnation: Incarnation,
    version: Version,
    rows: FileRows,
    clusters: Arc<Clusters>,
}

/// The clusters of the newest version that was asked about, for one repository. A step to the next version costs the
/// changes in between and the grouping, not reading the graph.
#[derive(Default)]
pub struct ClusterCache(Mutex<Option<Held>>);

impl ClusterCache {
    /// The clusters of a version; none where its graph is too large.
    pub fn at(&self, snapshot: &Snapshot<'_>) -> Result<Option<Arc<Clusters>>> {
        let (incarnation, version) = (snapshot.incarnation(), snapshot.version());
        // Locked while the clusters are made, because concurrent requests want the same ones. A poisoned lock guards a
        // whole value or none.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = kept.as_ref().filter(|held| held.incarnation == incarnation) {
            if held.version == version {
                return Ok(Some(Arc::clone(&held.clusters)));
            }
            if held.version > version {
                // This reader's version is older than the kept one.
                drop(kept);
                return Ok(
                    is_small_enough(snapshot)?.then_some(Arc::new(Clusters::of(&FileRows::read(snapshot)?)))
                );
            }
        }
        if !is_small_enough(snapshot)? {
            *kept = None;
            return Ok(None);
        }
        let known =
            kept.take().filter(|held| held.incarnation == incarnation && snapshot.reaches(held.version));
        let held = match known {
            Some(mut held) => {
                if held.rows.advance(snapshot, held.version)? {
                    held.clusters = Arc::new(Clusters::of(&held.rows));
                }
                Held { version, ..held }
            }
            None => {
                let rows = FileRows::read(snapshot)?;
                let clusters = Arc::new(Clusters::of(&rows));
                Held { incarnation, version, rows, clusters }
            }
        };
        let clusters = Arc::clone(&held.clusters);
        *kept = Some(held);
        Ok(Some(clusters))
    }
}

fn is_small_enough(snapshot: &Snapshot<'_>) -> Result<bool> {
    Ok(snapshot.counters()?.edges <= MOST_EDGES)
}
