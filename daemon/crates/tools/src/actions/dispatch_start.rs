//! `dispatch.start`: hands work over.

use schemars::JsonSchema;
use sdl_memory::work::address::Address;
use sdl_memory::work::dispatch::{NewDispatch, start_dispatch};
use sdl_memory::work::message::{MessageKind, NewMessage, Recipient, send_message};
use serde::{Deserialize, Serialize};

use super::session_send::announce;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::append_text;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::anchors::link_anchors;
use crate::kept::work::{Overlap, find_overlaps, overlap_lines, read_ms};
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct DispatchStart;

/// The handoff of a dispatch waits for a week.
const HANDOFF_TTL_MS: u64 = 7 * 86_400_000;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// One line.
    #[schemars(length(min = 1, max = 200))]
    title: String,
    /// The task: all that the agent needs to know.
    #[schemars(length(min = 1, max = 16_000))]
    brief: String,
    /// Agent that it is for; it gets a message. Without one anyone may claim it.
    #[schemars(length(max = 200))]
    to: Option<String>,
    /// Plan that it is a part of.
    #[schemars(length(max = 200))]
    plan_slug: Option<String>,
    /// Kind of work, such as `frontend`.
    #[schemars(length(max = 200))]
    domain: Option<String>,
    /// Steps on the way.
    #[schemars(length(max = 50))]
    milestones: Option<Vec<String>>,
    /// Dispatch that this one tries again. Its summary is handed on.
    #[schemars(length(max = 64))]
    retry_of: Option<String>,
    /// Dispatch that this one is a part of.
    #[schemars(length(max = 64))]
    parent_id: Option<String>,
    /// Default 0. Greater is more urgent.
    #[schemars(range(min = -100, max = 100))]
    priority: Option<i32>,
    /// Assembled context that goes with it.
    #[schemars(length(max = 64))]
    assembly_id: Option<String>,
    /// When it should be done: RFC 3339 with an offset, a date, or Unix milliseconds.
    #[schemars(length(max = 64))]
    due_at: Option<String>,
    /// Symbols it is about. Who claims it sees whether they changed.
    #[schemars(length(max = sdl_memory::limits::ANCHORS))]
    symbol_ids: Option<Vec<String>>,
    /// Paths it is about.
    #[schemars(length(max = sdl_memory::limits::ANCHORS))]
    files: Option<Vec<String>>,
}

/// Whom the handoff reaches.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reached {
    /// The message.
    message_id: String,
    /// The agent. It is shown the message beside its next answer, or when it joins.
    agent: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The dispatch's id.
    dispatch_id: String,
    /// 1 for the first attempt.
    attempt: u32,
    /// `open`.
    state: String,
    /// Whom the handoff reaches. Empty without `to`.
    reached: Vec<Reached>,
    /// Others who work on the same code now. Nobody is kept from it.
    overlaps: Vec<Overlap>,
}

impl Action for DispatchStart {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const DEF: ActionDef = ActionDef {
        name: "dispatch.start",
        namespace: Namespace::Work,
        mutating: true,
        description: "Call this when you hand work over to another agent, or note it for whoever claims it",
        needs: "title,brief",
        examples: &[
            r#"{"title":"Fix the flaky login test","brief":"test_login fails one time in ten on CI. Find out why.","to":"tester","domain":"tests","milestones":["reproduce","fix"]}"#,
            r#"{"title":"Again: the login test","brief":"Look at the clock first.","retryOf":"d_0123456789abc","dueAt":"2026-12-01T17:00:00+01:00"}"#,
        ],
        aliases: &[("prompt", "brief"), ("description", "brief"), ("agent", "to"), ("plan", "planSlug")],
    };
}

impl OwnedAction for DispatchStart {
    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        for (field, text) in [("title", &request.title), ("brief", &request.brief)] {
            if text.trim().is_empty() {
                return Err(ToolError::invalid(field, format!("{field} must not be empty")));
            }
        }
        let to = request.to.as_deref().map(str::trim).filter(|to| !to.is_empty());
        if let Some(to) = to
            && !matches!(Address::parse(to, "to")?, Address::Agent(_))
        {
            let message =
                "a dispatch is for an agent, by its name; tell a session or a channel by session.send";
            return Err(ToolError::invalid("to", message));
        }
        for (i, text) in request.milestones.iter().flatten().enumerate() {
            if text.trim().is_empty() || text.chars().count() > sdl_memory::limits::TITLE {
                let message = format!("a milestone has 1 to {} characters", sdl_memory::limits::TITLE);
                return Err(ToolError::invalid(format!("milestones[{i}]"), message));
            }
        }
        let (symbols, files) = link_anchors(cx, request.symbol_ids.as_deref(), request.files.as_deref())?;
        let mut anchors = symbols.unwrap_or_default();
        anchors.join(&files.unwrap_or_default(), sdl_memory::limits::ANCHORS);
        let new = NewDispatch {
            scope: cx.scopes.own.clone(),
            title: request.title.trim().to_owned(),
            brief: request.brief.trim().to_owned(),
            to: to.map(|to| to.trim_start_matches('@').to_owned()),
            plan: request.plan_slug,
            domain: request.domain,
            milestones: request.milestones.unwrap_or_default(),
            retry_of: request.retry_of,
            parent: request.parent_id,
            priority: request.priority.unwrap_or(0),
            assembly: request.assembly_id,
            due_ms: read_ms("dueAt", request.due_at.as_deref())?,
            anchors,
        };
        let (dispatch_id, attempt, reached) = cx.change(|change| {
            let started = start_dispatch(change, new.clone())?;
            let mut reached = Vec::new();
            if let Some(agent) = &new.to {
                let sent = send_message(change, handoff(&new, agent, &started.id))?;
                let names = sent.recipients.into_iter().map(|Recipient { agent, .. }| agent);
                reached.extend(
                    names
                        .map(|name| Reached { message_id: sent.id.clone(), agent: name.unwrap_or_default() }),
                );
            }
            Ok((started.id, started.attempt, reached))
        })?;
        if !cx.outcome.borrow().replayed {
            for Reached { message_id, agent } in &reached {
                announce(cx.call, (agent, MessageKind::Handoff, new.title.len()), message_id);
            }
        }
        let overlaps = find_overlaps(cx, &new.anchors, Some(&dispatch_id))?;
        Ok(Response { dispatch_id, attempt, state: "open".to_owned(), reached, overlaps })
    }
}

/// The message that hands a dispatch over. The brief comes with the claim.
fn handoff(new: &NewDispatch, agent: &str, id: &str) -> NewMessage {
    NewMessage {
        scope: new.scope.clone(),
        to: Address::Agent(agent.to_owned()),
        to_text: agent.to_owned(),
        kind: MessageKind::Handoff,
        body: format!("{}; dispatch.claim {id} shows the brief", new.title),
        requires_ack: false,
        in_reply_to: None,
        ttl_ms: HANDOFF_TTL_MS,
        dispatch: Some(id.to_owned()),
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} open, attempt {}", self.dispatch_id, self.attempt);
        for reached in &self.reached {
            append_text(&mut text, format_args!("; {} gets {}", reached.agent, reached.message_id));
        }
        overlap_lines(&mut text, &self.overlaps);
        text
    }
}
