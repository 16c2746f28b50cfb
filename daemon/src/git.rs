//! Opens git repositories. Nothing else does, because a git folder may contain anything and must be checked first
//! (see [`sdl_watch::GitData`]).
//!
//! Runs no git, writes nothing, and reads no configuration but the repository's own.

use std::path::Path;

use sdl_watch::{GitData, GitRefused};

/// Why git's data is not read.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Its layout is not one that git creates.
    #[error(transparent)]
    Refused(#[from] GitRefused),
    /// Git's reader does not understand it.
    #[error("git's data can't be read: {0}")]
    Unreadable(String),
}

/// An open repository.
pub struct Opened {
    /// Git's reader.
    pub repo: gix::Repository,
    /// Which of the repository's folders the tree is; empty for its top.
    pub below: String,
    data: GitData,
}

/// Opens the repository around `root`; none if there is none.
pub fn open_repository(root: &Path) -> Result<Option<Opened>, GitError> {
    let Some(data) = GitData::find(root, std::env::home_dir().as_deref())? else { return Ok(None) };
    data.check()?;
    // Opened by the folder that was checked, because a second search could find another one.
    let options = gix::open::Options::isolated().open_path_as_is(true);
    let repo = gix::open_opts(&data.own, options).map_err(|error| GitError::Unreadable(error.to_string()))?;
    let below = root.strip_prefix(&data.top).ok().and_then(Path::to_str).unwrap_or_default();
    let below = below.replace(std::path::MAIN_SEPARATOR, "/");
    Ok(Some(Opened { repo, below, data }))
}

/// Returns what a tree has in common with the other worktrees of its repository: their common folder, and the tree's place in it. None if git's data is not
/// there, or is not read.
pub fn family_of(root: &Path) -> Option<String> {
    let data = GitData::find(root, std::env::home_dir().as_deref()).ok()??;
    let below = root.strip_prefix(&data.top).ok()?;
    Some(family_name(&data.common, below))
}

/// The family of the trees at one place of the repository with this common folder.
pub fn family_name(common: &Path, below: &Path) -> String {
    format!("{}\0{}", common.display(), below.display())
}

/// The common folder and the place in the tree that [`family_name`] put together; none for a family of one.
pub fn parts_of_family(family: &str) -> Option<(&Path, &Path)> {
    family.split_once('\0').map(|(common, below)| (Path::new(common), Path::new(below)))
}

impl Opened {
    /// The commit that HEAD leads to.
    pub fn head_commit(&self) -> Option<String> {
        self.repo.head_id().ok().map(|id| id.to_string())
    }

    /// Whether it has this commit, by its hexadecimal digits.
    pub fn has_commit(&self, id: &str) -> bool {
        let id = gix::ObjectId::from_hex(id.as_bytes());
        id.is_ok_and(|id| self.repo.find_header(id).is_ok())
    }

    /// The commit that HEAD leads to and those before it, newest first, at most `most`. In a shallow clone, those that are
    /// there.
    pub fn ancestors(&self, most: usize) -> Result<Vec<String>, GitError> {
        let unreadable = |error: &dyn std::fmt::Display| GitError::Unreadable(error.to_string());
        let Ok(tip) = self.repo.head_id() else { return Ok(Vec::new()) };
        let order = gix::revision::walk::Sorting::ByCommitTime(
            gix::traverse::commit::simple::CommitTimeOrder::NewestFirst,
        );
        let walk = self.repo.rev_walk([tip.detach()]).sorting(order).all();
        let walk = walk.map_err(|error| unreadable(&error))?;
        // A walk that breaks ends there, because nearer commits are the better ones.
        Ok(walk.map_while(Result::ok).take(most).map(|info| info.id.to_string()).collect())
    }

    /// Where it was cloned from, as its configuration says.
    pub fn origin(&self) -> Option<String> {
        self.repo.config_snapshot().string("remote.origin.url").map(|url| url.to_string())
    }

    /// Reads the index.
    pub fn index(&self) -> Result<gix::index::File, GitError> {
        self.data.check_index()?;
        self.repo.open_index().map_err(|error| GitError::Unreadable(error.to_string()))
    }

    /// To be called before a log is read.
    pub fn check_logs(&self) -> Result<(), GitError> {
        Ok(self.data.check_logs()?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    fn git(at: &Path, args: &[&str]) {
        let settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
        let ran = Command::new("git").arg("-C").arg(at).args(settings).args(args).output().unwrap();
        assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    fn made_by_git(at: &Path) {
        fs::create_dir_all(at.join("src")).unwrap();
        fs::write(at.join("src/a.py"), "a = 1\n").unwrap();
        git(at, &["init", "-q", "-b", "main"]);
        git(at, &["add", "."]);
        git(at, &["commit", "-q", "-m", "one"]);
    }

    #[test]
    fn worktrees_submodules_and_folders_below_the_top_are_opened() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let (main, part) = (top.join("main"), top.join("part"));
        made_by_git(&main);
        made_by_git(&part);
        git(&main, &["submodule", "--quiet", "add", &part.to_string_lossy(), "lib/part"]);
        git(&main, &["commit", "-q", "-m", "two"]);
        git(&main, &["worktree", "add", "-q", "../beside", "-b", "two"]);
        for (tree, branch, entries) in
            [("main", "main", 3), ("beside", "two", 3), ("main/lib/part", "main", 1)]
        {
            let opened = open_repository(&top.join(tree)).unwrap().unwrap();
            assert_eq!(opened.below, "", "{tree}");
            let head = opened.repo.head_name().unwrap().unwrap();
            assert_eq!(head.shorten().to_string(), branch, "{tree}");
            assert!(opened.repo.head_commit().is_ok(), "{tree}");
            assert_eq!(opened.index().unwrap().entries().len(), entries, "{tree}");
            opened.check_logs().unwrap();
        }
        let below = open_repository(&main.join("src")).unwrap().unwrap();
        assert_eq!(below.below, "src");
        assert!(open_repository(&top).unwrap().is_none());
    }

    #[test]
    fn what_is_not_as_git_makes_it_is_not_opened() {
        let temp = tempfile::tempdir().unwrap();
        let main = temp.path().join("main");
        made_by_git(&main);
        let head = main.join(".git/HEAD");
        let text = fs::read(&head).unwrap();
        fs::File::create(&head).unwrap().set_len(1 << 20).unwrap();
        assert!(matches!(open_repository(&main), Err(GitError::Refused(_))));
        fs::write(&head, text).unwrap();
        fs::write(main.join(".git/config"), "[core\n").unwrap();
        assert!(matches!(open_repository(&main), Err(GitError::Unreadable(_))));
    }
}
