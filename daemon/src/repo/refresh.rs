//! `index.refresh`: has the worker compare the tree now, and waits for the result.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use sdl_ledger::View as _;
use sdl_tools::host::{RefreshOutcome, RefreshSpec};
use sdl_tools::{Cancel, Code, Explained, Progress, ToolError};
use sdl_watch::Synced;

use super::{Repo, Stage, lock_mutex};

/// How often progress is looked at.
const TICK: Duration = Duration::from_millis(200);

/// How long a refresh may take in all.
const LIMIT: Duration = Duration::from_secs(3_600);

pub(super) fn run_refresh(
    repo: &Repo,
    spec: &RefreshSpec,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<RefreshOutcome, ToolError> {
    let started = Instant::now();
    let before = repo.head_version();
    let counts = || (repo.parsed.load(Ordering::Relaxed), repo.reused.load(Ordering::Relaxed));
    let (parsed, reused) = counts();
    tracing::info!(repo = repo.entry.repo_id, full = spec.full, reason = spec.reason, "refresh asked for");
    let failed = matches!(*lock_mutex(&repo.stage), Stage::Failed(_));
    if spec.full {
        repo.thorough.store(true, Ordering::SeqCst);
    }
    if spec.paths.is_empty() || spec.full {
        repo.tree.rescan();
    } else {
        for path in &spec.paths {
            repo.tree.inbox().touch(Path::new(path));
        }
    }
    let operation = format!("op_{:x}", crate::index::now_ms());
    if !spec.background {
        wait_for_refresh(repo, failed, progress, cancel)?;
    }
    let version = repo.head_version().ok_or_else(|| {
        ToolError::new(Code::Indexing, "the first index is under way; repo.status shows how far it is")
    })?;
    let changed = match before.filter(|before| *before < version) {
        Some(before) => {
            let deadline = Instant::now() + Duration::from_secs(10);
            repo.ledger.read(deadline, |view| {
                // After an index from scratch there is nothing to compare with: all of it is new.
                if view.reaches(before) {
                    view.changes_since(before).map(|changes| changes.files.len() as u64)
                } else {
                    view.counters().map(|counters| counters.files)
                }
            })?
        }
        None => 0,
    };
    let (parsed_now, reused_now) = counts();
    Ok(RefreshOutcome {
        version,
        changed_files: changed,
        parsed: parsed_now - parsed,
        reused: reused_now - reused,
        duration_ms: started.elapsed().as_millis() as u64,
        operation_id: spec.background.then_some(operation),
    })
}

/// Waits for the comparison. If the repository had `failed`, its next attempt is under way, and only the result of that
/// attempt counts.
fn wait_for_refresh(
    repo: &Repo,
    failed: bool,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<(), ToolError> {
    let deadline = Instant::now() + cancel.at_most(LIMIT);
    let mut attempt = failed.then(|| repo.tree.attempt());
    loop {
        let tick = (Instant::now() + TICK).min(deadline);
        let synced = repo.tree.sync_attempt(attempt, tick);
        let stage = lock_mutex(&repo.stage).clone();
        match (synced, stage) {
            (Synced::TimedOut, Stage::Failed(_)) if failed => {
                progress.report(0, None, "comparing the tree");
            }
            (_, Stage::Failed(why)) => return Err(ToolError::new(Code::Unavailable, why)),
            (Synced::Confirmed, Stage::Live) => return Ok(()),
            (Synced::Closed, _) => {
                return Err(ToolError::new(Code::UnknownRepo, "the repository was removed"));
            }
            (_, Stage::Indexing { done, total }) => progress.report(done, total, "indexing"),
            // A later attempt than that has succeeded.
            (Synced::Failed, Stage::Live) => attempt = None,
            (_, Stage::Live) => progress.report(0, None, "comparing the tree"),
        }
        if cancel.is_cancelled() {
            return Err(ToolError::new(Code::Cancelled, "cancelled; the index goes on by itself"));
        }
        if Instant::now() >= deadline {
            return Err(ToolError::new(
                Code::DeadlineExceeded,
                "not done in time; the index goes on by itself",
            ));
        }
    }
}
