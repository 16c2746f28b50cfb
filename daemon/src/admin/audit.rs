//! `audit/show`, `audit/verify` and `audit/acknowledge`: the log of decisions.

use sdl_proto::{WireError, code};
use sdl_tools::Host as _;
use sdl_tools::audit::Row;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Admin, ledger_error};

/// Rows shown at most.
const MOST: usize = 1_000;

#[derive(Deserialize)]
struct Params {
    /// Only of this repository, by id; it need not be registered any more.
    repo: Option<String>,
    /// The number of newest rows.
    limit: Option<usize>,
}

#[derive(Deserialize)]
struct Acknowledge {
    /// Why the damage is acceptable, in the person's words.
    #[serde(default)]
    reason: String,
}

/// Runs `audit/show`.
pub fn show_audit(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse_params(params)?;
    let limit = params.limit.unwrap_or(50).clamp(1, MOST);
    let engine = admin.engine;
    let rows = engine.audit().show(engine.agent(), params.repo.as_deref(), limit).map_err(ledger_error)?;
    let rows: Vec<Value> = rows
        .into_iter()
        .map(|shown| json!({ "row": shown.row, "hash": shown.hash, "holds": shown.holds }))
        .collect();
    Ok(super::json_bytes(&json!({ "rows": rows })))
}

/// Runs `audit/verify`.
pub fn verify_audit(admin: &Admin<'_>, _params: &[u8]) -> Result<Vec<u8>, WireError> {
    let found = admin.engine.audit().verify(admin.engine.agent()).map_err(ledger_error)?;
    Ok(super::json_bytes(&json!(found)))
}

/// Runs `audit/acknowledge`: known damage of the log is not reported any more.
pub fn acknowledge_audit(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Acknowledge = crate::router::parse_params(params)?;
    let who = admin.person()?;
    let engine = admin.engine;
    let reason: String = params.reason.chars().take(1_000).collect();
    let found = engine.audit().acknowledge(engine.agent(), &who, &reason).map_err(ledger_error)?;
    Ok(super::json_bytes(&json!(found)))
}

impl Admin<'_> {
    /// The kind of caller, for the log. Only `sdlctl` may acknowledge, because an agent must not decide this.
    pub(super) fn person(&self) -> Result<Row, WireError> {
        if self.kind != sdl_proto::ClientKind::Ctl {
            return Err(super::wire_error(code::DENIED, "only a person can do that, with sdlctl"));
        }
        let client = self.client.chars().take(200).collect();
        Ok(Row { session: self.session, client, ..Row::default() })
    }
}
