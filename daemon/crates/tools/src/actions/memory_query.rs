//! `memory.query`: returns the memories of a repository.

use schemars::JsonSchema;
use sdl_model::SymbolId;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::begin_line;
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::kept::memory::{self, About, Kind, MemoryOut, Page, SortBy};
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct MemoryQuery;

/// Default number of memories in an answer.
const LIMIT: u32 = 20;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Words to look for.
    #[schemars(length(max = 2_000))]
    query: Option<String>,
    /// Only these.
    #[serde(default)]
    #[schemars(length(max = 5))]
    types: Vec<Kind>,
    /// Any of these.
    #[serde(default)]
    #[schemars(length(max = 20))]
    tags: Vec<String>,
    /// About any of these.
    #[serde(default)]
    #[schemars(length(max = 100))]
    symbol_ids: Vec<String>,
    /// Code changed since. Only memories whose symbols changed or are gone.
    stale_only: Option<bool>,
    /// Default 20. Memories to return.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// Memories to skip.
    #[schemars(range(min = 0, max = 2_000))]
    offset: Option<u32>,
    /// Default relevance.
    sort_by: Option<SortBy>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The memories, best first.
    pub(super) memories: Vec<MemoryOut>,
    /// How many match.
    pub(super) total: u64,
    /// True if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) truncated: Option<bool>,
    /// How to get the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) how_to_resume: Option<String>,
}

impl Action for MemoryQuery {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "memory.query",
        namespace: Namespace::Agent,
        mutating: false,
        description: "Call this when you want stored memories about this code, or the stale ones",
        needs: "",
        examples: &[
            r#"{"repoId":"my-repo","query":"token validation","types":["decision","bugfix"]}"#,
            r#"{"repoId":"my-repo","staleOnly":true,"sortBy":"recency","limit":10}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for MemoryQuery {
    const EARLY: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let mut wanted = Vec::new();
        for (i, id) in request.symbol_ids.iter().enumerate() {
            // The id need not exist any more, because memories about symbols that are gone may be asked for too.
            let not = |e| ToolError::new(Code::UnknownSymbol, format!("{e}")).at(format!("symbolIds[{i}]"));
            wanted.push(id.parse::<SymbolId>().map_err(not)?);
        }
        let mut memories = memory::load_memories(cx)?;
        memories.retain(|memory| {
            (request.types.is_empty() || request.types.contains(&memory.kind))
                && (request.tags.is_empty() || memory.tags.iter().any(|tag| request.tags.contains(tag)))
                && (wanted.is_empty() || memory.symbols.iter().any(|link| wanted.contains(&link.id)))
        });
        let text = request.query.as_deref().filter(|text| !text.trim().is_empty());
        let about = About { text, ..About::default() };
        let ranked = memory::rank_memories(
            memories,
            &about,
            request.sort_by.unwrap_or_default(),
            cx.call.leases.now(),
        );
        let offset = request.offset.unwrap_or(0) as usize;
        let limit = request.limit.unwrap_or(LIMIT) as usize;
        let room = budget::DEFAULT_TOKENS.saturating_sub(cx.around()? + 80);
        let page =
            memory::memory_page(cx, ranked, (offset, limit), request.stale_only.unwrap_or(false), room)?;
        Ok(Response::of(page, offset, "memory.query"))
    }
}

impl Response {
    /// The answer of a page that begins at `offset`.
    pub(super) fn of(page: Page, offset: usize, action: &str) -> Self {
        let next = offset + page.memories.len();
        let more = next < page.total && !page.memories.is_empty();
        Self {
            memories: page.memories,
            total: page.total as u64,
            truncated: more.then_some(true),
            how_to_resume: more.then(|| format!("{action} with offset {next}")),
        }
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} of {} memories", self.memories.len(), self.total);
        for memory in &self.memories {
            text.push('\n');
            memory::line_of(&mut text, memory);
        }
        if let Some(how) = &self.how_to_resume {
            begin_line(&mut text, format_args!("… more: {how}"));
        }
        text
    }
}
