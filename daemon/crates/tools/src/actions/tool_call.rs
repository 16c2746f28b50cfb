//! `tool.call`: calls any tool by its name. For clients that refuse names that are not in their list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, HostAction, Namespace, Render};
use crate::call::context::Call;
use crate::call::pipeline::RELAY;

/// See [`ActionDef`].
pub(crate) struct ToolCall;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "the pipeline reads the arguments: they are those of another tool")]
pub(crate) struct Request {
    /// From action.search. The name of any tool.
    #[schemars(length(min = 1, max = 300))]
    tool: String,
    /// Its arguments.
    args: Option<serde_json::Map<String, serde_json::Value>>,
}

/// The answer is that of the tool that is called.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Response {}

impl Action for ToolCall {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: RELAY,
        namespace: Namespace::Universal,
        mutating: true,
        description: "Call this when you found a tool that is not listed: calls it",
        needs: "tool",
        examples: &[r#"{"tool":"symbol.search","args":{"query":"validateToken"}}"#],
        aliases: &[("name", "tool"), ("arguments", "args")],
    };
}

impl HostAction for ToolCall {
    fn run(_: &Call<'_>, _: Request) -> Result<Response, ToolError> {
        // The pipeline answers it, because the answer has the form of another tool's.
        Err(crate::Explained::internal("calling a tool", "the call was not passed on"))
    }
}

impl Render for Response {
    fn text(&self) -> String {
        String::new()
    }
}
