//! `repo/revive`: has a repository started again that was set aside. There is no tool for it, because only a person
//! may do that.

use std::path::PathBuf;

use sdl_proto::{WireError, code};
use serde::Deserialize;
use serde_json::json;

use super::{Admin, wire_error};

#[derive(Deserialize)]
struct Params {
    root: PathBuf,
}

/// Runs the method. Names the repository, if one was set aside there.
pub fn run_revive(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse_params(params)?;
    let revived = admin
        .engine
        .revive(&params.root)
        .map_err(|failure| wire_error(code::UNAVAILABLE, failure.refusal.message))?;
    Ok(super::json_bytes(&json!({ "repoId": revived })))
}
