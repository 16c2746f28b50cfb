//! Fits the weights by which the best candidates are put in order:
//!
//! ```text
//! SDL_TASKS=tasks.jsonl SDL_TREES=trees SDL_WEIGHTS=daemon/crates/retrieve/src/search/rerank/weights.tsv \
//!     cargo test --release -p sdl-retrieve --test it -- --ignored fit --nocapture
//! ```
//!
//! A task is a line `{"id", "repo_key", "query", "targets": [{"path", "name", "start_line"}, …], …}`; its tree lies in
//! `trees/<repo_key>`. The weights maximize the mean log-likelihood of the targets among a task's candidates
//! (multinomial logistic regression with a small ridge), by gradient descent with a step for each weight (Rprop).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sdl_retrieve::search::{FEATURES, candidates};
use serde_json::Value;

use crate::ledger::MemoryLedger;
use crate::measure::tree;

const N: usize = FEATURES.len();
/// What keeps weights of features that say nothing at 0.
const RIDGE: f64 = 1e-4;
const ROUNDS: usize = 300;

/// One task's candidates, and whether each was changed.
struct Task {
    rows: Vec<[f32; N]>,
    changed: Vec<bool>,
}

#[test]
#[ignore = "fits weights on tasks that lie outside of this crate; see the head of the file"]
fn fit() {
    let tasks = tasks(&std::env::var("SDL_TASKS").unwrap(), &std::env::var("SDL_TREES").unwrap());
    let weights = fitted(&tasks);
    let mut table = "# Fitted by tests/it/fit.rs; see docs/accuracy.md.\n".to_owned();
    for (name, weight) in FEATURES.iter().zip(weights) {
        writeln!(table, "{name}\t{weight:.3}").unwrap();
    }
    println!("{} tasks with a target among the candidates\n{table}", tasks.len());
    std::fs::write(std::env::var("SDL_WEIGHTS").unwrap(), table).unwrap();
}

fn tasks(tasks: &str, trees: &str) -> Vec<Task> {
    let mut by_repo: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in std::fs::read_to_string(tasks).unwrap().lines() {
        let task: Value = serde_json::from_str(line).unwrap();
        by_repo.entry(task["repo_key"].as_str().unwrap().to_owned()).or_default().push(task);
    }
    let mut all = Vec::new();
    for (repo, tasks) in by_repo {
        let files = tree(&format!("{trees}/{repo}"));
        let files: Vec<_> =
            files.iter().map(|(path, bytes)| (path.as_str(), Some(bytes.as_slice()))).collect();
        let mut ledger = MemoryLedger::new("");
        ledger.write(&files);
        let head = ledger.head();
        for task in tasks {
            let source = head.source();
            let mut of = Task { rows: Vec::new(), changed: Vec::new() };
            for candidate in candidates(&source, task["query"].as_str().unwrap()).unwrap() {
                let Some(sym) = source.symbol(candidate.symbol).unwrap() else { continue };
                let is = |target: &Value| {
                    target["path"] == *sym.path()
                        && target["name"] == *sym.name()
                        && (target["same_name_in_file"].as_u64().is_none_or(|count| count < 2)
                            || target["start_line"] == sym.def().span.start_line)
                };
                of.changed.push(task["targets"].as_array().is_some_and(|targets| targets.iter().any(is)));
                of.rows.push(candidate.features);
            }
            if of.changed.contains(&true) {
                all.push(of);
            }
        }
    }
    all
}

/// The weights under which what was changed is most likely.
fn fitted(tasks: &[Task]) -> [f64; N] {
    let (mut weights, mut steps, mut before) = ([0.0_f64; N], [0.1_f64; N], [0.0_f64; N]);
    for _ in 0..ROUNDS {
        let gradient = gradient(tasks, &weights);
        for i in 0..N {
            let turned = gradient[i] * before[i];
            steps[i] = if turned < 0.0 { steps[i] * 0.5 } else { (steps[i] * 1.2).min(1.0) };
            before[i] = if turned < 0.0 { 0.0 } else { gradient[i] };
            weights[i] += before[i].signum() * steps[i] * f64::from(u8::from(before[i] != 0.0));
        }
    }
    weights
}

/// That of the mean log-likelihood.
fn gradient(tasks: &[Task], weights: &[f64; N]) -> [f64; N] {
    let mut sum = [0.0_f64; N];
    for Task { rows, changed } in tasks {
        let logits: Vec<f64> =
            rows.iter().map(|row| row.iter().zip(weights).map(|(x, w)| f64::from(*x) * w).sum()).collect();
        let highest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let likely: Vec<f64> = logits.iter().map(|logit| (logit - highest).exp()).collect();
        let total: f64 = likely.iter().sum();
        let targets = changed.iter().filter(|changed| **changed).count() as f64;
        for ((row, likely), changed) in rows.iter().zip(likely).zip(changed) {
            let off = f64::from(u8::from(*changed)) / targets - likely / total;
            for (sum, x) in sum.iter_mut().zip(row) {
                *sum += off * f64::from(*x);
            }
        }
    }
    let count = tasks.len().max(1) as f64;
    std::array::from_fn(|i| sum[i] / count - 2.0 * RIDGE * weights[i])
}

#[test]
fn weights_follow_what_decides() {
    // The second feature decides, the first is noise, the third is constant.
    let row = |noise: f32, decides: f32| {
        let mut row = [0.0; N];
        (row[0], row[1], row[2]) = (noise, decides, 1.0);
        row
    };
    let task = |noise: f32| Task {
        rows: vec![row(noise, 0.2), row(1.0 - noise, 0.9), row(noise, 0.1), row(0.5, 0.8)],
        changed: vec![false, true, false, false],
    };
    let weights = fitted(&[task(0.0), task(1.0), task(0.3), task(0.7)]);
    assert!(weights[1] > 3.0 && weights[0].abs() < 1.0 && weights[2].abs() < 1e-6, "{weights:?}");
}
