//! `context.summary`: what matters for a question, as text and as data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionDef, Namespace, ReadAction, ReadCx, Render};
use crate::answers::Truncation;
use crate::briefing::{Briefing, Scope, gather, markdown, seeds};
use crate::{ToolError, budget};

/// See [`ActionDef`].
pub(crate) struct ContextSummary;

/// Tokens of an answer unless the request says otherwise.
const TOKENS: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Format {
    Markdown,
    Json,
    Clipboard,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// A symbol's name, a path, or a task in words.
    #[schemars(length(min = 1, max = 20_000))]
    query: String,
    /// Tokens of the whole answer. 2000 by default.
    #[schemars(range(min = 400, max = 20_000))]
    budget: Option<usize>,
    /// How `content` is written. `markdown` by default; `clipboard` has no ids.
    format: Option<Format>,
    /// What the query is. By default it is told by its looks.
    scope: Option<Scope>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    repo_id: String,
    format: String,
    /// What the query was taken for: `symbol`, `file` or `task`.
    scope: String,
    /// The summary in that format.
    content: String,
    /// `keySymbols`, `dependencyGraph`, `riskAreas`, `filesTouched`.
    summary: Briefing,
    /// Set when lists were cut to fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<Truncation>,
}

impl Action for ContextSummary {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "context.summary",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you want a short briefing on a symbol, a file or a task",
        needs: "query",
        examples: &[
            r#"{"repoId":"my-repo","query":"auth middleware","budget":2000,"format":"markdown","scope":"task"}"#,
            r#"{"repoId":"my-repo","query":"src/auth.ts","format":"clipboard"}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for ContextSummary {
    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let most = request.budget.unwrap_or(TOKENS);
        let format = request.format.unwrap_or(Format::Markdown);
        let asked = serde_json::to_string(&request)
            .map_err(|e| ToolError::internal("writing the question down", e))?;
        let key = (cx.snapshot.incarnation(), cx.stamp(), asked);
        if let Some((response, notes)) = cx.call.briefings.get(&key) {
            notes.into_iter().for_each(|note| cx.note(note));
            // What stands around it may have grown since.
            if cx.around()? + budget::of(&response)? <= most {
                return Ok(response);
            }
        }
        cx.notes.borrow_mut().clear();
        let (scope, start) = seeds(cx, &request.query, request.scope)?;
        let summary = gather(cx, start, most / 2)?;
        let mut response = Response {
            repo_id: cx.repo.id().to_owned(),
            format: match format {
                Format::Markdown => "markdown",
                Format::Json => "json",
                Format::Clipboard => "clipboard",
            }
            .to_owned(),
            scope: scope.name().to_owned(),
            content: String::new(),
            summary,
            truncation: None,
        };
        response.fit(cx, &request.query, format, most)?;
        cx.call.briefings.put(key, (response.clone(), cx.notes.borrow().clone()));
        Ok(response)
    }
}

impl Response {
    /// Writes the content, and shortens both forms until everything fits.
    fn fit(&mut self, cx: &ReadCx<'_>, query: &str, format: Format, most: usize) -> Result<(), ToolError> {
        let mut dropped = 0;
        loop {
            self.content = match format {
                Format::Markdown => markdown(&self.summary, query, false),
                Format::Clipboard => markdown(&self.summary, query, true),
                Format::Json => serde_json::to_string(&self.summary)
                    .map_err(|e| ToolError::internal("writing a summary", e))?,
            };
            let size = cx.around()? + budget::of(&*self)?;
            if size <= most {
                return Ok(());
            }
            cx.call.check()?;
            let Some(gone) = self.summary.shorten() else {
                let message = format!("a summary of this takes at least {size} tokens; allow that many");
                return Err(ToolError::invalid("budget", message).with("needed", size));
            };
            dropped += gone;
            self.truncation = Some(Truncation {
                truncated: true,
                dropped_cards: dropped as u64,
                dropped_edges: 0,
                spillover_handle: None,
                how_to_resume: "repeat with a larger budget, or slice.build for cards behind a handle"
                    .to_owned(),
            });
        }
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = self.content.clone();
        if let Some(truncation) = &self.truncation {
            text.push_str(&truncation.line());
        }
        text
    }
}
