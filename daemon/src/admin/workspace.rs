//! `workspace/list`, `workspace/set` and `workspace/remove`: sets of repositories that are asked together.

use sdl_proto::{WireError, code};
use serde::Deserialize;
use serde_json::json;

use super::{Admin, wire_error};
use crate::engine::EngineError;
use crate::repo::catalog;

#[derive(Deserialize)]
struct Set {
    name: String,
    /// Ids, or paths inside of repositories.
    repos: Vec<String>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// Runs `workspace/list`.
pub fn list_workspaces(admin: &Admin<'_>, _: &[u8]) -> Result<Vec<u8>, WireError> {
    let known = admin.engine.named_workspaces().map_err(|error| refused_error(&error))?;
    Ok(super::json_bytes(&json!({ "workspaces": known })))
}

/// Runs `workspace/set`.
pub fn set_workspace(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let Set { name, repos } = crate::router::parse_params(params)?;
    if !catalog::is_valid_id(&name) {
        let message = format!(
            "{name:?} can't name a workspace: a name is 1 to 64 letters, digits, '.', '_', '-', not beginning with '.' or '-'"
        );
        return Err(wire_error(code::INVALID_ARGUMENT, message));
    }
    let find =
        |repo: &String| admin.engine.find_id(repo).map_err(|message| wire_error(code::UNKNOWN_REPO, message));
    let mut ids: Vec<String> = repos.iter().map(find).collect::<Result<_, _>>()?;
    ids.sort();
    ids.dedup();
    let replaced =
        admin.engine.name_workspace(&name, Some(ids.clone())).map_err(|error| refused_error(&error))?;
    Ok(super::json_bytes(&json!({ "name": name, "repos": ids, "replaced": replaced })))
}

/// Runs `workspace/remove`.
pub fn remove_workspace(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let Named { name } = crate::router::parse_params(params)?;
    let was_there = admin.engine.name_workspace(&name, None).map_err(|error| refused_error(&error))?;
    if !was_there {
        return Err(wire_error(code::INVALID_ARGUMENT, format!("no workspace is called {name:?}")));
    }
    Ok(super::json_bytes(&json!({ "name": name })))
}

fn refused_error(error: &EngineError) -> WireError {
    wire_error(code::UNAVAILABLE, error.to_string())
}
