//! The repositories of a call over a workspace.

use std::sync::Arc;

use crate::call::context::Call;
use crate::call::leases::{HandleKind, Held, incarnation_of};
use crate::call::scoped::{split_scope, without_scope};
use crate::{Candidate, Code, Explained, Repo, ToolError};

/// Names every registered repository, in place of one.
const ALL: &str = "*";
/// Before the name of a workspace, in place of a repository's id.
const PREFIX: &str = "workspace:";
/// Most repositories of a workspace. Each has a read transaction open while it is asked.
const MAX_MEMBERS: usize = 64;
/// The repositories that a call asks.
pub(super) struct Scope {
    /// What the caller named.
    pub(super) name: String,
    pub(super) repos: Vec<Arc<dyn Repo>>,
    /// The missing members, and why they are missing.
    pub(super) notes: Vec<String>,
}

/// Whether a text names a workspace in place of a repository.
pub(super) fn is_workspace(given: &str) -> bool {
    given == ALL || given.starts_with(PREFIX)
}

/// The repositories of the workspace that `given` names, or that the handle is of. None for a call on one repository.
pub(super) fn find_scope(
    call: &Call<'_>,
    given: Option<&str>,
    handle: Option<&str>,
) -> Result<Option<Scope>, ToolError> {
    let named = given.filter(|given| is_workspace(given));
    let of_handle = handle.and_then(|handle| scope_of_handle(call, handle));
    match (given, named, of_handle.as_deref()) {
        (Some(given), _, Some(other)) if given != other => {
            let message =
                format!("the handle belongs to the workspace {other:?}, not to {given:?}; leave repoId out");
            Err(ToolError::invalid("repoId", message).or_one_of([Candidate::of("repoId", other)]))
        }
        (_, Some(named), None) if handle.is_some() => {
            let message = format!("the handle is not one of {named:?}; leave repoId out");
            Err(ToolError::invalid("repoId", message))
        }
        (_, named, of_handle) => named.or(of_handle).map(|name| open_scope(call, name)).transpose(),
    }
}

/// The workspace that a handle is of.
fn scope_of_handle(call: &Call<'_>, handle: &str) -> Option<String> {
    let holder = holder_of(&call.host.repos(), handle)?;
    let data = call.leases.data_of(holder.as_ref(), handle)?;
    split_scope(&data).map(|(scope, _)| scope.to_owned())
}

/// The repository whose ledger keeps what a handle holds.
pub(super) fn holder_of(repos: &[Arc<dyn Repo>], handle: &str) -> Option<Arc<dyn Repo>> {
    let wanted = incarnation_of(handle)?;
    repos.iter().find(|repo| repo.ledger().incarnation() == wanted).cloned()
}

/// What a handle of a workspace holds.
pub(super) fn held_by(call: &Call<'_>, kind: HandleKind, handle: &str) -> Result<Held, ToolError> {
    let Some(holder) = holder_of(&call.host.repos(), handle) else {
        let message = format!("{handle} is a handle of no registered repository");
        return Err(ToolError::new(Code::UnknownHandle, message));
    };
    let held = call.leases.get(holder.as_ref(), kind, handle)?;
    let data = without_scope(Arc::clone(&held.data));
    Ok(held.with_data(data))
}

fn open_scope(call: &Call<'_>, given: &str) -> Result<Scope, ToolError> {
    let mut notes = Vec::new();
    let unserved = call.host.unserved();
    let repos = if given == ALL {
        notes.extend(unserved.iter().map(|out| left_out(&out.status_message())));
        call.host.repos()
    } else {
        let mut repos = Vec::new();
        for id in named_members(call, given)? {
            match (call.host.repo(&id), unserved.iter().find(|out| out.id == id)) {
                (Some(repo), _) => repos.push(repo),
                (None, Some(out)) => notes.push(left_out(&out.status_message())),
                (None, None) => notes.push(left_out(&format!("{id:?} is not registered"))),
            }
        }
        repos
    };
    if repos.is_empty() {
        let why = notes.first().map_or("no repository is registered", String::as_str);
        let message = format!("{given} holds no repository that can be asked: {why}");
        return Err(ToolError::new(Code::UnknownRepo, message).at("repoId"));
    }
    if repos.len() > MAX_MEMBERS {
        let message = format!(
            "{given} holds {} repositories, and at most {MAX_MEMBERS} are asked at once; name fewer in a workspace: \
             sdlctl workspace add NAME REPO…",
            repos.len()
        );
        return Err(ToolError::new(Code::InvalidArgument, message).at("repoId"));
    }
    Ok(Scope { name: given.to_owned(), repos, notes })
}

pub(super) fn left_out(why: &str) -> String {
    format!("left out: {why}")
}

fn named_members(call: &Call<'_>, given: &str) -> Result<Vec<String>, ToolError> {
    let name = given.strip_prefix(PREFIX).unwrap_or(given);
    let known = call.host.workspaces();
    if let Some(found) = known.iter().find(|workspace| workspace.name == name) {
        return Ok(found.repos.clone());
    }
    let shown: String = name.chars().take(80).collect();
    let message = format!(
        "no workspace is called {shown:?}; give * for all registered repositories, or define it with: sdlctl workspace \
         add {shown} REPO…"
    );
    let names = known.iter().map(|workspace| Candidate::of("repoId", format!("{PREFIX}{}", workspace.name)));
    Err(ToolError::new(Code::UnknownRepo, message).at("repoId").or_one_of(names.take(20)))
}

/// The error for an action that asks one repository only.
pub(super) fn one_at_a_time(call: &Call<'_>, given: &str) -> ToolError {
    let message = format!(
        "this action asks one repository at a time, and {given} may name several; give one of the candidates as repoId. \
         What a task is about is collected over {given} by slice.build and agent.orchestrate"
    );
    let repos = call.host.repos();
    let candidates = repos.iter().take(20).map(|repo| Candidate::of("repoId", repo.id()));
    ToolError::new(Code::InvalidArgument, message).at("repoId").or_one_of(candidates)
}
