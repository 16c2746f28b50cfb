//! Inspects git's data before a library that knows nothing of hostile folders opens it.
//!
//! A `.git` folder can come out of an archive. Its files may then be pipes, which block whoever opens them, devices or
//! huge files, which fill the reader's memory, or links, which lead anywhere. All files that git's reader opens are
//! therefore checked beforehand: only regular files, of a size that git makes, and no links.
//!
//! The check comes before the use, so a folder that is changed in between is not caught. Only a process that writes
//! into the tree while it is read can do that, and it runs as this user or as one that the user has let in.

use std::fs;
use std::path::{Path, PathBuf};

use super::find::{GitData, GitRefused};
use crate::plain::{self, Links, Plain};

/// `config` and `config.worktree`.
pub(super) const CONFIG: u64 = 1 << 20;
/// HEAD and single references.
const REFERENCE: u64 = 4 << 10;
const PACKED_REFS: u64 = 64 << 20;
const SHALLOW: u64 = 16 << 20;
const EXCLUDE: u64 = 1 << 20;
const POINTER: u64 = 8 << 10;
/// A million files make an index of about 100 MB.
pub(super) const INDEX: u64 = 256 << 20;
/// Files such as `FETCH_HEAD`, which can be asked for as if they were references.
const PSEUDO_REFERENCE: u64 = 16 << 20;

/// Loose references, logs, or worktrees. Git packs references long before there are this many.
const MOST_REFERENCES: usize = 100_000;
/// Loose objects. Git packs them when there are some 7,000.
const MOST_OBJECTS: usize = 1_000_000;
/// References may be in nested folders.
const DEEPEST: usize = 32;

impl GitData {
    /// Checks everything that is opened in order to read HEAD, references and objects.
    pub fn check(&self) -> Result<(), GitRefused> {
        check_top(&self.own)?;
        if self.is_linked_worktree() {
            check_top(&self.common)?;
            // Per worktree, like `bisect`.
            walk_folder(&self.own.join("refs"), MOST_REFERENCES, judge_reference)?;
        }
        walk_folder(&self.common.join("refs"), MOST_REFERENCES, judge_reference)?;
        walk_folder(&self.common.join("worktrees"), MOST_REFERENCES, judge_worktree)?;
        check_file(&self.common.join("info").join("exclude"), EXCLUDE)?;
        let objects = self.common.join("objects");
        walk_folder(&objects, MOST_OBJECTS, judge_object)?;
        check_alternates(&objects.join("info").join("alternates"))
    }

    /// Checks the index, which few ask for.
    pub fn check_index(&self) -> Result<(), GitRefused> {
        check_file(&self.own.join("index"), INDEX)
    }

    /// Checks the logs of references, which few ask for.
    pub fn check_logs(&self) -> Result<(), GitRefused> {
        walk_folder(&self.own.join("logs"), MOST_REFERENCES, judge_log)?;
        walk_folder(&self.common.join("logs"), MOST_REFERENCES, judge_log)
    }
}

/// Checks the entries directly in a git folder.
fn check_top(folder: &Path) -> Result<(), GitRefused> {
    for entry in list_entries(folder, MOST_REFERENCES)? {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let path = entry.path();
        match name {
            "objects" | "refs" | "info" | "logs" | "worktrees" => check_directory(&path)?,
            "HEAD" => check_file(&path, REFERENCE)?,
            "config" | "config.worktree" => check_file(&path, CONFIG)?,
            "packed-refs" => check_file(&path, PACKED_REFS)?,
            "shallow" => check_file(&path, SHALLOW)?,
            "commondir" | "gitdir" => check_file(&path, POINTER)?,
            // A part of the index, opened with it.
            name if name.starts_with("sharedindex.") => check_file(&path, INDEX)?,
            name if is_pseudo_reference(name) => check_file(&path, PSEUDO_REFERENCE)?,
            // Everything else, such as hooks, is passed over, because nobody opens it.
            _ => {}
        }
    }
    Ok(())
}

/// Refuses borrowed objects, because they are another repository's, and reading them would give its history to this
/// one's clients.
fn check_alternates(path: &Path) -> Result<(), GitRefused> {
    let bytes = plain::read_plain(path, POINTER, Links::Refused)
        .map_err(|error| GitRefused::new(path, error.to_string()))?
        .unwrap_or_default();
    let lends = String::from_utf8_lossy(&bytes)
        .lines()
        .any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    if lends {
        let why = "borrows another repository's objects; make this one complete with: git repack -a -d, and remove \
                   the file";
        return Err(GitRefused::new(path, why));
    }
    Ok(())
}

/// The step after an entry on a walk.
enum Then {
    /// Go on, and enter it if it is a folder.
    On,
    /// Skip it and everything below it.
    Past,
}

type Judge = fn(&fs::DirEntry, usize) -> Result<Then, GitRefused>;

/// Looks at everything below a folder, which may be missing.
fn walk_folder(top: &Path, most: usize, judge: Judge) -> Result<(), GitRefused> {
    match plain::look_at(top, 0) {
        Plain::Nothing => return Ok(()),
        Plain::Folder => {}
        Plain::File | Plain::Other(_) => return Err(GitRefused::new(top, "is not a folder")),
    }
    let mut left = most;
    let mut pending: Vec<(PathBuf, usize)> = vec![(top.to_owned(), 0)];
    while let Some((folder, depth)) = pending.pop() {
        let entries = list_entries(&folder, left)?;
        left -= entries.len();
        for entry in entries {
            let goes_on = matches!(judge(&entry, depth)?, Then::On);
            if goes_on && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if depth == DEEPEST {
                    return Err(GitRefused::new(top, format!("is nested more than {DEEPEST} folders deep")));
                }
                pending.push((entry.path(), depth + 1));
            }
        }
    }
    Ok(())
}

fn judge_reference(entry: &fs::DirEntry, _depth: usize) -> Result<Then, GitRefused> {
    file_or_folder(&entry.path(), REFERENCE).map(|()| Then::On)
}

fn judge_log(entry: &fs::DirEntry, _depth: usize) -> Result<Then, GitRefused> {
    file_or_folder(&entry.path(), SHALLOW).map(|()| Then::On)
}

/// Other worktrees' heads can be asked for by name.
fn judge_worktree(entry: &fs::DirEntry, depth: usize) -> Result<Then, GitRefused> {
    let name = entry.file_name();
    let name = name.to_str().unwrap_or_default();
    match (depth, name) {
        (0, _) => check_directory(&entry.path()).map(|()| Then::On),
        (1, "refs") => check_directory(&entry.path()).map(|()| Then::On),
        (1, name) if is_pseudo_reference(name) => {
            check_file(&entry.path(), PSEUDO_REFERENCE).map(|()| Then::Past)
        }
        (1, _) => Ok(Then::Past),
        _ => judge_reference(entry, depth),
    }
}

/// Only the kind of each entry is checked. Its size does not matter, because objects and packs are mapped, not read.
fn judge_object(entry: &fs::DirEntry, _depth: usize) -> Result<Then, GitRefused> {
    match entry.file_type() {
        Ok(kind) if kind.is_file() || kind.is_dir() => Ok(Then::On),
        Ok(_) => Err(GitRefused::new(&entry.path(), "is not a regular file")),
        Err(error) => Err(GitRefused::new(&entry.path(), format!("can't be looked at ({error})"))),
    }
}

/// Files that git takes for references although they are not in `refs`.
fn is_pseudo_reference(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Checks that there is a regular file of at most this size, or nothing.
fn check_file(path: &Path, most: u64) -> Result<(), GitRefused> {
    match plain::look_at(path, most) {
        Plain::Nothing | Plain::File => Ok(()),
        Plain::Folder => Err(GitRefused::new(path, "is a folder")),
        Plain::Other(why) => Err(GitRefused::new(path, why)),
    }
}

/// Checks that there is a folder, or nothing.
fn check_directory(path: &Path) -> Result<(), GitRefused> {
    match plain::look_at(path, u64::MAX) {
        Plain::Nothing | Plain::Folder => Ok(()),
        Plain::File => Err(GitRefused::new(path, "is not a folder")),
        Plain::Other(why) => Err(GitRefused::new(path, why)),
    }
}

fn file_or_folder(path: &Path, most: u64) -> Result<(), GitRefused> {
    match plain::look_at(path, most) {
        Plain::Nothing | Plain::File | Plain::Folder => Ok(()),
        Plain::Other(why) => Err(GitRefused::new(path, why)),
    }
}

/// The entries of a folder, if there are no more than `most`.
fn list_entries(folder: &Path, most: usize) -> Result<Vec<fs::DirEntry>, GitRefused> {
    let entries = fs::read_dir(folder)
        .and_then(|entries| entries.take(most.saturating_add(1)).collect::<std::io::Result<Vec<_>>>())
        .map_err(|error| GitRefused::new(folder, format!("can't be listed ({error})")))?;
    if entries.len() > most {
        return Err(GitRefused::new(folder, "holds too many files; try: git gc"));
    }
    Ok(entries)
}
