//! `dispatch.list`: the work that was handed over.

use schemars::JsonSchema;
use sdl_memory::words::{self, Lane};
use sdl_memory::work::dispatch::state::State;
use sdl_memory::work::dispatch::{DispatchFilter, affinities, list_dispatches};
use serde::{Deserialize, Serialize};

use super::session_search::search_scopes;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::begin_line;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::work::{DispatchOut, StateIn, dispatch_line};
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct DispatchList;

/// Dispatches that a query finds, at most.
const MOST_FOUND: usize = 200;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Default: all that have not ended.
    #[schemars(length(max = 7))]
    states: Option<Vec<StateIn>>,
    /// For this agent, or claimed by it.
    #[schemars(length(max = 200))]
    agent: Option<String>,
    /// Of this plan.
    #[schemars(length(max = 200))]
    plan_slug: Option<String>,
    /// Of this kind of work.
    #[schemars(length(max = 200))]
    domain: Option<String>,
    /// Default false. Only those that you started or hold.
    mine: Option<bool>,
    /// Words of title, brief or summary. The best come first, in one page.
    #[schemars(length(max = 500))]
    query: Option<String>,
    /// Default 20.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
    /// From a former answer, for the next page.
    #[schemars(length(max = 64))]
    cursor: Option<String>,
}

/// How an agent did with the dispatches of a domain.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AffinityOut {
    /// The agent.
    agent: String,
    /// The kind of work.
    domain: String,
    /// Dispatches that it ended.
    done: u32,
    /// Those of them that succeeded.
    succeeded: u32,
    /// 0 to 1: how likely the next one succeeds.
    affinity: f64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The dispatches, the newest first; with `query` the best first.
    dispatches: Vec<DispatchOut>,
    /// How agents did, by domain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    affinity: Vec<AffinityOut>,
    /// Give it for the next page. Missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

impl Action for DispatchList {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const DEF: ActionDef = ActionDef {
        name: "dispatch.list",
        namespace: Namespace::Work,
        mutating: false,
        description: "Call this when you look for work that waits, or how work goes that you handed over",
        needs: "",
        examples: &[
            "{}",
            r#"{"mine":true,"states":["done","failed"],"limit":5}"#,
            r#"{"query":"login test"}"#,
        ],
        aliases: &[("status", "states"), ("plan", "planSlug")],
    };
}

impl OwnedAction for DispatchList {
    const READS_CODE: bool = false;

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let now_ms = cx.now_ms();
        let states: Vec<State> = request.states.unwrap_or_default().into_iter().map(State::from).collect();
        let limit = request.limit.unwrap_or(20);
        if request.cursor.as_deref().is_some_and(|cursor| !cursor.starts_with("d_")) {
            let message = "this cursor is of another request; leave it out for the first page";
            return Err(ToolError::new(Code::BadCursor, message).at("cursor"));
        }
        let scopes = search_scopes(cx);
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let reads = |scope: &str| cx.scopes.reads(scope);
        let (rows, all) = cx.look(|tables| {
            let only = match request.query.as_deref().filter(|query| !query.trim().is_empty()) {
                None => None,
                Some(text) => {
                    let ask = words::Ask {
                        scopes: &scopes,
                        lanes: &[Lane::Dispatch],
                        text,
                        now_ms: i64::try_from(now_ms).unwrap_or(i64::MAX),
                        since_ms: None,
                        keep: None,
                        limit: MOST_FOUND,
                    };
                    Some(words::search(tables, &ask)?.hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>())
                }
            };
            let filter = DispatchFilter {
                states: if only.is_some() && states.is_empty() { &State::ALL } else { &states },
                agent: request.agent.as_deref(),
                plan: request.plan_slug.as_deref(),
                domain: request.domain.as_deref(),
                of: request.mine.unwrap_or(false).then_some(cx.author),
                before: request.cursor.as_deref(),
                only: only.as_deref(),
            };
            Ok((list_dispatches(tables, filter, reads, (now_ms, limit + 1))?, affinities(tables)?))
        })?;
        // No pages for a query, because its rows are in the order of scores.
        let cursor = (rows.len() > limit && request.query.is_none())
            .then(|| rows.get(limit - 1).map(|row| row.id.clone()))
            .flatten();
        let dispatches = rows.iter().take(limit).map(|row| DispatchOut::of(row, now_ms)).collect();
        let fits = |wanted: &Option<String>, name: &str| {
            wanted
                .as_deref()
                .is_none_or(|wanted| sdl_memory::work::fold_name(wanted) == sdl_memory::work::fold_name(name))
        };
        let affinity = all
            .into_iter()
            .filter(|one| fits(&request.agent, &one.agent) && fits(&request.domain, &one.domain))
            .map(|one| AffinityOut {
                affinity: (one.share() * 1_000.0).round() / 1_000.0,
                agent: one.agent,
                domain: one.domain,
                done: one.done,
                succeeded: one.succeeded,
            })
            .take(20)
            .collect();
        Ok(Response { dispatches, affinity, cursor })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} dispatches", self.dispatches.len());
        for row in &self.dispatches {
            begin_line(&mut text, format_args!(""));
            dispatch_line(&mut text, row);
        }
        for AffinityOut { agent, domain, done, succeeded, .. } in &self.affinity {
            begin_line(&mut text, format_args!("{agent} in {domain}: {succeeded} of {done} succeeded"));
        }
        if let Some(cursor) = &self.cursor {
            begin_line(&mut text, format_args!("more: cursor {cursor}"));
        }
        text
    }
}
