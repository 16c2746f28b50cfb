//! Whether git is at work on the tree.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

/// The lock file of a tree's index. Git creates it before a command changes the tree, and renames or removes it when the
/// command is done.
#[derive(Default)]
pub(super) struct GitLock(Mutex<Option<PathBuf>>);

impl GitLock {
    pub(super) fn set_path(&self, path: Option<PathBuf>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = path;
    }

    /// Whether the lock exists and is younger than `age` at `wall_ns`. An older one, or one from the future, is
    /// probably left by a command that crashed.
    pub(super) fn is_held(&self, wall_ns: i64, age: Duration) -> bool {
        let Some(path) = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone() else { return false };
        let Ok(written) = fs::symlink_metadata(path).and_then(|meta| meta.modified()) else { return false };
        let now = UNIX_EPOCH + Duration::from_nanos(u64::try_from(wall_ns).unwrap_or(0));
        now.duration_since(written).is_ok_and(|old| old < age)
    }
}
