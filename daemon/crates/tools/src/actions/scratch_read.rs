//! `scratch.read`: returns entries of the scratch cache.

use schemars::JsonSchema;
use sdl_memory::scratch::{self, Scratch, Which};
use sdl_memory::store::Row as _;
use sdl_retrieve::index::word_terms;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::{append_block, begin_line};
use crate::call::budget;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::scratch::{ScratchOut, show_scratch};
use sdl_retrieve::plain;

/// See [`ActionDef`].
pub(crate) struct ScratchRead;

/// The kinds of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ContextType {
    /// Code that is worked on.
    Focus,
    /// Steps to take.
    Plan,
    /// Things found out.
    Findings,
    /// Things to find out.
    Questions,
    /// Work for another agent.
    Handoff,
    /// Anything else.
    Value,
}

impl ContextType {
    /// The name on the wire.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Focus => "focus",
            Self::Plan => "plan",
            Self::Findings => "findings",
            Self::Questions => "questions",
            Self::Handoff => "handoff",
            Self::Value => "value",
        }
    }
}

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
    /// Only those with any of these words, those with the most of them first.
    #[schemars(length(min = 1, max = 2_000))]
    query: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The entries, the latest first.
    items: Vec<ScratchOut>,
    /// How many match.
    total: usize,
    /// True if there are more: name the kind, the key or the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

impl Action for ScratchRead {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "scratch.read",
        namespace: Namespace::Memory,
        mutating: false,
        description: "Call this when you go on with a task: its focus, plan, findings, questions, handoff",
        needs: "",
        examples: &[
            r#"{"repoId":"my-repo","contextType":"plan"}"#,
            r#"{"repoId":"my-repo","query":"gateway"}"#,
        ],
        aliases: &[],
    };
    const MODULE: Option<Module> = Some(Module::Memory);
}

impl OwnedAction for ScratchRead {
    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let which = Which {
            scopes: cx.scopes.read.as_deref(),
            kind: request.context_type.map(ContextType::name),
            key: request.key.as_deref(),
            agent: request.agent.as_deref(),
        };
        let mut rows = cx.look(|reader| scratch::read_scratch(reader, &which, cx.now_ms()))?;
        if let Some(query) = &request.query {
            rows = with_words(rows, query);
        }
        let total = rows.len();
        let items = show_scratch(cx, &cx.family(), rows)?;
        let most = budget::DEFAULT_TOKENS.saturating_sub(cx.around()? + 80);
        let with = |count: usize| Response {
            items: items.iter().take(count).cloned().collect(),
            total,
            truncated: (count < total).then_some(true),
        };
        let count = budget::largest_prefix(total, most, |count| Ok(with(count)))?;
        Ok(with(count.unwrap_or(0)))
    }
}

/// Returns the entries with any of the words, those with the most first. There are few enough to read them all.
fn with_words(rows: Vec<Scratch>, query: &str) -> Vec<Scratch> {
    let terms = |text: &str| word_terms(text).into_iter().map(|(_, term)| term).collect::<Vec<_>>();
    let wanted = terms(query);
    let mut found: Vec<(usize, Scratch)> = Vec::new();
    for row in rows {
        let texts = row.texts();
        let said = terms(&[texts.title, texts.body, texts.tags.join(" "), texts.names.join(" ")].join("\n"));
        let count = wanted.iter().filter(|term| said.contains(term)).count();
        if count > 0 {
            found.push((count, row));
        }
    }
    found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    found.into_iter().map(|(_, row)| row).collect()
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} of {} entries", self.items.len(), self.total);
        for item in &self.items {
            let whose = item.agent.as_deref().map(|agent| format!(" of {agent}")).unwrap_or_default();
            let (id, kind, key, state) = (&item.scratch_id, &item.context_type, &item.key, item.state);
            begin_line(&mut text, format_args!("{id} {kind} {key:?}{whose}, {state}"));
            for (name, value) in &item.fields {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                append_block(&mut text, &plain::quote_lines(&format!("{name}: {value}")));
            }
        }
        text
    }
}
