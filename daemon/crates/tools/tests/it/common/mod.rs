//! A host over real ledgers in temporary folders.

#![allow(dead_code, unused_imports, reason = "each program that includes it uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails as a test does")]

pub(crate) mod facts;
pub(crate) mod real;
pub(crate) mod schema;
pub(crate) mod upstreams;
mod world;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use sdl_ledger::{AgentStore, FactsStore, FilePostings, FileUpdate, Ledger, Options, Resolved, Snapshot};
use sdl_model::{
    Cause, ContentHash, Edge, EdgeKind, Facts, FactsKey, FileId, FileRow, FileState, Lang, RelPath,
    Resolution, SkipReason, Strategy, SymbolId, Version,
};
use sdl_outside::{Outside, Places};
use sdl_retrieve::card::{ClusterCache, Enrichment, Live};
use sdl_retrieve::part::{Part, PartFile};
use sdl_tools::audit::{self, Audit};
use sdl_tools::host::{
    Barrier, HostInfo, RefreshOutcome, RefreshSpec, RegisterSpec, Registered, RepoHealth, RepoState,
    RepoStatus, Unread, Upstreams, WatcherKind, WatcherStatus,
};
use sdl_tools::policy::Ceilings;
use sdl_tools::{Cancel, Code, Explained, Host, NoProgress, Progress, Repo, Session, ToolError, Tools};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) use world::{SHOP, World, handlers};

/// A tree that exists only in its ledger.
pub(crate) struct FakeRepo {
    id: String,
    root: PathBuf,
    ledger: Ledger,
    facts: FactsStore,
    clusters: ClusterCache,
    files: Mutex<BTreeMap<String, String>>,
    /// Texts that the next reads find in place of the file.
    pub(crate) moved: Mutex<Vec<String>>,
    /// The path of a file that can't be read.
    pub(crate) locked: Mutex<Option<String>>,
    pub(crate) state: Mutex<RepoState>,
    pub(crate) synced: Mutex<Barrier>,
    pub(crate) barriers: AtomicU64,
    at_barrier: Mutex<Option<(usize, AtBarrier)>>,
    /// What a first index under way has read.
    pub(crate) part: Mutex<Option<Part>>,
    /// Its reported status, if not the one in which all is well.
    pub(crate) says: Mutex<Option<RepoStatus>>,
    /// See [`Repo::survey_limit`].
    pub(crate) survey_limit: AtomicU64,
}

/// An event that happens while a barrier waits.
type AtBarrier = Box<dyn FnOnce(&FakeRepo) + Send>;

impl FakeRepo {
    /// Runs `act` while the `nth` barrier from now waits.
    pub(crate) fn at_barrier(&self, nth: usize, act: impl FnOnce(&Self) + Send + 'static) {
        *self.at_barrier.lock().unwrap() = Some((nth, Box::new(act)));
    }

    pub(crate) fn new(id: &str, dir: &Path) -> Arc<Self> {
        let state = dir.join(format!("{id}.state"));
        let root = dir.join(id);
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(&state).unwrap();
        let options = Options { map_size: 1 << 24, ..Options::default() };
        Arc::new(Self {
            id: id.to_owned(),
            root: root.canonicalize().unwrap(),
            ledger: Ledger::open(&state.join("ledger"), &options).unwrap().ledger,
            facts: FactsStore::open(&state.join("facts"), &options).unwrap().0,
            clusters: ClusterCache::default(),
            files: Mutex::default(),
            moved: Mutex::default(),
            locked: Mutex::default(),
            state: Mutex::new(RepoState::Live),
            synced: Mutex::new(Barrier { synced: true, ..Barrier::default() }),
            barriers: AtomicU64::new(0),
            at_barrier: Mutex::default(),
            part: Mutex::default(),
            says: Mutex::default(),
            survey_limit: AtomicU64::new(1_000_000),
        })
    }

    /// Commits the fixture's files (`//- /path` before each) as one version. A `⏎` in a path is a line end.
    pub(crate) fn write(&self, fixture: &str) -> Version {
        let mut files = self.files.lock().unwrap().clone();
        for part in fixture.split("//- /").skip(1) {
            let (path, text) = part.split_once('\n').unwrap();
            files.insert(path.trim().replace('⏎', "\n"), text.to_owned());
        }
        self.commit(files)
    }

    /// Reads the first `count` of these files as a first index does: their facts are stored, and no version has them. All
    /// of the files are in the tree.
    pub(crate) fn read_part(&self, files: &[(String, String)], count: usize) {
        *self.files.lock().unwrap() = files.iter().cloned().collect();
        let mut part = Part::default();
        for (path, text) in files.iter().take(count) {
            let FileUpdate { row, facts, .. } = update(path, Some(text));
            let row = row.unwrap();
            if let (Some(key), Some(facts)) = (row.state.facts(), facts.as_deref()) {
                self.facts.put_many(&[(key, facts)]).unwrap();
            }
            let symbols = facts.map_or(0, |facts| facts.outline.defs.len());
            part.add([PartFile { row, symbols, generated: false }]);
        }
        *self.part.lock().unwrap() = Some(part);
        *self.synced.lock().unwrap() = Barrier { timed_out: true, ..Barrier::default() };
        self.read_so_far(count, files.len(), Some(Duration::from_secs(90)));
    }

    /// Ends a first index: its files are those of the next version.
    pub(crate) fn forget_part(&self) {
        *self.part.lock().unwrap() = None;
        self.files.lock().unwrap().clear();
    }

    /// Reports a first index under way.
    pub(crate) fn read_so_far(&self, done: usize, total: usize, left: Option<Duration>) {
        *self.state.lock().unwrap() =
            RepoState::Indexing { done: done as u64, total: Some(total as u64), left };
    }

    /// Returns the text of a file.
    pub(crate) fn text(&self, path: &str) -> String {
        self.files.lock().unwrap()[path].clone()
    }

    /// Commits the removal of a file.
    pub(crate) fn remove(&self, path: &str) -> Version {
        let mut files = self.files.lock().unwrap().clone();
        files.remove(path);
        self.commit(files)
    }

    fn commit(&self, new: BTreeMap<String, String>) -> Version {
        let old = std::mem::replace(&mut *self.files.lock().unwrap(), new.clone());
        let updates: Vec<FileUpdate> = new
            .keys()
            .chain(old.keys())
            .filter(|p| new.get(*p) != old.get(*p))
            .map(|p| update(p, new.get(p)))
            .collect();
        let known: Vec<_> = updates
            .iter()
            .filter_map(|u| Some((u.row.as_ref()?.state.facts()?, u.facts.as_deref()?)))
            .collect();
        self.facts.put_many(&known).unwrap();
        let names = names(&new);
        let version = self
            .ledger
            .write::<sdl_ledger::Error>(Cause::Watch, None, 0, |batch| {
                batch.apply_files(&updates)?;
                for (path, text) in new.iter().filter(|(path, _)| skipped(path).is_none()) {
                    let resolved = if path.starts_with(LINKED) {
                        real::resolve(&*batch, &new, path, text)
                    } else {
                        resolve(path, text, &names)
                    };
                    batch.set_resolved(&resolved)?;
                }
                for update in &updates {
                    let path = update.path.as_str();
                    let (was, is) = (postings(path, old.get(path)), postings(path, new.get(path)));
                    batch.set_postings(&was, &is)?;
                }
                Ok(())
            })
            .unwrap();
        version.unwrap_or_else(|| self.ledger.head().unwrap())
    }

    /// Returns the newest version in the form of the wire.
    pub(crate) fn head(&self) -> String {
        self.ledger.head().unwrap().to_string()
    }

    /// Returns the id of a symbol.
    pub(crate) fn symbol(&self, path: &str, qualified: &str) -> String {
        assert!(self.files.lock().unwrap().contains_key(path), "{path}");
        symbol(path, qualified).to_string()
    }
}

pub(crate) fn symbol(path: &str, qualified: &str) -> SymbolId {
    let key = sdl_model::ids::stable_hash(&[qualified.as_bytes()]);
    FileId::of(&RelPath::new(path).unwrap()).symbol(key)
}

/// Returns why a file has no facts: it is in the tree's folder `binary`, or it is one of secrets. `real/old/` has files
/// as indexed by a build that didn't know those.
fn skipped(path: &str) -> Option<SkipReason> {
    let secret = sdl_lang::is_secret_file(path) && !path.starts_with("real/old/");
    path.starts_with("binary/").then_some(SkipReason::Binary).or(secret.then_some(SkipReason::Secret))
}

fn update(path: &str, text: Option<&String>) -> FileUpdate {
    let skip = skipped(path);
    let facts = text.filter(|_| skip.is_none()).map(|text| Arc::new(real::facts(path, text)));
    let row = text.map(|text| FileRow {
        path: RelPath::new(path).unwrap(),
        state: if let Some(reason) = skip {
            FileState::Skipped(reason)
        } else {
            FileState::Indexed(key(path, text))
        },
        size: text.len() as u64,
    });
    FileUpdate { path: RelPath::new(path).unwrap(), row, stat: None, facts }
}

fn key(path: &str, text: &str) -> FactsKey {
    FactsKey { lang: real::lang(path).unwrap_or(Lang::Python), content: ContentHash::of(text.as_bytes()) }
}

fn names(files: &BTreeMap<String, String>) -> BTreeMap<String, SymbolId> {
    let all = files
        .iter()
        .filter(|(path, _)| real::lang(path).is_none() && skipped(path).is_none())
        .flat_map(|(path, text)| facts::lines(text).into_iter().map(move |line| (path, line)));
    all.map(|(path, line)| (line.qualified.to_owned(), symbol(path, line.qualified))).collect()
}

/// Files in this folder have the edges that the real resolver finds.
const LINKED: &str = "real/linked/";

fn resolve(path: &str, text: &str, names: &BTreeMap<String, SymbolId>) -> Resolved {
    let mut edges = Vec::new();
    let toy = if real::lang(path).is_none() { facts::lines(text) } else { Vec::new() };
    for line in toy {
        let called = line.calls.iter().filter_map(|name| names.get(*name));
        let mut out: Vec<Edge> = called
            .map(|to| Edge {
                to: *to,
                kind: EdgeKind::Call,
                resolution: Resolution::Exact,
                strategy: Strategy(1),
                confidence: 95,
                line_offset: 0,
                sites: 1,
            })
            .collect();
        out.sort_unstable();
        out.dedup();
        if !out.is_empty() {
            edges.push((symbol(path, line.qualified), out));
        }
    }
    edges.sort_by_key(|(symbol, _)| *symbol);
    Resolved { file: Some(FileId::of(&RelPath::new(path).unwrap())), edges, ..Resolved::default() }
}

fn postings(path: &str, text: Option<&String>) -> FilePostings {
    let Some(text) = text.filter(|_| skipped(path).is_none()) else { return FilePostings::default() };
    let path = RelPath::new(path).unwrap();
    let Facts { outline, body } = real::facts(path.as_str(), text);
    sdl_retrieve::index::file_postings(&path, FileId::of(&path), &outline, &body)
}

impl Repo for FakeRepo {
    fn id(&self) -> &str {
        &self.id
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn facts(&self) -> &FactsStore {
        &self.facts
    }

    fn survey_limit(&self) -> u64 {
        self.survey_limit.load(Ordering::SeqCst)
    }

    fn enrichment<'a>(&'a self, snapshot: &'a Snapshot<'a>) -> Box<dyn Enrichment + 'a> {
        // As from a history in which each file has as many changes as its path has letters.
        Box::new(Live::new(snapshot, &self.clusters, Box::new(|path| Some(path.len() as u32))))
    }

    fn barrier(&self, _timeout: Duration, _cancel: &Cancel) -> Barrier {
        self.barriers.fetch_add(1, Ordering::SeqCst);
        let due = {
            let mut later = self.at_barrier.lock().unwrap();
            if let Some((left, _)) = later.as_mut() {
                *left -= 1;
            }
            later.take_if(|(left, _)| *left == 0)
        };
        if let Some((_, act)) = due {
            act(self);
        }
        self.synced.lock().unwrap().clone()
    }

    fn part(&self) -> Option<Part> {
        self.part.lock().unwrap().clone()
    }

    fn read_file(&self, path: &RelPath, most: u64) -> Result<Vec<u8>, Unread> {
        if self.locked.lock().unwrap().as_deref() == Some(path.as_str()) {
            return Err(Unread::Failed("permission denied".to_owned()));
        }
        let moved = self.moved.lock().unwrap().pop();
        let files = self.files.lock().unwrap();
        match moved.as_ref().or_else(|| files.get(path.as_str())) {
            None => Err(Unread::Gone),
            Some(text) if text.len() as u64 > most => Err(Unread::TooLarge),
            Some(text) => Ok(text.clone().into_bytes()),
        }
    }

    fn status(&self) -> RepoStatus {
        if let Some(said) = self.says.lock().unwrap().clone() {
            return said;
        }
        RepoStatus {
            state: self.state.lock().unwrap().clone(),
            ignored_by: Vec::new(),
            git_problem: None,
            head: None,
            watcher: WatcherStatus {
                kind: WatcherKind::Fake,
                watches: 3,
                last_event_ms: None,
                degraded_reason: None,
            },
            health: RepoHealth::Ok,
        }
    }

    fn refresh(
        &self,
        spec: RefreshSpec,
        progress: &dyn Progress,
        _cancel: &Cancel,
    ) -> Result<RefreshOutcome, ToolError> {
        progress.report(1, Some(1), "done");
        Ok(RefreshOutcome {
            version: self.ledger.head().unwrap_or(Version(0)),
            changed_files: 0,
            parsed: if spec.full { 2 } else { 0 },
            reused: 0,
            duration_ms: 1,
            operation_id: spec.background.then(|| "op_1".to_owned()),
        })
    }
}

/// A host of such trees.
pub(crate) struct FakeHost {
    /// Its reported state folder.
    pub(crate) state: Mutex<PathBuf>,
    agent: AgentStore,
    audit: Audit,
    ceilings: Ceilings,
    pub(crate) dir: TempDir,
    repos: Mutex<BTreeMap<String, Arc<FakeRepo>>>,
    later: Mutex<Option<(usize, String)>>,
    outside: Outside,
    /// Its connections to upstreams, if it has any.
    pub(crate) upstreams: OnceLock<upstreams::FakeUpstreams>,
    /// How often it was asked to give memory back.
    pub(crate) freed: AtomicU64,
}

impl FakeHost {
    /// Lets the first repository's files change when a repository is looked up for the `nth` time from now.
    pub(crate) fn at_lookup(&self, nth: usize, fixture: &str) {
        *self.later.lock().unwrap() = Some((nth, fixture.to_owned()));
    }

    fn looked_up(&self) {
        let mut later = self.later.lock().unwrap();
        let Some((left, fixture)) = later.as_mut() else { return };
        *left -= 1;
        if *left == 0 {
            let repos = self.repos.lock().unwrap();
            repos.values().next().unwrap().write(fixture);
            drop(repos);
            *later = None;
        }
    }
}

impl Host for FakeHost {
    fn repos(&self) -> Vec<Arc<dyn Repo>> {
        self.repos.lock().unwrap().values().map(|repo| Arc::clone(repo) as Arc<dyn Repo>).collect()
    }

    fn repo(&self, id: &str) -> Option<Arc<dyn Repo>> {
        self.looked_up();
        self.repos.lock().unwrap().get(id).map(|repo| Arc::clone(repo) as Arc<dyn Repo>)
    }

    fn register(&self, spec: RegisterSpec) -> Result<Registered, ToolError> {
        let name = spec.root.file_name().map(|name| name.to_string_lossy().into_owned());
        let Some(id) = spec.id.or(name) else {
            return Err(ToolError::new(Code::RefusedRoot, "a filesystem's root is not registered"));
        };
        let created = self.repo(&id).is_none();
        Ok(Registered { id, created, indexing: created })
    }

    fn refuses(&self, root: &Path) -> Option<String> {
        (root == Path::new("/refused")).then(|| "it is refused".to_owned())
    }

    fn unregister(&self, id: &str) -> Result<(), ToolError> {
        self.repos.lock().unwrap().remove(id);
        Ok(())
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

    fn outside(&self) -> Option<&Outside> {
        Some(&self.outside)
    }

    fn upstreams(&self) -> Option<&dyn Upstreams> {
        self.upstreams.get().map(|upstreams| upstreams as &dyn Upstreams)
    }

    fn memory_freed(&self) {
        self.freed.fetch_add(1, Ordering::SeqCst);
    }

    fn info(&self) -> HostInfo {
        let state_dir = self.state.lock().unwrap().to_string_lossy().into_owned();
        let log_file = Some(format!("{state_dir}/sdld.log"));
        HostInfo { version: "0.1.0".into(), state_dir, log_file, ..HostInfo::default() }
    }
}
