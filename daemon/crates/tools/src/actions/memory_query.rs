//! `memory.query`: returns the memories of a repository.

use schemars::JsonSchema;
use sdl_memory::notes::{self, Kind, Memory, NoteHead};
use sdl_model::SymbolId;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::begin_line;
use crate::call::budget;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::memory::{self, About, FoundByWords, LaneOut, MemoryOut, Page, Ranked, Shown, SortBy};
use crate::parts::times;
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
    #[schemars(length(max = 6))]
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
    /// Only lessons of this agent.
    #[schemars(length(min = 1, max = 200))]
    agent: Option<String>,
    /// Only those changed since. RFC 3339 with an offset, a date, or Unix milliseconds.
    #[schemars(length(min = 1, max = 40))]
    since: Option<String>,
    /// As they were in that revision of the store. A memory that changed more than 20 times since is as it was in the oldest state that is kept.
    #[schemars(range(min = 0))]
    as_of_revision: Option<u64>,
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
    /// How each kind of rows did in a search by words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lanes: Option<Vec<LaneOut>>,
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
    const MOVES: Option<(Module, Namespace)> = Some((Module::Memory, Namespace::Memory));
    const MODULE_FIELDS: &'static [(Module, &'static [&'static str])] = &[(
        Module::Memory,
        &["scope", "agent", "since", "asOfRevision", "types=lesson", "storeRevision", "lanes"],
    )];
}

impl OwnedAction for MemoryQuery {
    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let wanted = Wanted::of(&request)?;
        let family = cx.family();
        let Found { mut ranked, total, lanes } = find_ranked(cx, &request, &wanted)?;
        if let Some(read) = cx.read.filter(|_| request.as_of_revision.is_none()) {
            memory::follow_ranked(read, &family, &mut ranked)?;
        }
        ranked.retain(|ranked| wanted.symbols_of(&ranked.memory));
        let offset = request.offset.unwrap_or(0) as usize;
        let limit = request.limit.unwrap_or(LIMIT) as usize;
        let room = budget::DEFAULT_TOKENS.saturating_sub(cx.around()? + 80);
        let whole = cx.has(Module::Memory);
        let shown = Shown { call: cx.call, read: cx.read, family: &family, whole };
        let stale_only = request.stale_only.unwrap_or(false);
        let mut page = memory::memory_page(&shown, ranked, (offset, limit), stale_only, room)?;
        if let Some(total) = total {
            page.total = total;
        }
        let mut response = Response::of(page, offset, "memory.query");
        response.lanes = lanes.filter(|_| whole);
        Ok(response)
    }
}

/// The memories that match.
struct Found {
    /// In their order.
    ranked: Vec<Ranked>,
    /// How many there are in all, if these are only the first.
    total: Option<usize>,
    /// How each lane of the search did if there were words.
    lanes: Option<Vec<LaneOut>>,
}

/// Returns the memories that match: all of them where the code decides which, else those of the page and before it.
fn find_ranked(cx: &OwnedCx<'_>, request: &Request, wanted: &Wanted<'_>) -> Result<Found, ToolError> {
    let need = request.offset.unwrap_or(0) as usize + request.limit.unwrap_or(LIMIT) as usize;
    let by_code = request.stale_only.unwrap_or(false) || !wanted.symbols.is_empty();
    let sort = request.sort_by.unwrap_or_default();
    let scopes = cx.scopes.read.as_deref();
    let text = request.query.as_deref().filter(|text| !text.trim().is_empty());
    let about = About { text, ..About::default() };
    if let (Some(text), None) = (text, request.as_of_revision) {
        let is_first = !by_code && wanted.is_anything() && sort == SortBy::Relevance;
        let need = if is_first { need } else { usize::MAX };
        let FoundByWords { mut ranked, total, lanes } = memory::memories_by_words(cx, &about, text, need)?;
        ranked.retain(|ranked| wanted.has_memory(&ranked.memory));
        if sort != SortBy::Relevance {
            memory::sort_memories(&mut ranked, sort);
        }
        return Ok(Found { ranked, total: is_first.then_some(total), lanes: Some(lanes) });
    }
    if text.is_none() && request.as_of_revision.is_none() && !by_code {
        let keep = |head: &NoteHead<'_>| wanted.has(head.kind, head.tags(), head.agent, head.updated_ms);
        let (ranked, total) = memory::load_best(cx.call, scopes, keep, (sort, None), need)?;
        return Ok(Found { ranked, total: Some(total), lanes: None });
    }
    let mut memories = match request.as_of_revision {
        Some(revision) => cx.look(|reader| notes::memories_at(reader, scopes, revision))?,
        None => memory::load_memories(cx.call, scopes)?,
    };
    memories.retain(|memory| wanted.has_memory(memory));
    let ranked = memory::rank_memories(memories, &about, sort, cx.now_ms());
    Ok(Found { ranked, total: None, lanes: None })
}

/// Which memories are asked for, apart from their words.
struct Wanted<'a> {
    types: &'a [Kind],
    tags: &'a [String],
    symbols: Vec<SymbolId>,
    agent: Option<&'a str>,
    since_ms: u64,
}

impl<'a> Wanted<'a> {
    fn of(request: &'a Request) -> Result<Self, ToolError> {
        let mut symbols = Vec::new();
        for (i, id) in request.symbol_ids.iter().enumerate() {
            // The id need not exist any more, because memories about symbols that are gone may be asked for too.
            let not = |e| ToolError::new(Code::UnknownSymbol, format!("{e}")).at(format!("symbolIds[{i}]"));
            symbols.push(id.parse::<SymbolId>().map_err(not)?);
        }
        Ok(Self {
            types: &request.types,
            tags: &request.tags,
            symbols,
            agent: request.agent.as_deref(),
            since_ms: times::since_of("since", request.since.as_deref())?.unwrap_or(0),
        })
    }

    /// Whether a memory is about the symbols; asked once its anchors were followed.
    fn symbols_of(&self, memory: &Memory) -> bool {
        let anchors = &memory.anchors.symbols;
        self.symbols.is_empty() || anchors.iter().any(|anchor| self.symbols.contains(&anchor.id))
    }

    fn has_memory(&self, memory: &Memory) -> bool {
        let tags = memory.tags.iter().map(String::as_str);
        self.has(memory.kind(), tags, memory.agent.as_deref(), memory.head.updated_ms)
    }

    fn has<'t>(
        &self,
        kind: Kind,
        mut tags: impl Iterator<Item = &'t str>,
        agent: Option<&str>,
        updated_ms: u64,
    ) -> bool {
        (self.types.is_empty() || self.types.contains(&kind))
            && (self.tags.is_empty() || tags.any(|tag| self.tags.iter().any(|wanted| wanted == tag)))
            && self.agent.is_none_or(|wanted| agent == Some(wanted))
            && updated_ms >= self.since_ms
    }

    /// Whether every memory is wanted.
    fn is_anything(&self) -> bool {
        self.types.is_empty() && self.tags.is_empty() && self.agent.is_none() && self.since_ms == 0
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
            lanes: None,
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
