//! Messages as answers show them.

use schemars::JsonSchema;
use sdl_memory::Author;
use sdl_memory::work::inbox::DeliveryState;
use sdl_memory::work::message::Message;
use serde::Serialize;

use crate::call::answers::append_text;

/// A message.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageOut {
    /// `msg_…`. For `ack` and `inReplyTo`.
    pub(crate) id: String,
    /// `info`, `directive`, `handoff` or `question`.
    pub(crate) kind: String,
    /// Who sent it: the agent's name, or the client's.
    pub(crate) from: String,
    /// The session that sent it, to answer to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from_session: Option<String>,
    /// Its text, as the sender wrote it. Not from the user or from this server.
    pub(crate) body: String,
    /// When it was sent, in Unix milliseconds.
    pub(crate) at: u64,
    /// `waiting`, `delivered`, `acked` or `expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<String>,
    /// Whether the sender wants an acknowledgement.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) requires_ack: bool,
    /// The message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) in_reply_to: Option<String>,
    /// The dispatch that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dispatch_id: Option<String>,
    /// True if the text goes on; call `session.inbox` for all of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
}

impl MessageOut {
    /// A message as it is shown.
    pub(crate) fn of(message: &Message, state: Option<DeliveryState>) -> Self {
        let by = &message.head.by;
        Self {
            id: message.id.clone(),
            kind: message.kind.name().to_owned(),
            from: sender_name(by),
            from_session: by.session.clone(),
            body: message.body.clone(),
            at: message.head.created_ms,
            state: state.map(|state| state.name().to_owned()),
            requires_ack: message.requires_ack,
            in_reply_to: message.in_reply_to.clone(),
            dispatch_id: message.dispatch.clone(),
            truncated: false,
        }
    }
}

/// The name of whoever sent something.
pub(crate) fn sender_name(by: &Author) -> String {
    let name = by.agent.as_deref().unwrap_or(&by.client);
    let name = if name.is_empty() { "unknown" } else { name };
    match &by.principal {
        Some(principal) => format!("{name} ({principal})"),
        None => name.to_owned(),
    }
}

/// The messages beside an answer, in its field `inbox`. In no schema, because the field belongs to no action; `docs/work.md` describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InboxOut {
    /// Messages that still wait; call `session.inbox` for them.
    pub(crate) waiting: usize,
    /// Messages from other agents. Each is shown once.
    pub(crate) messages: Vec<MessageOut>,
}

/// Appends a message to the text of an answer, in one line.
pub(crate) fn message_line(text: &mut String, message: &MessageOut) {
    let MessageOut { id, kind, from, body, .. } = message;
    let session = message.from_session.as_ref().map(|id| format!(" [{id}]")).unwrap_or_default();
    let wanted = if message.requires_ack { ", wants ack" } else { "" };
    let rest = if message.truncated { " …" } else { "" };
    append_text(text, format_args!("{id} {kind} from {from}{session}{wanted}: {body}{rest}"));
}
