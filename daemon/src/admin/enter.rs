//! `repo/enter`: the git worktree around a folder, which is registered if it belongs to a registered repository.

use std::path::PathBuf;

use sdl_proto::{WireError, code};
use serde::Deserialize;
use serde_json::json;

use super::{Admin, wire_error};

#[derive(Deserialize)]
struct Params {
    folder: PathBuf,
}

/// Runs the method. Names the worktree's repository; none if the folder is in no worktree that is still to be
/// registered.
pub fn run_enter(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse_params(params)?;
    let entered = admin
        .engine
        .enter_worktree(&params.folder)
        .map_err(|failure| wire_error(code::UNAVAILABLE, failure.refusal.message))?;
    Ok(super::json_bytes(&json!({ "repoId": entered })))
}
