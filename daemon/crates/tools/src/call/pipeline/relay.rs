//! `tool.call`: calls any tool by any of its names, ours or an upstream's. Its answer is the answer of that tool.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::checked::Checked;
use crate::call::context::Call;
use crate::call::names;
use crate::call::registry::{Answer, Args};
use crate::call::upstream::{Forwarded, Named, View};
use crate::{Code, Explained, ToolError};

/// The action's name.
pub(crate) const NAME: &str = "tool.call";

/// How long a call by a name that nobody has waits for the lists of the upstream that may have got a new tool.
const PATIENCE: Duration = Duration::from_secs(2);

/// Takes the tool and its arguments out of the checked arguments of `tool.call`.
pub(super) fn read_target(mut args: Args) -> Result<(String, Value), ToolError> {
    let Some(Value::String(name)) = args.shift_remove("tool") else {
        return Err(ToolError::internal("reading the arguments of tool.call", "tool is no text"));
    };
    if matches!(names::fold_name(&name).as_str(), "tool_call" | "tool_call_raw") {
        let message = "tool.call can't call itself; name the tool that you want to call";
        return Err(ToolError::invalid("tool", message));
    }
    Ok((name, args.shift_remove("args").unwrap_or_else(|| Value::Object(Map::new()))))
}

/// Refuses a step that would run a chain within a chain.
pub(super) fn refuse_chain(checked: &Checked<'_>) -> Result<(), ToolError> {
    let target = checked.args.get("tool").and_then(Value::as_str).map(names::fold_name);
    let is_chain = target.is_some_and(|name| matches!(name.as_str(), "chain" | "chain_raw"));
    if checked.entry.def.name != NAME || !is_chain {
        return Ok(());
    }
    Err(ToolError::invalid("tool", "a chain cannot be a step of a chain; write its steps here"))
}

/// Finds an upstream's tool by a name. If nobody has it, the upstreams that the name may be of are read again first: one may
/// have got the tool a moment ago.
pub(super) fn find_tool(call: &Call<'_>, name: &str) -> Result<Option<(Arc<View>, Named)>, ToolError> {
    let view = call.view();
    if let Some(named) = view.find(name)? {
        return Ok(Some((view, named)));
    }
    let (likely, Some(upstreams)) = (view.likely_upstreams(name), call.host.upstreams()) else {
        return Ok(None);
    };
    if likely.is_empty() {
        return Ok(None);
    }
    call.cancel.give_turn_back();
    for upstream in likely {
        if upstreams.read_lists(&call.lists_of(&upstream), PATIENCE, call.cancel).is_err() {
            continue;
        }
        let view = call.view();
        if let Some(named) = view.find(name)? {
            return Ok(Some((view, named)));
        }
    }
    Ok(None)
}

/// The result of an upstream's tool as the answer of a step.
pub(super) fn to_answer(result: Forwarded, tool: &str) -> Result<Answer, ToolError> {
    let text = text_of(&result.object);
    if result.is_error() {
        let shown: String = text.chars().take(2_000).collect();
        let message = format!("{tool} says that it failed: {shown}");
        return Err(ToolError::new(Code::UpstreamProtocol, message).with("tool", tool));
    }
    Ok(Answer { text: result.text, structured: result.object })
}

/// The text blocks of a result.
fn text_of(object: &Map<String, Value>) -> String {
    let blocks = object.get("content").and_then(Value::as_array).into_iter().flatten();
    blocks.filter_map(|block| block.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
}
