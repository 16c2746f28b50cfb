//! Edits a folder's files at random, in memory, and checks that resolving what each edit can touch gives what resolving
//! everything gives:
//!
//! ```text
//! cargo run -p sdl-graph --example edits -- FOLDER [--steps 100] [--seed 1] [--check 10] [--tight]
//! ```
//!
//! Everything is resolved after every `--check` steps. `--tight` ends the resolver's work early, so that limits count
//! often. Exits with 1 if a file's edges or asked questions differ.

mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use sdl_graph::testing::edits::{Random, edit_tree};
use sdl_graph::testing::{Repo, is_touched};
use sdl_ledger::{ChangedKeys, Resolved};
use sdl_model::{FileId, RelPath};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn option(args: &[String], name: &str, otherwise: usize) -> Outcome<usize> {
    match args.iter().position(|arg| arg == name) {
        Some(at) => Ok(args.get(at + 1).ok_or("a number is missing")?.parse()?),
        None => Ok(otherwise),
    }
}

/// Resolves what changed or asked a question of `differing`, as a commit does.
fn resolve_dirty(
    repo: &Repo,
    changed: &BTreeSet<RelPath>,
    differing: &ChangedKeys,
    known: &mut BTreeMap<RelPath, Resolved>,
) -> Outcome<usize> {
    known.retain(|path, _| repo.facts(path).is_some());
    let is_dirty = |path: &&RelPath| {
        changed.contains(*path) || known.get(*path).is_none_or(|one| is_touched(&one.asked, differing))
    };
    let mut dirty: Vec<RelPath> = repo.files().map(|(path, _)| path).filter(is_dirty).cloned().collect();
    dirty.sort_by_key(FileId::of);
    known.extend(repo.resolve_in_order(&dirty)?);
    Ok(dirty.len())
}

fn main() -> Outcome<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let root = args.first().ok_or("usage: edits FOLDER [--steps 100] [--seed 1] [--check 10] [--tight]")?;
    let steps = option(&args, "--steps", 100)?;
    let check = option(&args, "--check", 10)?.max(1);
    let mut random = Random::new(option(&args, "--seed", 1)? as u64);
    let original: BTreeMap<String, String> =
        tree::read(Path::new(root)).into_iter().map(|(path, text)| (path.to_string(), text)).collect();
    let mut texts = original.clone();
    let mut repo = Repo::default();
    if args.iter().any(|arg| arg == "--tight") {
        repo.limits = tree::TIGHT;
    }
    for (path, text) in &texts {
        tree::insert(&mut repo, &RelPath::new(path).ok_or("an odd path")?, text);
    }
    let mut known = repo.resolve(|_| true)?;
    let mut answers = repo.answers();
    let mut resolved = 0;
    let mut done = Vec::new();
    for step in 1..=steps {
        let mut changed = BTreeSet::new();
        for path in edit_tree(&mut texts, &original, &mut random) {
            let rel = RelPath::new(&path).ok_or("an odd path")?;
            match texts.get(&path) {
                Some(text) => tree::insert(&mut repo, &rel, text),
                None => repo.remove(&rel),
            }
            changed.insert(rel);
        }
        done.push(changed.clone());
        let now = repo.answers();
        resolved += resolve_dirty(&repo, &changed, &answers.differing(&now), &mut known)?;
        answers = now;
        if step % check == 0 || step == steps {
            let fresh = repo.resolve(|_| true)?;
            let differ = tree::report("kept", &repo, &fresh, &known);
            if differ > 0 {
                println!(
                    "{root}: {differ} of {} files differ after {step} steps; the last: {done:?}",
                    fresh.len()
                );
                return Ok(ExitCode::FAILURE);
            }
            done.clear();
        }
    }
    println!("{root}: {} files, {steps} steps, {resolved} resolved again, none differs", known.len());
    Ok(ExitCode::SUCCESS)
}
