//! `memory.remove`: removes a memory.

use schemars::JsonSchema;
use sdl_memory::notes;
use sdl_memory::store::Change;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::freshness::Sync;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::memory;

/// See [`ActionDef`].
pub(crate) struct MemoryRemove;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `m_…`. The memory's id.
    #[schemars(length(min = 1, max = 100))]
    memory_id: String,
    /// Fails if the memory changed since this revision.
    #[schemars(range(min = 0))]
    if_revision: Option<u64>,
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
    const MOVES: Option<(Module, Namespace)> = Some((Module::Memory, Namespace::Memory));
    const MODULE_FIELDS: &'static [(Module, &'static [&'static str])] =
        &[(Module::Memory, &["scope", "idempotencyKey", "ifRevision", "revision", "replayed", "masked"])];
}

impl OwnedAction for MemoryRemove {
    fn sync(_: &Request) -> Sync {
        Sync::None
    }

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let scopes = cx.scopes.read.as_deref();
        let removed = cx.change(|change| {
            let found = notes::find_memory(change.tables(), scopes, &request.memory_id)?;
            let Some(memory) = found else {
                return Change::refuse(notes::unknown_memory(&cx.scopes.own, &request.memory_id));
            };
            notes::check_revision(&memory, request.if_revision)?;
            notes::remove_memory(change, &memory)
        });
        removed.map_err(|error| memory::lead_on(error, &cx.scopes.own))?;
        Ok(Response { ok: true })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        "removed".to_owned()
    }
}
