//! Finds a tree's git data, decides whether it may be read, and knows the few folders of it that show that HEAD moved.
//!
//! Every use of git's data goes through [`GitData`]: [`GitData::find`] finds it, [`GitData::check`] inspects it before
//! anything in it is opened.

mod check;
mod config;
mod find;
mod index;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

pub use find::{GitData, GitRefused};
pub(crate) use index::Tracked;

use crate::plain::{self, Links};
use crate::rules;

/// HEAD holds a line.
const HEAD: u64 = 4 << 10;

/// The file beside the index that a command of git holds while it changes the work tree or the index.
const INDEX_LOCK: &str = "index.lock";

/// The reason why a folder of git's data is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum GitFolder {
    /// Holds `HEAD`, `packed-refs` or `index`.
    Data,
    /// Holds branches: every name counts.
    Refs,
    /// Holds `exclude`.
    Info,
    /// No data of git's, but a folder between the work tree's top and our root: its ignore files hold for us.
    Above,
}

/// The meaning of a change in such a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GitChange {
    Head,
    Index,
    Excludes,
    /// Git began or ended a command that changes the work tree.
    Lock,
}

impl GitFolder {
    /// The meaning of a change of the entry `name`, if it has one. Lock files other than that of the index, such as
    /// `HEAD.lock`, mean nothing, because git writes them beside the old file and renames them.
    pub(crate) fn change(self, name: &str) -> Option<GitChange> {
        match self {
            // The latter two are folders that are watched themselves once they exist.
            Self::Data if name == "index" => Some(GitChange::Index),
            Self::Data if name == INDEX_LOCK => Some(GitChange::Lock),
            Self::Data => matches!(name, "HEAD" | "packed-refs" | "info" | "refs").then_some(GitChange::Head),
            Self::Refs => (!has_lock_suffix(name)).then_some(GitChange::Head),
            Self::Info => (name == "exclude").then_some(GitChange::Excludes),
            Self::Above => rules::is_rules_file(name).then_some(GitChange::Excludes),
        }
    }
}

fn has_lock_suffix(name: &str) -> bool {
    name.as_bytes().ends_with(b".lock")
}

/// The same for callers that can do without: data that is not this tree's, or not git's, counts as none.
pub(crate) fn discover_git(root: &Path, home: Option<&Path>) -> Option<GitData> {
    GitData::find(root, home)
        .inspect_err(|refused| tracing::debug!(%refused, "a tree is taken for one without git"))
        .ok()
        .flatten()
}

impl GitData {
    /// The folders to be watched for the tree at `root`, without doubles. The one of the current branch depends on
    /// HEAD, so that this is asked again whenever HEAD may have moved.
    pub(crate) fn folders(&self, root: &Path) -> Vec<(PathBuf, GitFolder)> {
        let mut folders = vec![(self.own.clone(), GitFolder::Data)];
        let above = root.ancestors().skip(1).take_while(|at| at.starts_with(&self.top));
        folders.extend(above.map(|at| (at.to_owned(), GitFolder::Above)));
        if self.common != self.own {
            folders.push((self.common.clone(), GitFolder::Data));
        }
        let heads = self.common.join("refs").join("heads");
        // The folder of the branch is watched too, because a branch `a/b` is the file `b` in the folder `a`, which
        // comes and goes with its branches.
        if let Some(branch) = self.branch() {
            let mut at = heads.clone();
            for part in Path::new(&branch).parent().into_iter().flat_map(Path::components) {
                at.push(part);
                folders.push((at.clone(), GitFolder::Refs));
            }
        }
        folders.push((heads, GitFolder::Refs));
        folders.push((self.common.join("reftable"), GitFolder::Refs));
        folders.push((self.common.join("info"), GitFolder::Info));
        folders.retain(|(folder, _)| fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir()));
        folders
    }

    /// The branch that HEAD names.
    fn branch(&self) -> Option<String> {
        let bytes = plain::read_plain(&self.own.join("HEAD"), HEAD, Links::Refused).ok()??;
        let text = String::from_utf8_lossy(&bytes);
        let branch = text.strip_prefix("ref:")?.trim().strip_prefix("refs/heads/")?;
        let normal = branch.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
        normal.then(|| branch.to_owned())
    }

    /// The index of this work tree.
    pub(crate) fn index(&self) -> PathBuf {
        self.own.join("index")
    }

    /// The lock of this work tree's index.
    pub(crate) fn index_lock(&self) -> PathBuf {
        self.own.join(INDEX_LOCK)
    }

    /// The file of ignore patterns that is not part of the tree.
    pub(crate) fn exclude(&self) -> PathBuf {
        self.common.join("info").join("exclude")
    }
}
