//! `upstream/list`, `upstream/tools`, `upstream/show`, `upstream/reload`, `upstream/refresh`, `upstream/restart`, `upstream/diff` and
//! `upstream/approve`: upstream MCP servers, for a person.

use std::sync::Arc;
use std::time::Duration;

use sdl_proto::{WireError, code};
use sdl_tools::ToolError;
use sdl_tools::host::{ListsOf, Upstreams as _};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Admin, json_bytes, wire_error};
use crate::upstream::UpstreamManager;

/// How long a person waits for lists.
const PATIENCE: Duration = Duration::from_secs(90);

#[derive(Deserialize)]
struct Named {
    key: String,
}

#[derive(Deserialize)]
struct NamedTool {
    key: String,
    /// All tools if none.
    tool: Option<String>,
    /// How the hash of the definition begins that the person has seen.
    mark: Option<String>,
}

#[derive(Deserialize)]
struct MaybeNamed {
    key: Option<String>,
}

/// Runs `upstream/list`.
pub fn list_upstreams(admin: &Admin<'_>, _: &[u8]) -> Result<Vec<u8>, WireError> {
    Ok(json_bytes(&manager(admin)?.describe()))
}

/// Runs `upstream/tools`.
pub fn list_tools(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let Named { key } = crate::router::parse_params(params)?;
    let manager = manager(admin)?;
    let key = known_key(manager, &key)?;
    Ok(json_bytes(&json!({ "key": key, "tools": manager.describe_tools(&key) })))
}

/// Runs `upstream/show`: all that is known of an upstream that is enabled, or of one of its tools.
pub fn show_upstream(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let NamedTool { key, tool, .. } = crate::router::parse_params(params)?;
    let manager = manager(admin)?;
    let key = known_key(manager, &key)?;
    let Some(tool) = tool else {
        let mut all = manager.describe_lists(&key);
        let mut described = manager.describe();
        let one = described["upstreams"].as_array_mut().and_then(|all| {
            all.iter().position(|one| one["key"] == key.as_str()).map(|at| all.swap_remove(at))
        });
        all["upstream"] = one.unwrap_or_default();
        all["tools"] = manager.describe_tools(&key);
        return Ok(json_bytes(&all));
    };
    manager.describe_tool(&key, &tool).map(|found| json_bytes(&found)).ok_or_else(|| {
        let message = format!("{key} has no tool {tool:?}; see: sdlctl upstream tools {key}");
        wire_error(code::INVALID_ARGUMENT, message)
    })
}

/// Runs `upstream/reload`.
pub fn reload_settings(admin: &Admin<'_>, _: &[u8]) -> Result<Vec<u8>, WireError> {
    let manager = manager(admin)?;
    manager.reload().map_err(|error| wire_error(code::MISCONFIGURED, error.to_string()))?;
    Ok(json_bytes(&manager.describe()))
}

/// Runs `upstream/refresh`.
pub fn refresh_lists(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let MaybeNamed { key } = crate::router::parse_params(params)?;
    let manager = manager(admin)?;
    let keys = match key {
        Some(key) => vec![known_key(manager, &key)?],
        None => manager.enabled_keys(),
    };
    let read = |key: &String| match manager.read_lists(&ListsOf::shared(key), PATIENCE, admin.cancel) {
        Ok(()) => json!({ "key": key }),
        Err(error) => json!({ "key": key, "error": error.refusal.message }),
    };
    // Together, because each may take as long as a start does.
    let results: Vec<Value> = std::thread::scope(|scope| {
        let running: Vec<_> = keys.iter().map(|key| scope.spawn(move || read(key))).collect();
        running.into_iter().filter_map(|one| one.join().ok()).collect()
    });
    Ok(json_bytes(&json!({ "read": results })))
}

/// Runs `upstream/restart`.
pub fn restart_upstream(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let Named { key } = crate::router::parse_params(params)?;
    let manager = manager(admin)?;
    let key = known_key(manager, &key)?;
    manager.restart(&key, PATIENCE, admin.cancel).map_err(refused_error)?;
    Ok(json_bytes(&json!({ "key": key })))
}

/// Runs `upstream/diff`.
pub fn compare_definitions(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let NamedTool { key, tool, .. } = crate::router::parse_params(params)?;
    let manager = manager(admin)?;
    let key = known_key(manager, &key)?;
    let compared = manager.compare_definitions(&key, tool.as_deref()).map_err(refused_error)?;
    Ok(json_bytes(&compared))
}

/// Runs `upstream/approve`. Only for a person: an agent must not vouch for its own instructions.
pub fn approve_definitions(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let who = admin.person()?;
    let NamedTool { key, tool, mark } = crate::router::parse_params(params)?;
    let manager = manager(admin)?;
    let key = known_key(manager, &key)?;
    let approved = manager.approve_definitions(&key, tool.as_deref(), mark.as_deref(), &who);
    Ok(json_bytes(&approved.map_err(refused_error)?))
}

fn refused_error(error: ToolError) -> WireError {
    wire_error(error.refusal.code.name(), error.refusal.message)
}

fn manager<'a>(admin: &'a Admin<'_>) -> Result<&'a Arc<UpstreamManager>, WireError> {
    admin
        .engine
        .upstream_manager()
        .ok_or_else(|| wire_error(code::UNAVAILABLE, "this daemon holds no connections to upstreams"))
}

/// The key as the settings write it.
fn known_key(manager: &UpstreamManager, key: &str) -> Result<String, WireError> {
    let keys = manager.enabled_keys();
    let folded = sdl_settings::fold_key(key);
    let found = keys.iter().find(|known| sdl_settings::fold_key(known) == folded);
    found.cloned().ok_or_else(|| {
        let known = if keys.is_empty() { "none is enabled".to_owned() } else { keys.join(", ") };
        wire_error(
            code::INVALID_ARGUMENT,
            format!("no enabled upstream has the key {key:?}; there are: {known}"),
        )
    })
}
