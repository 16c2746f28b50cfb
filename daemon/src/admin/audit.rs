//! `audit/show` and `audit/verify`: the log of decisions on source.

use sdl_proto::WireError;
use sdl_tools::{Host as _, audit};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Admin, ledger_error};

/// Rows shown at most.
const MOST: usize = 1_000;

#[derive(Deserialize)]
struct Params {
    /// Only of this repository, by id; it need not be registered any more.
    repo: Option<String>,
    /// The newest so many.
    limit: Option<usize>,
}

/// Runs `audit/show`.
pub fn show(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse(params)?;
    let limit = params.limit.unwrap_or(50).clamp(1, MOST);
    let rows = audit::show(admin.engine.agent(), params.repo.as_deref(), limit).map_err(ledger_error)?;
    let rows: Vec<Value> = rows.into_iter().map(|(row, hash)| json!({ "row": row, "hash": hash })).collect();
    Ok(super::json(&json!({ "rows": rows })))
}

/// Runs `audit/verify`.
pub fn verify(admin: &Admin<'_>, _params: &[u8]) -> Result<Vec<u8>, WireError> {
    let found = audit::verify(admin.engine.agent()).map_err(ledger_error)?;
    Ok(super::json(&json!(found)))
}
