//! `daemon/status`: the state of the daemon and its repositories. Asks no worker and waits for nothing.

use sdl_tools::Host;
use sdl_tools::Repo as _;
use sdl_tools::host::{Absence, RepoHealth, RepoState, Unserved};
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::repo::Repo;

/// The status as a JSON object.
pub fn status_answer(engine: &Engine) -> Vec<u8> {
    let info = engine.info();
    let mut repos: Vec<Value> = engine.all_repos().iter().map(|repo| describe_repo(repo)).collect();
    repos.extend(engine.unserved().iter().map(|unserved| {
        let Unserved { id, root, why, absence } = unserved;
        let (state, reason) = match absence {
            Absence::SetAside => {
                ("setAside", format!("{why}; have it started again with: sdlctl index {}", root.display()))
            }
            Absence::Opening | Absence::Failed => ("failed", why.clone()),
        };
        json!({ "repoId": id, "rootPath": root, "state": state, "health": "failed", "reason": reason })
    }));
    let upstreams = engine.upstream_manager().map(|manager| manager.describe()).filter(is_of_interest);
    let is_in_force = upstreams.as_ref().is_none_or(|upstreams| upstreams.get("configError").is_none());
    let healthy = is_in_force && repos.iter().all(|repo| repo["health"] != "failed");
    json!({
        "healthy": healthy,
        "pid": std::process::id(),
        "version": info.version,
        "build": info.build,
        "protocol": info.protocol,
        "uptimeMs": info.uptime_ms,
        "stateDir": info.state_dir,
        "cpuMs": cpu_ms(),
        "memory": { "resident": info.memory.resident, "private": info.memory.private },
        "warnings": info.warnings,
        "repos": repos,
        "upstreams": upstreams,
    })
    .to_string()
    .into_bytes()
}

/// The processor time that the process has used.
#[cfg(unix)]
fn cpu_ms() -> Option<u64> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(used.tv_sec.unsigned_abs() * 1_000 + used.tv_nsec.unsigned_abs() / 1_000_000)
}

#[cfg(not(unix))]
fn cpu_ms() -> Option<u64> {
    None
}

/// Whether there is an upstream, or a file that can't be put in force.
fn is_of_interest(upstreams: &Value) -> bool {
    let any = upstreams["upstreams"].as_array().is_some_and(|all| !all.is_empty());
    any || upstreams.get("configError").is_some()
}

fn describe_repo(repo: &Repo) -> Value {
    let status = repo.status();
    let (health, reason) = match &status.health {
        RepoHealth::Ok => ("ok", None),
        RepoHealth::Degraded(reason) => ("degraded", Some(reason.clone())),
        RepoHealth::Failed(reason) => ("failed", Some(reason.clone())),
    };
    let progress = match &status.state {
        RepoState::Indexing { done, total, .. } => Some(json!({ "done": done, "total": total })),
        _ => None,
    };
    json!({
        "repoId": repo.id(),
        "rootPath": repo.root(),
        "state": status.state.name(),
        "progress": progress,
        "health": health,
        "reason": reason,
        "ledgerVersion": repo.head_version().map(|version| version.to_string()),
        "watcher": {
            "kind": status.watcher.kind.name(),
            "watches": status.watcher.watches,
            "lastEventMs": status.watcher.last_event_ms,
            "degradedReason": status.watcher.degraded_reason,
        },
    })
}
