//! Calls that arrive before the first index is done. A call waits for an index that will be done within its patience. If it
//! will not, an action that can do so answers from the files read so far; the others fail with how far the index is. A tree
//! that is not read yet is never taken for an empty one.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::call::answers::append_text;
use crate::call::context::Call;
use crate::call::freshness::Partial;
use crate::host::{Barrier, RepoState};
use crate::{Code, Explained, Repo, ToolError};

/// How often a waiting call reports progress.
const TICK: Duration = Duration::from_millis(200);
/// When to try again if the speed of the index is not known.
const RETRY: Duration = Duration::from_secs(2);
/// The longest wait that is suggested before a call tries again.
const MOST_RETRY: Duration = Duration::from_secs(60);

/// How far an index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    done: u64,
    total: Option<u64>,
    left: Option<Duration>,
}

impl Stage {
    /// The stage of the index that is under way, if one is.
    pub(super) fn of(repo: &dyn Repo) -> Option<Self> {
        match repo.status().state {
            RepoState::Indexing { done, total, left } => Some(Self { done, total, left }),
            _ => None,
        }
    }

    /// The same for an answer that is made of the first `done` files.
    pub(super) fn after(self, done: u64) -> Self {
        Self { done, ..self }
    }

    /// The mark of an answer that is given now.
    pub(super) fn mark(self) -> Partial {
        Partial {
            files_done: self.done,
            files_total: self.total,
            seconds_left: self.left.map(|left| left.as_secs_f64().ceil() as u64),
        }
    }

    /// How far it is, in words.
    pub(super) fn text(self) -> String {
        let Partial { files_done, files_total, seconds_left } = self.mark();
        let of = files_total.map(|total| format!(" of {total}")).unwrap_or_default();
        let mut text = format!("the first index is under way ({files_done}{of} files");
        if let Some(seconds) = seconds_left {
            append_text(&mut text, format_args!(", about {seconds} s left"));
        }
        text.push(')');
        text
    }

    /// Whether it will be done in `patience`. Without an estimate it may be.
    fn may_be_done_in(self, patience: Duration) -> bool {
        self.left.is_none_or(|left| left <= patience)
    }

    fn progress(self) -> Value {
        let mut progress = Map::new();
        progress.insert("done".to_owned(), self.done.into());
        progress.insert("total".to_owned(), self.total.into());
        if let Some(seconds) = self.mark().seconds_left {
            progress.insert("secondsLeft".to_owned(), seconds.into());
        }
        Value::Object(progress)
    }
}

/// How a call waits for a first index.
pub(super) struct Patience<'w> {
    /// The longest wait.
    pub(super) most: Duration,
    /// Whether the call is answered from a part of the tree, if the index takes longer.
    pub(super) from_part: bool,
    /// The start of the wait.
    pub(super) waited: &'w Waited,
}

/// Waits until the index that is under way is done, and reports its progress. A call that can be answered from a part
/// waits only as long as the index may be done in time. None if no index is under way.
pub(super) fn wait_for_index(
    call: &Call<'_>,
    repo: &dyn Repo,
    patience: &Patience<'_>,
) -> Result<Option<Barrier>, ToolError> {
    let Some(mut now) = Stage::of(repo) else { return Ok(None) };
    let deadline = Instant::now() + call.at_most(patience.most);
    loop {
        call.progress.report(now.done, now.total, "first index");
        let rest = deadline.saturating_duration_since(Instant::now());
        if patience.from_part && !now.may_be_done_in(rest) {
            return Ok(Some(Barrier { reason: Some(now.text()), timed_out: true, ..Barrier::default() }));
        }
        let barrier = repo.barrier(TICK.min(rest), call.cancel);
        call.check()?;
        match Stage::of(repo) {
            None => return Ok(Some(barrier)),
            Some(next) => now = next,
        }
        if !barrier.timed_out || Instant::now() >= deadline {
            return Ok(Some(Barrier { synced: false, reason: Some(now.text()), ..barrier }));
        }
    }
}

/// Why there is no answer yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// The action needs the whole tree.
    Whole,
    /// What was asked for is not in the part that is read.
    InRest,
}

/// Returns the error for a call that arrived too early; `waited` has the time of its arrival and the state of the index
/// then.
pub(super) fn too_early(repo: &dyn Repo, waited: &Waited, lack: Lack) -> ToolError {
    if let RepoState::Failed { reason } = repo.status().state {
        let message = format!("repository {:?} has no index yet, and it failed: {reason}", repo.id());
        return ToolError::new(Code::Unavailable, message).next(
            Call::tool("repo.status"),
            json!({ "repoId": repo.id() }),
            "says what failed",
        );
    }
    let now = Stage::of(repo).unwrap_or(Stage { done: 0, total: None, left: None });
    let lacks = match lack {
        Lack::Whole => "this can't be answered before it is done",
        Lack::InRest => "what was asked for is not in the files read so far, but may be in the rest",
    };
    let message =
        format!("{}; {lacks}. Send the same call again, or with a larger syncTimeoutMs", now.text());
    let retry = waited.estimate(now);
    ToolError::new(Code::Indexing, message)
        .with("progress", now.progress())
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
        Self { since: Instant::now(), done: Stage::of(repo).map_or(0, |stage| stage.done) }
    }

    /// Estimates the rest of the index. Without an estimate of its own, from its speed while this call waited.
    fn estimate(&self, now: Stage) -> Duration {
        if let Some(left) = now.left {
            return left.clamp(RETRY, MOST_RETRY);
        }
        let (read, left) =
            (now.done.saturating_sub(self.done), now.total.unwrap_or(0).saturating_sub(now.done));
        if read == 0 || left == 0 {
            return RETRY;
        }
        let rest = self.since.elapsed().as_secs_f64() * left as f64 / read as f64;
        Duration::from_secs_f64(rest.min(MOST_RETRY.as_secs_f64())).max(RETRY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_waited_for_while_it_may_be_done_in_time() {
        let stage = |left: Option<u64>| Stage {
            done: 12_000,
            total: Some(56_415),
            left: left.map(Duration::from_millis),
        };
        let patience = Duration::from_secs(2);
        assert!(stage(None).may_be_done_in(patience), "nothing is known yet");
        assert!(stage(Some(2_000)).may_be_done_in(patience));
        assert!(!stage(Some(2_001)).may_be_done_in(patience));
        assert_eq!(
            stage(Some(89_100)).text(),
            "the first index is under way (12000 of 56415 files, about 90 s left)"
        );
        assert_eq!(stage(None).text(), "the first index is under way (12000 of 56415 files)");
        assert_eq!(stage(Some(500)).progress(), json!({"done": 12_000, "total": 56_415, "secondsLeft": 1}));
        assert_eq!(stage(None).progress(), json!({"done": 12_000, "total": 56_415}));
    }
}
