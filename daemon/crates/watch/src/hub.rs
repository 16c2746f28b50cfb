//! The one watcher behind all repositories, and who gets which event.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::clock::{Clock, SystemClock};
use crate::cookie::Cookies;
use crate::disk::Identity;
use crate::fs_type;
use crate::git::{GitChange, GitFolder};
use crate::inbox::{Inbox, Limits, Rescan, Serial, Settle, Waited};
use crate::root::CanonicalRoot;
use crate::source::{Source, SystemSource, WatchError};
use crate::table::{Owner, Table};
use crate::tree::Tree;

/// A root within this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RootId(pub(crate) u32);

/// How the hub works.
#[derive(Clone)]
pub struct HubConfig {
    /// The daemon's own folder for cookies; created if it is missing. Best on a `tmpfs` (the runtime folder), and
    /// used for nothing else.
    pub cookie_folder: PathBuf,
    /// How long changes settle.
    pub settle: Settle,
    /// What an inbox holds.
    pub limits: Limits,
    /// A cookie that has not come through after this long is taken for lost, and its folder is watched anew.
    pub cookie_patience: Duration,
    /// Where the time comes from.
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

/// How a root is kept up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchKind {
    /// By events.
    Watching,
    /// By comparing the tree for each barrier.
    Scanning {
        /// Why, and what can be done.
        reason: String,
    },
}

/// A root's state, for status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchStatus {
    /// How it is kept up to date.
    pub kind: WatchKind,
    /// The number of watched folders.
    pub watches: usize,
    /// When its last event came, in nanoseconds since 1970.
    pub last_event_ns: Option<i64>,
}

/// How [`TreeHandle::sync`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synced {
    /// Every write that had finished before the call is committed.
    Confirmed,
    /// That could not be confirmed in time.
    TimedOut,
    /// The root was removed.
    Closed,
}

/// A barrier that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its number.
    pub serial: Serial,
    epoch: u64,
}

/// What the watcher's handler needs. It shares nothing with those who call the watcher but short locks that are never
/// held during such a call.
pub(crate) struct Router {
    routes: RwLock<Routes>,
    cookies: Cookies,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct Routes {
    /// The longest path first.
    roots: Vec<Arc<Route>>,
    /// Folders of git's data, and whose they are.
    git: HashMap<PathBuf, Vec<(Arc<Route>, GitFolder)>>,
}

pub(crate) struct Route {
    pub(crate) id: RootId,
    pub(crate) path: PathBuf,
    pub(crate) inbox: Arc<Inbox>,
    last_event_ns: AtomicI64,
    /// Why it is scanned, if it is.
    scanning: Mutex<Option<String>>,
    /// Which folder the root was when it was last compared.
    pub(crate) identity: Mutex<Option<Identity>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // None of the locked sections leaves anything half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Router {
    fn read<T>(&self, with: impl FnOnce(&Routes) -> T) -> T {
        with(&self.routes.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, with: impl FnOnce(&mut Routes) -> T) -> T {
        with(&mut self.routes.write().unwrap_or_else(PoisonError::into_inner))
    }

    fn each_inbox(&self, each: impl Fn(&Inbox)) {
        self.read(|routes| routes.roots.iter().for_each(|route| each(&route.inbox)));
    }
}

/// Takes the events of a [`Source`], in the order in which they happened. Never waits.
#[derive(Clone)]
pub struct Sink(Arc<Router>);

impl Sink {
    /// Something at this absolute path may have changed.
    pub fn touched(&self, path: &Path) {
        let router = &*self.0;
        if let Some(rest) = relative(path, router.cookies.folder()) {
            return self.cookie_touched(rest);
        }
        let now = router.clock.wall_ns();
        router.read(|routes| {
            if !routes.git.is_empty() && routes.touch_git(path) {
                return;
            }
            for route in &routes.roots {
                if let Some(rest) = relative(path, &route.path) {
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
        self.0.each_inbox(|inbox| inbox.lost_events(Rescan::Overflow));
    }

    /// The watcher failed to read an event.
    pub fn failed(&self, error: &dyn std::fmt::Display) {
        tracing::warn!(%error, "the file watcher reported an error; all repositories are compared with their ledgers");
        self.0.each_inbox(|inbox| inbox.lost_events(Rescan::WatcherError));
    }

    pub(crate) fn deliver_issued_cookies(&self) {
        let serial = self.0.cookies.last_issued();
        self.0.each_inbox(|inbox| inbox.arrive(serial));
    }
}

impl Routes {
    /// Is it git's data? Then it is nothing else.
    fn touch_git(&self, path: &Path) -> bool {
        if let Some(whose) = self.git.get(path) {
            // The folder itself came, went or moved. It may also be the `.git` of a tree, which its root must see.
            whose.iter().for_each(|(route, _)| route.inbox.touch_head());
            return false;
        }
        let Some(whose) = path.parent().and_then(|folder| self.git.get(folder)) else { return false };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        for (route, folder) in whose {
            match folder.change(name) {
                Some(GitChange::Head) => route.inbox.touch_head(),
                Some(GitChange::Excludes) => route.inbox.ask_rescan(Rescan::Rules),
                None => {}
            }
        }
        true
    }
}

/// The part of `path` below `root`; empty for `root` itself.
fn relative<'a>(path: &'a Path, root: &Path) -> Option<&'a Path> {
    let inside = path.as_os_str().as_encoded_bytes().starts_with(root.as_os_str().as_encoded_bytes());
    if inside { path.strip_prefix(root).ok() } else { None }
}

struct Watcher {
    source: Result<Box<dyn Source>, WatchError>,
    table: Table,
}

pub(crate) struct HubInner {
    pub(crate) router: Arc<Router>,
    watcher: Mutex<Watcher>,
    pub(crate) config: HubConfig,
    waiting: Arc<AtomicUsize>,
    next_root: AtomicU32,
}

/// For whom the cookie folder is watched.
const NOBODY: Owner = Owner { depth: 0, id: u32::MAX };

/// The one watcher, its cookies, and the roots that it serves. Clones are the same hub.
#[derive(Clone)]
pub struct Hub(pub(crate) Arc<HubInner>);

impl Hub {
    /// Starts the system's watcher. Without one (a limit of the system, for example) the hub works all the same, by
    /// scanning, and each root's status says why.
    pub fn start(config: HubConfig) -> Self {
        Self::with_source(config, |sink| {
            SystemSource::start(sink).map(|source| Box::new(source) as Box<dyn Source>)
        })
    }

    /// Uses another source of events.
    pub fn with_source(
        config: HubConfig,
        start: impl FnOnce(Sink) -> Result<Box<dyn Source>, WatchError>,
    ) -> Self {
        let token = config.clock.wall_ns().unsigned_abs();
        // Events carry real paths.
        let _ = std::fs::create_dir_all(&config.cookie_folder);
        let folder = config.cookie_folder.canonicalize().unwrap_or_else(|_| config.cookie_folder.clone());
        let router = Arc::new(Router {
            routes: RwLock::default(),
            cookies: Cookies::new(folder, token),
            clock: config.clock.clone(),
        });
        let source = start(Sink(router.clone()));
        let hub = Self(Arc::new(HubInner {
            router,
            watcher: Mutex::new(Watcher { source, table: Table::default() }),
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
        let route = Arc::new(Route {
            id,
            path: root.path().to_owned(),
            inbox,
            last_event_ns: AtomicI64::new(0),
            scanning: Mutex::default(),
            identity: Mutex::default(),
        });
        self.0.router.write(|routes| {
            let at = routes
                .roots
                .partition_point(|other| other.path.as_os_str().len() >= route.path.as_os_str().len());
            routes.roots.insert(at, route.clone());
        });
        let unwatchable = match &lock(&self.0.watcher).source {
            Ok(_) => fs_type::without_events(root.path()),
            Err(error) => Some(format!("no file watcher: {error}")),
        };
        if let Some(reason) = unwatchable {
            self.0.degrade(&route, reason);
        }
        Tree::new(TreeHandle { hub: self.clone(), route }, options)
    }

    /// Removes a root: its worker's [`Inbox::next`] returns `None`, and its barriers end as closed.
    pub fn remove_root(&self, id: RootId) {
        let route = self.0.router.write(|routes| {
            routes.git.retain(|_, whose| {
                whose.retain(|(route, _)| route.id != id);
                !whose.is_empty()
            });
            let at = routes.roots.iter().position(|route| route.id == id)?;
            Some(routes.roots.remove(at))
        });
        let Some(route) = route else { return };
        route.inbox.close();
        self.0.with_watcher(|source, table| table.forget_all(source, route.owner()));
        // Worktrees share folders of git's data; some may have been watched in the name of this one.
        let left: Vec<(PathBuf, Arc<Route>)> = self.0.router.read(|routes| {
            routes
                .git
                .iter()
                .filter_map(|(folder, whose)| Some((folder.clone(), whose.first()?.0.clone())))
                .collect()
        });
        for (folder, route) in left {
            self.0.with_watcher(|source, table| table.watch_any(source, route.owner(), &folder));
        }
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
        lock(&self.0.watcher).table.len()
    }
}

impl Route {
    fn owner(&self) -> Owner {
        Owner { depth: self.path.as_os_str().len(), id: self.id.0 }
    }

    pub(crate) fn is_scanning(&self) -> bool {
        lock(&self.scanning).is_some()
    }
}

impl HubInner {
    fn with_watcher<T>(&self, with: impl FnOnce(&mut dyn Source, &mut Table) -> T) -> Option<T> {
        let mut watcher = lock(&self.watcher);
        let Watcher { source, table } = &mut *watcher;
        source.as_deref_mut().ok().map(|source| with(source, table))
    }

    /// Makes sure that the cookie folder exists and is watched.
    fn repair_cookies(&self) -> io::Result<()> {
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
        self.with_watcher(|source, table| table.watch(source, route.owner(), path, identity, round))
            .unwrap_or(Err(WatchError::Failed("there is none".into())))
    }

    pub(crate) fn forget_below(&self, route: &Route, path: &Path) {
        self.with_watcher(|source, table| table.forget_below(source, route.owner(), path));
    }

    /// Stops watching what lies at or below `path` and was not watched in this round.
    pub(crate) fn forget_stale(&self, route: &Route, path: &Path, round: u32) {
        self.with_watcher(|source, table| table.forget_stale(source, route.owner(), path, round));
    }

    /// Stops watching a root's folders: from now on it is scanned.
    pub(crate) fn degrade(&self, route: &Arc<Route>, reason: String) {
        tracing::warn!(root = %route.path.display(), reason, "the repository is scanned instead of watched");
        *lock(&route.scanning) = Some(reason);
        route.inbox.start_scanning();
        self.with_watcher(|source, table| table.forget_all(source, route.owner()));
    }

    /// Replaces the folders of git's data that are watched for a root.
    pub(crate) fn watch_git(&self, route: &Arc<Route>, folders: &[(PathBuf, GitFolder)]) {
        self.router.write(|routes| {
            routes.git.retain(|_, whose| {
                whose.retain(|(other, _)| other.id != route.id);
                !whose.is_empty()
            });
            for (folder, kind) in folders {
                routes.git.entry(folder.clone()).or_default().push((route.clone(), *kind));
            }
        });
        for (folder, _) in folders {
            let result = self.with_watcher(|source, table| table.watch_any(source, route.owner(), folder));
            match result {
                Some(Err(WatchError::Gone)) | Some(Ok(())) | None => {}
                Some(Err(error)) => {
                    return self.degrade(route, format!("git's data can't be watched: {error}"));
                }
            }
        }
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

/// A root, for those who ask for barriers and status. Clones are the same root.
#[derive(Clone)]
pub struct TreeHandle {
    pub(crate) hub: Hub,
    pub(crate) route: Arc<Route>,
}

impl TreeHandle {
    /// The root's id.
    pub fn id(&self) -> RootId {
        self.route.id
    }

    /// The root's path.
    pub fn root(&self) -> &Path {
        &self.route.path
    }

    /// Its pending changes.
    pub fn inbox(&self) -> &Arc<Inbox> {
        &self.route.inbox
    }

    /// Asks for a barrier: a cookie, or a scan where there are no events to trust.
    pub fn request(&self) -> Ticket {
        let inbox = &self.route.inbox;
        let epoch = inbox.epoch();
        self.check_root();
        let (serial, result) = self.hub.0.router.cookies.issue(|| self.hub.0.repair_cookies());
        if self.route.is_scanning() || result.is_err() {
            inbox.arrive_by_scan(serial);
        }
        Ticket { serial, epoch }
    }

    /// Waits for a barrier.
    pub fn wait(&self, ticket: Ticket, deadline: Instant) -> Waited {
        self.route.inbox.wait_epoch(ticket.serial, ticket.epoch, deadline)
    }

    /// Blocks until every write that finished before this call is committed. Lost events start it over.
    pub fn sync(&self, deadline: Instant) -> Synced {
        let config = &self.hub.0.config;
        let mut patience = config.cookie_patience;
        loop {
            let ticket = self.request();
            let until = (config.clock.now() + patience).min(deadline);
            let mut waited = self.wait(ticket, until);
            if waited == Waited::TimedOut && until < deadline {
                if self.route.inbox.has_arrived(ticket.serial) {
                    // The worker is busy, the cookie is fine.
                    waited = self.wait(ticket, deadline);
                } else {
                    tracing::warn!("a cookie did not come through; its folder is watched anew");
                    let _ = self.hub.0.repair_cookies();
                    patience *= 2;
                    continue;
                }
            }
            match waited {
                Waited::Released => return Synced::Confirmed,
                Waited::TimedOut => return Synced::TimedOut,
                Waited::Closed => return Synced::Closed,
                Waited::Aborted => {}
            }
        }
    }

    /// Asks for a comparison of the whole tree.
    pub fn rescan(&self) {
        self.route.inbox.ask_rescan(Rescan::Requested);
    }

    /// A root that was moved, replaced or unmounted sends no event to say so.
    fn check_root(&self) {
        let known = *lock(&self.route.identity);
        if known.is_some() && crate::disk::identity_of(&self.route.path).ok() != known {
            *lock(&self.route.identity) = None;
            self.route.inbox.ask_rescan(Rescan::Root);
        }
    }

    /// How the root is kept up to date.
    pub fn status(&self) -> WatchStatus {
        let reason = lock(&self.route.scanning).clone();
        let last = self.route.last_event_ns.load(Ordering::Relaxed);
        WatchStatus {
            kind: reason.map_or(WatchKind::Watching, |reason| WatchKind::Scanning { reason }),
            watches: lock(&self.hub.0.watcher).table.count(self.route.owner()),
            last_event_ns: (last != 0).then_some(last),
        }
    }
}
