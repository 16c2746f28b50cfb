//! Repositories from text, and edges as text.

#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::expect_used, reason = "a test that has no input must fail")]

use std::collections::BTreeMap;
use std::sync::Arc;

use sdl_graph::strategies;
use sdl_graph::testing::Repo;
use sdl_ledger::Resolved;
use sdl_model::{ContentHash, Facts, FactsKey, FileId, RelPath, SymbolId};

/// Adds a file to `repo` as the daemon would: read, extracted.
pub(crate) fn add(repo: &mut Repo, path: &str, text: &str) {
    let path = RelPath::new(path).expect("a normal path");
    let lang = sdl_lang::detect_lang(&path, text.as_bytes()).expect("a known language");
    let facts = sdl_lang::extract_facts(lang, text.as_bytes()).expect("facts");
    repo.insert(path, FactsKey { lang, content: ContentHash::of(text.as_bytes()) }, Arc::new(facts));
}

/// The files of a fixture: `//- /path` starts each.
pub(crate) fn files(text: &str) -> Vec<(&str, String)> {
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match line.trim_end().strip_prefix("//- ") {
            Some(path) => files.push((path.trim_start_matches('/'), String::new())),
            None => {
                if let Some((_, text)) = files.last_mut() {
                    text.push_str(line);
                }
            }
        }
    }
    files
}

/// The parts of a text: each begins after a line `//- name` and ends before the next such line.
pub(crate) fn parts(text: &str) -> Vec<(&str, &str)> {
    let text = text.strip_prefix("//- ").unwrap_or(text);
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split("\n//- ").map(|part| part.split_once('\n').unwrap_or((part, ""))).collect()
}

/// A symbol as `a.py:Class.method`, a module as `a.py`.
fn label(path: &RelPath, facts: &Facts, symbol: SymbolId) -> String {
    let def = facts.outline.find(FileId::of(path), symbol).and_then(|ix| facts.outline.def(ix));
    match def.map(|def| facts.outline.str(def.qualified)) {
        Some("") | None => path.to_string(),
        Some(name) => format!("{path}:{name}"),
    }
}

/// Edges of the given kinds as text, sorted.
pub(crate) fn edges(repo: &Repo, resolved: &BTreeMap<RelPath, Resolved>, kinds: &[&str]) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, one) in resolved {
        let facts = repo.facts(path).expect("a resolved file");
        for (source, edges) in &one.edges {
            for edge in edges.iter().filter(|edge| kinds.contains(&edge.kind.name())) {
                let (to_path, to_facts) = repo.symbol(edge.to).expect("an edge's target");
                lines.push(format!(
                    "{} -{}-> {} [{} {}]",
                    label(path, facts, *source),
                    edge.kind.name(),
                    label(to_path, to_facts, edge.to),
                    strategies::rule_name(edge.strategy),
                    edge.resolution.name(),
                ));
            }
        }
    }
    lines.sort();
    lines.dedup();
    lines
}
