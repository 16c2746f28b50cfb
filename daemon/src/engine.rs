//! The daemon without its socket: the stores, the watcher and the registered repositories.

mod absent;
mod former;
mod mend;
mod offered;
mod siblings;
mod starts;
mod sweep;
mod workspaces;
mod worktrees;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::Instant;

use sdl_ledger::{AgentStore, FactsStore, How, Options};
use sdl_model::ids::EXTRACTOR_VERSION;
use sdl_outside::Outside;
use sdl_retrieve::meaning::Meaning;
use sdl_tools::audit::Audit;
use sdl_tools::host::{
    Absence, HostInfo, Limits, MemoryInfo, NamedWorkspace, RegisterSpec, Registered, Unserved, Upstreams,
};
use sdl_tools::policy::Ceilings;
use sdl_tools::{CallEnded, Code, Explained, Host, Repo as _, ToolError};
use sdl_watch::{CanonicalRoot, Hub, HubConfig, RootContext, check_root};

use crate::feed::Feed;
use crate::index::budget::{Budget, usable_memory};
use crate::index::memory::{self, Work};
use crate::repo::catalog::{self, Entry};
use crate::repo::{FAREWELL, OpenError, Repo, Site};
use crate::upstream::UpstreamManager;

/// The reasons why the daemon can't start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A store can't be opened.
    #[error(transparent)]
    Ledger(#[from] sdl_ledger::Error),
    /// The list of repositories can't be read or written.
    #[error(transparent)]
    Catalog(#[from] catalog::Error),
    /// A folder of ours can't be made.
    #[error("can't make {path:?}: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

/// Everything that outlives a request.
pub struct Engine {
    me: Weak<Self>,
    state: PathBuf,
    facts: Arc<FactsStore>,
    agent: AgentStore,
    /// The log of decisions, and the ceiling of the policies.
    audit: Audit,
    ceilings: Ceilings,
    /// For search by meaning, if the user provided a model.
    meaning: Option<Meaning>,
    /// For the source of dependencies, unless a person turned it off.
    outside: Option<Outside>,
    /// The facts store began empty, so it lacks the facts that ledgers name.
    facts_lost: bool,
    hub: Hub,
    options: Options,
    budget: Budget,
    repos: RwLock<BTreeMap<String, Arc<Repo>>>,
    absent: RwLock<Vec<absent::Absent>>,
    starts: starts::Starts,
    mending: mend::Mending,
    former: former::FormerTrees,
    offered: offered::Offered,
    /// Held while a worktree is registered, because several sessions may begin to work in it at a time.
    adding: Mutex<()>,
    /// Held while the list of repositories is stored, because several may be forgotten at a time.
    saving: Mutex<()>,
    warnings: RwLock<Vec<String>>,
    started: Instant,
    /// The connections to upstreams, once they are set up.
    upstreams: OnceLock<Arc<UpstreamManager>>,
    feed: Arc<Feed>,
}

impl Engine {
    /// Opens the stores below `state` and starts a worker for each registered repository. The caller holds the lock
    /// that makes this process the only one on `state`.
    pub fn open(state: &Path) -> Result<Arc<Self>, EngineError> {
        Self::open_with(state, Options::default())
    }

    /// The same with other settings of the repositories' ledgers.
    pub fn open_with(state: &Path, options: Options) -> Result<Arc<Self>, EngineError> {
        Self::open_with_facts(state, options, &Options::default())
    }

    /// The same with other settings of the facts' store too.
    pub fn open_with_facts(
        state: &Path,
        options: Options,
        of_facts: &Options,
    ) -> Result<Arc<Self>, EngineError> {
        for dir in ["repos", "cookies", "scratch"].map(|name| state.join(name)) {
            // Files that an unfinished request left are not needed any more.
            if dir.ends_with("scratch") {
                let _ = fs::remove_dir_all(&dir);
            }
            fs::create_dir_all(&dir).map_err(|source| EngineError::Folder { path: dir, source })?;
        }
        let (facts, how) = FactsStore::open(&state.join("facts"), of_facts)?;
        let (agent, agent_how) =
            AgentStore::open(&state.join("agent"), sdl_tools::AGENT_TABLES, &Options::default())?;
        sdl_tools::prepare_store(&agent)?;
        let audit = Audit::open(&state.join("audit"), &agent, &state.join("agent"), &agent_how)?;
        let hub = Hub::start(HubConfig::new(state.join("cookies")));
        let (budget, problem) = Budget::of_settings(state, usable_memory());
        tracing::info!(mib = budget.bytes() >> 20, "memory for indexing");
        facts.set_cache_bytes(budget.kept_bytes());
        let options = Options { gather_bytes: options.gather_bytes.min(budget.gather_bytes()), ..options };
        let engine = Arc::new_cyclic(|me| Self {
            me: me.clone(),
            state: state.to_owned(),
            facts: Arc::new(facts),
            agent,
            audit,
            ceilings: Ceilings::new(state),
            meaning: Meaning::of_settings(state),
            outside: Outside::of_settings(state, &|name| std::env::var_os(name).map(PathBuf::from)),
            facts_lost: !matches!(how, How::Existing | How::Migrated { .. }),
            hub,
            options,
            budget,
            repos: RwLock::default(),
            absent: RwLock::default(),
            starts: starts::Starts::new(state.join("starting")),
            mending: mend::Mending::default(),
            former: former::FormerTrees::load(state.join("former-worktrees.json")),
            offered: offered::Offered::default(),
            adding: Mutex::default(),
            saving: Mutex::default(),
            warnings: RwLock::new(Vec::from_iter(problem)),
            started: Instant::now(),
            upstreams: OnceLock::new(),
            feed: Feed::new(me.clone()),
        });
        engine.note_rebuild("the facts of all repositories", &how);
        engine.note_rebuild("what agents own", &agent_how);
        let known = catalog::load_catalog(&engine.catalog())?;
        let kept = engine.without_removed(known.clone());
        engine.start_all(kept);
        if engine.entries() != known {
            engine.save()?;
        }
        let sweeper = engine.clone();
        let sweep = move || sweeper.sweep_facts();
        if let Err(error) = std::thread::Builder::new().name("facts sweep".into()).spawn(sweep) {
            tracing::warn!(%error, "facts that nobody needs stay until the next start");
        }
        Ok(engine)
    }

    /// How many files' outlines are held decoded.
    pub fn decoded_outlines(&self) -> sdl_ledger::Result<usize> {
        Ok(self.facts.stats()?.cached)
    }

    /// Ends every worker after the batch it is on. Waits [`FAREWELL`] for all of them together, because a worker that
    /// hangs in a system call must not keep the process alive.
    pub fn close(&self) {
        let deadline = Instant::now() + FAREWELL;
        self.feed.close();
        self.mending.close();
        self.starts.close();
        let repos = std::mem::take(&mut *write_lock(&self.repos));
        for repo in repos.values() {
            repo.begin_close();
        }
        for repo in repos.values() {
            repo.finish_close(deadline);
        }
    }

    /// The registered repositories, in order of id.
    pub fn all_repos(&self) -> Vec<Arc<Repo>> {
        read_lock(&self.repos).values().cloned().collect()
    }

    /// Gives back the memory that requests which read much have left.
    pub(crate) fn give_memory_back(&self) {
        self.facts.forget_decoded();
        memory::trim_heap();
    }

    fn repo_of(&self, id: &str) -> Option<Arc<Repo>> {
        read_lock(&self.repos).get(id).cloned()
    }

    /// The repository with this id, or that holds this path, or the only one. The error lists the repositories.
    pub fn find_repo(&self, named: Option<&str>) -> Result<Arc<Repo>, String> {
        let repos = self.all_repos();
        let known = || {
            let ids: Vec<&str> = repos.iter().map(|repo| repo.id()).collect();
            match ids.as_slice() {
                [] => "none is registered; register one with: sdlctl repo add PATH".to_owned(),
                ids => format!("registered: {}", ids.join(", ")),
            }
        };
        let found = match named {
            Some(named) => repos.iter().find(|repo| repo.id() == named).cloned().or_else(|| {
                let path = fs::canonicalize(named).ok().filter(|_| Path::new(named).is_absolute())?;
                match self.worktree_root(&path) {
                    Some(_) => self.repo_of(&self.add_worktree(&path).ok()?),
                    None => self.innermost(&path),
                }
            }),
            None => repos.first().filter(|_| repos.len() == 1).cloned(),
        };
        let out = || {
            let mut out = self.unserved().into_iter();
            match named {
                Some(named) => out.find(|out| {
                    out.id == named || fs::canonicalize(named).is_ok_and(|path| path.starts_with(&out.root))
                }),
                None => out.next().filter(|_| repos.is_empty()),
            }
        };
        found.ok_or_else(|| match (out(), named) {
            (Some(out), _) => out.status_message(),
            (None, Some(named)) => format!("no repository is {named:?}; {}", known()),
            (None, None) => format!("say which repository; {}", known()),
        })
    }

    /// Forgets a repository and deletes its ledger. Agents' own data stays.
    pub fn remove(&self, id: &str) -> Result<(), EngineError> {
        let gone = write_lock(&self.repos).remove(id);
        if gone.is_none() && !self.mending.forget(id) && !self.forget_absent(id) {
            return Ok(());
        }
        self.starts.through(id);
        self.save()?;
        self.feed.note_gone(id);
        if let Some(repo) = gone {
            repo.close();
        }
        let dir = self.repo_dir(id);
        match fs::remove_dir_all(&dir) {
            // A repository that never could be opened.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(|source| EngineError::Folder { path: dir, source }),
        }
    }

    /// The id of the repository that is meant by its id or a path inside of it, whether it is served or not.
    pub fn find_id(&self, named: &str) -> Result<String, String> {
        let place = fs::canonicalize(named).ok();
        let out = self.unserved().into_iter();
        let mut meant = out.filter(|out| {
            out.id == named || place.as_ref().is_some_and(|place| place.starts_with(&out.root))
        });
        match meant.next() {
            Some(out) => Ok(out.id),
            // The tree around it is another one.
            None if place.is_some_and(|place| self.worktree_root(&place).is_some()) => {
                Err(format!("{named} is a git worktree that is not registered"))
            }
            None => self.find_repo(Some(named)).map(|repo| repo.id().to_owned()),
        }
    }

    /// Hands over the connections to upstreams. Their settings are read whenever the file may have changed.
    pub fn set_upstreams(&self, upstreams: Arc<UpstreamManager>) {
        let path = self.state.join(sdl_settings::FILE);
        if let Err(error) = self.hub.watch_file(&path, upstreams.touch()) {
            let warning = format!(
                "changes of {} are not noticed ({error}); after an edit run: sdlctl upstream reload",
                path.display()
            );
            self.warn(warning);
        }
        let _ = self.upstreams.set(upstreams);
    }

    /// The connections to upstreams.
    pub fn upstream_manager(&self) -> Option<&Arc<UpstreamManager>> {
        self.upstreams.get()
    }

    /// What the daemon does, for those who follow it.
    pub fn feed(&self) -> &Arc<Feed> {
        &self.feed
    }

    /// Why a registered repository is not served; none if it is served, or not registered.
    pub fn unserved_reason(&self, id: &str) -> Option<String> {
        self.unserved().into_iter().find(|unserved| unserved.id == id).map(|unserved| unserved.why)
    }

    /// The daemon's state folder.
    pub fn state_dir(&self) -> &Path {
        &self.state
    }

    /// Where requests may put temporary folders.
    pub fn scratch_dir(&self) -> PathBuf {
        self.state.join("scratch")
    }

    fn catalog(&self) -> PathBuf {
        self.state.join("repos.json")
    }

    fn repo_dir(&self, id: &str) -> PathBuf {
        self.state.join("repos").join(id)
    }

    fn save(&self) -> Result<(), catalog::Error> {
        let _one = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        catalog::store_catalog(&self.catalog(), &self.entries())
    }

    /// All that is registered, in order of id.
    fn entries(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.mending.entries();
        entries.extend(read_lock(&self.absent).iter().map(|absent| absent.entry.clone()));
        entries.extend(self.all_repos().iter().map(|repo| repo.entry().clone()));
        // A duplicate is removed, because a repository that moves from one list to the other is in both.
        entries.sort_by(|a, b| a.repo_id.cmp(&b.repo_id));
        entries.dedup_by(|a, b| a.repo_id == b.repo_id);
        entries
    }

    fn root_context(&self) -> RootContext {
        RootContext::for_user(vec![self.state.clone()])
    }

    /// Starts a repository and serves it. If the start ends the process, the next process knows it.
    fn start_repo(&self, entry: Entry, root: CanonicalRoot) -> Result<Arc<Repo>, OpenError> {
        let id = entry.repo_id.clone();
        self.starts.begin(&id);
        let repo = self.open_repo(entry, root).inspect_err(|_| self.starts.through(&id))?;
        self.former.reuse(&id, sdl_tools::Repo::family(&*repo));
        write_lock(&self.repos).insert(id, repo.clone());
        self.feed.note_state(&Arc::downgrade(&repo));
        Ok(repo)
    }

    fn open_repo(&self, mut entry: Entry, root: CanonicalRoot) -> Result<Arc<Repo>, OpenError> {
        entry.look_at_worktree();
        let id = entry.repo_id.clone();
        let engine = self.me.clone();
        let (started, me, gone) = (id.clone(), self.me.clone(), self.me.clone());
        let like = entry.clone();
        let site = Site {
            dir: self.repo_dir(&id),
            facts: self.facts.clone(),
            facts_lost: self.facts_lost,
            budget: self.budget,
            hub: self.hub.clone(),
            feed: self.feed.clone(),
            source: Box::new(move || self.source_for(&like)),
            on_root_gone: Box::new(move |repo, looks| {
                if let Some(engine) = gone.upgrade() {
                    engine.root_is_gone(repo, looks);
                }
            }),
            on_ailment: Box::new(move |ill, ailment| {
                engine.upgrade().is_some_and(|engine| engine.take_over(ill, ailment))
            }),
            on_through: Box::new(move || {
                if let Some(engine) = me.upgrade() {
                    engine.starts.through(&started);
                }
            }),
        };
        let (repo, how) = Repo::start(entry, root, site, &self.options)?;
        self.note_rebuild(&format!("the ledger of {id}"), &how);
        Ok(repo)
    }

    fn note_rebuild(&self, what: &str, how: &How) {
        if let How::Rebuilt { set_aside, why } = how {
            self.warn(format!("{what} was damaged ({why}); it is kept in {set_aside:?} and rebuilt"));
        }
    }

    fn warn(&self, warning: String) {
        tracing::warn!("{warning}");
        let mut warnings = write_lock(&self.warnings);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
}

impl Host for Engine {
    fn repos(&self) -> Vec<Arc<dyn sdl_tools::Repo>> {
        self.all_repos().into_iter().map(|repo| repo as Arc<dyn sdl_tools::Repo>).collect()
    }

    fn repo(&self, id: &str) -> Option<Arc<dyn sdl_tools::Repo>> {
        self.repo_of(id).map(|repo| repo as Arc<dyn sdl_tools::Repo>)
    }

    fn unserved(&self) -> Vec<Unserved> {
        let mut unserved = self.mending.list();
        unserved.extend(read_lock(&self.absent).iter().map(absent::Absent::to_unserved));
        unserved
    }

    fn workspaces(&self) -> Vec<NamedWorkspace> {
        self.known_workspaces()
    }

    fn register(&self, spec: RegisterSpec) -> Result<Registered, ToolError> {
        let repos = self.all_repos();
        let refused = |error: sdl_watch::RootError| ToolError::new(Code::RefusedRoot, error.to_string());
        if let Some(same) =
            fs::canonicalize(&spec.root).ok().and_then(|root| repos.iter().find(|repo| repo.root() == root))
        {
            if spec.id.as_deref().is_some_and(|id| id != same.id()) {
                let message = format!("this tree is registered already, as {:?}; use that id", same.id());
                return Err(ToolError::new(Code::Conflict, message));
            }
            return Ok(Registered { id: same.id().to_owned(), created: false, indexing: same.is_indexing() });
        }
        let out = self.mending.list();
        if let Some(out) =
            out.iter().find(|out| fs::canonicalize(&spec.root).is_ok_and(|root| root == out.root))
        {
            return Err(ToolError::new(Code::Unavailable, out.status_message()));
        }
        if let Some(absent) = self.absent_at(&spec.root) {
            if absent.absence == Absence::SetAside {
                return Err(ToolError::new(Code::Unavailable, absent.status_message()));
            }
            let repo = self.start_absent(&absent.id)?;
            return Ok(Registered { id: absent.id, created: false, indexing: repo.is_indexing() });
        }
        let roots = repos.iter().map(|repo| repo.root().to_owned());
        let taken: Vec<PathBuf> = roots.chain(out.iter().map(|out| out.root.clone())).collect();
        let root = check_root(&spec.root, &taken, &self.root_context()).map_err(refused)?;
        let absent: Vec<String> =
            read_lock(&self.absent).iter().map(|absent| absent.entry.repo_id.clone()).collect();
        let is_taken = |id: &str| {
            repos.iter().any(|repo| repo.id() == id)
                || absent.iter().any(|taken| taken == id)
                || out.iter().any(|out| out.id == id)
        };
        let id = match spec.id {
            Some(id) if !catalog::is_valid_id(&id) => {
                let message =
                    "an id is 1 to 64 letters, digits, '.', '_', '-', not beginning with '.' or '-'";
                return Err(ToolError::new(Code::InvalidArgument, message).at("repoId"));
            }
            Some(id) if is_taken(&id) => {
                let message = format!("{id:?} is the id of another tree; leave repoId out or choose another");
                return Err(ToolError::new(Code::Conflict, message).at("repoId"));
            }
            Some(id) => id,
            None => catalog::free_id(root.path(), is_taken),
        };
        let entry = Entry {
            repo_id: id.clone(),
            root: root.path().to_owned(),
            ignore: spec.ignore,
            languages: spec.languages.iter().map(|lang| lang.name().to_owned()).collect(),
            max_file_bytes: spec.max_file_bytes,
            worktree: None,
        };
        let repo = self
            .start_repo(entry, root)
            .map_err(|error| ToolError::new(Code::Unavailable, error.to_string()))?;
        self.save().map_err(|error| ToolError::new(Code::Unavailable, error.to_string()))?;
        Ok(Registered { id, created: true, indexing: repo.is_indexing() })
    }

    fn refuses(&self, root: &Path) -> Option<String> {
        let repos = self.all_repos();
        let out = self.mending.list();
        let roots = repos.iter().map(|repo| repo.root().to_owned());
        let taken: Vec<PathBuf> = roots.chain(out.iter().map(|out| out.root.clone())).collect();
        check_root(root, &taken, &self.root_context()).err().map(|error| error.to_string())
    }

    fn unregistered_worktree(&self, folder: &Path) -> Option<PathBuf> {
        self.worktree_root(folder)
    }

    fn register_worktree(&self, folder: &Path) -> Result<String, ToolError> {
        self.add_worktree(folder)
    }

    fn removed_worktree(&self, id: &str) -> Option<PathBuf> {
        self.former.root_of(id)
    }

    fn former_kin(&self, family: &str) -> Vec<String> {
        let mut ids = self.former.of_family(family);
        ids.retain(|id| self.repo_of(id).is_none());
        ids
    }

    fn unregister(&self, id: &str) -> Result<(), ToolError> {
        self.remove(id).map_err(|error| ToolError::new(Code::Unavailable, error.to_string()))
    }

    fn agent(&self) -> &AgentStore {
        &self.agent
    }

    fn audit(&self) -> &Audit {
        &self.audit
    }

    fn ceilings(&self) -> &Ceilings {
        &self.ceilings
    }

    fn meaning(&self) -> Option<&Meaning> {
        self.meaning.as_ref()
    }

    fn outside(&self) -> Option<&Outside> {
        self.outside.as_ref()
    }

    fn upstreams(&self) -> Option<&dyn Upstreams> {
        self.upstreams.get().map(|upstreams| &**upstreams as &dyn Upstreams)
    }

    fn memory_freed(&self) {
        memory::give_back(Work::ToolIndex);
    }

    fn follows_calls(&self) -> bool {
        self.feed.wants_calls()
    }

    fn call_ended(&self, call: CallEnded) {
        self.feed.note_call(call);
    }

    fn info(&self) -> HostInfo {
        HostInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: sdl_proto::BUILD.to_owned(),
            protocol: format!("{}.{}", sdl_proto::PROTOCOL_MAJOR, sdl_proto::PROTOCOL_MAX),
            storage_schema: sdl_ledger::STORAGE_SCHEMA,
            extractor_version: EXTRACTOR_VERSION,
            uptime_ms: self.started.elapsed().as_millis() as u64,
            state_dir: self.state.display().to_string(),
            log_file: crate::lifecycle::logging::log_file(&self.state),
            memory: memory_info(),
            limits: Limits {
                max_frame_bytes: sdl_proto::MAX_FRAME as u64,
                max_in_flight: crate::server::Options::default().max_running as u32,
                max_file_bytes: sdl_lang::Limits::default().max_bytes,
            },
            warnings: read_lock(&self.warnings).iter().cloned().chain(self.audit.concerns()).collect(),
        }
    }
}

/// A poisoned lock is used all the same, because nothing done under these locks can leave a value half changed.
fn read_lock<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write_lock<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Reads `/proc/self/status`; zeros where there is none.
fn memory_info() -> MemoryInfo {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').trim().trim_end_matches(" kB").parse::<u64>().ok()
    };
    MemoryInfo { resident: kib("VmRSS").unwrap_or(0) << 10, private: kib("RssAnon").unwrap_or(0) << 10 }
}
