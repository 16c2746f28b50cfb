//! `repo/remove`: forgets a repository and deletes its ledger. The tree itself is not touched.

use sdl_proto::{WireError, code};
use serde::Deserialize;
use serde_json::json;

use super::{Admin, wire_error};

#[derive(Deserialize)]
struct Params {
    repo: String,
}

/// Runs the method.
pub fn run_remove(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse_params(params)?;
    let id = admin.engine.find_id(&params.repo).map_err(|message| wire_error(code::UNKNOWN_REPO, message))?;
    admin.engine.remove(&id).map_err(|failure| wire_error(code::UNAVAILABLE, failure.to_string()))?;
    Ok(super::json_bytes(&json!({ "ok": true, "repoId": id })))
}
