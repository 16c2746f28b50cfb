//! The file of Codex, which is TOML.

use serde_json::{Map, Value};

use super::Raw;
use crate::error::SettingsError;

/// The servers of `[mcp_servers.NAME]`.
pub(super) fn read_servers(text: &str) -> Result<Vec<Raw>, SettingsError> {
    let at_start = |message: &str| SettingsError::at(text, 0, "", message);
    if text.len() > crate::MAX_BYTES {
        return Err(at_start("the file is larger than a file of settings may be"));
    }
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        SettingsError::at(text, at, "", error.message())
    })?;
    let Some(servers) = table.get("mcp_servers").and_then(toml::Value::as_table) else {
        return Err(at_start("no entries are here; they are tables such as [mcp_servers.NAME]"));
    };
    let read = |(name, server): (&String, &toml::Value)| Raw {
        name: name.clone(),
        project: None,
        entry: match to_json(server) {
            Value::Object(server) => Value::Object(adopt_server(server)),
            other => other,
        },
    };
    Ok(servers.iter().map(read).collect())
}

fn to_json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => Value::from(*number),
        toml::Value::Boolean(is) => Value::from(*is),
        toml::Value::Datetime(time) => Value::from(time.to_string()),
        toml::Value::Array(items) => items.iter().map(to_json).collect(),
        toml::Value::Table(members) => {
            Value::Object(members.iter().map(|(key, value)| (key.clone(), to_json(value))).collect())
        }
    }
}

/// Writes a server's options under the names that we read.
fn adopt_server(mut server: Map<String, Value>) -> Map<String, Value> {
    // Codex knows no variables, so `${` is meant literally there.
    for part in ["command", "args", "env", "url", "http_headers"] {
        if let Some(value) = server.get_mut(part) {
            escape_variables(value);
        }
    }
    let mut headers = object_of(server.shift_remove("http_headers"));
    for (header, variable) in object_of(server.shift_remove("env_http_headers")) {
        if let Some(variable) = variable.as_str() {
            headers.insert(header, Value::from(format!("${{{variable}}}")));
        }
    }
    if let Some(Value::String(variable)) = server.shift_remove("bearer_token_env_var") {
        headers.insert("Authorization".to_owned(), Value::from(format!("Bearer ${{{variable}}}")));
    }
    if !headers.is_empty() {
        server.insert("headers".to_owned(), Value::Object(headers));
    }
    let passed = match server.shift_remove("env_vars") {
        Some(Value::Array(names)) => names,
        _ => Vec::new(),
    };
    let mut env = object_of(server.shift_remove("env"));
    for name in passed.iter().filter_map(Value::as_str) {
        env.entry(name).or_insert_with(|| Value::from(format!("${{{name}:-}}")));
    }
    if !env.is_empty() {
        server.insert("env".to_owned(), Value::Object(env));
    }
    let own = adopt_options(&mut server);
    if !own.is_empty() {
        server.insert("sdl".to_owned(), Value::Object(own));
    }
    server
}

fn adopt_options(server: &mut Map<String, Value>) -> Map<String, Value> {
    let mut own = Map::new();
    for (theirs, ours) in [("startup_timeout_sec", "startTimeoutMs"), ("tool_timeout_sec", "timeoutMs")] {
        if let Some(seconds) = server.shift_remove(theirs).and_then(|seconds| seconds.as_f64()) {
            own.insert(ours.to_owned(), Value::from((seconds * 1_000.0).clamp(100.0, 3_600_000.0) as u64));
        }
    }
    if let Some(total) = own.get("timeoutMs").and_then(Value::as_u64).filter(|timeout| *timeout > 600_000) {
        own.insert("maxTotalMs".to_owned(), Value::from(total));
    }
    let mut tools = Map::new();
    for (theirs, ours) in [("enabled_tools", "allow"), ("disabled_tools", "deny")] {
        if let Some(names) = server.shift_remove(theirs) {
            tools.insert(ours.to_owned(), names);
        }
    }
    if !tools.is_empty() {
        own.insert("tools".to_owned(), Value::Object(tools));
    }
    own
}

fn object_of(value: Option<Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

fn escape_variables(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.replace("${", "$${"),
        Value::Array(items) => items.iter_mut().for_each(escape_variables),
        Value::Object(members) => members.values_mut().for_each(escape_variables),
        _ => {}
    }
}
