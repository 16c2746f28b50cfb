//! `session.list`: the agents that are there.

use schemars::JsonSchema;
use sdl_memory::work::dispatch::{Dispatch, DispatchFilter, list_dispatches};
use sdl_memory::work::session::{SessionRow, all_sessions, open_sessions};
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::begin_line;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;

/// See [`ActionDef`].
pub(crate) struct SessionList;

/// Files and symbols that are named of one session.
const MOST_TOUCHED: usize = 8;
/// Dispatches that are looked at.
const MOST_DISPATCHES: usize = 500;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Default false. Also show sessions that have ended.
    include_ended: Option<bool>,
    /// Default 20.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
}

/// A session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionOut {
    /// Its id, an address for messages.
    session_id: String,
    /// The agent's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// The client's name.
    client: String,
    /// The repositories that it worked on, the latest first.
    repo_ids: Vec<String>,
    /// What it works on, as it said.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    /// The channels and plans that it hears.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    channels: Vec<String>,
    /// Its first call, in Unix milliseconds.
    since: u64,
    /// How long ago its last call was, in milliseconds.
    last_call_ms: u64,
    /// True if its client is gone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ended: bool,
    /// True for your own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    own: bool,
    /// Files and symbols that it was lately served, the latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    touched: Vec<String>,
    /// Dispatches that it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dispatches: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The sessions, by their last call.
    sessions: Vec<SessionOut>,
}

impl Action for SessionList {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const DEF: ActionDef = ActionDef {
        name: "session.list",
        namespace: Namespace::Work,
        mutating: false,
        description: "Call this when you want to know which agents are there, and what each works on",
        needs: "",
        examples: &["{}", r#"{"repoId":"my-repo","includeEnded":true}"#],
        aliases: &[],
    };
}

impl OwnedAction for SessionList {
    const READS_CODE: bool = false;

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let now_ms = cx.now_ms();
        let ended = request.include_ended.unwrap_or(false);
        let rows =
            cx.look(|tables| if ended { all_sessions(tables) } else { open_sessions(tables, now_ms) })?;
        let sees = |row: &SessionRow| match row.repos.as_slice() {
            [] => cx.scopes.reads(""),
            repos => repos.iter().any(|repo| cx.scopes.reads(repo)),
        };
        let last = |row: &SessionRow| {
            let live = cx.call.work.present.last_call_ms(&row.id);
            now_ms.saturating_sub(live.unwrap_or_default().max(row.seen_ms))
        };
        let mut rows: Vec<(u64, SessionRow)> =
            rows.into_iter().filter(sees).map(|row| (last(&row), row)).collect();
        rows.sort_by(|one, other| (one.0, &one.1.id).cmp(&(other.0, &other.1.id)));
        rows.truncate(request.limit.unwrap_or(20));
        let reads = |scope: &str| cx.scopes.reads(scope);
        let live = cx.look(|tables| {
            list_dispatches(tables, DispatchFilter::default(), reads, (now_ms, MOST_DISPATCHES))
        })?;
        let sessions = rows.into_iter().map(|(last, row)| session_out(cx, &live, last, row)).collect();
        Ok(Response { sessions })
    }
}

fn session_out(cx: &OwnedCx<'_>, live: &[Dispatch], last_call_ms: u64, row: SessionRow) -> SessionOut {
    let now_ms = cx.now_ms();
    let touched = cx.call.work.present.touched_by(&row.id, now_ms).into_iter();
    let touched = touched.filter(|touched| cx.scopes.reads(&touched.repo)).map(|touched| touched.name);
    let holds = |dispatch: &&Dispatch| {
        dispatch.standing.holder_at(now_ms).is_some_and(|by| by.session.as_deref() == Some(row.id.as_str()))
    };
    SessionOut {
        touched: touched.take(MOST_TOUCHED).collect(),
        dispatches: live.iter().filter(holds).map(|dispatch| dispatch.id.clone()).collect(),
        ended: row.has_ended(now_ms),
        own: cx.author.session.as_ref() == Some(&row.id),
        last_call_ms,
        since: row.since_ms,
        repo_ids: row.repos.into_iter().filter(|repo| cx.scopes.reads(repo)).collect(),
        session_id: row.id,
        agent: row.agent,
        client: row.client,
        task: row.task,
        channels: row.channels,
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} sessions", self.sessions.len());
        for one in &self.sessions {
            let agent = one.agent.as_deref().unwrap_or("(no name)");
            let own = if one.own { ", you" } else { "" };
            let ended = if one.ended { ", ended" } else { "" };
            let seconds = one.last_call_ms / 1_000;
            begin_line(
                &mut text,
                format_args!("{} {agent} ({}{own}{ended}) {seconds} s ago", one.session_id, one.client),
            );
            let task = one.task.iter().map(|task| format!("; task {task}"));
            let holds = one.dispatches.iter().map(|id| format!("; holds {id}"));
            let touched = (!one.touched.is_empty()).then(|| format!("; touched {}", one.touched.join(", ")));
            for part in task.chain(holds).chain(touched) {
                crate::call::answers::append_text(&mut text, format_args!("{part}"));
            }
        }
        text
    }
}
