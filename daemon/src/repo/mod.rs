//! One registered repository: its ledger, its tree, and the worker that keeps the one up to date with the other.

mod ailment;
mod built_by;
pub mod catalog;
mod commits;
mod insight;
mod past;
mod refresh;
mod restore;
mod worker;
mod working;
mod worktree;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use sdl_ledger::{FactsStore, How, Ledger, Options, Snapshot};
use sdl_model::{GitHead, Lang, RelPath, Version};
use sdl_retrieve::card::Enrichment;
use sdl_retrieve::part::{Part, SoFar};
use sdl_retrieve::past::{NoPast, Past};
use sdl_tools::host::{
    Barrier, RefreshOutcome, RefreshSpec, RepoHealth, RepoState, RepoStatus, Unread, WatcherKind,
    WatcherStatus,
};
use sdl_tools::{Cancel, Damage, Progress, ToolError};
use sdl_watch::{CanonicalRoot, Crawl, FileRead, Hub, ReadError, RootOptions, Synced, TreeHandle, WatchKind};

use crate::feed::Feed;
use crate::index::Stores;
use crate::index::budget::Budget;
use crate::index::pace::Pace;
use crate::index::read_file::Reader;
use crate::revision;
pub use ailment::Ailment;
use catalog::Entry;
use working::{Became, Working};
pub use worktree::Worktree;

/// The reasons why a repository can't be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its ledger can't be opened.
    #[error(transparent)]
    Ledger(#[from] sdl_ledger::Error),
    /// Its worker can't be started.
    #[error("its worker can't be started: {0}")]
    Thread(std::io::Error),
}

/// The last state that the worker reported.
#[derive(Clone, Debug, PartialEq)]
enum Stage {
    Indexing { done: u64, total: Option<u64> },
    Live,
    Failed(String),
}

/// Called by a repository's worker, or by a reader, when its ledger has to be opened again. Returns true if that is
/// under way: the ledger must not be used any more then.
pub type OnAilment = Box<dyn Fn(&Repo, &Ailment) -> bool + Send + Sync>;

/// Called by a repository's worker when its root is not there, with the number of looks in a row that found that.
pub type OnRootGone = Box<dyn Fn(&Repo, u32) + Send + Sync>;

/// Finds the ledger from whose rows one without a version may start.
pub type FindSource<'a> = Box<dyn FnOnce() -> Option<Source> + 'a>;

/// A ledger from whose rows another one starts.
pub enum Source {
    /// That of another worktree, or of a clone.
    Kin(Arc<Repo>),
    /// One that was made of a snapshot, and that serves nobody.
    Snapshot(Arc<Ledger>),
}

impl Source {
    fn ledger(&self) -> &Ledger {
        match self {
            Self::Kin(repo) => &repo.ledger,
            Self::Snapshot(ledger) => ledger,
        }
    }

    /// For the log.
    fn name(&self) -> &str {
        match self {
            Self::Kin(repo) => &repo.entry.repo_id,
            Self::Snapshot(_) => "a snapshot",
        }
    }
}

/// The places that a repository works with.
pub struct Site<'a> {
    /// The ledger's folder.
    pub dir: PathBuf,
    /// The facts of all repositories.
    pub facts: Arc<FactsStore>,
    /// The facts that the ledger names may be missing.
    pub facts_lost: bool,
    /// The memory that indexing it may take.
    pub budget: Budget,
    /// Watches its tree.
    pub hub: Hub,
    /// Hears of its versions and states.
    pub feed: Arc<Feed>,
    /// See [`FindSource`].
    pub source: FindSource<'a>,
    /// See [`OnRootGone`].
    pub on_root_gone: OnRootGone,
    /// See [`OnAilment`].
    pub on_ailment: OnAilment,
    /// Called once, when the first batch is processed.
    pub on_through: Box<dyn FnOnce() + Send>,
}

/// How long a worker may take to end.
pub const FAREWELL: Duration = Duration::from_secs(10);

/// One registered repository.
pub struct Repo {
    entry: Entry,
    root: CanonicalRoot,
    /// See [`sdl_tools::Repo::family`].
    family: String,
    /// The ledger's folder.
    dir: PathBuf,
    rules: sdl_lang::Rules,
    ledger: Ledger,
    facts: Arc<FactsStore>,
    budget: Budget,
    hub: Hub,
    me: Weak<Self>,
    feed: Arc<Feed>,
    tree: TreeHandle,
    insight: insight::Insight,
    stage: Mutex<Stage>,
    pace: Pace,
    /// What the index under way has read.
    so_far: SoFar,
    head: Mutex<Option<GitHead>>,
    /// Files whose facts were extracted, and files whose facts were known, since the start.
    parsed: AtomicU64,
    reused: AtomicU64,
    /// The next rescan must read every file, even if `stat` shows no change.
    thorough: AtomicBool,
    /// Facts that the ledger names must be made again from the files.
    restoring: AtomicBool,
    /// The problem with the facts, until the daemon is started again.
    facts_problem: Mutex<Option<String>>,
    /// The reason why git's data is not read, if there is any.
    git_problem: Mutex<Option<String>>,
    /// The same for git's index alone.
    index_problem: Mutex<Option<String>>,
    /// The rules that excluded entries of the tree from the index.
    ignored_by: Mutex<Vec<String>>,
    revisions: revision::Revisions,
    worker: Mutex<Option<Working>>,
    /// Long-running work must stop.
    closing: AtomicBool,
    on_through: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    on_root_gone: OnRootGone,
    on_ailment: OnAilment,
    gone: Mutex<Option<Receiver<Infallible>>>,
    // Dropped last, because the holder of the other end takes that as the sign that the ledger is closed.
    _alive: Sender<Infallible>,
}

impl Repo {
    /// Opens the ledger of the site and starts the worker, whose first batch compares the tree with it. If the facts
    /// are lost or were built by other rules, everything is read and resolved again.
    pub fn start(
        entry: Entry,
        root: CanonicalRoot,
        site: Site<'_>,
        options: &Options,
    ) -> Result<(Arc<Self>, How), OpenError> {
        let Site { dir, facts, facts_lost, budget, hub, feed, source, on_root_gone, on_ailment, on_through } =
            site;
        let mut opened = Ledger::open(&dir, options)?;
        if opened.ledger.head().is_none()
            && let Some(source) = source()
        {
            tracing::info!(repo = entry.repo_id, from = source.name(), "starts from another ledger");
            opened = opened.inherit(source.ledger(), options)?;
        }
        let (alive, gone) = mpsc::channel();
        let tree = hub.add_root(&root, RootOptions::for_user(entry.ignore.clone()));
        let default = sdl_lang::Limits::default();
        let stage = match opened.ledger.head() {
            Some(_) if built_by::is_current(&dir) && !facts_lost => Stage::Live,
            _ => Stage::Indexing { done: 0, total: None },
        };
        let repo = Arc::new_cyclic(|me| Self {
            rules: sdl_lang::Rules {
                languages: entry.languages.iter().filter_map(|name| Lang::from_name(name)).collect(),
                limits: sdl_lang::Limits { max_bytes: entry.max_file_bytes.unwrap_or(default.max_bytes) },
            },
            family: crate::git::family_of(root.path()).unwrap_or_else(|| entry.repo_id.clone()),
            root,
            dir,
            ledger: opened.ledger,
            facts,
            budget,
            hub,
            me: me.clone(),
            feed,
            tree: tree.handle().clone(),
            insight: insight::Insight::default(),
            stage: Mutex::new(stage),
            pace: Pace::default(),
            so_far: SoFar::default(),
            head: Mutex::default(),
            parsed: AtomicU64::new(0),
            reused: AtomicU64::new(0),
            thorough: AtomicBool::new(false),
            restoring: AtomicBool::new(false),
            facts_problem: Mutex::default(),
            git_problem: Mutex::default(),
            index_problem: Mutex::default(),
            ignored_by: Mutex::default(),
            revisions: revision::Revisions::default(),
            worker: Mutex::default(),
            closing: AtomicBool::new(false),
            on_through: Mutex::new(Some(on_through)),
            on_root_gone,
            on_ailment,
            gone: Mutex::new(Some(gone)),
            _alive: alive,
            entry,
        });
        let name = format!("repo {}", repo.entry.repo_id);
        let work = worker::Worker::new(repo.clone(), tree);
        let working = Working::begin(name, move || work.run()).map_err(OpenError::Thread)?;
        *lock_mutex(&repo.worker) = Some(working);
        Ok((repo, opened.how))
    }

    /// Ends the worker after the batch it is on, and waits for that.
    pub fn close(&self) {
        self.begin_close();
        self.finish_close(Instant::now() + FAREWELL);
    }

    /// Asks the worker to end.
    pub fn begin_close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        self.hub.remove_root(self.tree.id());
    }

    /// Waits until the worker has ended, but not longer than `deadline`.
    pub fn finish_close(&self, deadline: Instant) {
        let Some(worker) = lock_mutex(&self.worker).take() else { return };
        match worker.end(deadline) {
            Became::Ended => {}
            Became::Panicked => tracing::error!(repo = self.entry.repo_id, "the worker had panicked"),
            Became::LeftBehind => {
                tracing::error!(
                    repo = self.entry.repo_id,
                    "the worker does not end; the daemon goes on without it"
                );
            }
        }
    }

    /// Ends when nobody holds this any more and the ledger is closed. Only the first caller gets it.
    pub fn gone(&self) -> Option<Receiver<Infallible>> {
        lock_mutex(&self.gone).take()
    }

    /// Its root, checked.
    pub fn canonical_root(&self) -> &CanonicalRoot {
        &self.root
    }

    /// Handles a problem of a store; returns true if the repository is taken out of service for that.
    fn see_to(&self, ailment: &Ailment) -> bool {
        match ailment {
            Ailment::Damaged(why) => {
                self.set_stage(Stage::Failed("its ledger is damaged; it is rebuilt".to_owned()));
                if let Err(error) = self.ledger.condemn(why) {
                    tracing::error!(%error, "the damaged ledger can't be marked as such");
                }
            }
            Ailment::FactsDamaged(why) => {
                *lock_mutex(&self.facts_problem) = Some(format!(
                    "the facts of all repositories are damaged ({why}); to have them extracted again: sdlctl restart"
                ));
                if let Err(error) = self.facts.condemn(why) {
                    tracing::error!(%error, "the damaged facts can't be marked as such");
                }
            }
            Ailment::FactsMissing(why) => {
                self.set_stage(Stage::Failed(format!(
                    "stored facts are damaged ({why}); they are extracted again from the files"
                )));
                self.restoring.store(true, Ordering::SeqCst);
                self.tree.rescan();
            }
            Ailment::Shut(_) => self.set_stage(Stage::Failed("its ledger is opened again".to_owned())),
        }
        (self.on_ailment)(self, ailment)
    }

    /// The entry that it was registered with.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Whether another repository may start from its ledger: it has a version that is whole and of this build's rules.
    pub fn is_source(&self) -> bool {
        self.ledger.head().is_some() && *lock_mutex(&self.stage) == Stage::Live
    }

    /// How many files' facts were extracted since the start.
    pub fn parsed_files(&self) -> u64 {
        self.parsed.load(Ordering::Relaxed)
    }

    /// See [`revision::Revisions::unlike_head`].
    pub fn unlike_head(
        &self,
        snapshot: &Snapshot<'_>,
        cancel: &Cancel,
    ) -> Result<(String, Vec<RelPath>), ToolError> {
        let site = revision::Site { root: self.root.path(), facts: &self.facts, rules: &self.rules };
        self.revisions.unlike_head(site, snapshot, cancel)
    }

    /// The commit that its newest version recorded.
    pub fn head_commit(&self) -> Option<String> {
        lock_mutex(&self.head).as_ref().and_then(|head| head.commit.clone())
    }

    /// The newest version; none before the first index is done.
    pub fn head_version(&self) -> Option<Version> {
        self.ledger.head()
    }

    /// Whether its first index is still under way.
    pub fn is_indexing(&self) -> bool {
        matches!(*lock_mutex(&self.stage), Stage::Indexing { .. })
    }

    /// Reads the tree's files, with facts from `facts`.
    pub fn reader<'a>(&'a self, files: sdl_watch::Reader, facts: &'a FactsStore) -> Reader<'a> {
        Reader { files, facts, rules: &self.rules, anew: false }
    }

    /// The stores that its index lives in.
    pub fn stores(&self) -> Stores<'_> {
        Stores { ledger: &self.ledger, facts: &self.facts, budget: self.budget }
    }

    /// Lists the whole tree, apart from watching, and opens it for reading.
    pub fn crawl_all(&self) -> std::io::Result<(Vec<sdl_watch::Found>, sdl_watch::Reader)> {
        let crawl = Crawl::new(&self.root, &RootOptions::for_user(self.entry.ignore.clone()))?;
        let reader = sdl_watch::Reader::open(&self.root)?;
        Ok((crawl.run().found, reader))
    }

    fn set_stage(&self, stage: Stage) {
        *lock_mutex(&self.stage) = stage;
        self.feed.note_state(&self.me);
    }
}

impl sdl_tools::Repo for Repo {
    fn id(&self) -> &str {
        &self.entry.repo_id
    }

    fn root(&self) -> &Path {
        self.root.path()
    }

    fn family(&self) -> &str {
        &self.family
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn facts(&self) -> &FactsStore {
        &self.facts
    }

    fn barrier(&self, timeout: Duration, cancel: &Cancel) -> Barrier {
        let asked = Instant::now();
        let deadline = asked + cancel.at_most(timeout);
        let failed = matches!(*lock_mutex(&self.stage), Stage::Failed(_));
        // Try now instead of after the back-off, because the caller may know that the problem is over.
        let synced = if failed { self.tree.sync_now(deadline) } else { self.tree.sync(deadline) };
        let (confirmed, reason) = match (synced, &*lock_mutex(&self.stage)) {
            (_, Stage::Failed(why)) => (false, Some(why.clone())),
            (_, Stage::Indexing { .. }) => (false, Some("the first index is under way".to_owned())),
            (Synced::Confirmed, Stage::Live) => (true, None),
            (Synced::TimedOut | Synced::Failed, Stage::Live) => (
                false,
                Some(format!("changes were still being read after {} ms", asked.elapsed().as_millis())),
            ),
            (Synced::Closed, Stage::Live) => (false, Some("the repository was removed".to_owned())),
        };
        let timed_out = synced == Synced::TimedOut;
        let lag_ms = if confirmed { 0 } else { asked.elapsed().as_millis() as u64 };
        let degraded = match self.tree.status().kind {
            WatchKind::Watching => None,
            WatchKind::Scanning { reason } => Some(format!("scanning: {reason}")),
        };
        Barrier { synced: confirmed, lag_ms, reason: reason.or(degraded), timed_out }
    }

    fn enrichment<'a>(&'a self, snapshot: &'a Snapshot<'a>) -> Box<dyn Enrichment + 'a> {
        self.insight.at(self.root.path(), snapshot)
    }

    fn past(&self, snapshot: &Snapshot<'_>) -> Result<Arc<Past>, NoPast> {
        self.insight.past(self.root.path(), snapshot)
    }

    fn revision(
        &self,
        revision: &str,
        snapshot: &Snapshot<'_>,
        cancel: &Cancel,
    ) -> Result<sdl_tools::host::Revision, ToolError> {
        let site = revision::Site { root: self.root.path(), facts: &self.facts, rules: &self.rules };
        self.revisions.find(site, revision, snapshot, cancel)
    }

    fn read_file(&self, path: &RelPath, most: u64) -> Result<Vec<u8>, Unread> {
        let reader =
            sdl_watch::Reader::open(&self.root).map_err(|error| Unread::Failed(error.to_string()))?;
        match reader.read(path, most) {
            Ok(FileRead::Bytes { bytes, .. }) => Ok(bytes),
            Ok(FileRead::TooLarge { .. }) => Err(Unread::TooLarge),
            Err(ReadError::Gone(_) | ReadError::NotAFile(_)) => Err(Unread::Gone),
            Err(error) => Err(Unread::Failed(error.to_string())),
        }
    }

    fn rules(&self) -> sdl_lang::Rules {
        self.rules.clone()
    }

    fn part(&self) -> Option<Part> {
        self.so_far.part()
    }

    fn status(&self) -> RepoStatus {
        let watch = self.tree.status();
        let degraded = match watch.kind {
            WatchKind::Watching => None,
            WatchKind::Scanning { reason } => Some(reason),
        };
        let state = match (lock_mutex(&self.stage).clone(), &degraded) {
            (Stage::Indexing { done, total }, _) => {
                RepoState::Indexing { done, total, left: self.pace.left(Instant::now()) }
            }
            (Stage::Failed(reason), _) => RepoState::Failed { reason },
            (Stage::Live, None) => RepoState::Live,
            (Stage::Live, Some(_)) => RepoState::Scanning,
        };
        let facts_problem = lock_mutex(&self.facts_problem).clone();
        let health = match (&state, facts_problem, &degraded) {
            (RepoState::Failed { reason }, ..) => RepoHealth::Failed(reason.clone()),
            (_, Some(problem), _) => RepoHealth::Failed(problem),
            (_, None, Some(reason)) => RepoHealth::Degraded(reason.clone()),
            (_, None, None) => RepoHealth::Ok,
        };
        let watcher = WatcherStatus {
            kind: if degraded.is_some() { WatcherKind::Scan } else { NATIVE_WATCHER },
            watches: watch.watches as u64,
            last_event_ms: watch.last_event_ns.map(|ns| (ns / 1_000_000) as u64),
            degraded_reason: degraded,
        };
        let git_problem =
            lock_mutex(&self.git_problem).clone().or_else(|| lock_mutex(&self.index_problem).clone());
        let ignored_by = lock_mutex(&self.ignored_by).clone();
        RepoStatus { state, head: lock_mutex(&self.head).clone(), git_problem, ignored_by, watcher, health }
    }

    fn damaged(&self, damage: &Damage) {
        if let Some(ailment) = Ailment::of_damage(damage, &self.dir) {
            self.see_to(&ailment);
        }
    }

    fn refresh(
        &self,
        spec: RefreshSpec,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<RefreshOutcome, ToolError> {
        refresh::run_refresh(self, &spec, progress, cancel)
    }
}

const NATIVE_WATCHER: WatcherKind = if cfg!(target_os = "linux") {
    WatcherKind::Inotify
} else if cfg!(target_os = "macos") {
    WatcherKind::FsEvents
} else if cfg!(windows) {
    WatcherKind::Windows
} else {
    WatcherKind::Kqueue
};

/// A poisoned lock is used all the same, because nothing done under these locks can leave the value half changed.
fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
