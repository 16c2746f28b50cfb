//! Questions over several registered repositories.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use sdl_tools::{Cancel, Host, NoProgress, Session, Tools};
use sdld::engine::Engine;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A library, an application that uses it, and a tree that has nothing to do with them.
const TREES: &[(&str, &[(&str, &str)])] = &[
    (
        "wire",
        &[
            ("pyproject.toml", "[project]\nname = \"wire-client\"\n"),
            ("src/wire/__init__.py", "from .api import get\n"),
            (
                "src/wire/api.py",
                "def get(url):\n    \"\"\"Fetches a page.\"\"\"\n    return send(url)\n\n\ndef send(url):\n    return url\n",
            ),
        ],
    ),
    (
        "app",
        &[
            ("pyproject.toml", "[project]\nname = \"app\"\n"),
            (
                "main.py",
                "import wire\n\n\ndef fetch(url):\n    return wire.get(url)\n\n\ndef run():\n    return fetch('a')\n",
            ),
            ("test_main.py", "from main import run\n\n\ndef test_run():\n    assert run()\n"),
        ],
    ),
    ("notes", &[("notes.py", "def get(note):\n    return note\n")]),
];

struct World {
    engine: Arc<Engine>,
    tools: Tools,
    session: Session,
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(&folder.path().join("state")).unwrap();
        let tools = Tools::new(Arc::clone(&engine) as Arc<dyn Host>);
        let session = Session { id: 1, cwd: None, client: "test".into() };
        let world = Self { engine, tools, session, folder };
        for (repo, files) in TREES {
            for (path, text) in *files {
                world.write(repo, path, text);
            }
            world.ok("repo.register", json!({ "rootPath": world.root(repo) }));
        }
        world
    }

    fn root(&self, repo: &str) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap().join(repo)
    }

    fn write(&self, repo: &str, path: &str, text: &str) {
        let path = self.root(repo).join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        fs::write(path, text).unwrap();
    }

    fn call(&self, action: &str, args: &Value) -> Result<Value, Value> {
        let args = args.to_string();
        let bytes = self.tools.call(&self.session, action, args.as_bytes(), &NoProgress, &Cancel::new());
        let mut answer: Value = serde_json::from_slice(&bytes).unwrap();
        let data = answer["structuredContent"].take();
        if answer["isError"] == true { Err(data) } else { Ok(data) }
    }

    #[track_caller]
    fn ok(&self, action: &str, args: Value) -> Value {
        self.call(action, &args).unwrap_or_else(|error| panic!("{action}: {error:#}"))
    }

    #[track_caller]
    fn refused(&self, action: &str, args: Value) -> Value {
        self.call(action, &args).err().unwrap_or_else(|| panic!("{action} was answered"))
    }

    /// `file name` of each related symbol.
    #[track_caller]
    fn related(&self, symbol: &str, want: &str) -> Vec<String> {
        let answer = self
            .ok("symbol.related", json!({"repoId": "*", "symbol": symbol, "want": want, "sync": "require"}));
        places(&answer["related"])
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.engine.close();
    }
}

fn places(rows: &Value) -> Vec<String> {
    let place = |row: &Value| format!("{} {}", row["file"].as_str().unwrap(), row["name"].as_str().unwrap());
    rows.as_array().unwrap().iter().map(place).collect()
}

const GET: &str = "@wire/src/wire/api.py:get";

#[test]
fn callers_are_found_in_the_application_and_an_edit_of_the_library_counts_at_once() {
    let world = World::new();
    assert_eq!(world.related(GET, "callers"), ["@app/main.py fetch"]);
    assert_eq!(world.related("@app/main.py:fetch", "callees"), ["@wire/src/wire/api.py get"]);
    let deep = world.ok("symbol.related", json!({"repoId": "*", "symbol": "send", "depth": 4}));
    let named: Vec<&str> =
        deep["related"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(named, ["get", "fetch", "run", "test_run"]);
    // An answer names the repositories and their versions.
    let fresh = &deep["freshness"];
    assert_eq!(fresh["synced"], true);
    let repos: Vec<&str> =
        fresh["repositories"].as_array().unwrap().iter().map(|one| one["repoId"].as_str().unwrap()).collect();
    assert_eq!(repos, ["app", "notes", "wire"]);
    world.write("wire", "src/wire/api.py", "def fetch(url):\n    return url\n");
    let gone = world.refused("symbol.related", json!({"repoId": "*", "symbol": GET, "sync": "require"}));
    assert_eq!(gone["code"], "unknownSymbol", "{gone:#}");
    assert_eq!(world.related("@app/main.py:fetch", "callees"), Vec::<String>::new());
}

#[test]
fn references_show_lines_of_both_repositories() {
    let world = World::new();
    let answer = world.ok("symbol.related", json!({"repoId": "*", "symbol": GET, "want": "references"}));
    let lines: Vec<String> = answer["related"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            format!("{}:{} {}", row["file"].as_str().unwrap(), row["at"], row["text"].as_str().unwrap_or("-"))
        })
        .collect();
    assert_eq!(
        lines,
        ["@app/main.py:5 return wire.get(url)", "@wire/src/wire/__init__.py:1 from .api import get"],
        "{answer:#}"
    );
    let rows = world.engine.audit().show(world.engine.agent(), None, 10).unwrap();
    let mut of: Vec<String> =
        rows.iter().map(|shown| format!("{} {}", shown.row.repo_id, shown.row.details["file"])).collect();
    of.sort();
    assert_eq!(of, [r#"app "main.py""#, r#"wire "src/wire/__init__.py""#]);
}

#[test]
fn search_ways_and_impact_go_over_all_repositories() {
    let world = World::new();
    let found = world.ok("symbol.search", json!({"repoId": "*", "query": "get", "exact": true}));
    let mut files: Vec<&str> =
        found["results"].as_array().unwrap().iter().map(|hit| hit["file"].as_str().unwrap()).collect();
    files.sort_unstable();
    assert_eq!(files, ["@notes/notes.py", "@wire/src/wire/api.py"]);
    let ways = world.ok("symbol.path", json!({"repoId": "*", "from": "run", "to": "send"}));
    let hops: Vec<&str> =
        ways["ways"][0]["hops"].as_array().unwrap().iter().map(|hop| hop["name"].as_str().unwrap()).collect();
    assert_eq!(hops, ["fetch", "get", "send"]);
    let tests = world.ok("change.impact", json!({"repoId": "*", "symbols": ["send"], "want": "tests"}));
    assert_eq!(tests["tests"][0]["file"], "@app/test_main.py", "{tests:#}");
    // An id of a workspace names the symbol in its repository too, and the other way round.
    let id = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .find(|hit| hit["file"] == "@wire/src/wire/api.py")
        .unwrap();
    let card = world.ok("symbol.getCard", json!({"repoId": "wire", "symbolId": id["symbolId"]}));
    assert_eq!(card["card"]["file"], "src/wire/api.py", "{card:#}");
    let over = world.ok("symbol.getCard", json!({"repoId": "*", "symbolId": card["card"]["symbolId"]}));
    assert_eq!(over["card"]["file"], "@wire/src/wire/api.py", "{over:#}");
}

#[test]
fn names_are_refused_or_said_where_they_do_not_fit() {
    let world = World::new();
    let unknown = world.refused("symbol.search", json!({"repoId": "workspace:shop", "query": "get"}));
    assert_eq!(unknown["code"], "unknownRepo");
    assert!(unknown["message"].as_str().unwrap().contains("sdlctl workspace add shop"), "{unknown:#}");
    let one = world.refused("delta.get", json!({"repoId": "*", "fromVersion": "v1", "toVersion": "v2"}));
    assert!(one["message"].as_str().unwrap().contains("one repository at a time"), "{one:#}");
    let past = world.refused("symbol.related", json!({"repoId": "*", "symbol": GET, "atVersion": "v1"}));
    assert!(past["message"].as_str().unwrap().contains("one repository at a time"), "{past:#}");
    world.engine.name_workspace("shop", Some(vec!["app".into(), "gone".into(), "wire".into()])).unwrap();
    let found = world.ok("symbol.search", json!({"repoId": "workspace:shop", "query": "get", "exact": true}));
    assert_eq!(found["total"], 1, "{found:#}");
    assert!(found["notes"][0].as_str().unwrap().contains("\"gone\" is not registered"), "{found:#}");
    // A repository that is removed leaves the others.
    world.engine.remove("wire").unwrap();
    let left =
        world.ok("symbol.related", json!({"repoId": "workspace:shop", "symbol": "fetch", "want": "callees"}));
    assert_eq!(left["total"], 0);
    assert_eq!(left["notes"].as_array().unwrap().len(), 2, "{left:#}");
    assert!(!world.engine.name_workspace("other", None).unwrap());
    assert_eq!(world.engine.named_workspaces().unwrap().len(), 1);
}
