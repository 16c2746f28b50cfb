//! A `git checkout` of a branch, and what the daemon needs until its answers are of that branch.

use std::path::Path;
use std::time::{Duration, Instant};

use sdl_tests::fixture;

use super::drift::wait_settled;
use crate::world::World;
use crate::{Outcome, process};

/// What a checkout took.
pub(super) struct Checkout {
    git: Duration,
    /// From git's end until the ledger is synced.
    pub(super) wait: Duration,
    /// CPU of the daemon, in seconds. NaN where the system does not tell.
    pub(super) cpu: f64,
}

impl Checkout {
    /// Checks a branch of the world's tree out.
    pub(super) fn make(world: &mut World, branch: &str) -> Outcome<Self> {
        let root = world.root.clone();
        let pid = world.daemon.pid();
        let before = process::cpu_seconds(pid).unwrap_or(f64::NAN);
        let began = Instant::now();
        run_git(&root, &["checkout", "--quiet", branch])?;
        let git = began.elapsed();
        wait_settled(world)?;
        let wait = began.elapsed().saturating_sub(git);
        Ok(Self { git, wait, cpu: process::cpu_seconds(pid).unwrap_or(f64::NAN) - before })
    }

    /// The figures, for people.
    pub(super) fn describe(&self) -> String {
        let (git, wait) = (self.git.as_secs_f64(), self.wait.as_secs_f64());
        format!("git {git:>5.2} s, synced {wait:>6.2} s later, {:>6.2} CPU s", self.cpu)
    }
}

/// Runs git in the tree at `root`.
fn run_git(root: &Path, args: &[&str]) -> Outcome<String> {
    Ok(fixture::run_git(root, args).ok_or("this run needs git")?)
}

/// Commits the files of `root` to the branch `main`, and what `change` makes of them to the branch `other`. The former is checked
/// out afterwards.
pub(super) fn make_branches<T>(root: &Path, change: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    run_git(root, &["init", "--quiet"])?;
    run_git(root, &["add", "--all", "--force"])?;
    run_git(root, &["commit", "--quiet", "-m", "one"])?;
    run_git(root, &["checkout", "--quiet", "-b", "other"])?;
    let changed = change()?;
    run_git(root, &["commit", "--quiet", "-a", "-m", "two"])?;
    run_git(root, &["checkout", "--quiet", "main"])?;
    Ok(changed)
}
