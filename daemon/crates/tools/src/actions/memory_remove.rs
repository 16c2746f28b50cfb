//! `memory.remove`: removes a memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, Render, RepoAction};
use crate::call::context::RepoCx;
use crate::call::freshness::Stand;
use crate::kept::memory;

/// See [`ActionDef`].
pub(crate) struct MemoryRemove;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `m_…`. The memory's id.
    #[schemars(length(min = 1, max = 100))]
    memory_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Always true.
    ok: bool,
}

impl Action for MemoryRemove {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "memory.remove",
        namespace: Namespace::Agent,
        mutating: true,
        description: "Call this when a memory is wrong or of no use any more",
        needs: "memoryId",
        examples: &[r#"{"repoId":"my-repo","memoryId":"m_0123456789abc"}"#],
        aliases: &[],
    };
}

impl RepoAction for MemoryRemove {
    fn run(cx: &RepoCx<'_>, request: Request) -> Result<(Response, Stand), ToolError> {
        memory::remove_memory(cx.call.host.agent(), cx.repo.id(), &request.memory_id)?;
        Ok((Response { ok: true }, Stand::apart(cx.repo)))
    }
}

impl Render for Response {
    fn text(&self) -> String {
        "removed".to_owned()
    }
}
