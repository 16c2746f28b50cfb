//! Holds the tree to its shape: which crate may use which, how long a file may be, which words may occur nowhere, and
//! that ARCHITECTURE.md lists exactly the dependencies that exist.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of a test fail it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sdl_tests::workspace;
use serde_json::Value;

/// Which of our crates each may use. An arrow that is not here fails the test; so does a line that names no crate.
const ARROWS: &[(&str, &[&str])] = &[
    ("sdl-proto", &[]),
    ("sdl-json", &[]),
    ("sdl-client", &["sdl-proto"]),
    ("sdlctl", &["sdl-client", "sdl-model", "sdl-proto", "sdl-settings", "sdl-setup"]),
    ("sdl-setup", &[]),
    ("sdl-ui", &["sdl-client", "sdl-doors", "sdl-proto"]),
    // Which files may be believed.
    ("sdl-share", &["sdl-client", "sdl-proto", "sdl-settings"]),
    ("sdl-mcp", &["sdl-client", "sdl-json", "sdl-proto"]),
    ("sdl-doors", &[]),
    ("sdl-http", &["sdl-client", "sdl-doors", "sdl-mcp", "sdl-proto"]),
    ("sdl-model", &[]),
    ("sdl-tokens", &[]),
    ("sdl-lang", &["sdl-model"]),
    ("sdl-watch", &["sdl-model"]),
    ("sdl-ledger", &["sdl-model"]),
    ("sdl-graph", &["sdl-ledger", "sdl-model"]),
    ("sdl-retrieve", &["sdl-graph", "sdl-ledger", "sdl-model", "sdl-tokens"]),
    ("sdl-navigate", &["sdl-graph", "sdl-lang", "sdl-ledger", "sdl-model", "sdl-retrieve"]),
    ("sdl-outside", &["sdl-lang", "sdl-ledger", "sdl-model"]),
    ("sdl-contract", &["sdl-json", "sdl-proto"]),
    // How words are cut and stemmed.
    ("sdl-find", &["sdl-retrieve"]),
    ("sdl-memory", &["sdl-contract", "sdl-ledger", "sdl-model"]),
    ("sdl-redact", &[]),
    ("sdl-runtime", &["sdl-contract", "sdl-model", "sdl-tokens"]),
    ("sdl-settings", &[]),
    (
        "sdl-tools",
        &[
            "sdl-contract",
            "sdl-find",
            "sdl-graph",
            "sdl-json",
            "sdl-lang",
            "sdl-ledger",
            "sdl-memory",
            "sdl-model",
            "sdl-navigate",
            "sdl-outside",
            // Error codes.
            "sdl-proto",
            "sdl-redact",
            "sdl-retrieve",
            "sdl-runtime",
            // Which files may be believed.
            "sdl-settings",
            "sdl-tokens",
        ],
    ),
    (
        "sdld",
        &[
            // What both ends must agree on: folders, socket, token, and whether another daemon answers already.
            "sdl-client",
            "sdl-contract",
            "sdl-graph",
            "sdl-lang",
            "sdl-ledger",
            // Export and import of the agents' store.
            "sdl-memory",
            "sdl-model",
            "sdl-outside",
            "sdl-proto",
            "sdl-retrieve",
            "sdl-settings",
            "sdl-tools",
            "sdl-watch",
        ],
    ),
    ("sdl-gate", &["sdl-proto", "sdl-settings"]),
    // For the server of the conformance suite alone, under a feature that is off by default.
    ("sdl-tests", &["sdl-client"]),
    ("sdl-bench", &["sdl-graph", "sdl-ledger", "sdl-model", "sdl-retrieve", "sdl-tests", "sdl-tokens"]),
    (
        "sdl-fuzz",
        &[
            "sdl-graph",
            "sdl-lang",
            "sdl-ledger",
            "sdl-memory",
            "sdl-model",
            "sdl-outside",
            "sdl-proto",
            "sdl-retrieve",
            "sdl-settings",
            // The world that the tests of tools make.
            "sdl-tests",
            "sdl-tokens",
            "sdl-tools",
        ],
    ),
    ("xtask", &[]),
];

/// Crates that the tests of a crate may use in addition, each with its reason.
const TEST_ARROWS: &[(&str, &str, &str)] = &[
    ("sdl-graph", "sdl-lang", "resolution is tested on facts of real source text"),
    ("sdl-retrieve", "sdl-lang", "search and slices are tested on facts of real source text"),
    ("sdl-tools", "sdl-tests", "the calls that are generated from schemas, the same as end to end"),
    ("sdl-setup", "sdl-tokens", "rules for agents have a ceiling in tokens"),
    ("sdl-tests", "sdl-tokens", "ceilings are in tokens"),
    ("sdl-tests", "sdl-client", "end to end"),
    ("sdl-tests", "sdl-proto", "mutated sessions are made of real frames"),
];

/// Third-party crates that only these crates may use: one module wraps each, so that it can be replaced there.
const FENCES: &[(&str, &[&str])] = &[
    ("lmdb-rkv", &["sdl-ledger"]),
    ("lmdb-rkv-sys", &["sdl-ledger"]),
    ("notify", &["sdl-watch"]),
    ("rmcp", &["sdl-gate", "sdl-http", "sdl-mcp", "sdld"]),
    ("hyper", &["sdl-http", "sdl-tests", "sdl-ui"]),
    ("axum", &["sdl-ui"]),
    ("crossterm", &["sdlctl"]),
    ("ratatui", &["sdlctl"]),
    ("jsonwebtoken", &["sdl-http"]),
    ("reqwest", &["sdl-gate", "sdl-http"]),
    ("ring", &["sdl-http"]),
    ("rustls", &["sdl-gate", "sdl-http", "sdl-share", "xtask"]),
    ("ureq", &["xtask"]),
    ("sse-stream", &["sdl-gate"]),
    ("open", &["sdlctl"]),
    ("opendal", &["sdl-share"]),
    ("opendal-http-transport-reqwest", &["sdl-share"]),
    ("redis", &["sdl-share"]),
    ("chacha20poly1305", &["sdl-share"]),
    ("tiktoken-rs", &["sdl-tokens"]),
    ("zstd", &["sdl-ledger", "sdld"]),
    ("bincode", &["sdl-proto", "sdl-ledger"]),
    // The fields of a memory's kind are stored, and are arguments: one type.
    ("schemars", &["sdl-contract", "sdl-memory", "sdl-tools"]),
    ("clap", &["sdlctl", "sdl-mcp", "sdld"]),
];

/// A file longer than this fails.
const HARD_LIMIT: usize = 1_000;
/// A file longer than this fails too, unless it is listed in [`LONG_FILES`].
const SOFT_LIMIT: usize = 600;
/// Files that may be longer than [`SOFT_LIMIT`], each with its reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// One package of the workspace.
struct Package {
    name: String,
    dir: String,
    description: String,
    targets: Vec<String>,
    /// Name of the dependency, its kind (`normal`, `build`, `dev`), and whether it is ours.
    dependencies: Vec<(String, String, bool)>,
}

fn packages() -> Vec<Package> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    list(&workspace::cargo_metadata()["packages"])
        .iter()
        .map(|package| Package {
            name: text(&package["name"]),
            dir: text(&package["manifest_path"]).trim_end_matches("Cargo.toml").to_owned(),
            description: text(&package["description"]),
            targets: list(&package["targets"])
                .iter()
                .filter(|target| target["kind"] != serde_json::json!(["custom-build"]))
                .map(|target| text(&target["src_path"]))
                .collect(),
            dependencies: list(&package["dependencies"])
                .iter()
                .map(|d| {
                    let kind = d["kind"].as_str().unwrap_or("normal");
                    (text(&d["name"]), kind.to_owned(), d["source"].is_null())
                })
                .collect(),
        })
        .collect()
}

fn assert_none(what: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{what}:\n  {}", faults.join("\n  "));
}

#[test]
fn arrows_between_crates_run_one_way() {
    let packages = packages();
    let mut faults = Vec::new();
    for package in &packages {
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == package.name) else {
            faults.push(format!("{} is not in the table of arrows", package.name));
            continue;
        };
        for (to, kind, ours) in &package.dependencies {
            // To itself: a crate's tests turn on its own helpers for tests.
            let for_tests = kind == "dev" && (*to == package.name || may_test_with(&package.name, to));
            if *ours && !allowed.contains(&to.as_str()) && !for_tests {
                faults.push(format!("{} -> {to} ({kind})", package.name));
            }
        }
    }
    for (name, _) in ARROWS {
        if !packages.iter().any(|package| package.name == *name) {
            faults.push(format!("the table of arrows names {name}, which is no crate"));
        }
    }
    assert_none("arrows that the design does not have", &faults);
}

fn may_test_with(from: &str, to: &str) -> bool {
    TEST_ARROWS.iter().any(|(crate_name, target, _)| *crate_name == from && *target == to)
}

#[test]
fn replaceable_crates_stay_behind_their_module() {
    let mut faults = Vec::new();
    for package in packages() {
        for (to, kind, _) in &package.dependencies {
            let fence = FENCES.iter().find(|(name, _)| name == to);
            if kind != "dev" && fence.is_some_and(|(_, users)| !users.contains(&package.name.as_str())) {
                faults.push(format!("{} uses {to}", package.name));
            }
        }
    }
    assert_none("crates used outside the one place that they belong to", &faults);
}

#[test]
fn every_crate_takes_the_common_lints_and_says_what_it_is() {
    let mut faults = Vec::new();
    for package in packages() {
        let manifest = fs::read_to_string(format!("{}Cargo.toml", package.dir)).unwrap();
        if !manifest.contains("[lints]\nworkspace = true") {
            faults.push(format!("{} does not take the workspace's lints", package.name));
        }
        if package.description.is_empty() {
            faults.push(format!("{} has no description", package.name));
        }
        for target in &package.targets {
            if !fs::read_to_string(target).unwrap().starts_with("//!") {
                faults.push(format!("{target} does not begin with what it is for"));
            }
        }
    }
    assert_none("crates without their papers", &faults);
}

#[test]
fn files_stay_short() {
    let mut faults = Vec::new();
    for (path, file) in workspace::workspace_files() {
        if !has_extension(&path, &["rs", "py", "ts", "sh", "ps1"]) || is_data(&path) {
            continue;
        }
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        let excused = LONG_FILES.iter().any(|(name, _)| *name == path);
        if lines > HARD_LIMIT || (lines > SOFT_LIMIT && !excused) {
            faults.push(format!("{path}: {lines} lines; split it"));
        }
        if excused && lines <= SOFT_LIMIT {
            faults.push(format!("{path}: {lines} lines; it needs no excuse any more"));
        }
    }
    for (name, reason) in LONG_FILES {
        assert!(
            workspace::workspace_root().join(name).is_file(),
            "{name} ({reason}) is gone; take it off the list"
        );
    }
    assert_none("long files", &faults);
}

fn has_extension(path: &str, extensions: &[&str]) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| extensions.contains(&extension))
}

/// Text that tests read; it is not ours to keep short or tidy.
fn is_data(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "fixtures" | "testdata" | "golden" | "snapshots" | "corpus"))
}

/// Crates that reach the network, or that secure a connection to it.
const NETWORK: &[&str] =
    &["reqwest", "hyper", "h2", "rustls", "openssl", "native-tls", "oauth2", "opendal", "redis", "rmcp"];

#[test]
fn the_daemon_and_the_persons_tool_have_no_network_client_in_them() {
    for program in ["sdld", "sdlctl"] {
        let crates = linked_crates(program);
        assert!(crates.iter().any(|name| name == "tokio"), "the tree of {program} was not read: {crates:?}");
        let found: Vec<&&str> = NETWORK.iter().filter(|name| crates.iter().any(|one| one == *name)).collect();
        assert!(found.is_empty(), "{program} links {found:?}; connections belong to sdl-gate");
    }
}

/// All crates that a program is made of.
fn linked_crates(program: &str) -> Vec<String> {
    let output = std::process::Command::new(workspace::cargo_program())
        .current_dir(workspace::workspace_root())
        .args(["tree", "--locked", "--package", program, "--edges", "normal", "--prefix", "none"])
        .args(["--format", "{p}"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8_lossy(&output.stdout);
    tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn the_tree_has_no_unfinished_code_and_no_paths_of_the_build_machine() {
    // Put together here, so that this file does not hold them.
    let unfinished: Vec<String> =
        ["todo", "unimplemented", "dbg"].iter().map(|name| format!("{name}!(")).collect();
    let notes: Vec<String> = ["FIX", "XX"].iter().zip(["ME", "X:"]).map(|(a, b)| format!("{a}{b}")).collect();
    let machine: Vec<String> = ["work", "farm", "root"].iter().map(|dir| format!("/{dir}/")).collect();
    // A test that runs only on request says why.
    let skipped = format!("#[{}]", "ignore");
    let mut faults = Vec::new();
    for (path, file) in workspace::workspace_files() {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        if has_extension(&path, &["lock"]) || is_data(&path) {
            continue;
        }
        for (at, line) in text.lines().enumerate() {
            let is_rust = has_extension(&path, &["rs"]);
            let word = unfinished
                .iter()
                .chain(&notes)
                .chain([&skipped])
                .find(|word| is_rust && is_own_word(line, word))
                .or_else(|| machine.iter().find(|word| is_own_word(line, word)));
            if let Some(word) = word {
                faults.push(format!("{path}:{}: {word}", at + 1));
            }
        }
    }
    assert_none("words that may not stand in the tree", &faults);
}

/// Whether `word` is in `line` as a word of its own, not as the end of a longer one or of a longer path.
fn is_own_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '}' | '~' | '*'))
    })
}

#[test]
fn the_architecture_page_lists_exactly_the_dependencies_there_are() {
    let page = fs::read_to_string(workspace::workspace_root().join("ARCHITECTURE.md")).unwrap();
    let listed = listed_dependencies(&page);
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        for (name, _, ours) in package.dependencies {
            if !ours {
                used.entry(name).or_default().insert(package.name.clone());
            }
        }
    }
    // One row is for all grammars.
    used.retain(|name, _| !is_grammar(name));
    let mut declared = declared_dependencies();
    declared.retain(|name| !is_grammar(name));
    let mut faults = String::new();
    for (name, users) in &used {
        if !listed.contains(name) {
            let _ = writeln!(faults, "{name} (used by {users:?}) has no line in ARCHITECTURE.md");
        }
        if !declared.contains(name) {
            let _ =
                writeln!(faults, "{name} (used by {users:?}) has its version outside the root's Cargo.toml");
        }
    }
    for name in listed.iter().filter(|name| !used.contains_key(*name)) {
        let _ = writeln!(faults, "ARCHITECTURE.md lists {name}, which no crate uses");
    }
    for name in declared.iter().filter(|name| !used.contains_key(*name)) {
        let _ = writeln!(faults, "the root's Cargo.toml declares {name}, which no crate uses");
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// Libraries whose name in code is not that of their package.
const LIBRARIES: &[(&str, &str)] = &[("lmdb-rkv", "lmdb"), ("lmdb-rkv-sys", "lmdb_sys")];

/// Dependencies that no code names, each with its reason.
const UNNAMED: &[(&str, &str)] = &[("serde_bytes", "serde's attributes name it, in strings")];

#[test]
fn every_dependency_is_used_by_its_crate() {
    let packages = packages();
    let files = workspace::workspace_files();
    let root = workspace::workspace_root().to_string_lossy().into_owned();
    let grammars = grammars_of_packs();
    let mut faults = Vec::new();
    for package in &packages {
        let dir = package.dir.strip_prefix(&root).unwrap_or(&package.dir).trim_start_matches('/');
        let inner: Vec<&str> = packages
            .iter()
            .map(|other| other.dir.strip_prefix(&root).unwrap_or(&other.dir).trim_start_matches('/'))
            .filter(|other| other.len() > dir.len() && other.starts_with(dir))
            .collect();
        let code_of = |is_meant: &dyn Fn(&str) -> bool| -> String {
            let rust = files.iter().filter(|(path, _)| has_extension(path, &["rs"]) && is_meant(path));
            rust.map(|(_, file)| without_comments(&fs::read_to_string(file).unwrap())).collect()
        };
        let mut code =
            code_of(&|path| path.starts_with(dir) && !inner.iter().any(|inner| path.starts_with(inner)));
        // Modules of another crate's tests: `#[path = "../../…/common/mod.rs"]`.
        for folder in shared_folders(&code) {
            code += &code_of(&|path| path.contains(&folder));
        }
        for (name, kind, _) in &package.dependencies {
            let library = LIBRARIES.iter().find(|(package, _)| package == name).map(|(_, library)| *library);
            let library = library.map_or_else(|| name.replace('-', "_"), str::to_owned);
            let excused = UNNAMED.iter().any(|(unnamed, _)| unnamed == name) || grammars.contains(&library);
            if !excused && !names_it(&code, &library) {
                faults.push(format!("{} ({kind}) -> {name}", package.name));
            }
        }
    }
    assert_none("dependencies that no code of their crate uses", &faults);
}

/// The folders of modules that `code` takes from elsewhere by a path that leads out of its own crate.
fn shared_folders(code: &str) -> Vec<String> {
    let paths = code.lines().filter_map(|line| line.trim().strip_prefix("#[path = \"")?.strip_suffix("\"]"));
    let outside = paths.filter(|path| path.starts_with("../../../"));
    outside
        .filter_map(|path| Some(path.trim_start_matches("../").rsplit_once('/')?.0.to_owned() + "/"))
        .collect()
}

/// Rust code without its comment lines.
fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).fold(String::new(), |mut out, line| {
        out.push_str(line);
        out.push('\n');
        out
    })
}

/// Whether `library` is in code as a path's beginning, a macro or an import.
fn names_it(code: &str, library: &str) -> bool {
    code.match_indices(library).any(|(at, _)| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let before = code[..at].chars().next_back();
        let after = &code[at + library.len()..];
        !before.is_some_and(|c| is_word(c) || c == '"')
            && (after.starts_with("::")
                || after.starts_with(';')
                || after.starts_with(" as ")
                || after.starts_with('!'))
    })
}

/// The names in the first column of the table below the heading "Dependencies".
fn listed_dependencies(page: &str) -> BTreeSet<String> {
    let section = page.split("\n## Dependencies\n").nth(1).expect("a section \"Dependencies\"");
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut names = BTreeSet::new();
    for row in section.lines().filter(|line| line.starts_with('|')) {
        let cell = row.split('|').nth(1).unwrap_or_default();
        for name in cell.split('`').skip(1).step_by(2) {
            assert!(names.insert(name.to_owned()), "ARCHITECTURE.md lists {name} twice");
        }
    }
    names
}

/// Whether a package is the grammar of a language.
fn is_grammar(package: &str) -> bool {
    package.starts_with("tree-sitter-")
}

/// The libraries that the packs of `sdl-lang` name as their grammars.
fn grammars_of_packs() -> BTreeSet<String> {
    let packs = fs::read_dir(workspace::workspace_root().join("daemon/crates/lang/packs")).unwrap();
    let texts = packs.map(|pack| fs::read_to_string(pack.unwrap().path().join("pack.toml")).unwrap());
    let grammar = |text: String| {
        let line = text.lines().find_map(|line| line.strip_prefix("grammar = \"")).expect("a grammar");
        line.split("::").next().unwrap_or_default().to_owned()
    };
    texts.map(grammar).collect()
}

/// The third-party names below `[workspace.dependencies]`.
fn declared_dependencies() -> BTreeSet<String> {
    let manifest = fs::read_to_string(workspace::workspace_root().join("Cargo.toml")).unwrap();
    let section = manifest.split("[workspace.dependencies]\n").nth(1).expect("workspace dependencies");
    section
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.contains("path = "))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name.trim().to_owned())
        .filter(|name| !name.starts_with('#'))
        .collect()
}

#[test]
fn paths_in_the_architecture_page_exist() {
    let root = workspace::workspace_root();
    let page = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut faults = Vec::new();
    for (at, line) in page.lines().enumerate() {
        for quoted in line.split('`').skip(1).step_by(2) {
            let is_path = quoted.ends_with('/') || has_extension(quoted, &["rs", "md", "py", "toml"]);
            let is_plain = quoted.contains('/') && !quoted.contains(['<', '*', '$', '{', ' ', '~']);
            if is_path
                && is_plain
                && !quoted.starts_with('/')
                && !quoted.starts_with('.')
                && !root.join(quoted).exists()
            {
                faults.push(format!("line {}: {quoted}", at + 1));
            }
        }
    }
    assert_none("ARCHITECTURE.md names files that are not there", &faults);
}

/// The rows of the table "Where do I change …" that name files: the kind of change, and its paths.
fn rows_of_changes(page: &str) -> Vec<(String, Vec<String>)> {
    let section = page.split("\n## Where do I change …\n").nth(1).expect("a section \"Where do I change …\"");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    let cells = rows.filter_map(|row| row.trim_matches('|').split_once(" | "));
    let is_group = |change: &str| change.trim().starts_with("**");
    cells
        .filter(|(change, _)| !is_group(change))
        .map(|(change, places)| {
            let quoted = places.split('`').skip(1).step_by(2);
            let paths = quoted.filter(|quoted| quoted.contains('/') && !quoted.contains(' '));
            (change.trim().to_owned(), paths.map(str::to_owned).collect())
        })
        .collect()
}

#[test]
fn every_kind_of_change_has_a_place_that_exists() {
    let root = workspace::workspace_root();
    let page = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let rows = rows_of_changes(&page);
    let mut faults = Vec::new();
    for (change, paths) in &rows {
        if paths.is_empty() {
            faults.push(format!("{change}: no file is named"));
        }
        for path in paths.iter().filter(|path| !root.join(path).exists()) {
            faults.push(format!("{change}: {path}"));
        }
    }
    assert_none("kinds of changes whose place is not there", &faults);
    assert!(rows.len() >= 40, "only {} kinds of changes are listed", rows.len());
}

#[test]
fn the_wire_is_known_in_one_place() {
    // Frames and the envelope live in `proto`; action types, handlers and schemas in `tools/src/actions`.
    let mut faults = Vec::new();
    for (path, file) in workspace::workspace_files() {
        let inner = ["model", "lang", "watch", "ledger", "graph", "retrieve", "tokens"]
            .iter()
            .any(|name| path.starts_with(&format!("daemon/crates/{name}/src/")));
        if !inner || !has_extension(&path, &["rs"]) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for word in ["sdl_proto", "schemars", "rmcp", "JsonSchema"] {
            if text.contains(word) {
                faults.push(format!("{path} knows {word}"));
            }
        }
    }
    assert_none("the wire has leaked", &faults);
}
