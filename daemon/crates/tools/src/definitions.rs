//! Changed definitions of upstreams' tools: what a person compares and approves, and what the log tells of them.

use sdl_ledger::{Clock as _, SystemClock};
use serde_json::{Map, Value, json};

use crate::call::services::Services;
use crate::call::upstream::{Definition, Listed, NotedAt, PinEvent, quote_flagged, readable_text};
use crate::guard::audit::Row;
use crate::{Candidate, Code, Explained as _, ToolError};

/// The name under which definitions are in the log.
const LOGGED_AS: &str = "upstream.definition";
/// Rows that one reading adds; the rest of its changes share the last.
const MOST_ROWS: usize = 20;
/// Tools that are compared at once.
const MOST_SHOWN: usize = 50;
/// Characters of a hash that a person is shown, and may give back.
const MARK: usize = 12;

/// Writes changed definitions to the log.
pub(crate) fn log_changes(services: &Services, all: &[NotedAt]) -> Result<(), ToolError> {
    let mut rows = Vec::new();
    for NotedAt { key, noted } in all {
        for one in noted.iter().take(MOST_ROWS) {
            let (decision, why) = match one.event {
                PinEvent::Changed => ("changed", None),
                PinEvent::Held(why) => ("held", Some(why.reason().to_owned())),
            };
            let details = json!({
                "upstream": key, "tool": one.tool, "fields": one.fields, "hash": one.hash,
                "outcome": one.fields.join(", "),
            });
            rows.push(row(decision, why.into_iter().collect(), details));
        }
        if let Some(more) = noted.len().checked_sub(MOST_ROWS).filter(|more| *more > 0) {
            let held = noted.iter().skip(MOST_ROWS).any(|one| matches!(one.event, PinEvent::Held(_)));
            let details =
                json!({"upstream": key, "tool": "*", "more": more, "outcome": format!("{more} more")});
            rows.push(row(if held { "held" } else { "changed" }, Vec::new(), details));
        }
    }
    services.host.audit().append(services.host.agent(), &rows)?;
    Ok(())
}

fn row(decision: &str, why: Vec<String>, details: Value) -> Row {
    let at_ms = SystemClock.unix_ms();
    Row { action: LOGGED_AS.to_owned(), decision: decision.to_owned(), why, details, at_ms, ..Row::default() }
}

/// Pins the definitions of an upstream that are there now, as the person `who` wishes: of one tool or of all; with `mark` only
/// the one whose hash begins with it. Returns the tools.
pub(crate) fn approve_definitions(
    services: &Services,
    key: &str,
    tool: Option<&str>,
    mark: Option<&str>,
    who: &Row,
) -> Result<Value, ToolError> {
    let upstream = find_upstream(services, key)?;
    let tool = tool.map(|tool| find_tool(&upstream, tool)).transpose()?;
    let name = tool.map(|tool| tool.name.as_str());
    let is_ours = |name: &str| services.registries.every().tool(name).is_some();
    let store = services.host.agent();
    let gateway = &services.upstream.gateway;
    let mark = mark.unwrap_or_default();
    let approved = gateway.approve(store, &upstream.key, name, mark, &is_ours)?;
    if let (true, Some(tool)) = (approved.is_empty(), tool) {
        return Err(nothing_to_approve(tool, mark));
    }
    let rows: Vec<Row> = approved
        .iter()
        .map(|one| {
            let details = json!({
                "upstream": &*upstream.key, "tool": one.tool, "fields": one.fields, "hash": one.hash,
                "outcome": one.fields.join(", "),
            });
            Row { session: who.session, client: who.client.clone(), ..row("approved", Vec::new(), details) }
        })
        .collect();
    services.host.audit().append(store, &rows)?;
    let tools = approved.iter().map(|one| json!({"name": one.tool, "fields": one.fields, "hash": one.hash}));
    Ok(json!({"key": &*upstream.key, "approved": tools.collect::<Vec<_>>()}))
}

fn nothing_to_approve(tool: &Definition, mark: &str) -> ToolError {
    let message = match tool.change {
        Some(_) => format!(
            "the definition of {} is another one than {mark:?} by now: its mark is {}; look at it again",
            tool.advertised,
            mark_of(tool)
        ),
        None => format!("the definition of {} is the one that is known already", tool.advertised),
    };
    ToolError::new(Code::Conflict, message)
}

fn mark_of(tool: &Definition) -> String {
    tool.hash.chars().take(MARK).collect()
}

/// Returns the definitions that differ from the pinned ones, or that of one tool: both texts, line by line.
pub(crate) fn compare_definitions(
    services: &Services,
    key: &str,
    tool: Option<&str>,
) -> Result<Value, ToolError> {
    let upstream = find_upstream(services, key)?;
    let tools: Vec<&Definition> = match tool {
        Some(tool) => vec![find_tool(&upstream, tool)?],
        None => upstream.all().map(|tool| &**tool).filter(|tool| tool.change.is_some()).collect(),
    };
    let shown: Vec<Value> = tools.iter().take(MOST_SHOWN).map(|tool| compare_one(&upstream, tool)).collect();
    let mut answer = json!({"key": &*upstream.key, "tools": shown});
    if tools.len() > MOST_SHOWN {
        answer["more"] = (tools.len() - MOST_SHOWN).into();
    }
    Ok(answer)
}

fn compare_one(upstream: &Listed, tool: &Definition) -> Value {
    let text = |object: Option<&Map<String, Value>>| object.map(readable_text).unwrap_or_default();
    let now = upstream.reading.current_text(&tool.name);
    let mut one = json!({
        "tool": tool.advertised,
        "name": tool.name,
        "standing": tool.standing.name(),
        "mark": mark_of(tool),
        "pinned": text(upstream.reading.pinned_text(&tool.name)),
        "now": text(now),
    });
    if let Some(change) = &tool.change {
        (one["fields"], one["sinceMs"]) = (json!(change.fields), change.since_ms.into());
    }
    if let Some(why) = upstream.held_because(&tool.name) {
        one["heldBecause"] = why.into();
    }
    if !tool.flags.is_empty() {
        one["flags"] = json!(tool.flag_names());
        one["flaggedText"] = json!(now.map(quote_flagged).unwrap_or_default());
    }
    one
}

fn find_upstream(services: &Services, key: &str) -> Result<std::sync::Arc<Listed>, ToolError> {
    let catalog = services.upstream.gateway.catalog();
    let found = catalog.upstreams.iter().find(|one| *one.key == *key);
    found
        .cloned()
        .ok_or_else(|| ToolError::invalid("key", format!("no enabled upstream has the key {key:?}")))
}

/// The tool with this name: its own one, or the one that clients see.
fn find_tool<'u>(upstream: &'u Listed, name: &str) -> Result<&'u Definition, ToolError> {
    let by =
        |is_it: &dyn Fn(&Definition) -> bool| upstream.all().find(|tool| is_it(tool)).map(|tool| &**tool);
    by(&|tool| tool.advertised == name).or_else(|| by(&|tool| tool.name == name)).ok_or_else(|| {
        let near = sdl_contract::nearest_names(name, upstream.all().map(|tool| tool.advertised.as_str()), 3);
        let hint =
            if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) };
        let candidates = near.iter().map(|near| Candidate::of("tool", (*near).to_owned()));
        let message = format!("{} has no tool {name:?}{hint}", upstream.key);
        ToolError::new(Code::UnknownTool, message).or_one_of(candidates)
    })
}
