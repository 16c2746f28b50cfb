//! Finds the repository of a call.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sdl_settings::Effect;
use serde_json::{Map, json};

use super::scope::{is_workspace, one_at_a_time};
use crate::call::context::Call;
use crate::call::leases::incarnation_of;
use crate::call::upstream::{Rules, Target, Who};
use crate::host::Absence;
use crate::{Candidate, Code, Explained, Repo, ToolError};
use sdl_contract::nearest_names;

/// Returns the repository with this id; else the one whose ledger the handle names; else the one that contains the
/// client's working directory.
pub(super) fn find_repo(
    call: &Call<'_>,
    given: Option<&str>,
    handle: Option<&str>,
) -> Result<Arc<dyn Repo>, ToolError> {
    let found = looked_up(call, given, handle)?;
    call.serves(|served| served.repo = Some(found.id().to_owned()));
    Ok(found)
}

/// Returns the repository with this id; else the one that contains the client's working directory.
pub(crate) fn resolve_repo(call: &Call<'_>, given: Option<&str>) -> Result<Arc<dyn Repo>, ToolError> {
    find_repo(call, given, None)
}

fn looked_up(call: &Call<'_>, given: Option<&str>, handle: Option<&str>) -> Result<Arc<dyn Repo>, ToolError> {
    if let Some(given) = given.filter(|given| is_workspace(given)) {
        return Err(one_at_a_time(call, given));
    }
    let named = handle.and_then(|handle| {
        let wanted = incarnation_of(handle)?;
        let ours = |repo: &Arc<dyn Repo>| repo.ledger().incarnation() == wanted;
        let found = call.host.repos().into_iter().find(ours);
        // A ledger that was rebuilt since has another incarnation; the handle's repository is still known.
        found.or_else(|| call.host.repo(&call.leases.repo_of(handle)?))
    });
    if let Some(unserved) = unserved_error(call, given, handle.filter(|_| named.is_none())) {
        return Err(unserved);
    }
    match (given, named) {
        (Some(id), named) => {
            let repo = call.host.repo(id).ok_or_else(|| unknown_repo(call, id))?;
            match named {
                Some(named) if named.id() != repo.id() => {
                    let message = format!(
                        "the handle belongs to repository {:?}, not to {id:?}; leave repoId out",
                        named.id()
                    );
                    Err(ToolError::invalid("repoId", message)
                        .or_one_of([Candidate::of("repoId", named.id())]))
                }
                _ => Ok(repo),
            }
        }
        (None, Some(named)) => Ok(named),
        (None, None) => match (infer_repo(call), handle) {
            // A handle needs no repository, so the error is about the handle.
            (Err(_), Some(handle)) => Err(stray_handle(handle)),
            (found, _) => found,
        },
    }
}

/// Returns the error for a handle that belongs to no registered repository.
fn stray_handle(handle: &str) -> ToolError {
    let shown: String = handle.chars().take(40).collect();
    let message = match incarnation_of(handle) {
        None => format!(
            "{shown:?} is not a handle: a handle is h_ (slice) or sp_ (spillover) and 15 characters, as an \
             answer gave it"
        ),
        Some(_) => format!("{shown} is a handle of no registered repository"),
    };
    let field = if handle.starts_with("sp_") { "spilloverHandle" } else { "sliceHandle" };
    ToolError::new(Code::UnknownHandle, message).at(field).next(
        Call::tool("info"),
        json!({}),
        "lists the registered repositories; slice.build gives a handle",
    )
}

/// Returns the error for a repository that can't be queried at the moment, if the call means that one.
fn unserved_error(call: &Call<'_>, given: Option<&str>, handle: Option<&str>) -> Option<ToolError> {
    let unserved = call.host.unserved();
    let of_handle = handle.and_then(|handle| call.leases.repo_of(handle));
    let id = given.or(of_handle.as_deref());
    let holds = |cwd: &Path, root: &Path| {
        // A worktree inside of the tree is another one.
        let is_nearer =
            |other: &Arc<dyn Repo>| cwd.starts_with(other.root()) && other.root().starts_with(root);
        cwd.starts_with(root) && !call.host.repos().iter().any(is_nearer)
    };
    let meant = unserved.iter().find(|unserved| match (id, call.session.cwd.as_deref()) {
        (Some(id), _) => unserved.id == id,
        (None, Some(cwd)) => std::fs::canonicalize(cwd).is_ok_and(|cwd| holds(&cwd, &unserved.root)),
        (None, None) => false,
    })?;
    let retry = ToolError::new(Code::Unavailable, meant.status_message());
    if meant.absence != Absence::Opening {
        return Some(retry);
    }
    Some(retry.next(Call::tool("repo.status"), json!({ "repoId": meant.id }), "says when it answers again"))
}

fn infer_repo(call: &Call<'_>) -> Result<Arc<dyn Repo>, ToolError> {
    let repos = call.host.repos();
    let Some(cwd) = call.session.cwd.as_deref() else {
        return Err(no_repo(
            call,
            &repos,
            "repoId is missing, and the client's working directory is not known".into(),
        ));
    };
    // Made canonical, because roots are, and the client's directory may come through a link.
    let canonical = std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
    if let Some(root) = call.host.unregistered_worktree(&canonical) {
        return enter_worktree(call, &canonical, &root);
    }
    // One root is inside of another only if it is a worktree of its own.
    let holding = repos.iter().filter(|repo| canonical.starts_with(repo.root()));
    holding.max_by_key(|repo| repo.root().as_os_str().len()).cloned().ok_or_else(|| {
        let message = format!("repoId is missing, and no registered repository holds {}", cwd.display());
        no_repo(call, &repos, message)
    })
}

/// Registers the worktree at `root` that holds the client's folder, unless a rule forbids the action that does the same.
fn enter_worktree(call: &Call<'_>, folder: &Path, root: &Path) -> Result<Arc<dyn Repo>, ToolError> {
    let catalog = call.upstream.gateway.catalog();
    let rules = Rules::new(&catalog.settings, Who::of(call.session));
    if rules.decide(Target::action("repo.register", true), &Map::new()).effect != Effect::Allow {
        let message = format!(
            "the client's folder is in the git worktree {0}, which is not registered, and a rule keeps this session from \
             registering it; a person can with: sdlctl index {0}",
            root.display()
        );
        return Err(ToolError::new(Code::Denied, message));
    }
    let id = call.host.register_worktree(folder)?;
    call.note(format!("registered this git worktree as {id:?}"));
    call.host.repo(&id).ok_or_else(|| unknown_repo(call, &id))
}

fn unknown_repo(call: &Call<'_>, id: &str) -> ToolError {
    let repos = call.host.repos();
    let shown: String = id.chars().take(80).collect();
    let near = nearest_names(id, repos.iter().map(|repo| repo.id()), 1);
    let hint = near.first().map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
    if let Some(root) = call.host.removed_worktree(id) {
        let message =
            format!("{shown:?} was the git worktree {}, which was removed and is forgotten", root.display());
        return no_repo(call, &repos, message);
    }
    no_repo(call, &repos, format!("no repository is registered as {shown:?}{hint}"))
}

/// Lists the registered repositories and says how to register another one.
fn no_repo(call: &Call<'_>, repos: &[Arc<dyn Repo>], message: String) -> ToolError {
    let how = if repos.is_empty() {
        "none is registered yet; register the tree with repo.register"
    } else {
        "give one of the candidates as repoId, or register the tree with repo.register"
    };
    let error = ToolError::new(Code::UnknownRepo, format!("{message}; {how}"))
        .at("repoId")
        .or_one_of(known_repos(repos));
    let outside =
        call.session.cwd.as_deref().filter(|cwd| !repos.iter().any(|repo| cwd.starts_with(repo.root())));
    match outside.map(project_root).filter(|root| call.host.refuses(root).is_none()) {
        Some(root) => error.next(
            Call::tool("repo.register"),
            json!({ "rootPath": root }),
            "registers the client's working directory, after which repoId may be left out",
        ),
        None => error.next(Call::tool("info"), json!({}), "lists the registered repositories"),
    }
}

fn known_repos(repos: &[Arc<dyn Repo>]) -> impl Iterator<Item = Candidate> {
    // With more repositories than these, an agent needs to know the id from its user anyway.
    repos.iter().take(20).map(|repo| {
        Candidate::of("repoId", repo.id()).with("rootPath", repo.root().to_string_lossy().into_owned())
    })
}

/// Returns the nearest folder around `cwd` that git calls a work tree; else `cwd`.
fn project_root(cwd: &Path) -> PathBuf {
    cwd.ancestors().find(|dir| dir.join(".git").exists()).unwrap_or(cwd).to_owned()
}
