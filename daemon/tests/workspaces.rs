//! Questions over several registered repositories.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use sdl_ledger::{Fault, FaultPoint, Faults, Options};
use sdl_tools::Host as _;

use serde_json::{Value, json};

use common::{Daemon, flip};

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

struct World(Daemon);

impl std::ops::Deref for World {
    type Target = Daemon;

    fn deref(&self) -> &Daemon {
        &self.0
    }
}

impl World {
    fn new() -> Self {
        let daemon = Daemon::new();
        for (repo, files) in TREES {
            daemon.add_repo(repo, files);
        }
        Self(daemon)
    }

    /// `file name` of each related symbol.
    #[track_caller]
    fn related(&self, symbol: &str, want: &str) -> Vec<String> {
        let answer = self
            .ok("symbol.related", json!({"repoId": "*", "symbol": symbol, "want": want, "sync": "require"}));
        places(&answer["related"])
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

/// Names, or qualified names, of a list.
fn names(rows: &Value, field: &str) -> Vec<String> {
    rows.as_array().into_iter().flatten().map(|row| row[field].as_str().unwrap().to_owned()).collect()
}

const STANDARD: &str = "standard";

#[test]
fn a_slice_has_cards_of_several_repositories_and_is_kept_up_to_date() {
    let world = World::new();
    let built = world.ok(
        "slice.build",
        json!({"repoId": "*", "taskText": "run fetch send", "wireFormat": STANDARD, "sync": "require"}),
    );
    let files = names(&built["slice"]["cards"], "file");
    assert!(files.contains(&"@app/main.py".to_owned()), "{built:#}");
    assert!(files.contains(&"@wire/src/wire/api.py".to_owned()), "{built:#}");
    let ids: Vec<&Value> =
        built["slice"]["cards"].as_array().unwrap().iter().map(|c| &c["symbolId"]).collect();
    let crosses = built["slice"]["edges"].as_array().unwrap().iter().any(|edge| {
        let file = |id: &Value| ids.iter().position(|known| *known == id).and_then(|at| files.get(at));
        file(&edge["from"]).is_some_and(|file| file.starts_with("@app/"))
            && file(&edge["to"]).is_some_and(|file| file.starts_with("@wire/"))
    });
    assert!(crosses, "{built:#}");
    let (handle, version) = (&built["sliceHandle"], &built["ledgerVersion"]);
    // The handle says of which workspace it is, and every member is waited for.
    let same = world.ok("slice.refresh", json!({"sliceHandle": handle, "knownVersion": version}));
    assert_eq!((&same["notModified"], &same["currentVersion"]), (&json!(true), version), "{same:#}");
    world.write(
        "wire",
        "src/wire/api.py",
        "def get(url, again=1):\n    return send(url)\n\n\ndef send(url):\n    return url\n",
    );
    let changed = world.ok("slice.refresh", json!({"sliceHandle": handle, "knownVersion": version}));
    let delta = &changed["delta"];
    assert_eq!(names(&delta["changedSymbols"], "name"), ["get"], "{changed:#}");
    let get = &delta["changedSymbols"][0];
    assert_eq!((&get["file"], &get["changeType"]), (&json!("@wire/src/wire/api.py"), &json!("modified")));
    assert_eq!(get["signatureDiff"]["before"], "def get(url)", "{get:#}");
    let users = ["@wire/src/wire/__init__.py", "@app/main.py"];
    assert_eq!(names(&delta["blastRadius"], "file"), users, "{delta:#}");
    assert_eq!(delta["movedCards"][0]["file"], "@wire/src/wire/api.py", "send is two lines up: {delta:#}");
    // An answer that was lost is asked for again, from the state that the client knows.
    let again = world.ok("slice.refresh", json!({"sliceHandle": handle, "knownVersion": version}));
    assert_eq!(again["delta"], changed["delta"]);
    let now = &changed["currentVersion"];
    let same = world.ok("slice.refresh", json!({"sliceHandle": handle, "knownVersion": now}));
    assert_eq!(same["notModified"], true, "{same:#}");
    // An edit of the library that takes the edge away is a change of the application's card.
    world.write("wire", "src/wire/__init__.py", "");
    let cut = world.ok("slice.refresh", json!({"sliceHandle": handle, "knownVersion": now}));
    assert_eq!(names(&cut["delta"]["changedSymbols"], "file"), ["@app/main.py"], "{cut:#}");
    assert_eq!(cut["delta"]["changedSymbols"][0]["tiers"]["dependenciesStable"], false, "{cut:#}");
    // A state that is not known any more gets the whole slice.
    let whole = world.ok("slice.refresh", json!({"sliceHandle": handle, "knownVersion": "v1"}));
    assert_eq!(whole["freshInstance"], true, "{whole:#}");
    assert_eq!(names(&whole["slice"]["cards"], "file").len(), files.len(), "{whole:#}");
}

#[test]
fn a_handle_of_a_workspace_is_no_handle_of_its_repositories() {
    let world = World::new();
    let built = world.ok("slice.build", json!({"repoId": "*", "taskText": "run fetch"}));
    let args =
        json!({"sliceHandle": built["sliceHandle"], "knownVersion": built["ledgerVersion"], "repoId": "app"});
    let wrong = world.refused("slice.refresh", args);
    assert_eq!(wrong["code"], "invalidArgument", "{wrong:#}");
    assert!(wrong["message"].as_str().unwrap().contains("leave repoId out"), "{wrong:#}");
    let own = world.ok("slice.build", json!({"repoId": "app", "taskText": "run fetch"}));
    let args =
        json!({"sliceHandle": own["sliceHandle"], "knownVersion": own["ledgerVersion"], "repoId": "*"});
    let wrong = world.refused("slice.refresh", args);
    assert!(wrong["message"].as_str().unwrap().contains("leave repoId out"), "{wrong:#}");
    // What did not fit is served too.
    let task = "run fetch get send note test_run";
    let small = json!({"repoId": "*", "taskText": task, "budget": {"maxCards": 1}});
    let small = world.ok("slice.build", small);
    let spilled = &small["truncation"]["spilloverHandle"];
    let rest = world.ok("slice.spillover.get", json!({"spilloverHandle": spilled}));
    let files = names(&rest["symbols"], "file");
    assert!(files.iter().all(|file| file.starts_with('@')) && files.len() > 2, "{rest:#}");
}

#[test]
fn source_of_all_repositories_is_shown_as_far_as_every_policy_allows() {
    let world = World::new();
    let ask = || {
        world.ok(
            "agent.orchestrate",
            json!({"repoId": "*", "taskText": "How does run fetch and send?", "budget": {"maxTokens": 3000}}),
        )
    };
    let open = ask().to_string();
    assert!(open.contains("@app/main.py:") && open.contains("@wire/src/wire/api.py:"), "{open}");
    let rows = world.engine.audit().show(world.engine.agent(), None, 10).unwrap();
    assert!(
        rows.iter()
            .any(|shown| shown.row.repo_id == "wire" && shown.row.details["file"] == "src/wire/api.py")
    );
    assert!(rows.iter().all(|shown| shown.row.repo_id != "*"));
    world.ok("policy.set", json!({"repoId": "wire", "policyPatch": {"budgetCaps": {"maxCards": 2}}}));
    let capped =
        world.ok("slice.build", json!({"repoId": "*", "taskText": "run fetch send", "wireFormat": STANDARD}));
    assert_eq!(names(&capped["slice"]["cards"], "file").len(), 2, "{capped:#}");
    let own =
        world.ok("slice.build", json!({"repoId": "app", "taskText": "run fetch", "wireFormat": STANDARD}));
    assert!(names(&own["slice"]["cards"], "file").len() > 2, "{own:#}");
}

#[test]
fn a_summary_tells_of_several_repositories_and_an_edit_counts_at_once() {
    let world = World::new();
    let ask = |repo: &str, query: &str| {
        world.ok(
            "context.summary",
            json!({"repoId": repo, "query": query, "format": "json", "sync": "require"}),
        )
    };
    let task = ask("*", "How does run fetch and send?");
    let files = names(&task["summary"]["filesTouched"], "file");
    assert!(files.iter().all(|file| file.starts_with('@')), "{task:#}");
    assert!(files.iter().any(|file| file.starts_with("@app/")), "{task:#}");
    assert!(files.iter().any(|file| file.starts_with("@wire/")), "{task:#}");
    let file = ask("*", "@wire/src/wire/api.py");
    assert_eq!(file["scope"], "file", "{file:#}");
    assert!(names(&file["summary"]["keySymbols"], "file").iter().any(|file| file.starts_with("@app/")));
    // The same words about one repository have an answer of their own.
    let own = ask("wire", "How does run fetch and send?");
    assert!(names(&own["summary"]["filesTouched"], "file").iter().all(|file| !file.contains('@')));
    world.write("wire", "src/wire/late.py", "def fetch_and_send_run():\n    return 1\n");
    let again = ask("*", "How does run fetch and send?");
    assert!(again.to_string().contains("@wire/src/wire/late.py"), "{again:#}");
}

#[test]
fn a_rename_has_the_edits_of_all_repositories() {
    let world = World::new();
    let plan = world.ok("symbol.rename", json!({"repoId": "*", "symbol": GET, "newName": "load"}));
    let edits: Vec<String> = plan["edits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| format!("{}:{}:{}", edit["file"].as_str().unwrap(), edit["line"], edit["column"]))
        .collect();
    assert_eq!(
        edits,
        ["@app/main.py:5:17", "@wire/src/wire/__init__.py:1:18", "@wire/src/wire/api.py:1:5"],
        "{plan:#}"
    );
    assert_eq!(plan["complete"], true, "{plan:#}");
    assert!(plan["completeness"].as_str().unwrap().contains("in 2 of 3 repositories"), "{plan:#}");
    // A repository that is missing may use it.
    world.engine.name_workspace("shop", Some(vec!["app".into(), "gone".into(), "wire".into()])).unwrap();
    let partly = json!({"repoId": "workspace:shop", "symbol": GET, "newName": "load"});
    let partly = world.ok("symbol.rename", partly);
    assert_eq!(partly["complete"], false, "{partly:#}");
    assert!(partly["completeness"].as_str().unwrap().contains("\"gone\" is not registered"), "{partly:#}");
}

#[test]
fn code_that_another_repository_uses_is_not_unused() {
    let world = World::new();
    world.write("wire", "src/wire/more.py", "def extra():\n    return 1\n\n\ndef _left():\n    return 2\n");
    world.write(
        "app",
        "test_more.py",
        "from wire.more import extra\n\n\ndef test_more():\n    assert extra()\n",
    );
    let unused = |repo: &str| {
        let asked = json!({"repoId": repo, "minConfidence": 0, "sync": "require"});
        places(&world.ok("symbol.unused", asked)["unused"])
    };
    assert_eq!(unused("wire"), ["src/wire/more.py _left", "src/wire/more.py extra"]);
    assert_eq!(unused("*"), ["@wire/src/wire/more.py _left", "@notes/notes.py get"]);
}

/// Holds every commit of one repository's worker until it is let go.
struct Gate {
    reached: Mutex<Sender<()>>,
    open: Mutex<Receiver<()>>,
}

impl Faults for Gate {
    fn at(&self, point: FaultPoint) -> Option<Fault> {
        let is_worker = std::thread::current().name() == Some("repo wire");
        if is_worker && point == FaultPoint::BeforeCommit {
            let _ = self.reached.lock().unwrap().send(());
            let _ = self.open.lock().unwrap().recv();
        }
        None
    }
}

#[test]
fn a_member_that_is_still_being_read_is_waited_for_or_named() {
    let ((reached, held), (open, gate)) = (channel(), channel());
    let gate = Gate { reached: Mutex::new(reached), open: Mutex::new(gate) };
    let daemon = Daemon::with_options(Options { faults: Some(Arc::new(gate)), ..Options::default() });
    for (repo, files) in TREES {
        daemon.add_repo(repo, files);
    }
    held.recv().unwrap();
    let ask = |more: &[(&str, Value)]| {
        let mut args = json!({"repoId": "*", "symbol": "run", "want": "callees", "depth": 3});
        for (key, value) in more {
            args[*key] = value.clone();
        }
        daemon.call("symbol.related", &args)
    };
    daemon.ok("index.refresh", json!({"repoId": "app", "mode": "incremental"}));
    let early = ask(&[("syncTimeoutMs", json!(0))]).unwrap();
    assert_eq!(places(&early["related"]), ["@app/main.py fetch"], "{early:#}");
    let told = early["notes"].to_string();
    assert!(told.contains("wire") && told.contains("first index is under way"), "{early:#}");
    daemon.engine.name_workspace("libraries", Some(vec!["wire".into()])).unwrap();
    let only = ("repoId", json!("workspace:libraries"));
    let none = ask(&[only.clone(), ("syncTimeoutMs", json!(0))]).unwrap_err();
    assert_eq!(none["code"], "indexing", "{none:#}");
    let required = ask(&[only, ("sync", json!("require")), ("syncTimeoutMs", json!(0))]).unwrap_err();
    assert_eq!(required["code"], "indexing", "{required:#}");
    drop(open);
    let patient = ask(&[("syncTimeoutMs", json!(60_000))]).unwrap();
    let all = ["@app/main.py fetch", "@wire/src/wire/api.py get", "@wire/src/wire/api.py send"];
    assert_eq!(places(&patient["related"]), all, "{patient:#}");
    assert_eq!(patient["freshness"]["synced"], true, "{patient:#}");
}

#[test]
fn damage_is_mended_in_the_repository_that_has_it_and_in_no_other() {
    let world = World::new();
    let ask = || {
        world
            .call("symbol.search", &json!({"repoId": "*", "query": "send", "exact": true, "sync": "require"}))
    };
    assert_eq!(ask().unwrap()["total"], 1);
    let ledger = |repo: &str| world.folder.path().join("state/repos").join(repo);
    flip(&ledger("wire").join("data.mdb"), "send");
    let told = ask().unwrap_err();
    assert_eq!(told["code"], "unavailable", "{told:#}");
    assert_eq!(told["nextBestAction"]["args"]["repoId"], "wire", "{told:#}");
    // While it is out of service, the others answer, and say that it is missing.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while ask().ok().is_none_or(|found| found["total"] != 1) {
        assert!(std::time::Instant::now() < deadline, "wire never answers again");
        std::thread::yield_now();
    }
    assert!(ledger("wire").join("set-aside-1").exists());
    assert!(!ledger("app").join("set-aside-1").exists() && !ledger("notes").join("set-aside-1").exists());
}
