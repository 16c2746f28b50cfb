//! `ledger/check`: whether a ledger's tables agree with each other.

use sdl_proto::WireError;
use sdl_tools::Repo as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Admin, store_error};

#[derive(Deserialize)]
struct Params {
    repo: Option<String>,
}

/// Runs the method.
pub fn run_check(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse_params(params)?;
    let repo = admin.repo(params.repo.as_deref())?;
    let findings = repo.ledger().check().map_err(|error| store_error(&repo, error))?;
    let findings: Vec<Value> =
        findings.iter().map(|finding| json!({ "table": finding.table, "what": finding.what })).collect();
    Ok(super::json_bytes(&json!({ "repoId": repo.id(), "ok": findings.is_empty(), "findings": findings })))
}
