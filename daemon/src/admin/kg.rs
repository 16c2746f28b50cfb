//! `kg/export`: all facts as JSON lines, page by page.

use sdl_proto::{WireError, code};
use sdl_tools::{Host as _, export_facts};
use serde::Deserialize;
use serde_json::json;

use super::{Admin, wire_error};

/// A page ends with the fact that makes it larger than this, in bytes.
const PAGE: usize = 2 << 20;

#[derive(Deserialize)]
struct Params {
    /// The last fact of the page before.
    after: Option<String>,
    /// The revision of the page before.
    revision: Option<u64>,
}

/// Runs the method. A page of another revision than the one before is refused, because a fact could be missing in between.
pub fn export_graph(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse_params(params)?;
    admin.person()?;
    let page = export_facts(admin.engine.agent(), params.after.as_deref(), PAGE)
        .map_err(|error| wire_error(code::UNAVAILABLE, error.to_string()))?;
    if params.revision.is_some_and(|revision| revision != page.revision) {
        return Err(wire_error(code::CONFLICT, "facts changed during the export; start again"));
    }
    Ok(super::json_bytes(&json!({ "revision": page.revision, "lines": page.lines, "next": page.next })))
}
