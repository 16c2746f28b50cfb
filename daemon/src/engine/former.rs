//! The worktrees that were registered once and that git has removed since, kept in one small file in the state folder.
//!
//! What agents stored in one of them stays in their store under the id that it had. The other worktrees of its
//! repository read those rows, as they did before.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::repo::catalog::{self, Entry};

/// Worktrees that are remembered; the oldest go first.
const MOST: usize = 2_000;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Former {
    repo_id: String,
    root: PathBuf,
    /// See [`sdl_tools::Repo::family`].
    family: String,
}

/// All of them, the newest last.
pub(super) struct FormerTrees {
    path: PathBuf,
    all: Mutex<Vec<Former>>,
}

impl FormerTrees {
    /// Reads the file at `path`. One that can't be read counts as empty, because only messages and old rows depend on it.
    pub(super) fn load(path: PathBuf) -> Self {
        let all = catalog::load_settings(&path).unwrap_or_else(|error| {
            tracing::warn!(%error, "the worktrees that were removed before are not known");
            Vec::new()
        });
        Self { path, all: Mutex::new(all) }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Former>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self, all: &[Former]) {
        if let Err(error) = catalog::store_settings(&self.path, all) {
            tracing::warn!(%error, "the list of removed worktrees is not stored");
        }
    }

    /// Adds a repository.
    pub(super) fn note(&self, entry: &Entry, family: String) {
        let mut all = self.lock();
        all.retain(|known| known.repo_id != entry.repo_id);
        let surplus = (all.len() + 1).saturating_sub(MOST);
        all.drain(..surplus);
        all.push(Former { repo_id: entry.repo_id.clone(), root: entry.root.clone(), family });
        self.store(&all);
    }

    /// An id is given to a repository of that family: if it is another than before, the rows are no longer of its kin.
    pub(super) fn reuse(&self, id: &str, family: &str) {
        let mut all = self.lock();
        let before = all.len();
        all.retain(|known| known.repo_id != id || known.family == family);
        if all.len() < before {
            self.store(&all);
        }
    }

    /// The root that a repository had.
    pub(super) fn root_of(&self, id: &str) -> Option<PathBuf> {
        self.lock().iter().find(|known| known.repo_id == id).map(|known| known.root.clone())
    }

    /// The ids of a family.
    pub(super) fn of_family(&self, family: &str) -> Vec<String> {
        self.lock().iter().filter(|known| known.family == family).map(|known| known.repo_id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn an_id_leads_to_the_rows_of_its_own_family_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("former.json");
        let entry = |id: &str| Entry {
            repo_id: id.into(),
            root: Path::new("/trees").join(id),
            ignore: vec![],
            languages: vec![],
            max_file_bytes: None,
            worktree: None,
        };
        let former = FormerTrees::load(path.clone());
        former.note(&entry("a"), "f".into());
        former.note(&entry("b"), "f".into());
        former.note(&entry("c"), "g".into());
        let former = FormerTrees::load(path.clone());
        assert_eq!(former.of_family("f"), ["a", "b"]);
        assert_eq!(former.root_of("c").unwrap(), Path::new("/trees/c"));
        former.reuse("a", "f");
        former.reuse("b", "g");
        assert_eq!(FormerTrees::load(path).of_family("f"), ["a"]);
        assert_eq!(former.root_of("b"), None);
    }
}
