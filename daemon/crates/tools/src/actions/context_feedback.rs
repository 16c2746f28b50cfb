//! `context.feedback`: says which sources of a context were used.

use schemars::JsonSchema;
use sdl_memory::notes::TaskOutcome;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::freshness::Sync;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::context::assembly::find_assembly_of;
use crate::context::gathering::judge_assembly;
use crate::kept::feedback::{Feedback, put_feedback};

/// See [`ActionDef`].
pub(crate) struct ContextFeedback;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// From `context.assemble` or `agent.orchestrate`.
    #[schemars(length(min = 1, max = 100))]
    assembly_id: String,
    /// Its `sourceIds` that helped. Empty if none did.
    #[schemars(length(max = 200))]
    used_source_ids: Vec<String>,
    /// What should have been there. Words or ids.
    #[serde(default)]
    #[schemars(length(max = 50), inner(length(max = 200)))]
    missing: Vec<String>,
    /// How the task ended.
    outcome: Option<TaskOutcome>,
    /// 1 useless to 5 complete.
    #[schemars(range(min = 1, max = 5))]
    rating: Option<u8>,
    /// Remark.
    #[schemars(length(max = 2_000))]
    note: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The id under which it is stored.
    feedback_id: String,
    /// The sources of the context.
    counted: Counted,
    /// Ids that are not sources of it. They count for nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<String>>")]
    unknown: Vec<String>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Counted {
    /// Those that helped.
    used: usize,
    /// Those that did not.
    unused: usize,
}

impl Action for ContextFeedback {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "context.feedback",
        namespace: Namespace::Memory,
        mutating: true,
        description: "Call this when a task is done, to say which sources of its context helped; the next ones are better for it",
        needs: "assemblyId,usedSourceIds",
        examples: &[
            r#"{"repoId":"my-repo","assemblyId":"as_0123456789abc","usedSourceIds":["m_0123456789abc"],"outcome":"success"}"#,
        ],
        aliases: &[],
    };
    const MODULE: Option<Module> = Some(Module::Memory);
}

impl OwnedAction for ContextFeedback {
    const SCOPED: bool = false;

    fn sync(_: &Request) -> Sync {
        Sync::None
    }

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let scope = &cx.scopes.own;
        let assembly = find_assembly_of(cx.call, scope, &request.assembly_id)?;
        let used = &request.used_source_ids;
        let unknown = used.iter().filter(|id| !assembly.source_ids.contains(id)).cloned().collect();
        let (feedback_id, (used, unused)) = cx.change(|change| {
            let counted = judge_assembly(change, scope, &assembly, used)?;
            let feedback = Feedback {
                at_ms: change.now_ms(),
                version: assembly.version,
                assembly_id: Some(assembly.id.clone()),
                rating: request.rating,
                task_text: Some(assembly.task_text.clone()),
                used: used.clone(),
                wanted: request.missing.clone(),
                outcome: request.outcome,
                note: request.note.clone(),
                ..Feedback::default()
            };
            Ok((put_feedback(change, scope, feedback)?, counted))
        })?;
        Ok(Response { feedback_id, counted: Counted { used, unused }, unknown })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let Counted { used, unused } = self.counted;
        let unknown = match self.unknown.len() {
            0 => String::new(),
            count => format!(", {count} ids are not of this context"),
        };
        format!("{} noted: {used} used, {unused} unused{unknown}", self.feedback_id)
    }
}
