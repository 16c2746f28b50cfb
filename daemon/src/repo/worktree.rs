//! The places of a linked worktree, which distinguish its removal from a disk that is not mounted.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sdl_watch::GitData;
use serde::{Deserialize, Serialize};

/// A linked worktree, as `git worktree add` makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Worktree {
    /// Its folder.
    pub top: PathBuf,
    /// Its folder among git's data, which git removes with it: `.git/worktrees/NAME`.
    pub own: PathBuf,
    /// The data that the repository's worktrees share.
    pub common: PathBuf,
    /// Whether folder and shared data are on one file system: where the one can be seen, the other could be.
    pub one_disk: bool,
}

impl Worktree {
    /// The linked worktree that holds `folder`; none if it is in no repository, in a main worktree, or in a folder that
    /// git's data does not confirm.
    pub fn around(folder: &Path) -> Option<Self> {
        let data = GitData::find(folder, std::env::home_dir().as_deref()).ok()??;
        if !data.is_linked_worktree() {
            return None;
        }
        let one_disk = device_of(&data.top).is_some_and(|device| device_of(&data.common) == Some(device));
        Some(Self { top: data.top, own: data.own, common: data.common, one_disk })
    }

    /// Whether git no longer knows it, or its folder was deleted. False whenever it could be a disk that is not there.
    pub fn is_removed(&self) -> bool {
        self.is_forgotten() || self.is_deleted()
    }

    /// Whether neither the worktree nor git's data names the other any more: `git worktree remove` or `prune`.
    pub fn is_forgotten(&self) -> bool {
        self.is_unmarked() && is_gone(&self.own)
    }

    /// Whether its folder has lost the file `.git` that makes it a worktree: it is being removed, most likely.
    pub fn is_unmarked(&self) -> bool {
        is_gone(&self.top.join(".git")) && self.common.is_dir()
    }

    /// Whether the folder is gone from a disk that is there. A worktree that was locked (`git worktree lock`) is kept.
    fn is_deleted(&self) -> bool {
        self.one_disk && self.common.is_dir() && is_gone(&self.top) && is_gone(&self.own.join("locked"))
    }
}

/// Whether there is nothing at a path. An error that does not show that is no proof.
fn is_gone(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

#[cfg(unix)]
fn device_of(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|meta| meta.dev())
}

/// The drive, or the share.
#[cfg(not(unix))]
fn device_of(path: &Path) -> Option<std::ffi::OsString> {
    path.components().next().map(|first| first.as_os_str().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worktree(top: &Path) -> Worktree {
        let common = top.join("main/.git");
        let own = common.join("worktrees/tree");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir_all(top.join("tree")).unwrap();
        fs::write(top.join("tree/.git"), "").unwrap();
        Worktree { top: top.join("tree"), own, common, one_disk: true }
    }

    #[test]
    fn a_folder_that_is_gone_from_its_disk_is_removed_and_others_are_kept() {
        let temp = tempfile::tempdir().unwrap();
        let tree = worktree(temp.path());
        assert!(!tree.is_removed());
        let elsewhere = Worktree { one_disk: false, ..tree.clone() };

        fs::remove_dir_all(&tree.top).unwrap();
        assert!(tree.is_removed() && !tree.is_forgotten());
        assert!(!elsewhere.is_removed(), "its disk may not be mounted");
        fs::write(tree.own.join("locked"), "on a stick").unwrap();
        assert!(!tree.is_removed(), "locked");

        fs::remove_dir_all(&tree.own).unwrap();
        assert!(tree.is_forgotten() && elsewhere.is_forgotten(), "git has removed it");
        fs::create_dir_all(tree.top.join("target")).unwrap();
        assert!(tree.is_removed(), "what a build leaves there is no worktree");
        fs::remove_dir_all(&tree.common).unwrap();
        assert!(!tree.is_removed() && !elsewhere.is_removed(), "all of it may not be mounted");
    }

    #[test]
    fn git_without_the_tree_is_no_removal() {
        let temp = tempfile::tempdir().unwrap();
        let tree = worktree(temp.path());
        fs::remove_dir_all(&tree.own).unwrap();
        assert!(!tree.is_removed(), "its files are there, and so is its `.git`");
    }
}
