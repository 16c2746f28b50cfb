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

/// For whom a folder is watched. Roots can lie in one another; a folder belongs to the innermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Owner {
    /// Length of the root's path.
    pub(crate) depth: usize,
    pub(crate) id: u32,
}

#[derive(Clone, Copy)]
struct Watched {
    identity: Option<Identity>,
    owner: Owner,
    /// The owner's last crawl that came by.
    round: u32,
}

/// The round of folders that no crawl comes by.
const ALWAYS: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct Table {
    by_path: BTreeMap<Arc<Path>, Watched>,
    by_identity: HashMap<Identity, Arc<Path>>,
}

/// How often a folder that is swapped for another at the very moment is looked at.
const TRIES: usize = 8;

impl Table {
    /// Watches `path`, which was found to be the folder `identity`. Returns `Ok(false)` if it is another one by now.
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
            self.drop_path(source, &other);
        }
        if let Err(error) = source.watch(path) {
            self.drop_path(source, path);
            return Err(error);
        }
        // Also when it was known before: the watcher drops watches by itself when it sees a folder go.
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
        self.by_path.insert(path.clone(), watched);
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
        if let Some(watched) = self.by_path.remove(path)
            && let Some(identity) = watched.identity
            && self.by_identity.get(&identity).is_some_and(|at| &**at == path)
        {
            self.by_identity.remove(&identity);
        }
    }

    /// Stops watching `path` and what lies below it, except what is watched for others.
    pub(crate) fn forget_below(&mut self, source: &mut dyn Source, owner: Owner, path: &Path) {
        self.forget(source, path, |watched| watched.owner == owner);
    }

    /// The same for what no crawl came by since `round` began.
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

    /// Stops watching everything that is watched for `owner`.
    pub(crate) fn forget_all(&mut self, source: &mut dyn Source, owner: Owner) {
        let gone: Vec<Arc<Path>> =
            self.by_path.iter().filter(|(_, it)| it.owner == owner).map(|(at, _)| at.clone()).collect();
        for path in gone {
            self.drop_path(source, &path);
        }
    }

    /// How many folders are watched for `owner`.
    pub(crate) fn count(&self, owner: Owner) -> usize {
        self.by_path.values().filter(|watched| watched.owner == owner).count()
    }

    /// How many are watched.
    pub(crate) fn len(&self) -> usize {
        self.by_path.len()
    }
}
