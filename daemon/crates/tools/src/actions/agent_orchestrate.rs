//! `agent.orchestrate`: collects the evidence for a task across the rungs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{append_block, begin_line};
use crate::call::budget;
use crate::call::context::{Call, ReadCx};
use crate::context::assembly::{
    Asked, Assembly, EdgeOut, Evidence, Ground, Omitted, Start, Step, TaskType, keep_assembly,
};
use crate::guard::audit;
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct AgentOrchestrate;

/// The fractions of the budget for the list of omitted symbols and for the suggested next calls.
const OMITTED_SHARE: usize = 20;
const NEXT_SHARE: usize = 12;
/// Tokens of two suggested calls.
const LEAST_NEXT: usize = 130;
/// Tokens of the plan and of the fields around it.
const FRAME: usize = 180;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Task, in words.
    #[schemars(length(min = 1, max = 20_000))]
    task_text: String,
    /// Divides the budget. The kind of task decides how much goes to cards, skeletons and key lines. Default:
    /// an even mix.
    task_type: Option<TaskType>,
    /// Size of the answer.
    budget: BudgetParam,
    /// Symbol ids to start from.
    #[serde(default)]
    #[schemars(length(max = 100))]
    focus_symbols: Vec<String>,
    /// Files or folders to start from. Relative to the root.
    #[serde(default)]
    #[schemars(length(max = 100))]
    focus_paths: Vec<String>,
    /// Names to prefer. They came up in the conversation.
    #[serde(default)]
    #[schemars(length(max = 100))]
    chat_mentions: Vec<String>,
    /// True adds, false excludes tests. Default: tests count like other code.
    include_tests: Option<bool>,
    /// As printed.
    #[schemars(length(max = 200_000))]
    stack_trace: Option<String>,
    /// Paths edited lately.
    #[serde(default)]
    #[schemars(length(max = 100))]
    edited_files: Vec<String>,
    /// Etags you hold, by symbol id. Cards that are still valid come back as `cardRefs`, without their
    /// content.
    #[serde(default)]
    known_card_etags: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BudgetParam {
    /// For the whole answer.
    #[schemars(range(min = 800, max = 20_000))]
    max_tokens: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Give it to `agent.feedback`.
    assembly_id: String,
    /// What was collected, in the order in which it was collected.
    plan: Vec<Step>,
    /// The collected context, best first within each kind.
    evidence: Vec<Evidence>,
    /// Edges between the symbols of the evidence.
    edges: Vec<EdgeOut>,
    /// Symbols that were found and left out, best first.
    omitted: Vec<Omitted>,
    /// Symbols left out beside those in `omitted`.
    #[serde(skip_serializing_if = "is_zero")]
    more_omitted: u64,
    /// Symbols that the evidence is about.
    source_ids: Vec<String>,
    /// Calls that go deeper; they work as they are.
    next_actions: Vec<Next>,
    /// Tokens of all evidence.
    tokens: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Next {
    /// The tool to call.
    tool: String,
    /// Its arguments.
    #[schemars(with = "crate::call::answers::Object")]
    args: Value,
    /// What the call is good for.
    rationale: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over by reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Action for AgentOrchestrate {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "agent.orchestrate",
        namespace: Namespace::Agent,
        mutating: false,
        description: "Call this when one call should gather a task's context: cards, skeletons and key lines",
        needs: "taskText, budget",
        examples: &[
            r#"{"repoId":"my-repo","taskText":"why does token validation fail","taskType":"debug","budget":{"maxTokens":4000}}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for AgentOrchestrate {
    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let most = request.budget.max_tokens;
        let asked =
            serde_json::to_string(&request).map_err(|e| ToolError::internal("writing the task down", e))?;
        let task_type = request.task_type.map(TaskType::name);
        let mut assembly = Assembly::new(cx, &asked, &request.task_text, task_type);
        let start = Start::of(
            cx,
            &Asked {
                task_text: &request.task_text,
                task_type: request.task_type,
                focus_symbols: &request.focus_symbols,
                focus_paths: &request.focus_paths,
                chat_mentions: &request.chat_mentions,
                include_tests: request.include_tests,
                stack_trace: request.stack_trace.as_deref(),
                edited_files: &request.edited_files,
                known_card_etags: &request.known_card_etags,
            },
            most,
        )?;
        let enrichment = cx.repo.enrichment(cx.snapshot);
        let mut ground = Ground::of(cx, &start, enrichment.as_ref())?;
        // The parts around the evidence: the ids of its symbols, the omitted ones, and the next calls.
        let mut room = most.saturating_sub(cx.around()? + FRAME + most / OMITTED_SHARE + most / NEXT_SHARE);
        loop {
            let gathered = ground.gather(room)?;
            let response = Response::of(cx, &request, &assembly.id, gathered)?;
            let size = cx.around()? + budget::json_tokens(&response)?;
            if size <= most {
                assembly.source_ids.clone_from(&response.source_ids);
                keep_assembly(cx, &assembly)?;
                response.evidence.iter().filter(|piece| piece.raw).for_each(|piece| record_served(cx, piece));
                return Ok(response);
            }
            if room == 0 {
                let message = format!("an answer to this takes at least {size} tokens; allow that many");
                return Err(ToolError::invalid("budget.maxTokens", message).with("needed", size));
            }
            room = room.saturating_sub(size - most + 32);
            cx.call.check()?;
        }
    }
}

/// Logs a piece of raw source.
fn record_served(cx: &ReadCx<'_>, piece: &Evidence) {
    cx.decided(audit::Row {
        decision: "served".to_owned(),
        why: vec!["lines for the task's names, as many as need no approval".to_owned()],
        details: json!({
            "symbolId": piece.symbol_id,
            "kind": piece.kind,
            "lines": piece.content.lines().count(),
            "tokens": piece.tokens,
        }),
        ..audit::Row::default()
    });
}

impl Response {
    fn of(
        cx: &ReadCx<'_>,
        request: &Request,
        assembly_id: &str,
        gathered: crate::context::assembly::Gathered,
    ) -> Result<Self, ToolError> {
        let most = request.budget.max_tokens;
        let mut source_ids: Vec<String> = Vec::new();
        for piece in &gathered.evidence {
            if !source_ids.contains(&piece.symbol_id) {
                source_ids.push(piece.symbol_id.clone());
            }
        }
        let mut omitted = gathered.omitted;
        let listed = budget::largest_prefix(omitted.len(), most / OMITTED_SHARE, |count| {
            Ok(omitted.iter().take(count).collect::<Vec<_>>())
        })?;
        let listed = listed.unwrap_or(0);
        let more_omitted = (omitted.len() - listed) as u64;
        let next_actions = next_calls(cx, request, &gathered.evidence, &omitted)?;
        omitted.truncate(listed);
        Ok(Self {
            assembly_id: assembly_id.to_owned(),
            plan: gathered.plan,
            next_actions,
            tokens: gathered.evidence.iter().map(|piece| piece.tokens).sum(),
            evidence: gathered.evidence,
            edges: gathered.edges,
            omitted,
            more_omitted,
            source_ids,
        })
    }
}

/// Returns suggested next calls, as many as fit their share of the budget.
fn next_calls(
    cx: &ReadCx<'_>,
    request: &Request,
    evidence: &[Evidence],
    omitted: &[Omitted],
) -> Result<Vec<Next>, ToolError> {
    let repo = cx.repo.id();
    let most = (request.budget.max_tokens / NEXT_SHARE).max(LEAST_NEXT);
    let mut next = Vec::new();
    let shown = |piece: &&Evidence| piece.kind == "skeleton" || piece.kind == "hotPath";
    if let Some(piece) = evidence.iter().find(shown) {
        next.push(Next {
            tool: Call::tool("code.getSkeleton"),
            args: json!({"repoId": repo, "symbolId": piece.symbol_id}),
            rationale: "the whole skeleton of the best match".to_owned(),
        });
    }
    // An id takes about ten tokens.
    let left: Vec<&str> =
        omitted.iter().take((most / 30).clamp(1, 10)).map(|omitted| omitted.symbol_id.as_str()).collect();
    if !left.is_empty() {
        next.push(Next {
            tool: Call::tool("symbol.getCards"),
            args: json!({"repoId": repo, "symbolIds": left, "detail": "compact"}),
            rationale: "cards of the omitted symbols".to_owned(),
        });
    }
    let task: String = request.task_text.chars().take(most.clamp(60, 300)).collect();
    next.insert(
        0,
        Next {
            tool: Call::tool("slice.build"),
            args: json!({"repoId": repo, "taskText": task}),
            rationale: "a handle that slice.refresh keeps up to date while you edit".to_owned(),
        },
    );
    let mut fitting = Vec::new();
    let mut left = most;
    for one in next {
        match left.checked_sub(budget::json_tokens(&one)?) {
            Some(rest) => left = rest,
            // The first call is given whatever its size, because there must always be a next step.
            None if fitting.is_empty() => left = 0,
            None => break,
        }
        fitting.push(one);
    }
    Ok(fitting)
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = self.assembly_id.clone();
        for piece in &self.evidence {
            match piece.kind.as_str() {
                // A card's text includes its symbol.
                "card" => append_block(&mut text, &piece.content),
                kind => {
                    begin_line(&mut text, format_args!("{kind} {}", piece.symbol_id));
                    append_block(&mut text, &piece.content);
                }
            }
        }
        if !self.omitted.is_empty() {
            let names: Vec<&str> = self.omitted.iter().map(|omitted| omitted.name.as_str()).collect();
            let count = names.len() as u64 + self.more_omitted;
            begin_line(&mut text, format_args!("left out ({count}): {}", names.join(", ")));
        }
        text
    }
}
