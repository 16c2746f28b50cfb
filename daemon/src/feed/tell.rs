//! What was noted, as events: JSON objects.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sdl_ledger::{Result, Snapshot, View};
use sdl_model::{Cause, FileChange, Incarnation, Version, VersionRow};
use sdl_tools::host::{RepoHealth, RepoState, RepoStatus, WatcherKind};
use sdl_tools::{CallEnded, Host, Mask, Repo as _, file_tokens};
use serde_json::{Value, json};

use super::Committed;
use super::symbols::count_symbols;
use crate::repo::Repo;

/// Files that an event lists at most.
const MOST_FILES: usize = 50;

/// Files of a call whose tokens are counted at most.
const MOST_SERVED: usize = 64;

/// No healthy read takes nearly as long.
const READ_DEADLINE: Duration = Duration::from_secs(10);

/// A version, with what it changed as far as that can still be read.
pub(super) fn describe_version(committed: &Committed, host: &dyn Host) -> Value {
    let Committed { id, version, at_ms, took, .. } = committed;
    let mut event = json!({
        "repo": id,
        "version": version.to_string(),
        "at": at_ms,
    });
    match took {
        Some(took) => event["ms"] = Value::from(took.as_millis() as u64),
        None => event["past"] = Value::from(true),
    }
    let details = match committed.repo.upgrade() {
        None => Err("the repository was removed".to_owned()),
        Some(repo) => read_details(&repo, committed, host).map_err(|error| error.to_string()),
    };
    let details = match details {
        Ok(Some(details)) => details,
        Ok(None) => json!({ "incomplete": "the version is not kept any more" }),
        Err(why) => json!({ "incomplete": why }),
    };
    if let (Value::Object(event), Value::Object(details)) = (&mut event, details) {
        event.extend(details);
    }
    event
}

/// Returns up to `most` versions of a repository, from this one back.
pub(super) fn newest_versions(
    repo: &Arc<Repo>,
    (incarnation, version): (Incarnation, Version),
    most: usize,
) -> Result<Vec<Committed>> {
    repo.ledger().read(Instant::now() + READ_DEADLINE, |view| {
        let mut found = Vec::new();
        let mut next = Some(version);
        while let Some(row) =
            next.filter(|_| found.len() < most).map(|at| view.version_row(at)).transpose()?.flatten()
        {
            found.push(Committed {
                repo: Arc::downgrade(repo),
                id: repo.id().to_owned(),
                incarnation,
                version: row.version,
                at_ms: row.time_ms,
                took: None,
            });
            next = row.parent;
        }
        Ok(found)
    })
}

fn read_details(repo: &Repo, committed: &Committed, host: &dyn Host) -> Result<Option<Value>> {
    let mask = Mask::of(host, repo.id());
    repo.ledger().read(Instant::now() + READ_DEADLINE, |view| {
        let Some(row) = view.version_row(committed.version)? else { return Ok(None) };
        let (files, symbols) = match row.cause {
            Cause::FirstIndex | Cause::Rebuild => count_all(view, &row)?,
            _ => (Some(row.changes.len() as u64), count_symbols(repo.facts(), &row.changes)?),
        };
        let listed: Vec<Value> =
            row.changes.iter().take(MOST_FILES).map(|change| describe_file(change, mask)).collect();
        let symbols = symbols.map(
            |counts| json!({ "added": counts.added, "changed": counts.changed, "removed": counts.removed }),
        );
        Ok(Some(json!({
            "parent": row.parent.map(|parent| parent.to_string()),
            "cause": row.cause.name(),
            "files": listed,
            "fileCount": files,
            "symbols": symbols,
        })))
    })
}

/// The counts of a version that lists no changes, because everything is new.
fn count_all(
    view: &Snapshot<'_>,
    row: &VersionRow,
) -> Result<(Option<u64>, Option<super::symbols::SymbolCounts>)> {
    if view.version() != row.version {
        return Ok((None, None));
    }
    let all = view.counters()?;
    let is_first = row.cause == Cause::FirstIndex;
    let symbols = is_first.then(|| super::symbols::SymbolCounts { added: all.symbols, ..Default::default() });
    Ok((Some(all.files), symbols))
}

fn describe_file(change: &FileChange, mask: Mask) -> Value {
    let what = match (&change.old, &change.new) {
        (None, _) => "added",
        (Some(_), None) => "removed",
        (Some(_), Some(_)) => "changed",
    };
    let path = change.new.as_ref().or(change.old.as_ref()).map_or("", |row| row.path.as_str());
    json!({ "path": mask.text(path), "change": what })
}

/// The state of a repository.
pub(super) fn describe_state(repo: &Repo) -> Value {
    let RepoStatus { state, health, watcher, .. } = repo.status();
    let (health, reason) = match health {
        RepoHealth::Ok => ("ok", None),
        RepoHealth::Degraded(reason) => ("degraded", Some(reason)),
        RepoHealth::Failed(reason) => ("failed", Some(reason)),
    };
    let progress = match &state {
        RepoState::Indexing { done, total, .. } => Some(json!({ "done": done, "total": total })),
        _ => None,
    };
    json!({
        "repo": repo.id(),
        "state": state.name(),
        "health": health,
        "reason": reason,
        "progress": progress,
        "watched": watcher.kind != WatcherKind::Scan,
    })
}

/// A call that has ended. Reads the files that it served, to count what they would have cost.
pub(super) fn describe_call(call: &CallEnded, host: &dyn Host) -> Value {
    let count = |path: &String| file_tokens(host, call.repo.as_deref().unwrap_or_default(), path);
    let instead: u64 = call.files.iter().take(MOST_SERVED).filter_map(count).sum();
    let mut event = json!({
        "at": call.at_ms,
        "session": call.session,
        "client": call.client,
        "action": call.action,
        "ms": call.took.as_millis() as u64,
        "us": call.took.as_micros() as u64,
        "ok": call.code.is_none(),
        "tokens": call.tokens,
    });
    let more = [
        ("repo", call.repo.clone().map(Value::from)),
        ("code", call.code.map(Value::from)),
        ("upstream", call.upstream.clone().map(Value::from)),
        ("instead", (instead > 0).then(|| Value::from(instead))),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            event[name] = value;
        }
    }
    event
}
