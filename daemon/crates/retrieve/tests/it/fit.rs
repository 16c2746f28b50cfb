//! Fits the weights that order the best candidates:
//!
//! ```text
//! SDL_TASKS=tasks.jsonl SDL_TREES=trees SDL_WEIGHTS=daemon/crates/retrieve/src/search/rerank/weights.tsv \
//!     cargo test --release -p sdl-retrieve --test it -- --ignored fit --nocapture
//! ```
//!
//! A task is a line `{"id", "repo", "repo_key", "query", "targets": [{"path", "name", "start_line"}, …], …}`. Its tree
//! is in `trees/<repo_key>`, and the commits before it are in `SDL_HISTORIES` (see `histories.rs`). The weights of the
//! commits' features are fitted last, with all others fixed at their values without them: so a tree without a history
//! is served as if there were no such features. It also prints the value of each group of features: recall at 10 on
//! half of the repositories, fitted on the others, with all features and without each group. The weights maximize the
//! mean log-likelihood of the targets among a task's candidates (multinomial logistic regression with a small ridge),
//! by gradient descent with a step for each weight (Rprop).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sdl_retrieve::search::{FEATURES, task_candidates};
use serde_json::Value;

use crate::histories::History;
use crate::localize::tasks;

const N: usize = FEATURES.len();
/// Keeps the weights of features without information at 0.
const RIDGE: f64 = 1e-4;
const ROUNDS: usize = 300;

/// Features with the same kind of information.
const GROUPS: [(&str, &[&str]); 11] = [
    ("length", &["lines.4", "lines.16", "lines.64"]),
    ("share of the name", &["named", "named.best"]),
    ("tests, asides, locals", &["test", "aside", "local"]),
    ("spelled names and paths", &["spelled.name", "spelled.path", "fit", "meant"]),
    ("kind", &["module", "value", "property"]),
    ("owners, path, coverage", &["owner", "owner.best", "path", "covered"]),
    ("file", &["file.best", "file.three", "file.five", "file.rank", "stem"]),
    ("calls", &["caller.best", "callers", "callees"]),
    ("commits", PAST),
    ("what messages say", &["past.said", "past.alike"]),
    ("churn and recency", &["past.often", "past.days"]),
];
/// Features that need a history.
const PAST: &[&str] = &["past.said", "past.alike", "past.often", "past.days"];

/// One task's candidates, and the target that each of them is, if any.
struct Task {
    repo: String,
    rows: Vec<[f32; N]>,
    targets: Vec<Option<usize>>,
    /// The number of its targets, found or not.
    count: usize,
}

#[test]
#[ignore = "fits weights on tasks that lie outside of this crate; see the head of the file"]
fn fit() {
    let tasks = read();
    let weights = fitted(&tasks.iter().collect::<Vec<_>>(), &[]);
    let mut table = "# Fitted by tests/it/fit.rs; see docs/accuracy.md.\n".to_owned();
    for (name, weight) in FEATURES.iter().zip(weights) {
        writeln!(table, "{name}\t{weight:.3}").unwrap();
    }
    println!("{} tasks\n{table}", tasks.len());
    std::fs::write(std::env::var("SDL_WEIGHTS").unwrap(), table).unwrap();
    ablate(&tasks);
}

/// Prints recall at 10 on half of the repositories, fitted on the others.
fn ablate(tasks: &[Task]) {
    let repos: BTreeSet<&str> = tasks.iter().map(|task| task.repo.as_str()).collect();
    let fit_on: BTreeSet<&str> = repos.into_iter().step_by(2).collect();
    let (fit, held): (Vec<&Task>, Vec<&Task>) =
        tasks.iter().partition(|task| fit_on.contains(task.repo.as_str()));
    println!("{} tasks fitted on, {} others", fit.len(), held.len());
    let found: Vec<f64> = (0..N).map(|i| if FEATURES[i] == "words" { 1.0 } else { 0.0 }).collect();
    println!("{:.2} by words alone", recall(&held, &found));
    let all = recall(&held, &fitted(&fit, &[]));
    println!("{all:.2} with all");
    for (name, without) in GROUPS {
        println!("{:.2} without {name}", recall(&held, &fitted(&fit, without)));
    }
}

/// Mean share of targets, in percent, among the ten best by these weights.
fn recall(tasks: &[&Task], weights: &[f64]) -> f64 {
    let one = |task: &&Task| {
        let mut order: Vec<(f64, Option<usize>)> = task
            .rows
            .iter()
            .zip(&task.targets)
            .map(|(row, target)| (row.iter().zip(weights).map(|(x, w)| f64::from(*x) * w).sum(), *target))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let found: BTreeSet<usize> = order.iter().take(10).filter_map(|(_, target)| *target).collect();
        found.len() as f64 / task.count as f64
    };
    100.0 * tasks.iter().map(one).sum::<f64>() / tasks.len().max(1) as f64
}

fn read() -> Vec<Task> {
    let mut all = Vec::new();
    for (ledger, tasks) in tasks() {
        let head = ledger.head();
        let history = History::of(tasks[0]["repo_key"].as_str().unwrap());
        for task in tasks {
            let past = history.before(&task);
            let find_past = || past.clone();
            let source = head.source().with_past(&find_past);
            let targets = task["targets"].as_array().map_or(&[][..], Vec::as_slice);
            let repo = task["repo"].as_str().unwrap().to_owned();
            let mut of = Task { repo, rows: Vec::new(), targets: Vec::new(), count: targets.len() };
            for candidate in task_candidates(&source, task["query"].as_str().unwrap()).unwrap() {
                let Some(sym) = source.symbol(candidate.symbol).unwrap() else { continue };
                // Of a function inside another, the outer one shows it.
                let accepted = |target: &Value| {
                    target["accept"]
                        .as_array()
                        .is_some_and(|names| names.iter().any(|name| *name == *sym.name()))
                };
                let named = |target: &Value| {
                    target["name"] == *sym.name()
                        && (target["same_name_in_file"].as_u64().is_none_or(|count| count < 2)
                            || target["start_line"] == sym.def().span.start_line)
                };
                let is =
                    |target: &Value| target["path"] == *sym.path() && (named(target) || accepted(target));
                of.targets.push(targets.iter().position(is));
                of.rows.push(candidate.features);
            }
            all.push(of);
        }
    }
    all
}

/// The weights under which the changed definitions are most likely; 0 for those `without`.
fn fitted(tasks: &[&Task], without: &[&str]) -> [f64; N] {
    let is_past = |name: &str| PAST.contains(&name);
    let weights = ascended(tasks, [0.0; N], &|name| !is_past(name) && !without.contains(&name));
    ascended(tasks, weights, &|name| is_past(name) && !without.contains(&name))
}

/// The weights with the `free` ones moved to where the changed definitions are most likely.
fn ascended(tasks: &[&Task], mut weights: [f64; N], free: &dyn Fn(&str) -> bool) -> [f64; N] {
    let (mut steps, mut before) = ([0.1_f64; N], [0.0_f64; N]);
    if !FEATURES.iter().any(|name| free(name)) {
        return weights;
    }
    for _ in 0..ROUNDS {
        let gradient = gradient(tasks, &weights);
        for i in (0..N).filter(|i| free(FEATURES[*i])) {
            let turned = gradient[i] * before[i];
            steps[i] = if turned < 0.0 { steps[i] * 0.5 } else { (steps[i] * 1.2).min(1.0) };
            before[i] = if turned < 0.0 { 0.0 } else { gradient[i] };
            weights[i] += before[i].signum() * steps[i] * f64::from(u8::from(before[i] != 0.0));
        }
    }
    weights
}

/// The gradient of the mean log-likelihood.
fn gradient(tasks: &[&Task], weights: &[f64; N]) -> [f64; N] {
    let (mut sum, mut count) = ([0.0_f64; N], 0.0_f64);
    // A task without a changed definition among its candidates teaches nothing.
    for Task { rows, targets, .. } in tasks.iter().filter(|task| task.targets.iter().any(Option::is_some)) {
        count += 1.0;
        let logits: Vec<f64> =
            rows.iter().map(|row| row.iter().zip(weights).map(|(x, w)| f64::from(*x) * w).sum()).collect();
        let highest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let likely: Vec<f64> = logits.iter().map(|logit| (logit - highest).exp()).collect();
        let total: f64 = likely.iter().sum();
        let found = targets.iter().flatten().count() as f64;
        for ((row, likely), target) in rows.iter().zip(likely).zip(targets) {
            let off = f64::from(u8::from(target.is_some())) / found - likely / total;
            for (sum, x) in sum.iter_mut().zip(row) {
                *sum += off * f64::from(*x);
            }
        }
    }
    std::array::from_fn(|i| sum[i] / count.max(1.0) - 2.0 * RIDGE * weights[i])
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
        targets: vec![None, Some(0), None, None],
        repo: String::new(),
        count: 1,
    };
    let tasks = [task(0.0), task(1.0), task(0.3), task(0.7)];
    let tasks: Vec<&Task> = tasks.iter().collect();
    let weights = fitted(&tasks, &[]);
    assert!(weights[1] > 3.0 && weights[0].abs() < 1.0 && weights[2].abs() < 1e-6, "{weights:?}");
    assert!(fitted(&tasks, &[FEATURES[1]])[1] == 0.0);
}
