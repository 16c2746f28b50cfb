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
    Asked, Assembly, EdgeOut, Evidence, Gathered, Ground, Omitted, Start, Step, TaskType, keep_assembly,
    place_lines,
};
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct AgentOrchestrate;

/// Tokens of the plan, of the next calls and of the fields around them.
const FRAME: usize = 250;
/// Tokens of the fields of lists.
const LIST_FIELDS: usize = 20;
/// How much of a budget may say how symbols belong together, in percent.
const RELATIONS_SHARE: usize = 4;
/// Symbols that a suggested slice starts from.
const MOST_ENTRIES: usize = 2;
/// Maximum number of missing names that the answer lists.
const MOST_MISSING: usize = 5;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Task, in words.
    #[schemars(length(min = 1, max = 200_000))]
    task_text: String,
    /// Divides the budget. The kind of task decides how much goes to source, and how much to the places of further
    /// symbols. Default: five sixths to source.
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
    /// Whether this is likely to be enough, in one sentence.
    coverage: String,
    /// What was collected, by kind of evidence.
    plan: Vec<Step>,
    /// The text of the symbols found, best first, each once.
    evidence: Vec<Evidence>,
    /// How the symbols belong together: `a calls b, c`, and who uses the best of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relations: Vec<String>,
    /// Edges between the symbols of the evidence, if there is room.
    edges: Vec<EdgeOut>,
    /// Further symbols, best first, one line for each file: `path: name:first-last, …`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<String>,
    /// Symbols whose source can't be shown.
    omitted: Vec<Omitted>,
    /// Symbols that were found and are neither shown nor named.
    #[serde(skip_serializing_if = "is_zero")]
    more_omitted: u64,
    /// Symbols whose text is within the text of others, if there is room.
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
        description: "Call this when one call should answer how or why: the source that matters, and where the rest is",
        needs: "taskText,budget",
        examples: &[
            r#"{"repoId":"my-repo","taskText":"why does token validation fail","taskType":"debug","budget":{"maxTokens":4000}}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for AgentOrchestrate {
    const ACROSS: bool = true;

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
        let mut room = most.saturating_sub(cx.around()? + FRAME);
        loop {
            let gathered = ground.gather(room)?;
            assembly.source_ids = gathered.evidence.iter().map(|piece| piece.symbol_id.clone()).collect();
            let response = Response::of(cx, (&ground, &start), &assembly.id, most, gathered)?;
            let size = response.tokens_read(cx)?;
            if size <= most {
                // Feedback is about the ranking of one repository, so nothing is kept over a workspace.
                if cx.across.is_none() {
                    keep_assembly(cx, &assembly)?;
                }
                response
                    .evidence
                    .iter()
                    .filter_map(|piece| piece.row.clone())
                    .for_each(|row| cx.decided(row));
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

impl Response {
    /// Returns the answer with these pieces, and with as many places and edges as there is room for beside them.
    fn of(
        cx: &ReadCx<'_>,
        (ground, start): (&Ground<'_>, &Start),
        assembly_id: &str,
        most: usize,
        gathered: Gathered,
    ) -> Result<Self, ToolError> {
        let edges = ground.edges(&gathered)?;
        let relations = ground.relations(&gathered)?;
        let mut made = Self {
            assembly_id: assembly_id.to_owned(),
            coverage: tell_coverage(ground.len(), start, &gathered),
            plan: gathered.plan(),
            next_actions: next_calls(cx, &gathered),
            tokens: gathered.evidence.iter().map(|piece| piece.tokens).sum(),
            evidence: gathered.evidence,
            relations: Vec::new(),
            edges: Vec::new(),
            more: Vec::new(),
            omitted: gathered.omitted,
            more_omitted: gathered.rest.len() as u64,
            source_ids: Vec::new(),
        };
        // Each list is measured by itself, because measuring the whole answer again takes longer than making it. The
        // names of the fields take a few tokens too.
        let around = cx.around()? + budget::json_tokens(&made)? + LIST_FIELDS;
        let mut room = most.saturating_sub(around);
        let mut for_relations = room.min(most * RELATIONS_SHARE / 100);
        made.relations = fitting(relations, &mut for_relations)?;
        room = room.saturating_sub(budget::json_tokens(&made.relations)?);
        let rest = gathered.rest.as_slice();
        let places = |count: usize| place_lines(rest.get(..count).unwrap_or_default());
        let named = budget::largest_prefix(rest.len(), room, |count| Ok(places(count)))?.unwrap_or(0);
        made.more = places(named);
        made.more_omitted = (rest.len() - named) as u64;
        room = room.saturating_sub(budget::json_tokens(&made.more)?);
        made.edges = fitting(edges, &mut room)?;
        let covered = gathered.covered.iter().map(ToString::to_string).collect();
        made.source_ids = fitting(covered, &mut room)?;
        Ok(made)
    }

    /// Returns the tokens of the longer of the two forms: clients read one of them.
    fn tokens_read(&self, cx: &ReadCx<'_>) -> Result<usize, ToolError> {
        let around = cx.around()?;
        Ok(around + budget::json_tokens(self)?.max(budget::text_tokens(&self.text())))
    }
}

/// Returns as many of the items as there is room for, and takes it.
fn fitting<T: Serialize>(mut items: Vec<T>, room: &mut usize) -> Result<Vec<T>, ToolError> {
    let count =
        budget::largest_prefix(items.len(), *room, |count| Ok(items.get(..count).unwrap_or_default()))?;
    items.truncate(count.unwrap_or(0));
    *room = room.saturating_sub(budget::json_tokens(&items)?);
    Ok(items)
}

/// Says whether the evidence is likely to be enough.
fn tell_coverage(found: usize, start: &Start, gathered: &Gathered) -> String {
    let shown = gathered.evidence.len() + gathered.covered.len();
    let is_told =
        |name: &&String| gathered.evidence.iter().any(|piece| piece.content.contains(name.as_str()));
    let missing: Vec<&str> =
        start.words().iter().filter(|name| !is_told(name)).take(MOST_MISSING).map(String::as_str).collect();
    let cut = gathered.evidence.first().is_none_or(|piece| piece.kind != "source");
    if !missing.is_empty() {
        let missing = missing.join(", ");
        return format!(
            "Perhaps not enough: no text here mentions {missing}. {shown} of {found} symbols are shown."
        );
    }
    if cut {
        return format!(
            "Perhaps not enough: the best match is shown in part. {shown} of {found} symbols are shown."
        );
    }
    if shown >= found {
        return format!("Enough: all {found} symbols that the task leads to are shown.");
    }
    format!("Likely enough: the best {shown} of {found} symbols are shown.")
}

/// Returns suggested next calls.
fn next_calls(cx: &ReadCx<'_>, gathered: &Gathered) -> Vec<Next> {
    let repo = cx.repo.id();
    // The rest of a symbol's text is asked of its own repository, which knows its id here too.
    let own = |symbol: &str| {
        let path = symbol.parse().ok().and_then(|id| cx.source.symbol(id).ok().flatten());
        path.map_or(repo, |sym| cx.place_of(&sym.row().path).0.id())
    };
    let ids = gathered.evidence.iter().map(|piece| piece.symbol_id.as_str());
    let ids: Vec<&str> = ids.take(MOST_ENTRIES).collect();
    let mut next = Vec::new();
    if !ids.is_empty() {
        next.push(Next {
            tool: Call::tool("slice.build"),
            args: json!({"repoId": repo, "entrySymbols": ids}),
            rationale: "what they depend on, kept up to date".to_owned(),
        });
    }
    if let Some(piece) = gathered.evidence.iter().find(|piece| piece.kind == "hotPath") {
        next.push(Next {
            tool: Call::tool("code.getSkeleton"),
            args: json!({"repoId": own(&piece.symbol_id), "symbolId": piece.symbol_id}),
            rationale: "the rest of it".to_owned(),
        });
    } else if let Some(card) = gathered.rest.first() {
        let symbol = card.symbol_id.to_string();
        next.push(Next {
            tool: Call::tool("code.getSkeleton"),
            args: json!({"repoId": own(&symbol), "symbolId": symbol}),
            rationale: "the best of more".to_owned(),
        });
    }
    next
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = self.assembly_id.clone();
        begin_line(&mut text, format_args!("{}", self.coverage));
        for piece in &self.evidence {
            begin_line(&mut text, format_args!("{} {}", piece.kind, piece.symbol_id));
            append_block(&mut text, &piece.content);
        }
        for line in &self.relations {
            begin_line(&mut text, format_args!("{line}"));
        }
        if !self.more.is_empty() {
            text.push_str("\nmore:");
            for line in &self.more {
                begin_line(&mut text, format_args!("{line}"));
            }
        }
        for omitted in &self.omitted {
            begin_line(
                &mut text,
                format_args!("not shown: {} {}: {}", omitted.symbol_id, omitted.name, omitted.reason),
            );
        }
        if self.more_omitted > 0 {
            begin_line(&mut text, format_args!("left out: {}", self.more_omitted));
        }
        let next: Vec<String> =
            self.next_actions.iter().map(|next| format!("{} {}", next.tool, next.args)).collect();
        if !next.is_empty() {
            begin_line(&mut text, format_args!("next: {}", next.join("; ")));
        }
        text
    }
}
