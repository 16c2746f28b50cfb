//! Tools over one repository, and what tests ask of them.

use super::*;

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

    /// Returns the text of an answer.
    pub(crate) fn text(&self, tool: &str, args: Value) -> String {
        let result = self.raw(tool, &args.to_string());
        assert_eq!(result["isError"], false, "{tool} {args}: {result:#}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Returns whether a call succeeded, and its structured answer or error.
    pub(crate) fn call(&self, tool: &str, args: Value) -> (bool, Value) {
        let mut result = self.raw(tool, &args.to_string());
        (result["isError"] == false, result["structuredContent"].take())
    }

    /// Returns the structured error of a call that must fail.
    pub(crate) fn err(&self, tool: &str, args: Value) -> Value {
        let result = self.raw(tool, &args.to_string());
        assert_eq!(result["isError"], true, "{tool} {args}: {result:#}");
        result["structuredContent"].clone()
    }
}
