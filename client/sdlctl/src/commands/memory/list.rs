//! Shows memories.

use serde_json::Value;

use super::whose;
use crate::cli::{MemoryOneArgs, MemoryScopeArgs};
use crate::output::{
    self, Failure, format_count, number_at, style_bold, style_dim, style_green, style_yellow, text_at,
};
use crate::session::Session;
use crate::time::format_rfc3339;

/// Shows the memories that match.
pub(super) fn show_list(
    session: &Session,
    scope: &MemoryScopeArgs,
    asked: Value,
    as_json: bool,
) -> Result<(), Failure> {
    let answer = query(session, scope, asked)?;
    if as_json {
        output::print_json(&answer);
        return Ok(());
    }
    for memory in answer["memories"].as_array().into_iter().flatten() {
        print_memory(memory, false);
    }
    let (shown, total) = (answer["memories"].as_array().map_or(0, Vec::len), number_at(&answer, "/total"));
    let more = if shown as u64 == total { String::new() } else { format!(", {shown} shown; -n shows more") };
    output::print_line(&style_dim(&format!("{}{more}", format_count(total, "memory"))));
    Ok(())
}

/// Shows one with all it has.
pub(super) fn show_one(session: &Session, args: &MemoryOneArgs, as_json: bool) -> Result<(), Failure> {
    let memory = find_one(session, args, None)?;
    if as_json {
        output::print_json(&memory);
    } else {
        print_memory(&memory, true);
    }
    Ok(())
}

/// Returns the number of the last change of all that agents keep.
pub(super) fn store_revision(session: &Session, args: &MemoryOneArgs) -> Result<u64, Failure> {
    let answer = query(session, &args.scope, serde_json::json!({ "limit": 1 }))?;
    Ok(number_at(&answer, "/storeRevision"))
}

/// Returns the memory with this id, as it is or as it was in a revision.
pub(super) fn find_one(
    session: &Session,
    args: &MemoryOneArgs,
    revision: Option<u64>,
) -> Result<Value, Failure> {
    let mut offset = 0;
    loop {
        let mut asked = serde_json::json!({ "sortBy": "recency", "limit": 100, "offset": offset });
        if let Some(revision) = revision {
            asked["asOfRevision"] = revision.into();
        }
        let answer = query(session, &args.scope, asked)?;
        let page = answer["memories"].as_array().cloned().unwrap_or_default();
        offset += page.len();
        if let Some(found) = page.iter().find(|memory| memory["memoryId"] == args.id.as_str()) {
            return Ok(found.clone());
        }
        if page.is_empty() || answer["truncated"] != true {
            let message = format!("there is no memory {}; sdlctl memory ls --all lists all", args.id);
            return Err(Failure::Local(message));
        }
    }
}

fn query(session: &Session, scope: &MemoryScopeArgs, mut asked: Value) -> Result<Value, Failure> {
    if let (Some(asked), Value::Object(whose)) = (asked.as_object_mut(), whose(session, scope)?) {
        asked.extend(whose);
    }
    Ok(session.tool("memory.query", &asked)?.structured)
}

fn print_memory(memory: &Value, whole: bool) {
    let state = match memory["stale"].as_bool() {
        Some(true) => {
            let since = text_at(memory, "/staleSince/version");
            let before = if memory["staleSince"]["before"] == true { "before " } else { "" };
            let since = if since.is_empty() { String::new() } else { format!(" since {before}{since}") };
            style_yellow(&format!("stale{since}"))
        }
        _ => style_green("fresh"),
    };
    let agent = match text_at(memory, "/agent") {
        "" => String::new(),
        agent => format!(" of {agent}"),
    };
    output::print_line(&format!(
        "{} {}{agent} {state}  {}",
        style_dim(text_at(memory, "/memoryId")),
        text_at(memory, "/type"),
        style_bold(text_at(memory, "/title"))
    ));
    for symbol in memory["symbols"].as_array().into_iter().flatten() {
        let (name, file, state) =
            (text_at(symbol, "/name"), text_at(symbol, "/file"), text_at(symbol, "/state"));
        let state = if ["changed", "gone"].contains(&state) { style_yellow(state) } else { state.to_owned() };
        output::print_line(&format!("  {name} {} {state}", style_dim(file)));
    }
    for file in memory["files"].as_array().into_iter().flatten() {
        output::print_line(&format!("  {} {}", text_at(file, "/file"), text_at(file, "/state")));
    }
    if !whole {
        return;
    }
    output::print_quoted(text_at(memory, "/content"));
    for (name, value) in memory["details"].as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if value.contains('\n') {
            output::print_line(&format!("{name}:"));
            output::print_quoted(&value);
        } else {
            output::print_line(&format!("{name}: {value}"));
        }
    }
    let by = match text_at(memory, "/by") {
        "" => String::new(),
        by => format!(" by {by}"),
    };
    let changed = format_rfc3339(number_at(memory, "/updatedAt"));
    let revision = memory["revision"].as_u64().map(|at| format!(", revision {at}")).unwrap_or_default();
    output::print_line(&style_dim(&format!("changed {changed}{by}{revision}")));
}
