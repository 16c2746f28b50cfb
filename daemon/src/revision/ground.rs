//! Reads from git's own index which blob each file of the work tree is, and finds out whether the ledger read the
//! file as that blob. A commit is compared with the index tree by tree, so folders that are equal cost nothing.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use gix::index::entry::{Flags, Mode, Stage, Stat};
use sdl_ledger::{Snapshot, View};
use sdl_model::{FileId, RelPath, StatHint};
use sdl_tools::ToolError;

use crate::git::Opened;

/// One file of the index.
pub(super) struct Line {
    /// From the root of the registered tree.
    pub(super) path: String,
    /// None for entries that are not files: a link, a submodule, a conflict.
    pub(super) blob: Option<ObjectId>,
    /// The file's `stat` when git found that it was this blob; none if that can't be relied on.
    stat: Option<Stat>,
}

/// A folder whose tree object the index knows.
pub(super) struct Folder {
    name: String,
    /// None if the index has entries there that differ from every tree.
    tree: Option<ObjectId>,
    folders: Vec<Self>,
}

impl Folder {
    /// Whether everything in it is as in that tree.
    pub(super) fn is(&self, tree: ObjectId) -> bool {
        self.tree == Some(tree)
    }

    /// A folder in it.
    pub(super) fn folder(&self, name: &str) -> Option<&Self> {
        self.folders.iter().find(|folder| folder.name == name)
    }

    fn of(tree: &gix::index::extension::Tree) -> Self {
        Self {
            name: tree.name.as_slice().to_str_lossy().into_owned(),
            tree: tree.num_entries.map(|_| tree.id),
            folders: tree.children.iter().map(Self::of).collect(),
        }
    }
}

/// The index of a work tree, below the folder that is registered. Empty where git's index can't be used.
#[derive(Default)]
pub(super) struct Index {
    /// In order of path.
    lines: Vec<Line>,
    top: Option<Folder>,
}

impl Index {
    /// Reads the index of a repository, for the folder that is the registered tree.
    pub(super) fn read(opened: &Opened) -> Self {
        let below = opened.below.as_str();
        let file = match opened.index() {
            // A sparse or split index is not used, because the entries that it omits would seem to be deleted.
            Ok(file) if !file.is_sparse() && file.link().is_none() => file,
            Ok(_) => return Self::default(),
            Err(error) => {
                tracing::debug!(%error, "git's index can't be read");
                return Self::default();
            }
        };
        let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
        let written = file.timestamp();
        let written = (written.unix_seconds(), written.nanoseconds());
        let mut lines: Vec<Line> = Vec::with_capacity(file.entries().len());
        for entry in file.entries() {
            let path = entry.path(&file).to_str().ok().and_then(|path| path.strip_prefix(prefix.as_str()));
            let Some(path) = path else { continue };
            if let Some(last) = lines.last_mut().filter(|last| last.path == path) {
                (last.blob, last.stat) = (None, None);
                continue;
            }
            let is_file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE)
                && entry.stage() == Stage::Unconflicted;
            let time = entry.stat.mtime;
            // An entry as new as the index is not trusted, because a file written after the index may have the same
            // time as one written before it (git calls this "racy").
            let is_sure =
                !entry.flags.contains(Flags::INTENT_TO_ADD) && (i64::from(time.secs), time.nsecs) < written;
            lines.push(Line {
                path: path.to_owned(),
                blob: is_file.then_some(entry.id),
                stat: is_sure.then_some(entry.stat),
            });
        }
        let mut top = file.tree().map(Folder::of);
        for name in below.split('/').filter(|name| !name.is_empty()) {
            top = top.and_then(|top| top.folders.into_iter().find(|folder| folder.name == name));
        }
        Self { lines, top }
    }

    /// The folder that is the registered tree, if the index knows its tree.
    pub(super) fn top(&self) -> Option<&Folder> {
        self.top.as_ref()
    }

    /// The file at a path.
    pub(super) fn line(&self, path: &str) -> Option<&Line> {
        let at = self.lines.binary_search_by(|line| line.path.as_str().cmp(path)).ok()?;
        self.lines.get(at)
    }

    /// Every file below a folder, which is empty or ends with `/`.
    pub(super) fn below(&self, folder: &str) -> &[Line] {
        let from = self.lines.partition_point(|line| line.path.as_str() < folder);
        let rest = self.lines.get(from..).unwrap_or_default();
        let count = rest.partition_point(|line| line.path.starts_with(folder));
        rest.get(..count).unwrap_or_default()
    }
}

/// The index, and the files for which it does not settle what one version holds.
pub(super) struct Ground {
    pub(super) index: Index,
    /// Files that may differ between the version and the index, on either side.
    pub(super) unsure: Vec<RelPath>,
}

impl Ground {
    /// Compares an index with a version.
    pub(super) fn new(
        index: Index,
        root: &Path,
        snapshot: &Snapshot<'_>,
        reads: impl Fn(&RelPath) -> bool,
    ) -> Result<Self, ToolError> {
        let mut unsure = Vec::new();
        let mut there = HashSet::new();
        let mut failure = Ok(());
        snapshot.files_under("", &mut |file, path| {
            there.insert(file);
            let stat = index.line(path).filter(|line| line.blob.is_some()).and_then(|line| line.stat);
            match snapshot.stat(file) {
                Ok(hint) if stat.zip(hint).is_some_and(|(stat, hint)| is_same(&stat, &hint)) => {}
                Ok(_) => unsure.extend(RelPath::new(path)),
                Err(error) => failure = Err(error),
            }
            if failure.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        failure?;
        for line in &index.lines {
            let Some(path) = RelPath::new(&line.path) else { continue };
            if there.contains(&FileId::of(&path)) || line.blob.is_none() || !reads(&path) {
                continue;
            }
            // A file that is on the disk but not in the version is excluded by the tree's rules, such as
            // `.gitignore`.
            if root.join(path.as_str()).symlink_metadata().is_err() {
                unsure.push(path);
            }
        }
        Ok(Self { index, unsure })
    }
}

/// Whether git and the ledger read the same file in the same state.
fn is_same(stat: &Stat, hint: &StatHint) -> bool {
    let ns =
        |time: gix::index::entry::stat::Time| i64::from(time.secs) * 1_000_000_000 + i64::from(time.nsecs);
    // Compared modulo 2^32, because git keeps only the lower 32 bits of these numbers.
    let low = |number: u64| (number & u64::from(u32::MAX)) as u32;
    ns(stat.mtime) == hint.mtime_ns
        && (hint.ctime_ns == 0 || ns(stat.ctime) == hint.ctime_ns)
        && (hint.inode == 0 || stat.ino == low(hint.inode))
        && stat.size == low(hint.size)
        && !sdl_watch::is_racy(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str) -> Line {
        Line { path: path.to_owned(), blob: None, stat: None }
    }

    #[test]
    fn what_lies_below_a_folder() {
        // `.` sorts before `/`, and `-` before both.
        let lines = ["a-b", "a.py", "a/b.py", "a/c/d.py", "ab.py", "b"].map(line).into();
        let index = Index { lines, top: None };
        let below = |folder| index.below(folder).iter().map(|line| line.path.as_str()).collect::<Vec<_>>();
        assert_eq!(below("a/"), ["a/b.py", "a/c/d.py"]);
        assert_eq!(below("a/c/"), ["a/c/d.py"]);
        assert_eq!(below("c/"), [""; 0]);
        assert_eq!(below("").len(), 6);
        assert!(index.line("ab.py").is_some() && index.line("a").is_none());
    }

    #[test]
    fn a_file_is_known_by_its_times_its_size_and_its_inode() {
        let time = |secs, nsecs| gix::index::entry::stat::Time { secs, nsecs };
        let stat = Stat { mtime: time(100, 5), ctime: time(101, 7), dev: 1, ino: 9, uid: 0, gid: 0, size: 3 };
        let hint = StatHint {
            size: 3,
            mtime_ns: 100_000_000_005,
            ctime_ns: 101_000_000_007,
            inode: 9 + (1 << 40),
            read_ns: 200_000_000_000,
        };
        assert!(is_same(&stat, &hint));
        for other in [
            StatHint { size: 4, ..hint },
            StatHint { mtime_ns: hint.mtime_ns + 1, ..hint },
            StatHint { ctime_ns: hint.ctime_ns + 1, ..hint },
            StatHint { inode: 10, ..hint },
            // Read so early that a later write may have had the same time.
            StatHint { read_ns: hint.ctime_ns + 1, ..hint },
        ] {
            assert!(!is_same(&stat, &other), "{other:?}");
        }
    }
}
