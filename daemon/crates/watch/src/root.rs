//! Which folders may be a repository's root.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::RootError;
use crate::{fs_type, git};

/// A folder that passed [`check_root`]: absolute, without links, valid UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CanonicalRoot(PathBuf);

impl CanonicalRoot {
    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// The folders that a root is checked against.
#[derive(Clone, Debug, Default)]
pub struct RootContext {
    /// Home folders: the user's, and others that are known.
    pub homes: Vec<PathBuf>,
    /// The daemon's own folders (state, runtime, cache): changes in there come from the daemon itself.
    pub state: Vec<PathBuf>,
}

impl RootContext {
    /// The home folder of the user that the process runs as, and the daemon's folders.
    pub fn for_user(state: Vec<PathBuf>) -> Self {
        let homes = std::env::home_dir().into_iter().collect();
        Self { homes, state }
    }
}

/// Folders that hold homes on the systems that we know.
const HOMES_OF_ALL: &[&str] = &["/home", "/Users", "/root", "/var/root"];

/// Checks whether `path` may become a root beside those that `existing` names, and makes it canonical.
pub fn check_root(
    path: &Path,
    existing: &[PathBuf],
    context: &RootContext,
) -> Result<CanonicalRoot, RootError> {
    let path = path.canonicalize().map_err(|error| match error.kind() {
        ErrorKind::NotFound => RootError::Missing { path: path.to_owned() },
        ErrorKind::NotADirectory => RootError::NotAFolder { path: path.to_owned() },
        _ => RootError::Unreadable { path: path.to_owned(), error },
    })?;
    if path.to_str().is_none() {
        return Err(RootError::NonUtf8 { path });
    }
    if !fs::metadata(&path).is_ok_and(|meta| meta.is_dir()) {
        return Err(RootError::NotAFolder { path });
    }
    if let Err(error) = fs::read_dir(&path) {
        return Err(RootError::Unreadable { path, error });
    }
    if path.parent().is_none() {
        return Err(RootError::FileSystemRoot { path });
    }
    if let Some(what) = fs_type::made_up(&path) {
        return Err(RootError::MadeUp { path, what });
    }
    if path.components().any(|part| part.as_os_str() == ".git") {
        return Err(RootError::GitData { path });
    }
    refuse_homes(&path, context)?;
    let state = context.state.iter().map(|at| at.canonicalize().unwrap_or_else(|_| at.clone()));
    for state in state {
        if state.starts_with(&path) || path.starts_with(&state) {
            return Err(RootError::HoldsState { path, state });
        }
    }
    refuse_nesting(&path, existing)?;
    Ok(CanonicalRoot(path))
}

fn refuse_homes(path: &Path, context: &RootContext) -> Result<(), RootError> {
    let homes = context.homes.iter().map(|home| home.canonicalize().unwrap_or_else(|_| home.clone()));
    for home in homes.chain(HOMES_OF_ALL.iter().map(PathBuf::from)) {
        if home == path {
            return Err(RootError::Home { path: path.to_owned() });
        }
        if home.starts_with(path) && home.exists() {
            return Err(RootError::HoldsHome { path: path.to_owned() });
        }
    }
    // A home of somebody else.
    let parent = path.parent().unwrap_or(path);
    if parent == Path::new("/home") || parent == Path::new("/Users") {
        return Err(RootError::Home { path: path.to_owned() });
    }
    if is_mount_point(path) && path.parent().is_some_and(|parent| parent == Path::new("/")) {
        return Err(RootError::FileSystemRoot { path: path.to_owned() });
    }
    Ok(())
}

/// Whole disks are mounted below the root; a mounted project (in a container, `/workspace`) is recognized by its
/// contents.
#[cfg(unix)]
fn is_mount_point(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let device = |path: &Path| fs::symlink_metadata(path).map(|meta| meta.dev()).ok();
    let mounted = path.parent().is_some_and(|parent| device(parent) != device(path));
    mounted && ["etc", "usr", "lost+found", "Windows"].iter().any(|name| path.join(name).is_dir())
}

#[cfg(not(unix))]
fn is_mount_point(_path: &Path) -> bool {
    false
}

/// A tree within a tree would be indexed twice, unless git keeps them apart itself.
fn refuse_nesting(path: &Path, existing: &[PathBuf]) -> Result<(), RootError> {
    for other in existing {
        if path != other && path.starts_with(other) && !is_worktree_top(path) {
            return Err(RootError::Inside { path: path.to_owned(), outer: other.clone() });
        }
        if path != other && other.starts_with(path) && !is_worktree_top(other) {
            return Err(RootError::Holds { path: path.to_owned(), inner: other.clone() });
        }
    }
    Ok(())
}

fn is_worktree_top(path: &Path) -> bool {
    git::discover_git(path, None).is_some_and(|git| {
        git.top == path
            && git.is_linked_worktree()
            && git.own.parent().and_then(Path::file_name).is_some_and(|name| name == "worktrees")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &Path, existing: &[&Path]) -> Result<CanonicalRoot, RootError> {
        let existing: Vec<PathBuf> = existing.iter().map(|path| path.to_path_buf()).collect();
        check_root(path, &existing, &RootContext::default())
    }

    #[test]
    fn homes_and_file_systems_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().join("people/me");
        let project = home.join("project");
        fs::create_dir_all(&project).unwrap();
        let context = RootContext { homes: vec![home.clone()], state: vec![home.join("project/.state")] };
        let check = |path: &Path| check_root(path, &[], &context);
        assert!(matches!(check(&home), Err(RootError::Home { .. })));
        assert!(matches!(check(&home.join("project/..")), Err(RootError::Home { .. })), "by any name");
        assert!(matches!(check(&temp.path().join("people")), Err(RootError::HoldsHome { .. })));
        assert!(matches!(check(Path::new("/")), Err(RootError::FileSystemRoot { .. })));
        assert!(matches!(check(&project), Err(RootError::HoldsState { .. })));
        let home = std::env::home_dir().unwrap();
        if home.is_dir() {
            assert!(check_root(&home, &[], &RootContext::for_user(Vec::new())).is_err());
        }
    }

    #[test]
    fn what_is_no_folder_is_refused_and_says_what_to_do() {
        let temp = tempfile::tempdir().unwrap();
        let missing = check(&temp.path().join("missing"), &[]).unwrap_err();
        assert!(
            missing.to_string().ends_with("give the path of a folder that holds source code"),
            "{missing}"
        );
        let file = temp.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(matches!(check(&file, &[]), Err(RootError::NotAFolder { .. })));
        fs::create_dir_all(temp.path().join(".git/refs")).unwrap();
        assert!(matches!(check(&temp.path().join(".git/refs"), &[]), Err(RootError::GitData { .. })));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_the_kernel_makes_up_is_refused() {
        for path in ["/proc", "/proc/self/task", "/sys/kernel", "/dev"] {
            let refused = check(Path::new(path), &[]);
            assert!(matches!(refused, Err(RootError::MadeUp { .. })), "{path}: {refused:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_are_resolved_once() {
        let temp = tempfile::tempdir().unwrap();
        let (real, link) = (temp.path().canonicalize().unwrap().join("real"), temp.path().join("link"));
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        std::os::unix::fs::symlink(temp.path().join("loop"), temp.path().join("loop")).unwrap();
        assert_eq!(check(&link, &[]).unwrap().path(), real);
        assert!(check(&temp.path().join("loop"), &[]).is_err());
    }

    #[test]
    fn a_tree_in_a_tree_is_refused_unless_git_keeps_them_apart() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let (outer, inner, tree) = (top.join("outer"), top.join("outer/inner"), top.join("outer/tree"));
        fs::create_dir_all(&inner).unwrap();
        fs::create_dir_all(outer.join(".git/worktrees/tree")).unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(outer.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let own = outer.join(".git/worktrees/tree");
        fs::write(own.join("HEAD"), "ref: refs/heads/tree\n").unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(own.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        assert!(matches!(check(&inner, &[&outer]), Err(RootError::Inside { .. })));
        assert!(matches!(check(&outer, &[&inner]), Err(RootError::Holds { .. })));
        assert!(check(&tree, &[&outer]).is_ok());
        assert!(check(&outer, &[&tree]).is_ok());
        assert!(check(&outer, &[&outer]).is_ok(), "the same one again is for the caller to answer");
        assert!(
            check(&top.join("outer"), &[&top.join("out")]).is_ok(),
            "names are compared, not their beginnings"
        );
    }
}
