//! Answers of slices to localization tasks, for a scorer outside of this crate:
//!
//! ```text
//! SDL_TASKS=tasks.jsonl SDL_TREES=trees SDL_RESULTS=results.jsonl \
//!     cargo test --release -p sdl-retrieve --test it -- --ignored localize
//! ```
//!
//! `SDL_HISTORIES`, if set, is a folder of histories (see `histories.rs`): a task has what was committed before it.
//! `SDL_MODEL`, if set, is the path of an embedding model for the lane that needs one.
//!
//! A task is a line `{"id", "repo_key", "query", …}`; its tree is in `trees/<repo_key>`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sdl_retrieve::card::Plain;
use sdl_retrieve::meaning::Meaning;
use sdl_retrieve::slice::{self, Budget, SliceRequest, WireFormat};
use serde_json::{Value, json};

use crate::histories::History;
use crate::ledger::MemoryLedger;
use crate::measure::tree;

#[test]
#[ignore = "answers tasks that lie outside of this crate; see the head of the file"]
fn localize() {
    let number =
        |name: &str, usual: u32| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let budget =
        Budget { max_cards: number("SDL_CARDS", 30), max_estimated_tokens: number("SDL_TOKENS", 4_000) };
    let mut out = String::new();
    for (ledger, tasks) in tasks() {
        let head = ledger.head();
        let history = History::of(tasks[0]["repo_key"].as_str().unwrap());
        let meaning = std::env::var("SDL_MODEL").ok().map(|path| Meaning::at(path.as_ref()));
        for task in tasks {
            let request = SliceRequest {
                task_text: task["query"].as_str().map(str::to_owned),
                budget,
                wire_format: WireFormat::CompactV3,
                ..SliceRequest::default()
            };
            let past = history.before(&task);
            let find_past = || past.clone();
            let source = head.source().with_meaning(meaning.as_ref()).with_past(&find_past);
            let (mut ranked, mut tokens) = (Vec::new(), 0);
            if let Ok(slice) = slice::build_slice(&source, &request, &Plain) {
                tokens = slice.tokens;
                for card in &slice.doc.cards {
                    ranked.push(
                        json!({"path": card.file, "name": card.name, "start_line": card.range.start_line}),
                    );
                }
            }
            let _ = writeln!(out, "{}", json!({"id": task["id"], "ranked": ranked, "tokens": tokens}));
        }
    }
    std::fs::write(std::env::var("SDL_RESULTS").unwrap(), out).unwrap();
}

/// The tasks of `SDL_TASKS`, by repository, each with the ledger of its tree in `SDL_TREES`.
pub(crate) fn tasks() -> impl Iterator<Item = (MemoryLedger, Vec<Value>)> {
    let trees = std::env::var("SDL_TREES").unwrap();
    let mut by_repo: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in std::fs::read_to_string(std::env::var("SDL_TASKS").unwrap()).unwrap().lines() {
        let task: Value = serde_json::from_str(line).unwrap();
        by_repo.entry(task["repo_key"].as_str().unwrap().to_owned()).or_default().push(task);
    }
    by_repo.into_iter().map(move |(repo, tasks)| {
        let files = tree(&format!("{trees}/{repo}"));
        let files: Vec<_> =
            files.iter().map(|(path, bytes)| (path.as_str(), Some(bytes.as_slice()))).collect();
        let mut ledger = MemoryLedger::new("");
        ledger.write(&files);
        (ledger, tasks)
    })
}
