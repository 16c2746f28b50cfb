//! Who gets which event.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;

use crate::clock::Clock;
use crate::cookie::Cookies;
use crate::disk::Identity;
use crate::git::{GitChange, GitFolder};
use crate::inbox::{Inbox, Rescan};
use crate::scanned::Scanned;
use crate::table::Owner;

/// A root within this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RootId(pub(crate) u32);

/// The data that the watcher's handler needs. It shares nothing with the callers of the watcher except short locks that
/// are never held during such a call.
pub(crate) struct Router {
    routes: RwLock<Routes>,
    pub(crate) cookies: Cookies,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
pub(crate) struct Routes {
    /// The longest path first.
    pub(crate) roots: Vec<Arc<Route>>,
    /// Folders of git's data, and whose they are.
    pub(crate) git: HashMap<PathBuf, Vec<(Arc<Route>, GitFolder)>>,
    /// Single files outside of all roots.
    pub(crate) files: Vec<WatchedFile>,
}

/// A file that is watched by itself, and who wants to know.
pub(crate) struct WatchedFile {
    pub(crate) path: PathBuf,
    pub(crate) on_change: Box<dyn Fn() + Send + Sync>,
}

pub(crate) struct Route {
    pub(crate) id: RootId,
    pub(crate) path: PathBuf,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) last_event_ns: AtomicI64,
    pub(crate) watches: AtomicUsize,
    /// Why it is scanned, if it is, and when watching is tried again.
    pub(crate) scanning: Mutex<Option<Scanned>>,
    /// Which folder the root was when it was last compared.
    pub(crate) identity: Mutex<Option<Identity>>,
}

impl Route {
    pub(crate) fn new(id: RootId, path: PathBuf, inbox: Arc<Inbox>) -> Self {
        Self {
            id,
            path,
            inbox,
            last_event_ns: AtomicI64::new(0),
            watches: AtomicUsize::new(0),
            scanning: Mutex::default(),
            identity: Mutex::default(),
        }
    }

    pub(crate) fn owner(&self) -> Owner {
        Owner { depth: self.path.as_os_str().len(), id: self.id.0 }
    }

    pub(crate) fn is_scanning(&self) -> bool {
        lock_mutex(&self.scanning).is_some()
    }

    /// All its folders are watched from now on.
    pub(crate) fn watched_again(&self) {
        tracing::info!(root = %self.path.display(), "the repository is watched again");
        // In this order: a barrier asked for in between is served by a scan, not by a cookie that nobody listens to.
        self.inbox.stop_scanning();
        *lock_mutex(&self.scanning) = None;
    }

    /// Is it scanned, and time to try and watch it?
    pub(crate) fn may_watch_again(&self, now: Instant) -> bool {
        lock_mutex(&self.scanning)
            .as_ref()
            .and_then(|scanned| scanned.again)
            .is_some_and(|again| again.at <= now)
    }
}

/// Locks; nothing in this crate panics with something half done.
pub(crate) fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Router {
    pub(crate) fn new(cookies: Cookies, clock: Arc<dyn Clock>) -> Self {
        Self { routes: RwLock::default(), cookies, clock }
    }

    pub(crate) fn read<T>(&self, with: impl FnOnce(&Routes) -> T) -> T {
        with(&self.routes.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn write<T>(&self, with: impl FnOnce(&mut Routes) -> T) -> T {
        with(&mut self.routes.write().unwrap_or_else(PoisonError::into_inner))
    }

    fn each_inbox(&self, each: impl Fn(&Inbox)) {
        self.read(|routes| routes.roots.iter().for_each(|route| each(&route.inbox)));
    }

    /// Events are missing: whatever is watched may have changed.
    fn lost_events(&self, rescan: Rescan) {
        self.each_inbox(|inbox| inbox.lost_events(rescan));
        self.read(|routes| routes.files.iter().for_each(|file| (file.on_change)()));
    }
}

/// Takes the events of a [`Source`](crate::source::Source), in the order in which they happened. Never waits.
#[derive(Clone)]
pub struct Sink(pub(crate) Arc<Router>);

impl Sink {
    /// Something at this absolute path may have changed.
    pub fn touched(&self, path: &Path) {
        let router = &*self.0;
        if let Some(rest) = relative_path(path, router.cookies.folder()) {
            return self.cookie_touched(rest);
        }
        let now = router.clock.wall_ns();
        router.read(|routes| {
            for file in &routes.files {
                // The folder itself may have been moved, and the file with it.
                if path == file.path || Some(path) == file.path.parent() {
                    (file.on_change)();
                }
            }
            let is_gits = !routes.git.is_empty() && routes.touch_git(path);
            for route in &routes.roots {
                if let Some(rest) = relative_path(path, &route.path) {
                    // Git's own files are no files of the tree.
                    if is_gits && rest.components().any(|part| part.as_os_str() == ".git") {
                        return;
                    }
                    route.last_event_ns.store(now, Ordering::Relaxed);
                    route.inbox.touch(rest);
                    return;
                }
            }
        });
    }

    fn cookie_touched(&self, rest: &Path) {
        let router = &*self.0;
        match rest.to_str() {
            // The folder itself was moved or removed, and unfinished cookies with it.
            Some("") => router.each_inbox(Inbox::abort_barriers),
            Some(name) => {
                if let Some(serial) = router.cookies.parse(name) {
                    router.each_inbox(|inbox| inbox.arrive(serial));
                }
            }
            None => {}
        }
    }

    /// The system dropped events.
    pub fn overflow(&self) {
        tracing::warn!("the system dropped file events; all repositories are compared with their ledgers");
        self.0.lost_events(Rescan::Overflow);
    }

    /// The watcher failed to read an event.
    pub fn failed(&self, error: &dyn std::fmt::Display) {
        tracing::warn!(%error, "the file watcher reported an error; all repositories are compared with their ledgers");
        self.0.lost_events(Rescan::WatcherError);
    }

    pub(crate) fn deliver_issued_cookies(&self) {
        let serial = self.0.cookies.last_issued();
        self.0.each_inbox(|inbox| inbox.arrive(serial));
    }
}

impl Routes {
    /// Forgets which folders hold a root's git data.
    pub(crate) fn forget_git(&mut self, id: RootId) {
        self.git.retain(|_, whose| {
            whose.retain(|(route, _)| route.id != id);
            !whose.is_empty()
        });
    }

    /// Tells those whose git data it is; is it an entry of a folder that is watched for that?
    fn touch_git(&self, path: &Path) -> bool {
        if let Some(whose) = self.git.get(path) {
            // The folder itself came, went or moved. It may also be the `.git` of a tree, which its root must see.
            for (route, _) in whose {
                route.inbox.touch_head();
            }
            return false;
        }
        let Some(whose) = path.parent().and_then(|folder| self.git.get(folder)) else { return false };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        for (route, folder) in whose {
            match folder.change(name) {
                Some(GitChange::Head) => route.inbox.touch_head(),
                Some(GitChange::Index) => route.inbox.touch_index(),
                Some(GitChange::Lock) => route.inbox.touch_git_lock(),
                Some(GitChange::Excludes) => route.inbox.ask_rescan(Rescan::Rules),
                None => {}
            }
        }
        true
    }
}

/// The part of `path` below `root`; empty for `root` itself.
fn relative_path<'a>(path: &'a Path, root: &Path) -> Option<&'a Path> {
    let inside = path.as_os_str().as_encoded_bytes().starts_with(root.as_os_str().as_encoded_bytes());
    if inside { path.strip_prefix(root).ok() } else { None }
}
