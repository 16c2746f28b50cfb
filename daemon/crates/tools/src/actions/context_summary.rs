//! `context.summary`: the most important facts for a question, as text and as data.

use schemars::JsonSchema;
use sdl_model::Incarnation;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::Truncation;
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::call::memos::Recent;
use crate::call::stamp::Stamp;
use crate::context::briefing::{Briefing, Scope, briefing_seeds, gather_briefing, render_markdown};
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct ContextSummary;

/// Tokens of an answer unless the request sets a budget.
const TOKENS: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Format {
    Markdown,
    Json,
    Clipboard,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Name, path or task. A symbol's name, a path, or a task in words.
    #[schemars(length(min = 1, max = 200_000))]
    query: String,
    /// Tokens, default 2000. For the whole answer.
    #[schemars(range(min = 400, max = 20_000))]
    budget: Option<usize>,
    /// Default markdown. How `content` is written; `clipboard` has no ids. With `json` it is empty: `summary`
    /// has the same.
    format: Option<Format>,
    /// What `query` is. Default: guessed from its form.
    scope: Option<Scope>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The repository.
    repo_id: String,
    /// The format of `content`.
    format: String,
    /// How the query was understood: `symbol`, `file` or `task`.
    scope: String,
    /// The summary as text. Empty with `format: json`.
    content: String,
    /// The summary as data. With `markdown` and `clipboard` only what the text lacks: ids, scores and counts.
    summary: Briefing,
    /// What did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<Truncation>,
}

/// Recent answers, each with its notes, by everything an answer depends on: the repository or workspace, the ledger, its
/// version with the overlay, and the question as asked.
#[derive(Default)]
struct Summaries(Recent<Question, (Response, Vec<String>), 32>);

type Question = (String, Incarnation, Stamp, String);

impl Action for ContextSummary {
    type Request = Request;
    type Response = Response;
    const USUAL_TOKENS: Option<usize> = Some(TOKENS);
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
    const ACROSS: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let most = request.budget.unwrap_or(TOKENS);
        let format = request.format.unwrap_or(Format::Markdown);
        let asked = serde_json::to_string(&request)
            .map_err(|e| ToolError::internal("writing the question down", e))?;
        let key = (cx.repo.id().to_owned(), cx.snapshot.incarnation(), cx.stamp(), asked);
        let summaries = cx.call.memos.shared::<Summaries>();
        if let Some((response, notes)) = summaries.0.get(&key) {
            notes.into_iter().for_each(|note| cx.note(note));
            // The fields around it may have grown since.
            if cx.around()? + budget::json_tokens(&response)? <= most {
                return Ok(response);
            }
        }
        cx.notes.borrow_mut().clear();
        let (scope, start) = briefing_seeds(cx, &request.query, request.scope)?;
        // Text takes a little less room than data.
        let mut summary = gather_briefing(cx, start, most)?;
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
            summary: Briefing::default(),
            truncation: None,
        };
        response.fit(cx, &request.query, format, most, &mut summary)?;
        summaries.0.put(key, (response.clone(), cx.notes.borrow().clone()));
        Ok(response)
    }
}

impl Response {
    /// Writes the gathered facts once, as text or as data, and shortens them until everything fits.
    fn fit(
        &mut self,
        cx: &ReadCx<'_>,
        query: &str,
        format: Format,
        most: usize,
        found: &mut Briefing,
    ) -> Result<(), ToolError> {
        let mut dropped = 0;
        loop {
            (self.content, self.summary) = match format {
                Format::Markdown => (render_markdown(found, query, false), found.referred()),
                Format::Clipboard => (render_markdown(found, query, true), found.referred()),
                Format::Json => (String::new(), found.clone()),
            };
            let size = cx.around()? + budget::json_tokens(&*self)?;
            if size <= most {
                return Ok(());
            }
            cx.call.check()?;
            let Some(gone) = found.shorten() else {
                let message = format!("a summary of this takes at least {size} tokens; allow that many");
                return Err(ToolError::invalid("budget", message).with("needed", size));
            };
            dropped += gone;
            self.truncation = Some(Truncation {
                truncated: true,
                dropped_cards: dropped as u64,
                dropped_edges: 0,
                spillover_handle: None,
                how_to_resume: "repeat with a larger budget, or call slice.build for cards and a handle"
                    .to_owned(),
            });
        }
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = self.content.clone();
        if text.is_empty() {
            text = serde_json::to_string(&self.summary).unwrap_or_default();
        }
        if let Some(truncation) = &self.truncation {
            text.push_str(&truncation.line());
        }
        text
    }
}
