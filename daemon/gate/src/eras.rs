//! Which lifecycle of the protocol worked with an entry. Finding out can take ten seconds, so only the first start ever does.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// Entries that are remembered.
const MAX_ENTRIES: usize = 1_000;

/// A lifecycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Era {
    /// `initialize` and a session, as until 2025-11-25.
    Initialize,
    /// `server/discover`, as from 2026-07-28 on.
    Discover,
}

/// What worked, by the hash of the entry.
#[derive(Clone)]
pub(crate) struct Eras(Arc<Kept>);

struct Kept {
    path: PathBuf,
    eras: Mutex<BTreeMap<String, Era>>,
}

impl Eras {
    /// Reads the file at `path`. Must not run on the runtime.
    pub(crate) fn load(path: PathBuf) -> Self {
        let read = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self(Arc::new(Kept { path, eras: Mutex::new(read.unwrap_or_default()) }))
    }

    pub(crate) fn find(&self, hash: &str) -> Option<Era> {
        self.0.eras.lock().unwrap_or_else(PoisonError::into_inner).get(hash).copied()
    }

    /// Remembers what worked, or forgets what did not.
    pub(crate) fn remember(&self, hash: &str, era: Option<Era>) {
        let kept = Arc::clone(&self.0);
        let mut eras = kept.eras.lock().unwrap_or_else(PoisonError::into_inner);
        if eras.get(hash).copied() == era {
            return;
        }
        match era {
            Some(era) => {
                if eras.len() >= MAX_ENTRIES {
                    eras.pop_first();
                }
                eras.insert(hash.to_owned(), era);
            }
            None => {
                eras.remove(hash);
            }
        }
        drop(eras);
        let kept = Arc::clone(&self.0);
        // If this is lost, the next start finds out again.
        tokio::task::spawn_blocking(move || {
            let eras = kept.eras.lock().unwrap_or_else(PoisonError::into_inner);
            if let Ok(bytes) = serde_json::to_vec(&*eras) {
                let _ = std::fs::write(&kept.path, bytes);
            }
        });
    }
}
