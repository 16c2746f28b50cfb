//! The one watcher that serves all repositories.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::clock::{Clock, SystemClock};
use crate::cookie::Cookies;
use crate::crawl::shorten_middle;
use crate::disk::Identity;
use crate::fs_type;
use crate::git::GitFolder;
use crate::handle::TreeHandle;
use crate::inbox::{Inbox, Limits, Serial, Settle};
use crate::root::CanonicalRoot;
use crate::router::{RootId, Route, Router, Sink, WatchedFile, lock_mutex};
use crate::scanned::Scanned;
use crate::source::{Source, SystemSource, WatchError};
use crate::table::{Owner, Table};
use crate::tree::Tree;

/// How the hub works.
#[derive(Clone)]
pub struct HubConfig {
    /// The daemon's own folder for cookies; created if it is missing. Best on a `tmpfs` (the runtime folder), and
    /// used for nothing else.
    pub cookie_folder: PathBuf,
    /// How long changes settle.
    pub settle: Settle,
    /// The limits of an inbox.
    pub limits: Limits,
    /// A cookie that has not come through after this long is taken for lost, and its folder is watched again.
    pub cookie_patience: Duration,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

impl HubConfig {
    /// The usual settings.
    pub fn new(cookie_folder: impl Into<PathBuf>) -> Self {
        Self {
            cookie_folder: cookie_folder.into(),
            settle: Settle::default(),
            limits: Limits::default(),
            cookie_patience: Duration::from_millis(500),
            clock: Arc::new(SystemClock),
        }
    }
}

struct Watcher {
    source: Result<Box<dyn Source>, WatchError>,
    table: Table,
}

type Start = dyn Fn(Sink) -> Result<Box<dyn Source>, WatchError> + Send + Sync;

pub(crate) struct HubInner {
    pub(crate) router: Arc<Router>,
    watcher: Mutex<Watcher>,
    /// Starts the source again while there is none.
    start: Option<Arc<Start>>,
    pub(crate) config: HubConfig,
    waiting: Arc<AtomicUsize>,
    next_root: AtomicU32,
}

/// For whom the cookie folder is watched.
const NOBODY: Owner = Owner { depth: 0, id: u32::MAX };

/// For whom git's data is watched, which several roots can share.
const GIT: Owner = Owner { depth: 0, id: u32::MAX - 1 };

/// The owner of watches for single files.
const FILES: Owner = Owner { depth: 0, id: u32::MAX - 2 };

/// The one watcher, its cookies, and the roots that it serves. Clones are the same hub.
#[derive(Clone)]
pub struct Hub(pub(crate) Arc<HubInner>);

impl Hub {
    /// Starts the system's watcher. Without one, for example because of the system's limit of inotify instances, the
    /// hub scans instead, and each root's status gives the reason.
    pub fn start(config: HubConfig) -> Self {
        Self::with_start(config, |sink| {
            SystemSource::start(sink).map(|source| Box::new(source) as Box<dyn Source>)
        })
    }

    /// Uses another source of events.
    pub fn with_source(
        config: HubConfig,
        start: impl FnOnce(Sink) -> Result<Box<dyn Source>, WatchError>,
    ) -> Self {
        Self::begin(config, start, None)
    }

    /// Uses another source of events, which is started again later if it can't be started now.
    pub fn with_start(
        config: HubConfig,
        start: impl Fn(Sink) -> Result<Box<dyn Source>, WatchError> + Send + Sync + 'static,
    ) -> Self {
        let start: Arc<Start> = Arc::new(start);
        Self::begin(config, &*start.clone(), Some(start))
    }

    fn begin(
        config: HubConfig,
        start: impl FnOnce(Sink) -> Result<Box<dyn Source>, WatchError>,
        again: Option<Arc<Start>>,
    ) -> Self {
        let token = config.clock.wall_ns().unsigned_abs();
        // Events carry real paths.
        let _ = std::fs::create_dir_all(&config.cookie_folder);
        let folder = config.cookie_folder.canonicalize().unwrap_or_else(|_| config.cookie_folder.clone());
        let router = Arc::new(Router::new(Cookies::new(folder, token), config.clock.clone()));
        let source = start(Sink(router.clone()));
        let hub = Self(Arc::new(HubInner {
            router,
            watcher: Mutex::new(Watcher { source, table: Table::default() }),
            start: again,
            config,
            waiting: Arc::default(),
            next_root: AtomicU32::new(1),
        }));
        if let Err(error) = hub.0.repair_cookies() {
            tracing::warn!(%error, "the folder for cookies can't be used; barriers are served by scans");
        }
        hub
    }

    /// Adds a root. Its tree's first batch compares the whole of it; nothing is read before.
    pub fn add_root(&self, root: &CanonicalRoot, options: RootOptions) -> Tree {
        let id = RootId(self.0.next_root.fetch_add(1, Ordering::Relaxed));
        let config = &self.0.config;
        let inbox =
            Arc::new(Inbox::new(config.settle, config.limits, config.clock.clone(), self.0.waiting.clone()));
        let route = Arc::new(Route::new(id, root.path().to_owned(), inbox));
        self.0.router.write(|routes| {
            let at = routes
                .roots
                .partition_point(|other| other.path.as_os_str().len() >= route.path.as_os_str().len());
            routes.roots.insert(at, route.clone());
        });
        if let Err((reason, may_pass)) = self.0.is_watchable(&route) {
            self.0.degrade(&route, &reason, may_pass);
        }
        Tree::new(TreeHandle { hub: self.clone(), route }, options)
    }

    /// Removes a root: its worker's [`Inbox::next`] returns `None`, and its barriers end as closed.
    pub fn remove_root(&self, id: RootId) {
        let route = self.0.router.write(|routes| {
            routes.forget_git(id);
            let at = routes.roots.iter().position(|route| route.id == id)?;
            Some(routes.roots.remove(at))
        });
        if let Some(route) = route {
            route.inbox.close();
            self.0.drop_watches(&route);
        }
    }

    /// Calls `on_change` whenever the file at `path` may have changed, whether it exists or not, until the hub ends. Its
    /// folder must exist. `on_change` is called by the watcher's thread and must not wait.
    pub fn watch_file(
        &self,
        path: &Path,
        on_change: impl Fn() + Send + Sync + 'static,
    ) -> Result<(), WatchError> {
        let folder = path.parent().ok_or(WatchError::Gone)?;
        // Events carry real paths.
        let folder = folder.canonicalize().map_err(|_| WatchError::Gone)?;
        let path = folder.join(path.file_name().ok_or(WatchError::Gone)?);
        self.0.router.write(|routes| {
            routes.files.push(WatchedFile { path, on_change: Box::new(on_change) });
        });
        self.0
            .with_watcher(|source, table| table.watch_any(source, FILES, &folder))
            .unwrap_or_else(|| Err(WatchError::Failed("there is no file watcher".into())))
    }

    /// The paths of all roots.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.0.router.read(|routes| routes.roots.iter().map(|route| route.path.clone()).collect())
    }

    /// Creates a cookie for whoever waits in any root, and returns its number.
    pub fn request_cookie(&self) -> io::Result<Serial> {
        let (serial, result) = self.0.router.cookies.issue(|| self.0.repair_cookies());
        result.map(|()| serial)
    }

    /// The number of watched folders.
    pub fn watches(&self) -> usize {
        lock_mutex(&self.0.watcher).table.len()
    }
}

impl HubInner {
    fn with_watcher<T>(&self, with: impl FnOnce(&mut dyn Source, &mut Table) -> T) -> Option<T> {
        let mut watcher = lock_mutex(&self.watcher);
        let Watcher { source, table } = &mut *watcher;
        source.as_deref_mut().ok().map(|source| with(source, table))
    }

    /// The same in the name of a root, whose count of watches it keeps up to date: asking for that must not wait.
    fn with_watches<T>(
        &self,
        route: &Route,
        with: impl FnOnce(&mut dyn Source, &mut Table, Owner) -> T,
    ) -> Option<T> {
        let owner = route.owner();
        self.with_watcher(|source, table| {
            let result = with(source, table, owner);
            route.watches.store(table.count(owner), Ordering::Relaxed);
            result
        })
    }

    /// Makes sure that the cookie folder exists and is watched.
    pub(crate) fn repair_cookies(&self) -> io::Result<()> {
        let cookies = &self.router.cookies;
        cookies.prepare()?;
        self.with_watcher(|source, table| table.watch_any(source, NOBODY, cookies.folder()))
            .unwrap_or(Ok(()))
            .map_err(io::Error::other)
    }

    /// Watches a folder of a tree, which was found to be `identity`; see [`Table::watch`].
    pub(crate) fn watch(
        &self,
        route: &Route,
        path: &Path,
        identity: Identity,
        round: u32,
    ) -> Result<bool, WatchError> {
        let identity = Some(identity).filter(Identity::is_known);
        self.with_watches(route, |source, table, owner| table.watch(source, owner, path, identity, round))
            .unwrap_or(Err(WatchError::Failed("there is none".into())))
    }

    pub(crate) fn forget_below(&self, route: &Route, path: &Path) {
        self.with_watches(route, |source, table, owner| table.forget_below(source, owner, path));
    }

    /// Stops watching folders at or below `path` that were not watched in this round.
    pub(crate) fn forget_stale(&self, route: &Route, path: &Path, round: u32) {
        self.with_watches(route, |source, table, owner| table.forget_stale(source, owner, path, round));
    }

    /// Whether a root can be watched, as far as is known before trying. If not: the reason, and whether it may pass.
    fn is_watchable(&self, route: &Route) -> Result<(), (String, bool)> {
        let mut watcher = lock_mutex(&self.watcher);
        if let (Err(_), Some(start)) = (&watcher.source, &self.start) {
            watcher.source = start(Sink(self.router.clone()));
        }
        match &watcher.source {
            Ok(_) => fs_type::without_events(&route.path).map_or(Ok(()), |reason| Err((reason, false))),
            Err(error) => Err((format!("no file watcher: {error}"), self.start.is_some())),
        }
    }

    /// Stops watching a root's folders: from now on it is scanned. If the reason `may_pass`, watching is tried again
    /// later.
    pub(crate) fn degrade(&self, route: &Arc<Route>, reason: &str, may_pass: bool) {
        // The status in every answer reports it.
        let reason = shorten_middle(reason);
        {
            let mut scanning = lock_mutex(&route.scanning);
            if scanning.is_none() {
                tracing::warn!(root = %route.path.display(), reason, "the repository is scanned instead of watched");
                route.inbox.start_scanning();
            }
            let now = self.config.clock.now();
            *scanning = Some(Scanned::after(scanning.take(), reason, may_pass.then_some(now)));
        }
        self.router.write(|routes| routes.forget_git(route.id));
        self.drop_watches(route);
    }

    /// Whether a scanned root should be watched again, starting with the comparison that begins now.
    pub(crate) fn begins_again(&self, route: &Arc<Route>) -> bool {
        if !route.may_watch_again(self.config.clock.now()) {
            return false;
        }
        let watchable = self.is_watchable(route).and_then(|()| {
            self.repair_cookies()
                .map_err(|error| (format!("the folder for cookies can't be watched: {error}"), true))
        });
        match watchable {
            Ok(()) => true,
            Err((reason, may_pass)) => {
                self.degrade(route, &reason, may_pass);
                false
            }
        }
    }

    fn drop_watches(&self, route: &Route) {
        self.with_watches(route, |source, table, owner| table.forget_all(source, owner));
        // A root can hold another root's git data.
        let _ = self.renew_git();
    }

    /// Replaces the folders of git's data that are watched for a root.
    pub(crate) fn watch_git(
        &self,
        route: &Arc<Route>,
        folders: &[(PathBuf, GitFolder)],
    ) -> Result<(), WatchError> {
        self.router.write(|routes| {
            routes.forget_git(route.id);
            for (folder, kind) in folders {
                routes.git.entry(folder.clone()).or_default().push((route.clone(), *kind));
            }
        });
        self.renew_git()
    }

    /// Watches the folders that the routes name as git's data, and no others as such.
    fn renew_git(&self) -> Result<(), WatchError> {
        self.with_watcher(|source, table| {
            // Read while nobody else renews, and released before the watcher is called, because its handler needs the
            // routes.
            let folders: BTreeSet<PathBuf> = self.router.read(|routes| routes.git.keys().cloned().collect());
            table.forget_unless(source, GIT, |at| folders.contains(at));
            for folder in &folders {
                match table.watch_any(source, GIT, folder) {
                    Ok(()) | Err(WatchError::Gone) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })
        .unwrap_or(Ok(()))
    }
}

/// A root's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootOptions {
    /// Extra patterns in the syntax of ignore files; they go before all others.
    pub ignore: Vec<String>,
    /// The user's global excludes. See [`RootOptions::for_user`].
    pub global_excludes: Option<PathBuf>,
    /// The user's home folder: repositories in it or above it don't count for the projects below.
    pub home: Option<PathBuf>,
}

impl RootOptions {
    /// With the global excludes and the home folder of the user that the process runs as.
    pub fn for_user(ignore: Vec<String>) -> Self {
        let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        Self { ignore, global_excludes: ignore::gitignore::gitconfig_excludes_path(), home }
    }
}
