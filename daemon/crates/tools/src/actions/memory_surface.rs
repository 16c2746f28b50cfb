//! `memory.surface`: returns the memories about the code at hand.

use schemars::JsonSchema;
use sdl_memory::notes::{Kind, NoteHead};
use sdl_model::EdgeKind;
use serde::Deserialize;

use super::memory_query::Response;
use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction};
use crate::call::budget;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::memory::{self, About, Shown, SortBy, TaskType};
use crate::parts::symbols;

/// See [`ActionDef`].
pub(crate) struct MemorySurface;

/// Default number of memories in an answer.
const LIMIT: u32 = 10;
/// The nearness of a caller or a callee.
const NEIGHBOUR: f64 = 0.4;
/// Maximum number of callers of one symbol whose memories are looked at.
const CALLERS: usize = 50;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Symbols you work on. Finds memories about them, their files, callers and callees. Default: the whole
    /// repository.
    #[serde(default)]
    #[schemars(length(max = 100))]
    symbol_ids: Vec<String>,
    /// Ranks by usefulness. Types of memory that help such a task come first.
    task_type: Option<TaskType>,
    /// Default 10. Memories to return.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// Memories to skip.
    #[schemars(range(min = 0, max = 2_000))]
    offset: Option<u32>,
    /// Only these.
    #[serde(default)]
    #[schemars(length(max = 6))]
    types: Vec<Kind>,
    /// Its lessons too; without it, everyone's.
    #[schemars(length(min = 1, max = 200))]
    agent: Option<String>,
}

impl Action for MemorySurface {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "memory.surface",
        namespace: Namespace::Agent,
        mutating: false,
        description: "Call this when you begin to work on symbols: shows the memories about them",
        needs: "",
        examples: &[
            r#"{"repoId":"my-repo","symbolIds":["s_0123456789abc"],"taskType":"debug","limit":5}"#,
            r#"{"repoId":"my-repo"}"#,
        ],
        aliases: &[],
    };
    const MOVES: Option<(Module, Namespace)> = Some((Module::Memory, Namespace::Memory));
    const MODULE_FIELDS: &'static [(Module, &'static [&'static str])] =
        &[(Module::Memory, &["scope", "agent", "types", "storeRevision", "lanes"])];
}

impl OwnedAction for MemorySurface {
    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let family = cx.family();
        let mut about = About { task: request.task_type, ..About::default() };
        if !request.symbol_ids.is_empty() {
            look_around(cx, &request.symbol_ids, &mut about)?;
        }
        let scopes = cx.scopes.read.as_deref();
        let (offset, limit) = (request.offset.unwrap_or(0) as usize, request.limit.unwrap_or(LIMIT) as usize);
        let wants = |kind: Kind, agent: Option<&str>| {
            let mine = request.agent.is_none() || agent.is_none() || agent == request.agent.as_deref();
            mine && (request.types.is_empty() || request.types.contains(&kind))
        };
        let (ranked, total) = match cx.read.filter(|_| !about.symbols.is_empty()) {
            Some(read) => {
                let mut memories = memory::load_matching(read, &family, scopes, &about)?;
                memory::follow_memories(read, &family, &mut memories)?;
                memories.retain(|memory| wants(memory.kind(), memory.agent.as_deref()));
                (memory::rank_memories(memories, &about, SortBy::Relevance, cx.now_ms()), None)
            }
            None => {
                let keep = |head: &NoteHead<'_>| wants(head.kind, head.agent);
                let order = (SortBy::Relevance, about.task);
                let (mut best, total) = memory::load_best(cx.call, scopes, keep, order, offset + limit)?;
                if let Some(read) = cx.read {
                    memory::follow_ranked(read, &family, &mut best)?;
                }
                (best, Some(total))
            }
        };
        let room = budget::DEFAULT_TOKENS.saturating_sub(cx.around()? + 80);
        let shown = Shown { call: cx.call, read: cx.read, family: &family, whole: cx.has(Module::Memory) };
        let mut page = memory::memory_page(&shown, ranked, (offset, limit), false, room)?;
        if let Some(total) = total {
            page.total = total;
        }
        Ok(Response::of(page, offset, "memory.surface"))
    }
}

/// Adds the symbols, their files, callers and callees to what memories may be about.
fn look_around(cx: &OwnedCx<'_>, ids: &[String], about: &mut About<'_>) -> Result<(), ToolError> {
    let cx = cx.need_code("symbolIds")?;
    for (i, id) in ids.iter().enumerate() {
        cx.call.check()?;
        let sym = symbols::by_id(cx, id, &format!("symbolIds[{i}]"))?;
        about.files.insert(sym.path().to_owned());
        for edge in cx.source.view().out_edges(sym.id)? {
            if edge.kind == EdgeKind::Call {
                about.symbols.entry(edge.to).or_insert(NEIGHBOUR);
            }
        }
        for edge in cx.source.view().in_edges(sym.id, CALLERS)? {
            if edge.kind == EdgeKind::Call {
                about.symbols.entry(edge.from).or_insert(NEIGHBOUR);
            }
        }
        about.symbols.insert(sym.id, 1.0);
    }
    Ok(())
}
