//! Which folders are watched, for whom.
//!
//! The system watches a folder by identity, the watcher library names it by path, and it keeps both in maps that a
//! rename can put at odds: if a folder is watched under its new path while the rename's own events still wait to be
//! read, two paths share one watch, and dropping the old path (when the events come, or at any later time when the
//! old path is used again) silently ends the watch of the new one. So no two paths may ever share a watch: before a
//! folder is watched under a path, the path that it was known by is dropped, and so is the folder that the path was
//! known for.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use crate::disk::{Identity, identity_of};
use crate::source::{Source, WatchError};

/// The root for which a folder is watched. Roots can be nested; a folder belongs to the innermost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Owner {
    /// Length of the root's path.
    pub(crate) depth: usize,
    pub(crate) id: u32,
}

#[derive(Clone, Copy)]
struct Watched {
    identity: Option<Identity>,
    owner: Owner,
    /// The owner's last crawl that passed it.
    round: u32,
}

/// The round of folders that no crawl passes.
const ALWAYS: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct Table {
    by_path: BTreeMap<Arc<Path>, Watched>,
    by_identity: HashMap<Identity, Arc<Path>>,
    counts: HashMap<Owner, usize>,
}

/// How often a folder is looked at again if another one replaces it at that very moment.
const TRIES: usize = 8;

impl Table {
    /// Watches `path`, which was found to be the folder `identity`. Returns `Ok(false)` if another folder is there by
    /// now.
    pub(crate) fn watch(
        &mut self,
        source: &mut dyn Source,
        owner: Owner,
        path: &Path,
        identity: Option<Identity>,
        round: u32,
    ) -> Result<bool, WatchError> {
        let known = self.by_path.get_key_value(path).map(|(path, watched)| (path.clone(), *watched));
        if known.as_ref().is_some_and(|(_, was)| was.identity != identity) {
            self.drop_path(source, path);
        }
        if let Some(identity) = identity
            && let Some(other) = self.by_identity.get(&identity).filter(|other| &***other != path).cloned()
        {
            let is_here = |at: &Path| identity_of(at).ok() == Some(identity);
            if is_here(&other) && is_here(path) {
                // Not a rename but a mount of the same folder in two places. It can't be watched, because the system
                // reports its changes under only one of the names.
                return Err(WatchError::Failed(format!(
                    "{} is the same folder as {}",
                    path.display(),
                    other.display()
                )));
            }
            self.drop_path(source, &other);
        }
        if let Err(error) = source.watch(path) {
            self.drop_path(source, path);
            return Err(error);
        }
        // Watched again even if it was known before, because the watcher drops watches by itself when it sees a
        // folder go.
        let mut watched = Watched { identity, owner, round };
        if let Some((_, before)) = &known
            && before.owner > owner
        {
            watched = Watched { identity, ..*before };
        }
        let path: Arc<Path> = known.map_or_else(|| path.into(), |(path, _)| path);
        if let Some(identity) = identity {
            self.by_identity.insert(identity, path.clone());
        }
        *self.counts.entry(watched.owner).or_default() += 1;
        if let Some(before) = self.by_path.insert(path.clone(), watched) {
            self.uncount(before.owner);
        }
        if identity.is_some() && identity_of(&path).ok() != identity {
            self.drop_path(source, &path);
            return Ok(false);
        }
        Ok(true)
    }

    /// Watches a folder that is not listed, so that it does not matter which one it is.
    pub(crate) fn watch_any(
        &mut self,
        source: &mut dyn Source,
        owner: Owner,
        path: &Path,
    ) -> Result<(), WatchError> {
        for _ in 0..TRIES {
            let identity = match identity_of(path) {
                Ok(identity) => Some(identity).filter(Identity::is_known),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(WatchError::Gone),
                Err(error) => return Err(WatchError::Failed(error.to_string())),
            };
            if self.watch(source, owner, path, identity, ALWAYS)? {
                return Ok(());
            }
        }
        Err(WatchError::Gone)
    }

    fn drop_path(&mut self, source: &mut dyn Source, path: &Path) {
        source.unwatch(path);
        let Some(watched) = self.by_path.remove(path) else { return };
        self.uncount(watched.owner);
        if let Some(identity) = watched.identity
            && self.by_identity.get(&identity).is_some_and(|at| &**at == path)
        {
            self.by_identity.remove(&identity);
        }
    }

    fn uncount(&mut self, owner: Owner) {
        if let Some(count) = self.counts.get_mut(&owner) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&owner);
            }
        }
    }

    /// Stops watching `path` and everything below it, except folders that are watched for others.
    pub(crate) fn forget_below(&mut self, source: &mut dyn Source, owner: Owner, path: &Path) {
        self.forget(source, path, |watched| watched.owner == owner);
    }

    /// The same for folders that no crawl passed since `round` began.
    pub(crate) fn forget_stale(&mut self, source: &mut dyn Source, owner: Owner, path: &Path, round: u32) {
        self.forget(source, path, |watched| watched.owner == owner && watched.round < round);
    }

    fn forget(&mut self, source: &mut dyn Source, path: &Path, which: impl Fn(&Watched) -> bool) {
        let gone: Vec<Arc<Path>> = self
            .by_path
            .range::<Path, _>((Bound::Included(path), Bound::Unbounded))
            .take_while(|(at, _)| at.starts_with(path))
            .filter(|(_, watched)| which(watched))
            .map(|(at, _)| at.clone())
            .collect();
        for path in gone {
            self.drop_path(source, &path);
        }
    }

    /// Stops watching every folder that is watched for `owner`.
    pub(crate) fn forget_all(&mut self, source: &mut dyn Source, owner: Owner) {
        self.forget_unless(source, owner, |_| false);
    }

    /// Stops watching the folders that are watched for `owner` and not kept.
    pub(crate) fn forget_unless(
        &mut self,
        source: &mut dyn Source,
        owner: Owner,
        keep: impl Fn(&Path) -> bool,
    ) {
        let gone: Vec<Arc<Path>> = self
            .by_path
            .iter()
            .filter(|(at, watched)| watched.owner == owner && !keep(at))
            .map(|(at, _)| at.clone())
            .collect();
        for path in gone {
            self.drop_path(source, &path);
        }
    }

    /// How many folders are watched for `owner`.
    pub(crate) fn count(&self, owner: Owner) -> usize {
        self.counts.get(&owner).copied().unwrap_or_default()
    }

    /// How many are watched.
    pub(crate) fn len(&self) -> usize {
        self.by_path.len()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// The watcher library's bookkeeping: watches are made by path and belong to a folder's identity. When it learns
    /// about a path late, it applies that to whatever it has under that path.
    #[derive(Default)]
    struct Library {
        /// The folders that the kernel watches.
        kernel: HashMap<u64, Identity>,
        watches: HashMap<PathBuf, u64>,
        paths: HashMap<u64, PathBuf>,
        next: u64,
    }

    impl Library {
        /// It learns that the entry at `path` went away.
        fn hear_gone(&mut self, path: &Path) {
            let Some(watch) = self.watches.remove(path) else { return };
            self.kernel.remove(&watch);
            self.paths.remove(&watch);
            let below: Vec<u64> =
                self.paths.iter().filter(|(_, at)| at.starts_with(path)).map(|(watch, _)| *watch).collect();
            for watch in below {
                self.kernel.remove(&watch);
                if let Some(at) = self.paths.remove(&watch) {
                    self.watches.remove(&at);
                }
            }
        }

        fn is_watched(&self, path: &Path) -> bool {
            let identity = identity_of(path).unwrap();
            self.kernel.iter().any(|(watch, of)| {
                *of == identity && self.paths.get(watch).is_some_and(|reported| reported == path)
            })
        }
    }

    impl Source for Library {
        fn watch(&mut self, folder: &Path) -> Result<(), WatchError> {
            let identity = identity_of(folder).map_err(|_| WatchError::Gone)?;
            let known = self.kernel.iter().find(|(_, of)| **of == identity).map(|(watch, _)| *watch);
            let watch = known.unwrap_or_else(|| {
                self.next += 1;
                self.next
            });
            self.kernel.insert(watch, identity);
            self.watches.insert(folder.to_owned(), watch);
            self.paths.insert(watch, folder.to_owned());
            Ok(())
        }

        fn unwatch(&mut self, folder: &Path) {
            if let Some(watch) = self.watches.remove(folder) {
                self.kernel.remove(&watch);
                self.paths.remove(&watch);
            }
        }
    }

    const US: Owner = Owner { depth: 1, id: 1 };

    fn watch(table: &mut Table, library: &mut Library, path: &Path, round: u32) {
        let identity = identity_of(path).unwrap();
        assert!(table.watch(library, US, path, Some(identity), round).unwrap());
    }

    #[test]
    fn a_late_rename_ends_no_watch_of_the_new_name() {
        let temp = tempfile::tempdir().unwrap();
        let at = |path: &str| temp.path().join(path);
        fs::create_dir_all(at("c/sub")).unwrap();
        let (mut table, mut library) = (Table::default(), Library::default());
        for path in ["", "c", "c/sub"] {
            watch(&mut table, &mut library, &at(path), 1);
        }
        fs::rename(at("c"), at("a")).unwrap();
        // A crawl that passes for another reason is faster than the rename's events.
        for path in ["a", "a/sub"] {
            watch(&mut table, &mut library, &at(path), 2);
        }
        library.hear_gone(&at("c"));
        // They also say that `a` is new, so that it is crawled once more.
        for path in ["a", "a/sub"] {
            watch(&mut table, &mut library, &at(path), 3);
        }
        // The old names are used again, by files that never were watched.
        library.hear_gone(&at("c/sub"));
        library.hear_gone(&at("c"));
        assert!(library.is_watched(&at("a")) && library.is_watched(&at("a/sub")));
        assert_eq!(library.kernel.len(), 3);
        table.forget_below(&mut library, US, &at("c"));
        assert!(library.is_watched(&at("a/sub")));
    }

    #[test]
    fn another_folder_under_a_watched_name() {
        let temp = tempfile::tempdir().unwrap();
        let at = |path: &str| temp.path().join(path);
        let (mut table, mut library) = (Table::default(), Library::default());
        for name in ["a", "b"] {
            fs::create_dir(at(name)).unwrap();
            watch(&mut table, &mut library, &at(name), 1);
        }
        fs::rename(at("a"), at("x")).unwrap();
        fs::rename(at("b"), at("a")).unwrap();
        fs::rename(at("x"), at("b")).unwrap();
        watch(&mut table, &mut library, &at("a"), 2);
        watch(&mut table, &mut library, &at("b"), 2);
        assert!(library.is_watched(&at("a")) && library.is_watched(&at("b")));
        assert_eq!((library.watches.len(), library.kernel.len(), table.len()), (2, 2, 2));
    }

    #[test]
    fn a_folder_that_is_another_one_by_now_is_not_taken() {
        let temp = tempfile::tempdir().unwrap();
        let (mut table, mut library) = (Table::default(), Library::default());
        let stale = Identity { device: 1, inode: 1 };
        assert_eq!(table.watch(&mut library, US, temp.path(), Some(stale), 1), Ok(false));
        assert_eq!((library.kernel.len(), table.len()), (0, 0));
    }

    #[test]
    fn watches_that_no_crawl_passed_are_dropped_except_those_of_others() {
        let temp = tempfile::tempdir().unwrap();
        let at = |path: &str| temp.path().join(path);
        fs::create_dir_all(at("a/inner")).unwrap();
        let (mut table, mut library) = (Table::default(), Library::default());
        let inner = Owner { depth: 9, id: 2 };
        watch(&mut table, &mut library, &at("a"), 1);
        let identity = identity_of(&at("a/inner")).unwrap();
        table.watch(&mut library, inner, &at("a/inner"), Some(identity), 7).unwrap();
        // The outer one passes before it sees whose folder it is.
        watch(&mut table, &mut library, &at("a/inner"), 1);
        table.forget_stale(&mut library, US, temp.path(), 1);
        assert_eq!((table.count(US), table.count(inner)), (1, 1));
        table.forget_stale(&mut library, US, temp.path(), 2);
        table.forget_all(&mut library, US);
        assert_eq!((table.count(US), table.count(inner)), (0, 1));
        assert!(library.is_watched(&at("a/inner")));
    }
}
