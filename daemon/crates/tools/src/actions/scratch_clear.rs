//! `scratch.clear`: removes entries of the scratch cache.

use schemars::JsonSchema;
use sdl_memory::scratch::{self, Which};
use serde::{Deserialize, Serialize};

use super::scratch_read::ContextType;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::freshness::Sync;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct ScratchClear;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Only this kind.
    context_type: Option<ContextType>,
    /// Only this name.
    #[schemars(length(min = 1, max = 200))]
    key: Option<String>,
    /// Only entries of this agent.
    #[schemars(length(min = 1, max = 200))]
    agent: Option<String>,
    /// True: all entries, of every kind, name and agent.
    all: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// How many entries were removed.
    cleared: usize,
}

impl Action for ScratchClear {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "scratch.clear",
        namespace: Namespace::Memory,
        mutating: true,
        description: "Call this when entries of the scratch cache are of no use any more",
        needs: "contextType|all",
        examples: &[r#"{"repoId":"my-repo","contextType":"plan"}"#, r#"{"repoId":"my-repo","all":true}"#],
        aliases: &[],
    };
    const MODULE: Option<Module> = Some(Module::Memory);
}

impl OwnedAction for ScratchClear {
    fn sync(_: &Request) -> Sync {
        Sync::None
    }

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let kind = request.context_type.map(ContextType::name);
        let named = kind.is_some() || request.key.is_some() || request.agent.is_some();
        match request.all {
            Some(true) if named => {
                let message = "give all, or the entries to remove by contextType, key and agent, not both";
                return Err(ToolError::invalid("all", message));
            }
            Some(true) => {}
            _ if named => {}
            _ => {
                let message = "name the entries by contextType, key or agent, or give all: true";
                return Err(ToolError::new(Code::MissingField, message).at("contextType"));
            }
        }
        // Of the call's own scope only, because entries of yours serve other repositories too: scope user clears them.
        let own = std::slice::from_ref(&cx.scopes.own);
        let which =
            Which { scopes: Some(own), kind, key: request.key.as_deref(), agent: request.agent.as_deref() };
        let cleared = cx.change(|change| scratch::clear_scratch(change, &which))?;
        Ok(Response { cleared })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        format!("{} entries removed", self.cleared)
    }
}
