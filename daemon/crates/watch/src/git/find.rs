//! Finding a tree's git data, and making sure that it is this tree's.
//!
//! A `.git` file names a folder anywhere on the machine. So anybody who writes such a file into a tree could have the
//! daemon show another repository's history to its clients. So the folder has to name the tree as well: a worktree's
//! folder by its file `gitdir`, a submodule's by `core.worktree` of its configuration. Git writes both itself. And it
//! has to belong to the tree's owner or to this user.

use std::fs;
use std::path::{Path, PathBuf};

use super::config;
use crate::plain::{self, Links, Plain};

/// Why git's data of a tree is not read, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("git's data is not read: {path} {why}", path = path.display())]
pub struct GitRefused {
    /// The file or folder that is not as git makes it.
    pub path: PathBuf,
    /// The fault.
    pub why: String,
}

impl GitRefused {
    pub(super) fn new(path: &Path, why: impl Into<String>) -> Self {
        Self { path: path.to_owned(), why: why.into() }
    }
}

/// A tree's git data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitData {
    /// The top of the work tree: the root or a folder above it.
    pub top: PathBuf,
    /// This work tree's own data.
    pub own: PathBuf,
    /// The data that worktrees share; the same as `own` for the main one.
    pub common: PathBuf,
}

/// The files that lead from one folder to another: a line each.
const POINTER: u64 = 8 << 10;

impl GitData {
    /// Finds the git data of the tree at `root`, there or above, but not as far up as `home`, because many people
    /// keep their dotfiles in a repository there, and its rules are not meant for projects.
    pub fn find(root: &Path, home: Option<&Path>) -> Result<Option<Self>, GitRefused> {
        for top in root.ancestors().take_while(|at| *at == root || Some(*at) != home) {
            let dot_git = top.join(".git");
            let own = match plain::look_at(&dot_git, POINTER) {
                Plain::Nothing => continue,
                Plain::Folder => dot_git,
                Plain::File => match pointed_folder(top, &dot_git)? {
                    Some(own) => own,
                    None => continue,
                },
                Plain::Other(why) => return Err(GitRefused::new(&dot_git, why)),
            };
            if plain::look_at(&own.join("HEAD"), u64::MAX) == Plain::Nothing {
                continue;
            }
            let data = Self { common: common_dir(&own)?, top: top.to_owned(), own };
            data.check_owner(root)?;
            data.check_back_pointer()?;
            return Ok(Some(data));
        }
        Ok(None)
    }

    /// Whether it is a worktree beside the repository's main one.
    pub fn is_linked_worktree(&self) -> bool {
        self.own != self.common
    }

    /// A `.git` folder inside of the tree is the tree's own. Any other has to say so.
    fn check_back_pointer(&self) -> Result<(), GitRefused> {
        if self.is_linked_worktree() {
            return self.check_worktree();
        }
        if self.own == self.top.join(".git") {
            return Ok(());
        }
        let is_ours = config::work_tree(&self.own)
            .and_then(|path| self.own.join(path).canonicalize().ok())
            .is_some_and(|path| self.top.canonicalize().is_ok_and(|top| top == path));
        if is_ours {
            return Ok(());
        }
        let why = format!("is not the git folder of {} by its core.worktree", self.top.display());
        Err(GitRefused::new(&self.own, why))
    }

    fn check_worktree(&self) -> Result<(), GitRefused> {
        let parent = self.own.parent().filter(|at| at.file_name().is_some_and(|name| name == "worktrees"));
        if parent.and_then(Path::parent) != Some(&*self.common) {
            let why = format!("is no worktree's folder in {}", self.common.display());
            return Err(GitRefused::new(&self.own, why));
        }
        let pointer = self.own.join("gitdir");
        let text = text_of(&pointer)?.unwrap_or_default();
        let back = self.own.join(text.trim());
        let is_ours = back.file_name().is_some_and(|name| name == ".git")
            && back
                .parent()
                .and_then(|tree| tree.canonicalize().ok())
                .is_some_and(|tree| self.top.canonicalize().is_ok_and(|top| top == tree));
        if is_ours {
            return Ok(());
        }
        let why =
            format!("does not lead back to {}; repair it with: git worktree repair", self.top.display());
        Err(GitRefused::new(&pointer, why))
    }

    #[cfg(unix)]
    fn check_owner(&self, root: &Path) -> Result<(), GitRefused> {
        use std::os::unix::fs::MetadataExt as _;

        let owner = |path: &Path| fs::symlink_metadata(path).map(|meta| meta.uid()).ok();
        let us = Some(rustix::process::geteuid().as_raw());
        let trees = owner(root);
        for path in [&self.top.join(".git"), &self.own, &self.common] {
            let of = owner(path);
            if of != us && of != trees {
                return Err(GitRefused::new(path, "belongs to another user than the tree"));
            }
        }
        Ok(())
    }

    #[cfg(not(unix))]
    fn check_owner(&self, _root: &Path) -> Result<(), GitRefused> {
        Ok(())
    }
}

/// The folder that a `.git` file names; none if the file is not git's.
fn pointed_folder(top: &Path, dot_git: &Path) -> Result<Option<PathBuf>, GitRefused> {
    let text = text_of(dot_git)?.unwrap_or_default();
    let Some(target) = text.strip_prefix("gitdir:") else { return Ok(None) };
    Ok(top.join(target.trim()).canonicalize().ok().filter(|own| own.is_dir()))
}

fn common_dir(own: &Path) -> Result<PathBuf, GitRefused> {
    let pointer = own.join("commondir");
    match text_of(&pointer)? {
        Some(text) => own
            .join(text.trim())
            .canonicalize()
            .map_err(|error| GitRefused::new(&pointer, format!("leads nowhere ({error})"))),
        None => Ok(own.to_owned()),
    }
}

fn text_of(path: &Path) -> Result<Option<String>, GitRefused> {
    let bytes = plain::read_plain(path, POINTER, Links::Refused)
        .map_err(|error| GitRefused::new(path, error.to_string()))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}
