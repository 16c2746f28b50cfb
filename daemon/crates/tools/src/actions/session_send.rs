//! `session.send`: sends a message to other agents.

use schemars::JsonSchema;
use sdl_memory::work::address::Address;
use sdl_memory::work::dispatch::need_dispatch;
use sdl_memory::work::message::{MessageKind, NewMessage, send_message};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::append_text;
use crate::call::context::Call;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::guard::audit::Row;
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct SessionSend;

/// How long a message waits, unless the sender says otherwise, in seconds.
const DEFAULT_TTL_SECONDS: u64 = 86_400;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum Kind {
    /// Something to know.
    #[default]
    Info,
    /// Something to do.
    Directive,
    /// Work that is handed over.
    Handoff,
    /// Something to answer.
    Question,
}

impl From<Kind> for MessageKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Info => Self::Info,
            Kind::Directive => Self::Directive,
            Kind::Handoff => Self::Handoff,
            Kind::Question => Self::Question,
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// A session, an agent's name, `repo:ID`, `plan:SLUG`, `#channel`, or `*` for all.
    #[schemars(length(min = 1, max = 210))]
    to: String,
    /// The text.
    #[schemars(length(min = 1, max = 8_000))]
    body: String,
    /// Default `info`. A directive asks for something to be done.
    kind: Option<Kind>,
    /// Default: true for directives and questions. Ask for an acknowledgement.
    requires_ack: Option<bool>,
    /// Message that this one answers.
    #[schemars(length(max = 64))]
    in_reply_to: Option<String>,
    /// Default 86400. Seconds after which it expires if nobody was shown it.
    #[schemars(range(min = 1, max = 2_592_000))]
    ttl_seconds: Option<u64>,
    /// Dispatch that it is about.
    #[schemars(length(max = 64))]
    dispatch_id: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecipientOut {
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// The plan or channel that keeps it until someone joins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// `waiting`: it is shown beside the recipient's next answer.
    state: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The message's id.
    message_id: String,
    /// Who will be shown it. Empty if nobody is there.
    recipients: Vec<RecipientOut>,
}

impl Action for SessionSend {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const DEF: ActionDef = ActionDef {
        name: "session.send",
        namespace: Namespace::Work,
        mutating: true,
        description: "Call this when another agent should know or do something",
        needs: "to,body",
        examples: &[
            r#"{"to":"reviewer","body":"Stop: the schema changes today.","kind":"directive"}"#,
            r##"{"to":"#release","body":"v1.4 is on staging","ttlSeconds":3600}"##,
        ],
        aliases: &[("message", "body"), ("directive", "body")],
    };
}

/// Returns sent recipients in the form of answers.
pub(crate) fn recipients_out(sent: &sdl_memory::work::message::Sent) -> Vec<RecipientOut> {
    let out = |one: &sdl_memory::work::message::Recipient| RecipientOut {
        session_id: one.session.clone(),
        agent: one.agent.clone(),
        address: (one.session.is_none() && one.agent.is_none()).then(|| one.address.clone()),
        state: "waiting".to_owned(),
    };
    sent.recipients.iter().map(out).collect()
}

/// Wakes those who wait for messages, and writes to the log that one was sent.
pub(crate) fn announce(call: &Call<'_>, (to, kind, bytes): (&str, MessageKind, usize), id: &str) {
    call.work.news.announce();
    let details = json!({"to": to, "kind": kind.name(), "bytes": bytes, "messageId": id});
    call.decide(Row { decision: "sent".into(), details, ..Row::default() });
}

impl OwnedAction for SessionSend {
    const READS_CODE: bool = false;

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let to = Address::parse(&request.to, "to")?;
        if request.body.trim().is_empty() {
            return Err(ToolError::invalid("body", "body must not be empty"));
        }
        let kind = MessageKind::from(request.kind.unwrap_or_default());
        let wants = matches!(kind, MessageKind::Directive | MessageKind::Question);
        let new = NewMessage {
            scope: cx.scopes.own.clone(),
            to,
            to_text: request.to.trim().to_owned(),
            kind,
            body: request.body.trim().to_owned(),
            requires_ack: request.requires_ack.unwrap_or(wants),
            in_reply_to: request.in_reply_to,
            ttl_ms: request.ttl_seconds.unwrap_or(DEFAULT_TTL_SECONDS) * 1_000,
            dispatch: request.dispatch_id,
        };
        let sent = cx.change(|change| {
            if let Some(id) = &new.dispatch {
                need_dispatch(change.tables(), id, "dispatchId")?;
            }
            let sent = send_message(change, new.clone())?;
            Ok(Response { recipients: recipients_out(&sent), message_id: sent.id })
        });
        let response = sent.map_err(with_next)?;
        if !cx.outcome.borrow().replayed {
            announce(cx.call, (&new.to_text, kind, new.body.len()), &response.message_id);
        }
        Ok(response)
    }
}

fn with_next(error: ToolError) -> ToolError {
    match error.refusal.code {
        Code::UnknownSession => error.next(Call::tool("session.list"), json!({}), "shows who is there"),
        _ => error,
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} sent to ", self.message_id);
        let name = |one: &RecipientOut| {
            one.agent.clone().or_else(|| one.session_id.clone()).or_else(|| one.address.clone())
        };
        let all: Vec<String> = self.recipients.iter().filter_map(name).collect();
        let all = if all.is_empty() { "nobody: no session hears it".to_owned() } else { all.join(", ") };
        append_text(&mut text, format_args!("{all}"));
        text
    }
}
