//! `policy/show` and `policy/ceiling`: how far agents may loosen the policy of a repository.

use sdl_proto::{WireError, code};
use sdl_tools::policy::{self, PolicyPatch};
use sdl_tools::{Host as _, Repo as _, ToolError};
use serde::Deserialize;
use serde_json::json;

use super::{Admin, wire_error};

#[derive(Deserialize)]
struct Show {
    /// The repository; all if none.
    repo: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ceiling {
    /// The repository; the ceiling of all if none.
    repo: Option<String>,
    /// The settings to change.
    #[serde(default)]
    patch: PolicyPatch,
    /// Resets the ceiling before the other fields are applied.
    #[serde(default)]
    reset: bool,
}

/// Runs `policy/show`.
pub fn show_policy(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Show = crate::router::parse_params(params)?;
    let ids = match params.repo.as_deref() {
        Some(named) => vec![admin.repo(Some(named))?.id().to_owned()],
        None => admin.engine.all_repos().iter().map(|repo| repo.id().to_owned()).collect(),
    };
    let mut repos = Vec::new();
    for id in ids {
        let mut shown =
            policy::shown_policy(admin.engine.as_ref(), &id).map_err(|error| refused_error(&error))?;
        shown["repoId"] = id.into();
        repos.push(shown);
    }
    Ok(super::json_bytes(&json!({ "repos": repos, "file": admin.engine.ceilings().path() })))
}

/// Runs `policy/ceiling`.
pub fn set_ceiling(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Ceiling = crate::router::parse_params(params)?;
    let mut who = admin.person()?;
    let repo = match params.repo.as_deref() {
        Some(named) => Some(admin.repo(Some(named))?.id().to_owned()),
        None => None,
    };
    who.repo_id = repo.clone().unwrap_or_default();
    let ceilings = admin.engine.ceilings();
    let (log, store) = (admin.engine.audit(), admin.engine.agent());
    if params.reset {
        ceilings.reset(log, store, repo.as_deref(), &who).map_err(|error| refused_error(&error))?;
    }
    if params.patch != PolicyPatch::default() {
        ceilings
            .set(log, store, repo.as_deref(), &params.patch, &who)
            .map_err(|error| refused_error(&error))?;
    }
    show_policy(admin, json!({ "repo": repo }).to_string().as_bytes())
}

fn refused_error(source: &ToolError) -> WireError {
    wire_error(code::UNAVAILABLE, source.refusal.message.clone())
}
