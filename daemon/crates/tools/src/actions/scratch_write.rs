//! `scratch.write`: writes an entry of the scratch cache.

use schemars::JsonSchema;
use sdl_contract::Union;
use sdl_memory::Anchors;
use sdl_memory::scratch::{self, Draft};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::anchors;

/// See [`ActionDef`].
pub(crate) struct ScratchWrite;

/// The name of an entry that is given none.
pub(super) const MAIN: &str = "main";
/// How long an entry is kept if nothing is said, in seconds.
const TTL: u64 = 86_400;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Common {
    /// Default `main`. Name, if you keep several of a kind. An entry replaces the one of its name.
    #[schemars(length(min = 1, max = 200))]
    key: Option<String>,
    /// Default 86400, a day. Seconds until it ends.
    #[schemars(range(min = 1, max = 2_592_000))]
    ttl_seconds: Option<u64>,
    /// The agent whose entry it is. Default: everyone's.
    #[schemars(length(min = 1, max = 200))]
    agent: Option<String>,
}

/// Code that is worked on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Focus {
    /// Symbols.
    #[schemars(length(max = 50))]
    symbol_ids: Option<Vec<String>>,
    /// Paths.
    #[schemars(length(max = 50))]
    files: Option<Vec<String>>,
    /// Why.
    #[schemars(length(max = 2_000))]
    note: Option<String>,
}

/// Steps to take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Plan {
    /// In order.
    #[schemars(length(min = 1, max = 100), inner(length(max = 2_000)))]
    steps: Vec<String>,
}

/// Things found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Findings {
    /// One each.
    #[schemars(length(min = 1, max = 100), inner(length(max = 2_000)))]
    items: Vec<String>,
}

/// Things to find out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Questions {
    /// One each.
    #[schemars(length(min = 1, max = 100), inner(length(max = 2_000)))]
    questions: Vec<String>,
}

/// Work for another agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Handoff {
    /// The agent that goes on.
    #[schemars(length(min = 1, max = 200))]
    to: String,
    /// Work that was done, and work to do.
    #[schemars(length(min = 1, max = 8_000))]
    summary: String,
}

/// Anything else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AnyValue {
    /// Any object, of 64 KiB at most.
    value: Map<String, Value>,
}

sdl_contract::union_request! {
    pub(crate) struct Request {
        common: Common,
        /// Kind of entry.
        "contextType" as content: Content {
            Focus(Focus) = "focus",
            Plan(Plan) = "plan",
            Findings(Findings) = "findings",
            Questions(Questions) = "questions",
            Handoff(Handoff) = "handoff",
            Value(AnyValue) = "value",
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// `c_…`. The entry's id.
    scratch_id: String,
    /// When it ends, in Unix milliseconds.
    expires_at: u64,
    /// Whether it replaced an entry of its name.
    replaced: bool,
}

impl Action for ScratchWrite {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "scratch.write",
        namespace: Namespace::Memory,
        mutating: true,
        description: "Call this when something is worth keeping for this task only: focus, plan, findings, questions, handoff",
        needs: "contextType",
        examples: &[
            r#"{"repoId":"my-repo","contextType":"plan","steps":["Read the gateway","Move the check"]}"#,
            r#"{"repoId":"my-repo","contextType":"value","key":"seen","ttlSeconds":3600,"value":{"pages":3}}"#,
        ],
        aliases: &[],
    };
    const MODULE: Option<Module> = Some(Module::Memory);
    const UNION: Option<fn() -> Union> = Some(Content::branches);
}

impl OwnedAction for ScratchWrite {
    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let Request { common, content } = request;
        let anchors = match &content {
            Content::Focus(focus) => {
                let given = anchors::link_anchors(cx, focus.symbol_ids.as_deref(), focus.files.as_deref())?;
                let mut both = given.0.unwrap_or_default();
                both.join(&given.1.unwrap_or_default(), sdl_memory::limits::ANCHORS);
                both
            }
            _ => Anchors::default(),
        };
        let ttl_ms = common.ttl_seconds.unwrap_or(TTL) * 1_000;
        let draft = Draft {
            scope: cx.scopes.own.clone(),
            agent: common.agent.unwrap_or_default(),
            kind: content.name().to_owned(),
            key: common.key.unwrap_or_else(|| MAIN.to_owned()),
            fields: content.to_fields(),
            anchors,
            expires_ms: cx.now_ms().saturating_add(ttl_ms),
        };
        let (id, replaced) = cx.change(|change| {
            let (row, replaced) = scratch::write_scratch(change, &draft)?;
            Ok((row.id, replaced))
        })?;
        Ok(Response { scratch_id: id, expires_at: draft.expires_ms, replaced })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        format!("{} {}", self.scratch_id, if self.replaced { "replaced" } else { "written" })
    }
}
