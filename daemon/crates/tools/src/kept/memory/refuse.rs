//! Adds to errors about memories the call that helps.

use serde_json::json;

use crate::call::context::Call;
use crate::{Code, ToolError};

/// Adds a call that shows the memories of the repository, where the error is about one that is not there, says the same, or takes the last room.
pub(crate) fn lead_on(error: ToolError, repo: &str) -> ToolError {
    if error.next_best_action.is_some() {
        return error;
    }
    let about = if repo.is_empty() { json!({}) } else { json!({ "repoId": repo }) };
    let tool = Call::tool("memory.query");
    match error.refusal.code {
        Code::UnknownMemory => error.next(tool, about, "lists the memories with their ids"),
        Code::Conflict if error.refusal.about.field.as_deref() == Some("content") => {
            error.next(tool, about, "lists the memories with their ids")
        }
        Code::Conflict if error.refusal.about.field.is_none() => {
            let mut about = about;
            about["staleOnly"] = true.into();
            error.next(tool, about, "lists those that are stale")
        }
        _ => error,
    }
}
