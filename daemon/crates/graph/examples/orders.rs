//! Resolves a folder in several orders and reports every file whose edges or asked questions depend on the order:
//!
//! ```text
//! cargo run -p sdl-graph --example orders -- FOLDER [--alone] [--tight]
//! ```
//!
//! `--alone` also resolves each file with a world of its own. `--tight` ends the resolver's work early, so that limits
//! count often. Exits with 1 if any file differs.

mod tree;

use std::path::Path;
use std::process::ExitCode;

use sdl_model::{ContentHash, RelPath};

/// Shuffled orders that are tried.
const SHUFFLES: u64 = 2;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let root =
        args.iter().find(|arg| !arg.starts_with("--")).ok_or("usage: orders FOLDER [--alone] [--tight]")?;
    let flag = |name: &str| args.iter().any(|arg| arg == name);
    let mut repo = tree::load(&tree::read(Path::new(root)));
    if flag("--tight") {
        repo.limits = tree::TIGHT;
    }
    let expected = repo.resolve(|_| true)?;
    let mut paths: Vec<RelPath> = expected.keys().rev().cloned().collect();
    let mut differing = tree::report("reversed", &repo, &expected, &repo.resolve_in_order(&paths)?);
    for seed in 0..SHUFFLES {
        paths.sort_by_cached_key(|path| ContentHash::of(format!("{seed}{path}").as_bytes()));
        differing += tree::report("shuffled", &repo, &expected, &repo.resolve_in_order(&paths)?);
    }
    if flag("--alone") {
        for path in &paths {
            differing += tree::report("alone", &repo, &expected, &repo.resolve_in_order([path])?);
        }
    }
    println!("{root}: {} files, {differing} differ", paths.len());
    Ok(if differing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
