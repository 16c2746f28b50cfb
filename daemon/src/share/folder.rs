//! Folders in which a client and the daemon hand over files: below the state folder, for this user alone, and gone at the next
//! start of the daemon at the latest.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use super::ShareError;
use crate::index::now_ms;

const PREFIX: &str = "share-";
/// Folders at a time. Each may hold a whole snapshot.
const MOST: usize = 16;
/// A folder that nobody has touched for so long was given up by its client.
const STALE: Duration = Duration::from_hours(24);

/// A folder, removed with all its files when this is dropped.
pub struct ShareFolder {
    path: PathBuf,
    is_kept: bool,
}

impl ShareFolder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves it for the client, which ends with `share/end`.
    pub fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for ShareFolder {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "files of a snapshot stay until the next start");
        }
    }
}

/// Makes a folder in `parent`; its path is for the client.
///
/// # Errors
/// If it can't be made, or if too many are there.
pub fn make_folder(parent: &Path) -> Result<PathBuf, ShareError> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let known = fs::read_dir(parent).map_err(|error| ShareError::io("read", parent, error))?;
    let folders = known.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let live = folders.filter(|entry| !remove_stale(&entry.path()));
    if live.count() >= MOST {
        let message = format!(
            "{MOST} snapshots are being made or taken; wait for one, or run sdlctl restart if their programs were ended"
        );
        return Err(ShareError::State(message));
    }
    let path = parent.join(format!("{PREFIX}{:x}-{:x}", now_ms(), NUMBER.fetch_add(1, Ordering::Relaxed)));
    sdl_client::paths::private_folder(&path)
        .map_err(|error| ShareError::io("make", &path, std::io::Error::other(error)))?;
    Ok(path)
}

fn remove_stale(path: &Path) -> bool {
    let touched = fs::metadata(path).and_then(|meta| meta.modified());
    let age = touched.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    age.is_some_and(|age| age > STALE) && fs::remove_dir_all(path).is_ok()
}

/// The folder that a client means, which was made before in `parent`.
///
/// # Errors
/// If it is not one of those.
pub fn take_folder(parent: &Path, named: &Path) -> Result<ShareFolder, ShareError> {
    let name = named.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let path = parent.join(name);
    let is_ours = name.starts_with(PREFIX) && path == named;
    let is_folder = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
    if !is_ours || !is_folder {
        return Err(ShareError::Wrong(format!("{} is no folder that share/begin made", named.display())));
    }
    Ok(ShareFolder { path, is_kept: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_were_made_here_are_taken() {
        let temp = tempfile::tempdir().unwrap();
        let made = make_folder(temp.path()).unwrap();
        fs::create_dir(temp.path().join("verify-1")).unwrap();
        for other in ["verify-1", "share-none", "", "..", "share-/../verify-1"] {
            assert!(take_folder(temp.path(), &temp.path().join(other)).is_err(), "{other}");
        }
        fs::write(made.join("x"), "x").unwrap();
        drop(take_folder(temp.path(), &made).unwrap());
        assert!(!made.exists() && temp.path().join("verify-1").exists());
        for _ in 0..MOST {
            make_folder(temp.path()).unwrap();
        }
        assert!(make_folder(temp.path()).unwrap_err().to_string().contains("wait for one"));
    }
}
