//! Waiting for the tree of a repository.

use std::time::Duration;

use serde_json::json;

use super::first_index::{self, Lack, Patience};
use crate::call::context::Call;
use crate::call::freshness::Sync;
use crate::host::{Barrier, RepoState};
use crate::{Code, Explained, Repo, ToolError};

/// How long to wait for the tree unless the call says otherwise.
pub(super) const SYNC_TIMEOUT: Duration = Duration::from_secs(2);
/// The longest life of a snapshot. It is limited because old snapshots keep the store from reusing pages.
pub(super) const READ_LIMIT: Duration = Duration::from_secs(20);

/// Waits for the tree as `sync` asks. An error if the wait was required and failed. `patience` is for a first index.
pub(super) fn wait_for_tree(
    call: &Call<'_>,
    repo: &dyn Repo,
    sync: Sync,
    timeout: Duration,
    patience: &Patience<'_>,
) -> Result<Barrier, ToolError> {
    let unconfirmed = |reason: String| Barrier { reason: Some(reason), ..Barrier::default() };
    match repo.status().state {
        RepoState::Indexing { .. } => {
            let most = if sync == Sync::None { Duration::ZERO } else { patience.most };
            // An answer from a part is never confirmed.
            let from_part = patience.from_part && sync != Sync::Require;
            let patience = Patience { most, from_part, ..*patience };
            if let Some(barrier) = first_index::wait_for_index(call, repo, &patience)? {
                if sync == Sync::Require && !barrier.synced {
                    return Err(first_index::too_early(repo, patience.waited, Lack::Whole));
                }
                return Ok(barrier);
            }
        }
        RepoState::Failed { reason } if sync != Sync::Require => return Ok(unconfirmed(reason)),
        // With `Sync::Require`, a repository that failed is tried again now.
        RepoState::Failed { .. } | RepoState::Live | RepoState::Scanning => {}
    }
    if sync == Sync::None {
        return Ok(Barrier::default());
    }
    let barrier = repo.barrier(call.at_most(timeout), call.cancel);
    if sync == Sync::Require && !barrier.synced {
        call.check()?;
        if let RepoState::Failed { reason } = repo.status().state {
            let message = format!("repository {:?} cannot confirm anything: {reason}", repo.id());
            return Err(ToolError::new(Code::Unavailable, message).next(
                Call::tool("repo.status"),
                json!({ "repoId": repo.id() }),
                "says what failed",
            ));
        }
        let why = barrier.reason.as_deref().unwrap_or("time is up");
        let message = format!(
            "what was written to the tree could not be confirmed within {} ms: {why}; ask again with a larger \
             syncTimeoutMs, or with sync: prefer for an answer that may lag",
            timeout.as_millis()
        );
        return Err(ToolError::new(Code::NotSynced, message).at("sync").with("lagMs", barrier.lag_ms));
    }
    Ok(barrier)
}
