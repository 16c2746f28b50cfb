//! Calls that arrive before the first index is done wait for it as long as they would wait for writes. After that the
//! answer is an error that says how far the index is. A tree that is not read yet is never taken for an empty one.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::call::context::Call;
use crate::host::{Barrier, RepoState};
use crate::{Code, Explained, Repo, ToolError};

/// How often a waiting call reports progress.
const TICK: Duration = Duration::from_millis(200);
/// When to try again if the speed of the index is not known.
const RETRY: Duration = Duration::from_secs(2);
/// The longest wait that is suggested before a call tries again.
const MOST_RETRY: Duration = Duration::from_secs(60);

/// How far an index is.
#[derive(Clone, Copy)]
struct Stage {
    done: u64,
    total: Option<u64>,
}

fn index_stage(repo: &dyn Repo) -> Option<Stage> {
    match repo.status().state {
        RepoState::Indexing { done, total } => Some(Stage { done, total }),
        _ => None,
    }
}

/// Waits until the index that is under way is done, for at most `timeout`, and reports its progress. None if no index is
/// under way.
pub(super) fn wait_for_index(
    call: &Call<'_>,
    repo: &dyn Repo,
    timeout: Duration,
) -> Result<Option<Barrier>, ToolError> {
    let Some(mut now) = index_stage(repo) else { return Ok(None) };
    let deadline = Instant::now() + call.at_most(timeout);
    loop {
        call.progress.report(now.done, now.total, "first index");
        let tick = TICK.min(deadline.saturating_duration_since(Instant::now()));
        let barrier = repo.barrier(tick, call.cancel);
        call.check()?;
        match index_stage(repo) {
            None => return Ok(Some(barrier)),
            Some(next) => now = next,
        }
        if !barrier.timed_out || Instant::now() >= deadline {
            return Ok(Some(Barrier { synced: false, reason: Some(how_far(now)), ..barrier }));
        }
    }
}

fn how_far(Stage { done, total }: Stage) -> String {
    let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
    format!("the first index is under way ({done}{of} files)")
}

/// Returns the error for a call that arrived too early; `waited` has the time of its arrival and the state of the index
/// then.
pub(super) fn too_early(repo: &dyn Repo, waited: &Waited) -> ToolError {
    if let RepoState::Failed { reason } = repo.status().state {
        let message = format!("repository {:?} has no index yet, and it failed: {reason}", repo.id());
        return ToolError::new(Code::Unavailable, message).next(
            Call::tool("repo.status"),
            json!({ "repoId": repo.id() }),
            "says what failed",
        );
    }
    let now = index_stage(repo).unwrap_or(Stage { done: 0, total: None });
    let message = format!(
        "{}; nothing can be answered before it is done. Send the same call again, or with a larger syncTimeoutMs",
        how_far(now)
    );
    let retry = waited.estimate(now);
    ToolError::new(Code::Indexing, message)
        .with("progress", json!({"done": now.done, "total": now.total}))
        .with("retryAfterMs", retry.as_millis() as u64)
        .next(
            Call::tool("index.refresh"),
            json!({"repoId": repo.id(), "mode": "incremental"}),
            "waits until the index is done, with progress",
        )
}

/// When a call began to wait, and the state of the index then.
pub(super) struct Waited {
    since: Instant,
    done: u64,
}

impl Waited {
    /// Starts to wait now.
    pub(super) fn from_now(repo: &dyn Repo) -> Self {
        Self { since: Instant::now(), done: index_stage(repo).map_or(0, |stage| stage.done) }
    }

    /// Estimates the rest of the index from its speed while this call waited.
    fn estimate(&self, now: Stage) -> Duration {
        let (read, left) =
            (now.done.saturating_sub(self.done), now.total.unwrap_or(0).saturating_sub(now.done));
        if read == 0 || left == 0 {
            return RETRY;
        }
        let rest = self.since.elapsed().as_secs_f64() * left as f64 / read as f64;
        Duration::from_secs_f64(rest.min(MOST_RETRY.as_secs_f64())).max(RETRY)
    }
}
