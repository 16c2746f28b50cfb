//! `dispatch.complete`: ends work that was handed over.

use schemars::JsonSchema;
use sdl_memory::work::address::Address;
use sdl_memory::work::dispatch::state::{Outcome, is_same_author};
use sdl_memory::work::dispatch::{Dispatch, Ending, complete_dispatch, need_dispatch};
use sdl_memory::work::message::{MessageKind, NewMessage, send_message};
use serde::{Deserialize, Serialize};

use super::dispatch_claim::{see_dispatch, with_next};
use super::session_send::announce;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct DispatchComplete;

/// The news that a dispatch has ended waits for a week.
const NEWS_TTL_MS: u64 = 7 * 86_400_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum OutcomeIn {
    /// All of it is done.
    Success,
    /// A part of it is done.
    Partial,
    /// It failed.
    Failed,
    /// It is not wanted any more.
    Cancelled,
}

impl From<OutcomeIn> for Outcome {
    fn from(outcome: OutcomeIn) -> Self {
        match outcome {
            OutcomeIn::Success => Self::Success,
            OutcomeIn::Partial => Self::Partial,
            OutcomeIn::Failed => Self::Failed,
            OutcomeIn::Cancelled => Self::Cancelled,
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `d_…`. The dispatch.
    #[schemars(length(min = 1, max = 64))]
    dispatch_id: String,
    /// How it ended.
    outcome: OutcomeIn,
    /// What came of it, for whoever reads on.
    #[schemars(length(min = 1, max = 8_000))]
    summary: String,
    /// Default true. Counts for how well the agent does in this domain.
    domain_affinity: Option<bool>,
    /// Paths, commits or links that came of it.
    #[schemars(length(max = 50))]
    artifacts: Option<Vec<String>>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The dispatch's id.
    dispatch_id: String,
    /// `done`, `failed` or `cancelled`.
    state: String,
}

impl Action for DispatchComplete {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const DEF: ActionDef = ActionDef {
        name: "dispatch.complete",
        namespace: Namespace::Work,
        mutating: true,
        description: "Call this when a dispatch has ended, well or not: whoever started it hears of it",
        needs: "dispatchId,outcome,summary",
        examples: &[
            r#"{"dispatchId":"d_0123456789abc","outcome":"success","summary":"The clock was read twice; now once.","artifacts":["src/login.py"]}"#,
        ],
        aliases: &[],
    };
}

impl OwnedAction for DispatchComplete {
    const READS_CODE: bool = false;

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        for (i, text) in request.artifacts.iter().flatten().enumerate() {
            if text.trim().is_empty() || text.chars().count() > sdl_memory::limits::NOTE {
                let message = format!("an artifact has 1 to {} characters", sdl_memory::limits::NOTE);
                return Err(ToolError::invalid(format!("artifacts[{i}]"), message));
            }
        }
        let outcome = Outcome::from(request.outcome);
        let ending = Ending {
            outcome,
            summary: request.summary.trim().to_owned(),
            artifacts: request.artifacts.unwrap_or_default(),
            counts: request.domain_affinity.unwrap_or(true),
            // A person's command line has no session.
            by_person: cx.author.session.is_none() && cx.author.principal.is_none(),
        };
        let id = &request.dispatch_id;
        let ended = cx.change(|change| {
            see_dispatch(cx, &need_dispatch(change.tables(), id, "dispatchId")?)?;
            let row = complete_dispatch(change, id, ending.clone())?;
            let news = match news_for_starter(cx, &row, &ending) {
                Some(new) => Some((new.to_text.clone(), send_message(change, new)?.id)),
                None => None,
            };
            Ok((row.id, news))
        });
        let (dispatch_id, news) = ended.map_err(with_next)?;
        if let Some((to, message)) = news.filter(|_| !cx.outcome.borrow().replayed) {
            announce(cx.call, (&to, MessageKind::Info, ending.summary.len()), &message);
        }
        Ok(Response { dispatch_id, state: outcome.state().name().to_owned() })
    }
}

/// The message that tells the starter how it ended, unless the starter ended it.
fn news_for_starter(cx: &OwnedCx<'_>, row: &Dispatch, ending: &Ending) -> Option<NewMessage> {
    let starter = &row.started_by;
    if is_same_author(starter, cx.author) || ending.by_person {
        return None;
    }
    let to = match (&starter.agent, &starter.session) {
        (Some(agent), _) => Address::Agent(agent.clone()),
        (None, Some(session)) => Address::Session(session.clone()),
        (None, None) => return None,
    };
    let short: String = ending.summary.chars().take(400).collect();
    Some(NewMessage {
        scope: row.scope.clone(),
        to_text: to.key(),
        to,
        kind: MessageKind::Info,
        body: format!("{} ended: {}. {short}", row.title, ending.outcome.name()),
        requires_ack: false,
        in_reply_to: None,
        ttl_ms: NEWS_TTL_MS,
        dispatch: Some(row.id.clone()),
    })
}

impl Render for Response {
    fn text(&self) -> String {
        format!("{} {}", self.dispatch_id, self.state)
    }
}
