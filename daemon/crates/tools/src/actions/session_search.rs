//! `session.search`: what sessions did and said.

use schemars::JsonSchema;
use sdl_memory::Author;
use sdl_memory::Trouble;
use sdl_memory::scratch::Scratch;
use sdl_memory::store::{Tables, scoped_key};
use sdl_memory::words::{self, Hit, Lane};
use sdl_memory::work::activity::Activity;
use sdl_memory::work::dispatch::{find_brief, find_dispatch};
use sdl_memory::work::message::find_message;
use sdl_memory::work::session::find_session;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::begin_line;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::work::read_ms;

/// See [`ActionDef`].
pub(crate) struct SessionSearch;

/// Characters of an excerpt.
const EXCERPT: usize = 240;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum Kind {
    /// Sessions.
    Session,
    /// What was logged.
    Activity,
    /// Dispatches.
    Dispatch,
    /// Messages.
    Message,
    /// Scratch, while the module memory is on.
    Scratch,
}

impl From<Kind> for Lane {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Session => Self::Session,
            Kind::Activity => Self::Activity,
            Kind::Dispatch => Self::Dispatch,
            Kind::Message => Self::Message,
            Kind::Scratch => Self::Scratch,
        }
    }
}

const EVERY_LANE: [Lane; 5] = [Lane::Session, Lane::Activity, Lane::Dispatch, Lane::Message, Lane::Scratch];

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Words to look for.
    #[schemars(length(min = 1, max = 2_000))]
    query: String,
    /// Default: all.
    #[schemars(length(max = 8))]
    kinds: Option<Vec<Kind>>,
    /// Nothing from before: RFC 3339 with an offset, a date, or Unix milliseconds.
    #[schemars(length(max = 64))]
    since: Option<String>,
    /// Default 10.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
}

/// Something that was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Found {
    /// `session`, `activity`, `dispatch`, `message` or `scratch`.
    kind: String,
    /// Its id.
    id: String,
    /// The session that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// The agent that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// When, in Unix milliseconds.
    at: u64,
    /// The beginning of its text.
    excerpt: String,
    /// How well it answers; comparable within this answer.
    score: f64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// What was found, the best first.
    results: Vec<Found>,
}

impl Action for SessionSearch {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const DEF: ActionDef = ActionDef {
        name: "session.search",
        namespace: Namespace::Work,
        mutating: false,
        description: "Call this when you want to know what agents did, said or handed over",
        needs: "query",
        examples: &[
            r#"{"query":"why was the login test skipped"}"#,
            r#"{"query":"staging","kinds":["activity","message"],"since":"2026-11-01"}"#,
        ],
        aliases: &[],
    };
}

/// The scopes in which words are looked for: those that the call reads, or all that there are.
pub(crate) fn search_scopes(cx: &OwnedCx<'_>) -> Vec<String> {
    cx.scopes.read.clone().unwrap_or_else(|| {
        let repos = cx.call.host.repos().into_iter().map(|repo| repo.id().to_owned());
        [String::new()].into_iter().chain(repos).collect()
    })
}

impl OwnedAction for SessionSearch {
    const READS_CODE: bool = false;

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let scopes = search_scopes(cx);
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let mut lanes: Vec<Lane> = match request.kinds.filter(|kinds| !kinds.is_empty()) {
            Some(kinds) => kinds.into_iter().map(Lane::from).collect(),
            None => EVERY_LANE.to_vec(),
        };
        if !cx.has(Module::Memory) {
            lanes.retain(|lane| *lane != Lane::Scratch);
        }
        let since = read_ms("since", request.since.as_deref())?;
        let ask = words::Ask {
            scopes: &scopes,
            lanes: &lanes,
            text: &request.query,
            now_ms: i64::try_from(cx.now_ms()).unwrap_or(i64::MAX),
            since_ms: since.and_then(|ms| i64::try_from(ms).ok()),
            keep: None,
            limit: request.limit.unwrap_or(10),
        };
        let results = cx.look(|tables| {
            let mut found = Vec::new();
            for hit in words::search(tables, &ask)?.hits {
                found.extend(show_hit(tables, &hit, cx.now_ms())?);
            }
            Ok(found)
        })?;
        Ok(Response { results })
    }
}

fn show_hit(tables: &impl Tables, hit: &Hit, now_ms: u64) -> Result<Option<Found>, Trouble> {
    let id = hit.id.as_str();
    let shown = match hit.lane {
        Lane::Session => find_session(tables, id)?.map(|row| {
            let text = row.task.clone().unwrap_or_default();
            let by = Author { session: Some(row.id), agent: row.agent, ..Author::default() };
            ("session", by, row.since_ms, text)
        }),
        Lane::Activity => tables
            .row::<Activity>(id.as_bytes())?
            .map(|row| ("activity", row.head.by, row.at_ms, row.message)),
        Lane::Dispatch => match (find_dispatch(tables, id)?, find_brief(tables, id)?) {
            (Some(row), Some(text)) => {
                let said = if text.summary.is_empty() { text.brief } else { text.summary };
                let text = format!("{}: {said}", row.title);
                Some(("dispatch", row.started_by, row.head.created_ms, text))
            }
            _ => None,
        },
        Lane::Message => find_message(tables, id)?.map(|row| {
            let text = format!("to {}: {}", row.to, row.body);
            ("message", row.head.by, row.head.created_ms, text)
        }),
        Lane::Scratch => {
            let row = tables.row::<Scratch>(&scoped_key(&hit.scope, id))?;
            row.filter(|row| !row.is_over(now_ms)).map(|row| {
                let text = format!("{} {}: {}", row.kind, row.key, Value::Object(row.fields));
                ("scratch", row.head.by, row.head.updated_ms, text)
            })
        }
        _ => None,
    };
    Ok(shown.map(|(kind, by, at, text)| Found {
        kind: kind.to_owned(),
        id: hit.id.clone(),
        session_id: by.session,
        agent: by.agent,
        at,
        excerpt: text.chars().take(EXCERPT).collect(),
        score: (f64::from(hit.score) * 1_000.0).round() / 1_000.0,
    }))
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} found", self.results.len());
        for one in &self.results {
            let who = one.agent.as_deref().or(one.session_id.as_deref()).unwrap_or("unknown");
            begin_line(&mut text, format_args!("{} {} by {who}: {}", one.id, one.kind, one.excerpt));
        }
        text
    }
}
