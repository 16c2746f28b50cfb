//! Ledgers from which a tree may start that is about to be registered: those that were made of a snapshot.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sdl_ledger::{FactsStore, Ledger};
use sdl_tools::host::{Host as _, RegisterSpec, Registered};
use sdl_tools::{Code, Explained as _, ToolError};

use super::Engine;

/// Ledgers by the root of the tree.
#[derive(Default)]
pub(super) struct Offered(Mutex<BTreeMap<PathBuf, Arc<Ledger>>>);

impl Offered {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Arc<Ledger>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The ledger for a tree.
    pub(super) fn for_root(&self, root: &Path) -> Option<Arc<Ledger>> {
        self.lock().get(root).cloned()
    }
}

impl Engine {
    /// The facts of all repositories.
    pub fn facts(&self) -> &FactsStore {
        &self.facts
    }

    /// Registers a tree whose ledger starts from the rows of `source`, as that of a new worktree starts from its sibling's.
    ///
    /// # Errors
    /// Those of registering.
    pub fn register_from(&self, spec: RegisterSpec, source: Arc<Ledger>) -> Result<Registered, ToolError> {
        let root = fs::canonicalize(&spec.root).map_err(|error| {
            ToolError::new(Code::RefusedRoot, format!("{}: {error}", spec.root.display()))
        })?;
        self.offered.lock().insert(root.clone(), source);
        let registered = self.register(spec);
        self.offered.lock().remove(&root);
        registered
    }
}
