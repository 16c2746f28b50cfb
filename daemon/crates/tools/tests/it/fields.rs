//! Checks that no field is missing: every argument and answer that the documents name is in the registry, and every
//! field that an answer's schema declares is in the answer to some call.

mod asked;
mod searched;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::common::{SHOP, World, handlers};
use sdl_model::GitHead;
use sdl_tests::schema::{declared_paths, value_paths};
use sdl_tools::host::{Barrier, RepoHealth, RepoState, RepoStatus, WatcherKind, WatcherStatus};
use sdl_tools::{Host as _, Repo as _};
use serde_json::{Value, json};

const CONTRACT: &str = include_str!("fixtures/contract.txt");

/// The documentation of an action.
#[derive(Default)]
struct Documented {
    request: Vec<(String, String, bool)>,
    response: Vec<String>,
}

fn contract() -> BTreeMap<String, Documented> {
    let mut all: BTreeMap<String, Documented> = BTreeMap::new();
    let mut action = String::new();
    for line in CONTRACT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let fields = |line: &str| line.split(' ').skip(1).map(str::to_owned).collect::<Vec<_>>();
        let of = all.entry(if line.contains(' ') { action.clone() } else { line.to_owned() }).or_default();
        match line.split(' ').next() {
            Some("<") => of.request.extend(fields(line).into_iter().map(|field| {
                let (name, kind) = field.split_once(':').expect("a type");
                let required = name.ends_with('!');
                (name.trim_end_matches('!').to_owned(), kind.to_owned(), required)
            })),
            Some(">") => of.response.extend(fields(line)),
            _ => line.clone_into(&mut action),
        }
    }
    all
}

fn described() -> BTreeMap<String, Value> {
    let described: Value = serde_json::from_slice(&World::empty().tools.describe()).unwrap();
    let actions = described["actions"].as_array().unwrap().iter();
    actions.map(|action| (action["name"].as_str().unwrap().to_owned(), action.clone())).collect()
}

/// Returns the schema at a path.
fn at<'s>(schema: &'s Value, path: &str) -> Option<&'s Value> {
    path.split('.').try_fold(schema, |schema, part| {
        let found = schema["properties"].get(part.trim_end_matches("[]"))?;
        if part.ends_with("[]") { found.get("items") } else { Some(found) }
    })
}

#[test]
fn every_documented_argument_is_taken() {
    let (described, mut faults) = (described(), String::new());
    let contract = contract();
    for (name, documented) in &contract {
        let Some(action) = described.get(name) else {
            let _ = writeln!(faults, "{name} is no action");
            continue;
        };
        for (path, kind, required) in &documented.request {
            let schema = at(&action["inputSchema"], path);
            let is = schema.map_or(String::new(), |schema| match schema["type"].as_str() {
                Some("array") => format!("{}[]", schema["items"]["type"].as_str().unwrap_or_default()),
                kind => kind.unwrap_or_default().to_owned(),
            });
            if is != *kind {
                let _ = writeln!(faults, "{name} < {path}: {kind} wanted, it is {is:?}");
            }
            let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
            let parent = if parent.is_empty() {
                Some(&action["inputSchema"])
            } else {
                at(&action["inputSchema"], parent)
            };
            let needs = parent.is_some_and(|parent| {
                parent["required"].as_array().is_some_and(|all| all.contains(&key.into()))
            });
            if needs != *required {
                let _ = writeln!(faults, "{name} < {path}: required is {needs}, not {required}");
            }
        }
    }
    for name in described.keys().filter(|name| {
        let apart = ["action.search", "tool.call"].contains(&name.as_str());
        !contract.contains_key(*name) && !apart
    }) {
        let _ = writeln!(faults, "{name} is in no document");
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn documented_limits_are_those_of_the_schemas() {
    let described = described();
    for (action, path, key, limit) in [
        ("code.getSkeleton", "identifiersToFind", "maxItems", json!(50)),
        ("code.getSkeleton", "skeletonOffset", "minimum", json!(0)),
        ("code.getHotPath", "identifiersToFind", "minItems", json!(1)),
        ("code.getHotPath", "identifiersToFind", "maxItems", json!(50)),
        ("code.getHotPath", "contextLines", "minimum", json!(0)),
        ("code.needWindow", "reason", "minLength", json!(1)),
        ("code.needWindow", "identifiersToFind", "maxItems", json!(50)),
        ("code.needWindow", "granularity", "enum", json!(["symbol", "block", "fileWindow"])),
        ("slice.build", "entrySymbols", "maxItems", json!(100)),
        ("slice.build", "editedFiles", "maxItems", json!(100)),
        ("slice.build", "minConfidence", "minimum", json!(0)),
        ("slice.build", "minConfidence", "maximum", json!(1)),
        ("slice.build", "minCallConfidence", "maximum", json!(1)),
        ("slice.build", "cardDetail", "enum", json!(["minimal", "signature", "deps", "compact", "full"])),
        ("slice.build", "wireFormat", "enum", json!(["standard", "compact"])),
        ("slice.build", "wireFormatVersion", "minimum", json!(1)),
        ("slice.build", "wireFormatVersion", "maximum", json!(3)),
        ("slice.spillover.get", "pageSize", "minimum", json!(1)),
        ("slice.spillover.get", "pageSize", "maximum", json!(100)),
        ("context.summary", "format", "enum", json!(["markdown", "json", "clipboard"])),
        ("context.summary", "scope", "enum", json!(["symbol", "file", "task"])),
        ("pr.risk.analyze", "riskThreshold", "maximum", json!(100)),
        ("symbol.search", "limit", "maximum", json!(1000)),
        ("symbol.getCards", "symbolIds", "maxItems", json!(100)),
        ("repo.status", "detail", "enum", json!(["compact", "standard", "full"])),
        ("repo.overview", "level", "enum", json!(["stats", "directories", "full"])),
        ("index.refresh", "mode", "enum", json!(["full", "incremental"])),
        ("usage.stats", "scope", "enum", json!(["session", "repo", "all"])),
        ("agent.orchestrate", "taskType", "enum", json!(["debug", "review", "implement", "explain"])),
        ("runtime.execute", "outputMode", "enum", json!(["digest", "tail", "full"])),
        ("memory.store", "type", "enum", json!(["decision", "bugfix", "task_context", "pattern", "note"])),
        ("manual", "format", "enum", json!(["markdown", "typescript", "json"])),
    ] {
        let is = &at(&described[action]["inputSchema"], path).unwrap()[key];
        let same = match (is.as_f64(), limit.as_f64()) {
            (Some(is), Some(limit)) => (is - limit).abs() < 1e-9,
            _ => *is == limit,
        };
        assert!(same, "{action} {path}: {key} is {is}, not {limit}");
    }
}

/// Fields that no call of these tests can produce, each with its reason.
const UNSEEN: &[(&str, &str, &str)] = &[
    ("action.search", "notes", "it belongs to every gateway, and says all it has to say"),
    ("chain", "notes", "as action.search; its steps have their own"),
    ("tool.call", "notes", "the tool that it calls has its own"),
    ("info", "notes", "as action.search"),
    ("manual", "notes", "as action.search"),
    ("context.summary", "truncation.spilloverHandle", "a larger budget goes on, as howToResume says"),
    ("repo.overview", "truncation.spilloverHandle", "a larger budget goes on"),
    ("symbol.search", "truncation.spilloverHandle", "the cursor goes on"),
    ("runtime.execute", "outputHeld", "takes a process that outlives its command"),
    ("agent.orchestrate", "omitted[].name", UNREADABLE),
    ("agent.orchestrate", "omitted[].reason", UNREADABLE),
    ("agent.orchestrate", "omitted[].symbolId", UNREADABLE),
    ("slice.refresh", "truncation", BUILT_AGAIN),
    ("slice.refresh", "truncation.droppedCards", BUILT_AGAIN),
    ("slice.refresh", "truncation.droppedEdges", BUILT_AGAIN),
    ("slice.refresh", "truncation.howToResume", BUILT_AGAIN),
    ("slice.refresh", "truncation.spilloverHandle", BUILT_AGAIN),
    ("slice.refresh", "truncation.truncated", BUILT_AGAIN),
];
const UNREADABLE: &str = "takes a file that was indexed and can't be read any more";
const BUILT_AGAIN: &str = "a slice comes whole, unless it is built again because its ledger was lost";

/// Actions that answer without looking at the tree, so that buffers don't matter.
const APART: [&str; 9] = [
    "buffer.checkpoint",
    "buffer.push",
    "buffer.status",
    "index.refresh",
    "memory.remove",
    "policy.get",
    "policy.set",
    "repo.register",
    "runtime.execute",
];

/// Those that compare the tree with something.
const COMPARING: [&str; 2] = ["buffer.checkpoint", "index.refresh"];

fn cannot(action: &str, path: &str) -> bool {
    let stales = ["slice.refresh", "delta.get"].contains(&action);
    if (action.starts_with("memory.") && of_module(path))
        || (stales && path.starts_with("staled"))
        || (action == "agent.feedback.query" && (path.starts_with("lanes") || path.starts_with("lift")))
        || (action == "info" && path.starts_with("actions"))
    {
        return true;
    }
    UNSEEN.iter().any(|(of, field, _)| *of == action && *field == path)
        || (APART.contains(&action) && path.starts_with("freshness.overlay"))
        || (APART.contains(&action) && !COMPARING.contains(&action) && path == "freshness.synced")
}

/// Whether a field of an answer about memories exists only where their module is on. `kept` has calls of those.
fn of_module(path: &str) -> bool {
    let field = path.strip_prefix("memories[].").unwrap_or(path);
    let field = field.split('.').next().unwrap_or_default();
    let of_memories =
        ["agent", "by", "details", "expiresAt", "scope", "staleSince", "supersededBy", "supersedes"];
    of_memories.contains(&field)
        || ["lanes", "lanes[]", "masked", "replayed", "revision", "storeRevision"].contains(&field)
}

/// The fields in the answers to calls, by action.
#[derive(Default)]
struct Seen(BTreeMap<String, BTreeSet<String>>);

impl Seen {
    fn ok(&mut self, world: &World, action: &str, args: Value) -> Value {
        let answer = world.ok(action, args);
        self.0.entry(action.to_owned()).or_default().extend(value_paths(&answer));
        answer
    }
}

const REAL: &str = r#"
//- /real/app.py
import os
import auth

class Base:
    """What handlers have in common."""

class Handler(Base):
    def handle(self, request: dict, limit: int = 3) -> str:
        """Answers a request."""
        if not request:
            raise ValueError("no request")
        with open(os.environ["LOG_FILE"], "a") as log:
            log.write("x")
        for part in request["parts"]:
            if part == "stop":
                return "stopped"
        return "done"
//- /real/generic.ts
export function first<T>(items: T[], other?: string): T {
    return items[0];
}
//- /real/broken.py
def broken(:
    return
"#;

#[test]
fn every_declared_field_of_an_answer_is_given_by_some_call() {
    let mut seen = Seen::default();
    searched::searches(&mut seen);
    asked::ask_all(&mut seen);
    slices(&mut seen);
    changes(&mut seen);
    sources(&mut seen);
    agents(&mut seen);
    commands(&mut seen);
    states(&mut seen);
    parts(&mut seen);
    let (mut faults, contract) = (String::new(), contract());
    for (name, action) in described() {
        if !action["module"].is_null() {
            continue;
        }
        let seen = seen.0.remove(&name).unwrap_or_default();
        let declared = declared_paths(&action["outputSchema"]);
        for path in &declared {
            if seen.contains(path) == cannot(&name, path) {
                let _ = writeln!(faults, "{name} > {path}: no call gives it, or it is excused without need");
            }
        }
        for path in contract.get(&name).into_iter().flat_map(|documented| &documented.response) {
            let path = path.trim_end_matches("[]");
            if !seen.contains(path) && !cannot(&name, path) {
                let _ = writeln!(faults, "{name} > {path}: documented, and in no answer");
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{faults}", faults.lines().count());
}

fn slices(seen: &mut Seen) {
    let world = World::shop();
    world.repo.write(REAL);
    let validate = world.repo.symbol("src/auth.py", "validate");
    world.ok(
        "memory.store",
        json!({"type": "note", "title": "Tokens", "content": "They expire.", "symbolIds": [validate]}),
    );
    let card = world.ok("symbol.getCard", json!({"symbolId": validate}));
    let built = seen.ok(
        &world,
        "slice.build",
        json!({"entrySymbols": [validate], "wireFormat": "standard", "includeRetrievalEvidence": true, "includeMemories": true,
            "budget": {"maxCards": 3}, "knownCardEtags": {&validate: card["card"]["etag"]}}),
    );
    let compact = world.ok("slice.build", json!({"entrySymbols": [validate]}));
    seen.ok(&world, "slice.refresh", json!({"sliceHandle": compact["sliceHandle"], "knownVersion": "v1"}));
    seen.ok(&world, "slice.build", json!({"entrySymbols": [validate], "includeSource": true}));
    for version in 1..=3 {
        seen.ok(&world, "slice.build", json!({"entrySymbols": [validate], "wireFormatVersion": version}));
    }
    let handle = built["truncation"]["spilloverHandle"].clone();
    seen.ok(&world, "slice.spillover.get", json!({"spilloverHandle": handle, "pageSize": 1}));
    let refresh = json!({"sliceHandle": built["sliceHandle"], "knownVersion": built["ledgerVersion"]});
    seen.ok(&world, "slice.refresh", refresh.clone());
    seen.ok(&world, "slice.refresh", json!({"sliceHandle": built["sliceHandle"], "knownVersion": "v1"}));
    world.repo.write(&SHOP.replace("def parse(token: str)", "def parse(token: str, strict: bool)"));
    seen.ok(&world, "slice.refresh", refresh);
}

fn changes(seen: &mut Seen) {
    let world = World::shop();
    world.repo.write("//- /tests/test_auth.py\ndef test_parse() calls parse\n");
    world.repo.write(REAL);
    world.repo.write(
        &REAL.replace("raise ValueError", "print").replace("LOG_FILE", "OTHER_FILE").replace("done", "ok"),
    );
    let compare = |seen: &mut Seen, more: Value| {
        let mut args = json!({"fromVersion": "previous", "toVersion": "latest"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        seen.ok(&world, "delta.get", args.clone());
        args.as_object_mut().unwrap().shift_remove("budget");
        seen.ok(&world, "pr.risk.analyze", args);
    };
    compare(seen, json!({}));
    world.repo.write(&SHOP.replace("def parse(token: str)", "def parse(token: str, strict: bool)"));
    compare(seen, json!({}));
    world.repo.write(&SHOP.replace("def parse(", "def split_token("));
    compare(seen, json!({}));
    world.repo.write("//- /src/more.py\ndef a() calls decode\ndef b() calls decode\ndef c() calls decode\n");
    compare(seen, json!({}));
    // A symbol that depends on the change, and whose fan-in grows.
    let changed = SHOP.replace("def connect()", "def connect(url: str)");
    world.repo.write(&format!("{changed}//- /src/most.py\ndef d() calls lookup\ndef e() calls lookup\n"));
    compare(seen, json!({}));
    world.repo.write(&handlers(300, " calls validate, handler_number_0 raises Denied : One."));
    world.repo.write(&handlers(300, " : Another.").replace("(request: HttpRequest)", "(request: Request)"));
    compare(seen, json!({"budget": {"maxCards": 9}}));
}

fn sources(seen: &mut Seen) {
    let world = World::shop();
    world.repo.write(REAL);
    let found = world.ok("symbol.search", json!({"query": "Handler.handle", "exact": true}));
    let handle = &found["results"][0]["symbolId"];
    let lines = json!({"symbolId": handle, "identifiersToFind": ["request", "part"], "contextLines": 0});
    seen.ok(&world, "code.getSkeleton", json!({"symbolId": handle, "maxLines": 2}));
    seen.ok(&world, "code.getHotPath", lines.clone());
    let mut few = lines;
    few["maxLines"] = json!(1);
    few["contextLines"] = json!(50);
    seen.ok(&world, "code.getHotPath", few);
    // More lines than a policy allows.
    let mut long = "//- /real/long.py\ndef long(items):\n".to_owned();
    (0..300).for_each(|i| long.push_str(&format!("    items.append({i})\n")));
    world.repo.write(&format!("{REAL}{long}"));
    let found = world.ok("symbol.search", json!({"query": "long", "exact": true, "kinds": ["function"]}));
    let whole =
        json!({"symbolId": found["results"][0]["symbolId"], "identifiersToFind": ["items"], "maxLines": 300});
    seen.ok(&world, "code.getHotPath", whole);
    let ask = |more: Value| {
        let mut args = json!({"symbolId": handle, "reason": "see it", "expectedLines": 20, "identifiersToFind": ["request", "part"]});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    seen.ok(&world, "code.needWindow", ask(json!({"identifiersToFind": ["nowhere"]})));
    seen.ok(&world, "code.needWindow", ask(json!({})));
    world.ok("slice.build", json!({"entrySymbols": [handle]}));
    seen.ok(&world, "code.needWindow", ask(json!({})));
    seen.ok(&world, "code.needWindow", ask(json!({"expectedLines": 4, "granularity": "fileWindow"})));
    seen.ok(&world, "policy.get", json!({}));
    seen.ok(&world, "policy.set", json!({"policyPatch": {"maxWindowLines": 4, "allowBreakGlass": true}}));
    seen.ok(&world, "code.needWindow", ask(json!({})));
    seen.ok(&world, "code.needWindow", ask(json!({"breakGlass": true, "identifiersToFind": ["nowhere"]})));
    // The policy is limited by a ceiling that was lowered, and somebody cut the log.
    world.raise_ceiling(json!({"maxWindowLines": 3}));
    world.host.agent().write(|writer| writer.delete("audit", &0u64.to_be_bytes())).unwrap();
    seen.ok(&world, "policy.set", json!({"policyPatch": {"maxWindowTokens": 1_000}}));
    world.raise_ceiling(json!({"maxWindowTokens": 900}));
    seen.ok(&world, "policy.get", json!({}));
}

fn agents(seen: &mut Seen) {
    let world = World::shop();
    world.repo.write("//- /tests/test_auth.py\ndef test_validate() calls validate : Tests it.\n");
    world.repo.write(&handlers(80, " calls validate, lookup : Answers one of many requests for a token."));
    let validate = world.repo.symbol("src/auth.py", "validate");
    let task = json!({"taskText": "validate a token", "budget": {"maxTokens": 900}});
    let assembly = seen.ok(&world, "agent.orchestrate", task)["assemblyId"].clone();
    seen.ok(
        &world,
        "agent.orchestrate",
        json!({"taskText": "handle a token request", "budget": {"maxTokens": 4_000}}),
    );
    let tight = json!({"taskText": "handle a token request", "budget": {"maxTokens": 800}});
    seen.ok(&world, "agent.orchestrate", tight);
    let handle = world.ok("slice.build", json!({"taskText": "validate a token"}))["sliceHandle"].clone();
    let told = json!({"usefulSymbols": [validate], "missingSymbols": ["Session.close"], "rating": 4, "taskText": "x"});
    for (key, about) in [("assemblyId", assembly), ("sliceHandle", handle)] {
        let mut told = told.clone();
        told[key] = about;
        seen.ok(&world, "agent.feedback", told);
    }
    seen.ok(&world, "agent.feedback.query", json!({"limit": 1}));
    seen.ok(&world, "agent.feedback.query", json!({}));
    let memory = json!({"type": "pattern", "title": "t", "content": "c", "files": ["src/db.py"], "symbolIds": [validate], "tags": ["a"]});
    seen.ok(&world, "memory.store", memory.clone());
    let other = seen.ok(
        &world,
        "memory.store",
        json!({"type": "note", "title": "u", "content": "d", "symbolIds": [validate]}),
    );
    seen.ok(&world, "memory.query", json!({}));
    seen.ok(&world, "memory.query", json!({"limit": 1}));
    seen.ok(&world, "memory.surface", json!({}));
    seen.ok(&world, "memory.surface", json!({"limit": 1}));
    seen.ok(&world, "memory.remove", json!({"memoryId": other["memoryId"]}));
    let search = json!({"action": "symbol.search", "args": {"query": "handler", "limit": 40}, "as": "found"});
    seen.ok(&world, "chain", json!({"steps": [search, {"action": "no.such"}]}));
    seen.ok(
        &world,
        "chain",
        json!({"steps": [search, {"action": "repo.overview"}], "budget": {"maxTokens": 500}}),
    );
}

fn commands(seen: &mut Seen) {
    let world = World::shop();
    world.allow(r#"{"enabled": true, "executables": ["sh"], "maxTimeoutMs": 100}"#);
    let sh = |script: &str| json!({"executable": "sh", "args": ["-c", script]});
    let ran = seen.ok(
        &world,
        "runtime.execute",
        sh("i=0; while [ $i -lt 1200 ]; do i=$((i+1)); echo a long line of words $i; done"),
    );
    seen.ok(&world, "runtime.execute", sh("kill -9 $$"));
    seen.ok(&world, "runtime.queryOutput", json!({"artifactHandle": ran["artifactHandle"]}));
    seen.ok(&world, "index.refresh", json!({"mode": "full", "async": true}));
    seen.ok(&world, "repo.register", json!({"rootPath": "/somewhere/else"}));
}

/// Calls every action that can answer while a first index is under way.
fn parts(seen: &mut Seen) {
    let world = World::empty();
    let text = "def validate(token):\n    return token\n".to_owned();
    world.repo.read_part(&[("real/a.py".to_owned(), text.clone()), ("real/b.py".to_owned(), text)], 1);
    let found = seen.ok(&world, "symbol.search", json!({"query": "validate"}));
    let id = &found["results"][0]["symbolId"];
    for (action, args) in [
        ("symbol.getCard", json!({"symbolId": id})),
        ("symbol.getCards", json!({"symbolIds": [id]})),
        ("code.getSkeleton", json!({"symbolId": id})),
        ("code.getHotPath", json!({"symbolId": id, "identifiersToFind": ["token"]})),
        ("repo.overview", json!({})),
        ("repo.status", json!({})),
    ] {
        seen.ok(&world, action, args);
    }
}

/// Calls every action again, through the wrong gateway, while the repository is in trouble and has unsaved buffers.
fn states(seen: &mut Seen) {
    let world = World::shop();
    world.repo.write(REAL);
    *world.repo.synced.lock().unwrap() = Barrier {
        synced: false,
        lag_ms: 70,
        reason: Some("a batch is being written".into()),
        timed_out: true,
    };
    world.ok(
        "buffer.push",
        json!({"filePath": "real/unsaved.py", "eventType": "change", "version": 1, "content": "x = 1\n"}),
    );
    let described = described();
    let validate = world.repo.symbol("src/auth.py", "validate");
    let built = world.ok("slice.build", json!({"entrySymbols": [validate], "budget": {"maxCards": 1}}));
    world.allow(r#"{"enabled": true, "executables": ["sh"]}"#);
    let ran = world.ok("runtime.execute", json!({"executable": "sh", "args": ["-c", "echo"]}));
    let memory = || {
        world.ok("memory.store", json!({"type": "note", "title": "t", "content": "c"}))["memoryId"].clone()
    };
    for (action, args) in [
        ("symbol.search", json!({"query": "x"})),
        ("symbol.getCard", json!({"symbolId": validate})),
        ("symbol.getCards", json!({"symbolIds": [validate]})),
        ("symbol.related", json!({"symbol": "validate"})),
        ("symbol.path", json!({"to": "validate"})),
        ("change.impact", json!({"symbols": ["validate"]})),
        ("symbol.rename", json!({"symbol": "validate", "newName": "check"})),
        ("symbol.unused", json!({})),
        ("slice.build", json!({"taskText": "validate"})),
        (
            "slice.refresh",
            json!({"sliceHandle": built["sliceHandle"], "knownVersion": built["ledgerVersion"], "sync": "prefer"}),
        ),
        ("slice.spillover.get", json!({"spilloverHandle": built["truncation"]["spilloverHandle"]})),
        ("delta.get", json!({"fromVersion": "latest", "toVersion": "latest", "sync": "prefer"})),
        ("context.summary", json!({"query": "validate"})),
        ("pr.risk.analyze", json!({"fromVersion": "latest", "toVersion": "latest"})),
        ("code.getSkeleton", json!({"symbolId": validate})),
        ("code.getHotPath", json!({"symbolId": validate, "identifiersToFind": ["token"]})),
        (
            "code.needWindow",
            json!({"symbolId": validate, "reason": "x", "expectedLines": 1, "identifiersToFind": ["token"]}),
        ),
        ("policy.get", json!({})),
        ("policy.set", json!({"policyPatch": {}})),
        ("agent.orchestrate", json!({"taskText": "validate", "budget": {"maxTokens": 2_000}})),
        ("repo.register", json!({"rootPath": "/somewhere/else"})),
        ("repo.status", json!({})),
        ("repo.overview", json!({})),
        ("index.refresh", json!({"mode": "incremental", "async": true})),
        ("buffer.push", json!({"filePath": "real/other.py", "eventType": "open", "version": 1})),
        ("buffer.checkpoint", json!({})),
        ("buffer.status", json!({})),
        ("usage.stats", json!({})),
        ("agent.feedback", json!({"sliceHandle": built["sliceHandle"], "rating": 3})),
        ("agent.feedback.query", json!({})),
        ("memory.store", json!({"type": "note", "title": "x", "content": "y"})),
        ("memory.query", json!({})),
        ("memory.surface", json!({})),
        ("memory.remove", json!({"memoryId": memory()})),
        ("chain", json!({"steps": [{"action": "repo.status"}]})),
        ("runtime.execute", json!({"executable": "sh", "args": ["-c", "echo"]})),
        ("runtime.queryOutput", json!({"artifactHandle": ran["artifactHandle"]})),
    ] {
        if crate::dependencies::ACROSS.contains(&action) {
            seen.ok(&world, action, crate::dependencies::over_all(&args));
        }
        let wrong = if described[action]["namespace"] == "code" { "sdl_repo" } else { "sdl_code" };
        let answer = world.ok(wrong, json!({"action": action, "args": args}));
        seen.0.entry(action.to_owned()).or_default().extend(value_paths(&answer));
    }
    // The handle of a workspace says so itself.
    let task = json!({"repoId": "*", "taskText": "validate token", "budget": {"maxCards": 1}});
    let over = world.ok("slice.build", task);
    let known =
        json!({"sliceHandle": over["sliceHandle"], "knownVersion": over["ledgerVersion"], "sync": "prefer"});
    seen.ok(&world, "slice.refresh", known);
    let spilled = json!({"spilloverHandle": over["truncation"]["spilloverHandle"]});
    seen.ok(&world, "slice.spillover.get", spilled);
    let head = GitHead { commit: Some("0".repeat(40)), branch: Some("main".into()), commit_time: Some(1) };
    let watcher = WatcherStatus {
        kind: WatcherKind::Scan,
        watches: 0,
        last_event_ms: Some(1),
        degraded_reason: Some("no watches left".into()),
    };
    for state in [RepoState::Scanning, RepoState::Indexing { done: 1, total: Some(3), left: None }] {
        *world.repo.says.lock().unwrap() = Some(RepoStatus {
            state,
            ignored_by: vec!["gen: pattern \"gen/\" of .gitignore".into()],
            git_problem: Some("HEAD is a pipe".into()),
            head: Some(head.clone()),
            watcher: watcher.clone(),
            health: RepoHealth::Degraded("it scans".into()),
        });
        seen.ok(&world, "repo.status", json!({"repoId": world.repo.id(), "detail": "full"}));
    }
}
