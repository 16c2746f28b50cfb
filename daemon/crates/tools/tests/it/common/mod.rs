//! A host over real ledgers in temporary folders.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails as a test does")]

pub(crate) mod facts;
pub(crate) mod real;
pub(crate) mod schema;
pub(crate) mod upstreams;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use sdl_ledger::{AgentStore, FactsStore, FileUpdate, Ledger, Options, Posting, Resolved, Snapshot};
use sdl_model::{
    Cause, ContentHash, Edge, EdgeKind, Facts, FactsKey, FileId, FileRow, FileState, Lang, RelPath,
    Resolution, SkipReason, Strategy, SymbolId, Version,
};
use sdl_outside::{Outside, Places};
use sdl_retrieve::card::{ClusterCache, Enrichment, Live};
use sdl_tools::audit::{self, Audit};
use sdl_tools::host::{
    Barrier, HostInfo, RefreshOutcome, RefreshSpec, RegisterSpec, Registered, RepoHealth, RepoState,
    RepoStatus, Unread, Upstreams, WatcherKind, WatcherStatus,
};
use sdl_tools::policy::Ceilings;
use sdl_tools::{Cancel, Code, Explained, Host, NoProgress, Progress, Repo, Session, ToolError, Tools};
use serde_json::Value;
use tempfile::TempDir;

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
    /// Its reported status, if not the one in which all is well.
    pub(crate) says: Mutex<Option<RepoStatus>>,
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
            says: Mutex::default(),
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
                    batch.set_postings(FileId::of(&update.path), &was, &is)?;
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

fn postings(path: &str, text: Option<&String>) -> Vec<Posting> {
    let Some(text) = text.filter(|_| skipped(path).is_none()) else { return Vec::new() };
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

/// Returns a file of `count` functions, each with `tail` after its header.
pub(crate) fn handlers(count: usize, tail: &str) -> String {
    let mut fixture = "//- /src/handlers.py\n".to_owned();
    for i in 0..count {
        let _ = writeln!(fixture, "def handler_number_{i}(request: HttpRequest){tail}");
    }
    fixture
}

/// Tools over one repository, and a client inside it.
pub(crate) struct World {
    pub(crate) host: Arc<FakeHost>,
    pub(crate) repo: Arc<FakeRepo>,
    pub(crate) tools: Tools,
    pub(crate) session: Session,
}

pub(crate) const SHOP: &str = "
//- /src/auth.py
def validate(token: str) calls parse, lookup raises TokenError : Checks a token and finds its user.
def parse(token: str) calls decode : Splits a token into its parts.
def decode(text: str) : Reads base64.
class Session : A user's time here.
method Session.close() calls flush : Ends the session.
//- /src/db.py
def lookup(user: str) calls connect : Finds a user by name.
def connect() : Opens the database.
def flush() calls connect : Writes what is pending.
//- /src/shop/cart.py
def checkout(cart: Cart) calls validate, total, charge : Pays for what is in the cart.
def total(cart: Cart) : Adds up the prices.
def charge(amount: int) calls connect raises PaymentError : Takes the money.
def main() calls checkout : Runs the shop.
";

impl World {
    pub(crate) fn empty() -> Self {
        let dir = TempDir::new().unwrap();
        let repo = FakeRepo::new("shop", dir.path());
        let repos = Mutex::new(BTreeMap::from([("shop".to_owned(), Arc::clone(&repo))]));
        let store = dir.path().join("agent");
        let (agent, how) = AgentStore::open(&store, sdl_tools::AGENT_TABLES, &Options::default()).unwrap();
        let host = Arc::new(FakeHost {
            state: Mutex::new("/var/state".into()),
            audit: Audit::open(&dir.path().join("audit"), &agent, &store, &how).unwrap(),
            ceilings: Ceilings::new(dir.path()),
            agent,
            dir,
            repos,
            later: Mutex::default(),
            outside: Outside::new(Places::default(), Vec::new()),
            upstreams: OnceLock::new(),
            freed: AtomicU64::new(0),
        });
        let tools = Tools::new(Arc::clone(&host) as Arc<dyn Host>);
        let session = Session {
            id: 1,
            cwd: Some(repo.root.join("src")),
            client: "test".into(),
            principal: None,
            run: sdl_tools::ClientRun::default(),
        };
        std::fs::create_dir_all(repo.root.join("src")).unwrap();
        Self { host, repo, tools, session }
    }

    /// Adds a file that calls a package, and installs that package in the repository's own environment.
    pub(crate) fn install_wire(&self) {
        self.repo
            .write("//- /real/page.py\nimport wire\n\n\ndef fetch(url):\n    return wire.get(url).json()\n");
        let packages = self.repo.root.join(".venv/lib/python3.12/site-packages");
        std::fs::create_dir_all(packages.join("wire")).unwrap();
        std::fs::create_dir_all(packages.join("wire-2.1.dist-info")).unwrap();
        let api = "from .reply import Reply\n\n\ndef get(url, timeout=3) -> Reply:\n    \"\"\"Fetches a page.\n\n    More.\n    \"\"\"\n    return Reply()\n";
        let reply = "class Reply:\n    def json(self):\n        return {}\n";
        for (path, text) in [("__init__.py", "from .api import get\n"), ("api.py", api), ("reply.py", reply)]
        {
            std::fs::write(packages.join("wire").join(path), text).unwrap();
        }
    }

    pub(crate) fn shop() -> Self {
        let world = Self::empty();
        world.repo.write(SHOP);
        world
    }

    /// Turns every module on.
    pub(crate) fn with_modules(self) -> Self {
        self.configure(&serde_json::json!({ "sdl": { "modules": ["memory", "kg", "work"] } }));
        self
    }

    /// Raises the ceiling of the policies: to these fields, and otherwise as far as it goes.
    pub(crate) fn raise_ceiling(&self, fields: Value) {
        let mut all = serde_json::json!({
            "maxWindowLines": 10_000, "maxWindowTokens": 20_000, "requireIdentifiers": false, "allowBreakGlass": true,
            "defaultDenyRaw": false, "utilityThreshold": 0.0, "redactSecrets": false,
        });
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let patch = serde_json::from_value(all).unwrap();
        self.host
            .ceilings()
            .set(self.host.audit(), self.host.agent(), None, &patch, &audit::Row::default())
            .unwrap();
    }

    /// How many rows were ever written.
    pub(crate) fn rows(&self) -> u64 {
        self.host.audit().count()
    }

    /// The newest rows.
    pub(crate) fn shown(&self, limit: usize) -> Vec<audit::Row> {
        let shown = self.host.audit().show(self.host.agent(), None, limit).unwrap();
        shown.into_iter().map(|shown| shown.row).collect()
    }

    /// The newest rows with their hashes.
    pub(crate) fn shown_hashes(&self, limit: usize) -> Vec<(audit::Row, String)> {
        let shown = self.host.audit().show(self.host.agent(), None, limit).unwrap();
        shown.into_iter().map(|shown| (shown.row, shown.hash)).collect()
    }

    /// A check of the log.
    pub(crate) fn verified(&self) -> audit::Verified {
        self.host.audit().verify(self.host.agent()).unwrap()
    }

    /// Allows commands as in these settings.
    pub(crate) fn allow(&self, settings: &str) {
        let state = self.host.dir.path().join("daemon");
        std::fs::create_dir_all(&state).unwrap();
        let path = state.join("runtime.json");
        std::fs::write(&path, settings).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        *self.host.state.lock().unwrap() = state;
    }

    /// Adds a second repository to the same host.
    pub(crate) fn add(&self, id: &str) -> Arc<FakeRepo> {
        let repo = FakeRepo::new(id, self.host.dir.path());
        self.host.repos.lock().unwrap().insert(id.to_owned(), Arc::clone(&repo));
        repo
    }

    /// Replaces the repository by one with a new ledger, as after damage.
    pub(crate) fn replace_repo(&mut self) -> Arc<FakeRepo> {
        let dir = self.host.dir.path().join("again");
        std::fs::create_dir_all(&dir).unwrap();
        self.repo = FakeRepo::new("shop", &dir);
        self.host.repos.lock().unwrap().insert("shop".to_owned(), Arc::clone(&self.repo));
        Arc::clone(&self.repo)
    }

    /// Has this world answer from the repository of another one, in the same versions.
    pub(crate) fn share_repo(&mut self, other: &Self) {
        self.repo = Arc::clone(&other.repo);
        self.session.cwd.clone_from(&other.session.cwd);
        self.host.repos.lock().unwrap().insert("shop".to_owned(), Arc::clone(&self.repo));
    }

    /// The path of a file of the repository, as a client sees it.
    pub(crate) fn repo_file(&self, path: &str) -> PathBuf {
        self.repo.root.join(path)
    }

    /// Returns the whole result of a call with these argument bytes.
    pub(crate) fn raw(&self, tool: &str, args: &str) -> Value {
        let bytes = self.tools.call(&self.session, tool, args.as_bytes(), &NoProgress, &Cancel::new());
        let result: Value = serde_json::from_slice(&bytes).expect("a result is JSON");
        schema::assert_call_tool_result(&result);
        result
    }

    /// Returns the structured answer of a call that must succeed.
    pub(crate) fn ok(&self, tool: &str, args: Value) -> Value {
        let result = self.raw(tool, &args.to_string());
        assert_eq!(result["isError"], false, "{tool} {args}: {result:#}");
        result["structuredContent"].clone()
    }

    /// Returns the structured error of a call that must fail.
    pub(crate) fn err(&self, tool: &str, args: Value) -> Value {
        let result = self.raw(tool, &args.to_string());
        assert_eq!(result["isError"], true, "{tool} {args}: {result:#}");
        result["structuredContent"].clone()
    }
}
