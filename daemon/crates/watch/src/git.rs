//! Where a tree's git data lies, and which few folders of it tell that HEAD moved. Nothing of it is indexed, and no
//! more of it is read than what names the folders.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::rules;

/// What a watched folder of git's data is watched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum GitFolder {
    /// Holds `HEAD` or `packed-refs`.
    Data,
    /// Holds branches: every name counts.
    Refs,
    /// Holds `exclude`.
    Info,
    /// No data of git's, but a folder between the work tree's top and our root: its ignore files hold for us.
    Above,
}

/// What a change in such a folder means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GitChange {
    Head,
    Excludes,
}

impl GitFolder {
    /// What the change of the entry `name` means, if anything. Git writes next to a file and renames, so that its
    /// lock files say nothing.
    pub(crate) fn change(self, name: &str) -> Option<GitChange> {
        match self {
            // The latter two are folders that are watched themselves once they exist.
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

/// A tree's git data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GitDirs {
    /// The top of the work tree: the root or a folder above it.
    pub(crate) top: PathBuf,
    /// This work tree's own data.
    pub(crate) own: PathBuf,
    /// The data that worktrees share; the same as `own` for the main one.
    pub(crate) common: PathBuf,
}

/// Finds the git data of the tree at `root`, there or above, but not as far up as `home`: many keep their dotfiles in
/// a repository there, and its rules are not meant for projects.
pub(crate) fn discover(root: &Path, home: Option<&Path>) -> Option<GitDirs> {
    root.ancestors()
        .take_while(|at| *at == root || Some(*at) != home)
        .find_map(|at| git_dirs(at, &at.join(".git")))
}

fn git_dirs(top: &Path, dot_git: &Path) -> Option<GitDirs> {
    let own = if fs::symlink_metadata(dot_git).ok()?.is_dir() {
        dot_git.to_owned()
    } else {
        // In worktrees and submodules it is a file that names the folder.
        let text = small_text(dot_git)?;
        top.join(text.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?
    };
    fs::symlink_metadata(own.join("HEAD")).ok()?;
    let common = match small_text(&own.join("commondir")) {
        Some(text) => own.join(text.trim()).canonicalize().ok()?,
        None => own.clone(),
    };
    Some(GitDirs { top: top.to_owned(), own, common })
}

fn small_text(path: &Path) -> Option<String> {
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut text = String::new();
    fs::File::open(path).ok()?.take(8192).read_to_string(&mut text).ok()?;
    Some(text)
}

impl GitDirs {
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
        // A branch `a/b` is the file `b` in the folder `a`, which comes and goes with its branches.
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
        let text = small_text(&self.own.join("HEAD"))?;
        let branch = text.strip_prefix("ref:")?.trim().strip_prefix("refs/heads/")?;
        let normal = branch.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
        normal.then(|| branch.to_owned())
    }

    /// The file of ignore patterns that is not part of the tree.
    pub(crate) fn exclude(&self) -> PathBuf {
        self.common.join("info").join("exclude")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(at: &Path) {
        fs::create_dir_all(at.join(".git/refs/heads")).unwrap();
        fs::write(at.join(".git/HEAD"), "ref: refs/heads/fix/one\n").unwrap();
    }

    #[test]
    fn a_branch_with_a_slash_has_its_folder_watched() {
        let temp = tempfile::tempdir().unwrap();
        repository(temp.path());
        let git = discover(temp.path(), None).unwrap();
        assert_eq!(git.own, git.common);
        let heads = git.own.join("refs/heads");
        assert_eq!(
            git.folders(&git.top),
            [(git.own.clone(), GitFolder::Data), (heads.clone(), GitFolder::Refs)],
            "the branch's folder does not exist yet; its creation is seen in its parent"
        );
        fs::create_dir(heads.join("fix")).unwrap();
        assert!(git.folders(&git.top).contains(&(heads.join("fix"), GitFolder::Refs)));
    }

    #[test]
    fn worktrees_have_their_own_head_and_share_the_rest() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let (main, tree) = (top.join("main"), top.join("tree"));
        repository(&main);
        let own = main.join(".git/worktrees/tree");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(own.join("HEAD"), "ref: refs/heads/two\n").unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        let git = discover(&tree, None).unwrap();
        assert_eq!((git.own.as_path(), git.common.as_path()), (own.as_path(), main.join(".git").as_path()));
        let below = tree.join("src");
        fs::create_dir(&below).unwrap();
        assert_eq!(discover(&below, None).unwrap().top, tree);
        assert_eq!(discover(&below, Some(&tree)), None, "the home folder's repository is not asked");
    }

    #[test]
    fn only_what_moves_head_counts() {
        assert_eq!(GitFolder::Data.change("HEAD"), Some(GitChange::Head));
        for noise in ["HEAD.lock", "index", "index.lock", "ORIG_HEAD", "COMMIT_EDITMSG", "FETCH_HEAD"] {
            assert_eq!(GitFolder::Data.change(noise), None, "{noise}");
        }
        assert_eq!(GitFolder::Refs.change("main.lock"), None);
        assert_eq!(GitFolder::Refs.change("main"), Some(GitChange::Head));
        assert_eq!(GitFolder::Info.change("exclude"), Some(GitChange::Excludes));
    }
}
