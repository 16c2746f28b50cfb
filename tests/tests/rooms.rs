//! Holds the resolver, the extractors and the tools to their rooms: languages are named in their homes alone, and no two files
//! depend on each other, on whatever way.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of a test fail it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use sdl_tests::module_graph::ModuleGraph;
use sdl_tests::workspace;

/// Folders that know the table of languages and the trait `Rules`, and no language.
const WITHOUT_LANGUAGES: [&str; 3] =
    ["daemon/crates/graph/src/", "daemon/crates/retrieve/src/", "daemon/crates/tools/src/"];

/// The homes of languages, where each is named.
const HOMES: &str = "daemon/crates/graph/src/languages/";

/// A file's text without its comments and its unit tests.
fn product_code(path: &str) -> String {
    let text = fs::read_to_string(workspace::workspace_root().join(path)).unwrap();
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The names of languages in a text: `Lang::Go`, but not `Lang::ALL`.
fn languages_named(code: &str) -> Vec<String> {
    code.match_indices("Lang::")
        .filter(|(at, _)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .map(|(at, mark)| {
            let rest = &code[at + mark.len()..];
            rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
        })
        .filter(|name| name != "ALL" && name.starts_with(char::is_uppercase))
        .collect()
}

#[test]
fn languages_are_named_in_their_homes_alone() {
    let mut faults = Vec::new();
    for (path, _) in workspace::workspace_files() {
        let is_watched = WITHOUT_LANGUAGES.iter().any(|folder| path.starts_with(folder));
        let is_rust = path.rsplit_once('.').is_some_and(|(_, extension)| extension == "rs");
        if is_watched && is_rust && !path.starts_with(HOMES) {
            let named = languages_named(&product_code(&path));
            if !named.is_empty() {
                faults.push(format!("{path} names {}", named.join(", ")));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "ask the table (`Lang::traits`) or `Rules` instead:\n  {}",
        faults.join("\n  ")
    );
}

#[test]
fn the_search_for_languages_finds_them() {
    assert_eq!(languages_named("if lang == Lang::Go || x == sdl_model::Lang::C {}"), ["Go", "C"]);
    assert!(languages_named("Lang::ALL.iter(); Lang::from_name(x); MyLang::Go").is_empty());
}

/// The crates whose files form no cycle. No knot is allowed, in language folders either.
const WITHOUT_KNOTS: [&str; 3] = ["graph", "lang", "tools"];

#[test]
fn no_files_depend_on_each_other() {
    let mut knots = Vec::new();
    for name in WITHOUT_KNOTS {
        let graph = ModuleGraph::of_crate(&format!("daemon/crates/{name}/src"));
        // A search that finds no arrows would find no cycle either.
        assert!(graph.arrows().count() > 100, "the arrows of {name} are not found");
        knots.extend(graph.cycles().iter().map(|knot| format!("{name}: {}", knot.join(" <-> "))));
    }
    assert!(knots.is_empty(), "files that depend on each other:\n  {}", knots.join("\n  "));
}

#[test]
fn rooms_of_the_resolver_are_on_floors() {
    const FLOORS: [&str; 6] = ["values", "world", "modules", "infer", "resolve", "languages"];
    let graph = ModuleGraph::of_crate("daemon/crates/graph/src");
    let floor = |module: &str| FLOORS.iter().position(|room| module.split('/').next() == Some(room));
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in graph.arrows() {
        // Languages are plugged in from above; they use `modules` and the rooms below it.
        let (Some(above), Some(below)) = (floor(&from), floor(&to)) else { continue };
        if above < below {
            arrows.entry(from).or_default().insert(to);
        }
    }
    assert!(arrows.is_empty(), "arrows that run up: {arrows:?}");
}
