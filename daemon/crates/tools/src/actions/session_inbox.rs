//! `session.inbox`: the messages to an agent, and those that it sent.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use sdl_contract::{Explained as _, Refusal};
use sdl_memory::store::Change;
use sdl_memory::work::address::Address;
use sdl_memory::work::inbox::{
    Delivery, DeliveryState, Listener, Via, acknowledge, deliver_messages, find_delivery, waiting_for,
};
use sdl_memory::work::message::{Message, MessageKind, NewMessage, find_message, send_message, sent_by};
use sdl_memory::work::session::find_session;
use sdl_memory::{Result as Stored, Trouble};
use serde::{Deserialize, Serialize};

use super::session_join::no_session;
use super::session_send::announce;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::begin_line;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::call::work::{MessageOut, message_line};
use crate::{Code, ToolError};

/// See [`ActionDef`].
pub(crate) struct SessionInbox;

/// Replies wait for a day.
const REPLY_TTL_MS: u64 = 86_400_000;
/// Tokens of the messages in one answer; more wait for the next.
const MOST_TOKENS: usize = 4_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum Which {
    /// Messages to you.
    #[default]
    In,
    /// Messages from you, with what became of them.
    Out,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct Ack {
    /// Message that you acknowledge.
    #[schemars(length(min = 1, max = 64))]
    id: String,
    /// Answer to its sender.
    #[schemars(length(max = 8_000))]
    reply: Option<String>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Default `in`: messages to you that you were not shown yet. `out`: yours, and what became of them.
    r#box: Option<Which>,
    /// Messages to acknowledge, each with an optional reply.
    #[schemars(length(max = 50))]
    ack: Option<Vec<Ack>>,
    /// Default 0. Milliseconds to wait for a message if there is none.
    #[schemars(range(min = 0, max = 600_000))]
    wait_ms: Option<u64>,
    /// Default 20.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The messages: those to you oldest first, yours newest first.
    messages: Vec<MessageOut>,
    /// Messages to you that still wait.
    waiting: usize,
}

impl Action for SessionInbox {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const DEF: ActionDef = ActionDef {
        name: "session.inbox",
        namespace: Namespace::Work,
        mutating: true,
        description: "Call this when you wait for other agents, or acknowledge what they asked of you",
        needs: "",
        examples: &[
            r#"{"waitMs":60000}"#,
            r#"{"ack":[{"id":"msg_0123456789abc","reply":"stopped"}]}"#,
            r#"{"box":"out","limit":5}"#,
        ],
        aliases: &[],
    };
}

impl OwnedAction for SessionInbox {
    const READS_CODE: bool = false;
    const SCOPED: bool = false;

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let session = cx.author.session.clone().ok_or_else(no_session)?;
        let acks = request.ack.unwrap_or_default();
        let limit = request.limit.unwrap_or(20);
        if !acks.is_empty() {
            acknowledge_all(cx, &session, &acks)?;
        }
        if request.r#box == Some(Which::Out) {
            return cx.look(|tables| {
                let mut messages = Vec::new();
                for message in sent_by(tables, &session, limit)? {
                    let state = state_of_sent(tables, &message, cx.now_ms())?;
                    messages.push(MessageOut::of(&message, Some(state)));
                }
                Ok(Response { messages, waiting: 0 })
            });
        }
        // A request that is sent again gets the messages of its first answer, if there were any.
        let waits = request.wait_ms.filter(|_| cx.once.is_none());
        let until = Instant::now() + cx.call.at_most(Duration::from_millis(waits.unwrap_or(0)));
        loop {
            let mark = cx.call.work.news.mark();
            let response = take_messages(cx, &session, limit)?;
            if !response.messages.is_empty() || Instant::now() >= until {
                return Ok(response);
            }
            // Given back, because this call mostly waits for others.
            cx.call.cancel.give_turn_back();
            cx.call.work.news.wait(mark, until, cx.call.cancel);
            cx.call.check()?;
        }
    }
}

/// Delivers what waits, as much as fits an answer.
fn take_messages(cx: &OwnedCx<'_>, session: &str, limit: usize) -> Result<Response, ToolError> {
    let addresses = addresses_of(cx, session)?;
    let listener = Listener { session, addresses: &addresses };
    let now_ms = cx.now_ms();
    if cx.once.is_none() && cx.look(|tables| waiting_for(tables, listener, now_ms))?.is_empty() {
        return Ok(Response { messages: Vec::new(), waiting: 0 });
    }
    let (messages, waiting) = cx.change(|change| {
        let waiting = waiting_for(change.tables(), listener, now_ms)?;
        let mut taken = Vec::new();
        let mut tokens = 0;
        for one in waiting.iter().take(limit) {
            let Some(message) = find_message(change.tables(), &one.message)? else { continue };
            tokens += crate::call::budget::text_tokens(&message.body) + 60;
            if tokens > MOST_TOKENS && !taken.is_empty() {
                break;
            }
            taken.push(one.clone());
        }
        let delivered = deliver_messages(change, session, &taken, Via::Inbox)?;
        let ids: Vec<String> = delivered.into_iter().map(|one| one.message).collect();
        Ok((ids.clone(), waiting.len() - ids.len()))
    })?;
    let messages = cx.look(|tables| {
        let mut all = Vec::new();
        for id in &messages {
            let message = find_message(tables, id)?;
            all.extend(message.map(|message| MessageOut::of(&message, Some(DeliveryState::Delivered))));
        }
        Ok(all)
    })?;
    Ok(Response { messages, waiting })
}

fn addresses_of(cx: &OwnedCx<'_>, session: &str) -> Result<Vec<String>, ToolError> {
    let row = cx.look(|tables| find_session(tables, session))?;
    Ok(row.map_or_else(|| vec![session.to_owned()], |row| row.addresses()))
}

/// Acknowledges messages in one transaction, and sends the replies.
fn acknowledge_all(cx: &OwnedCx<'_>, session: &str, acks: &[Ack]) -> Result<(), ToolError> {
    let addresses = addresses_of(cx, session)?;
    let listener = Listener { session, addresses: &addresses };
    let sent = cx.change_apart(|change| {
        let mut sent = Vec::new();
        for (i, ack) in acks.iter().enumerate() {
            let field = format!("ack[{i}].id");
            match acknowledge(change, listener, &ack.id)? {
                Some(true) => sent.extend(send_reply(change, &cx.scopes.own, ack)?),
                Some(false) => {}
                None => return Err(not_delivered(&ack.id, field).into()),
            }
        }
        Ok(sent)
    })?;
    for (id, to, bytes) in sent {
        announce(cx.call, (&to, MessageKind::Info, bytes), &id);
    }
    Ok(())
}

fn not_delivered(id: &str, field: String) -> Refusal {
    let shown: String = id.chars().take(80).collect();
    let message =
        format!("{shown:?} is no message that you were shown; give the id of one in inbox or session.inbox");
    Refusal::new(Code::InvalidArgument, message).at(field)
}

/// Sends the reply of an acknowledgement to whoever sent the message. Returns its id, its address and its length.
fn send_reply(
    change: &mut Change<'_, '_>,
    scope: &str,
    ack: &Ack,
) -> Stored<Option<(String, String, usize)>> {
    let Some(body) = ack.reply.as_deref().map(str::trim).filter(|body| !body.is_empty()) else {
        return Ok(None);
    };
    let Some(message) = find_message(change.tables(), &ack.id)? else { return Ok(None) };
    let by = &message.head.by;
    let row = match &by.session {
        Some(id) => find_session(change.tables(), id)?,
        None => None,
    };
    // An agent whose session has ended may be there in another one.
    let to = match (row, &by.agent) {
        (Some(row), None) => Address::Session(row.id),
        (Some(row), Some(_)) if !row.has_ended(change.now_ms()) => Address::Session(row.id),
        (_, Some(agent)) => Address::Agent(agent.clone()),
        (None, None) => return Ok(None),
    };
    let new = NewMessage {
        scope: scope.to_owned(),
        to_text: to.key(),
        to,
        kind: MessageKind::Info,
        body: body.to_owned(),
        requires_ack: false,
        in_reply_to: Some(message.id.clone()),
        ttl_ms: REPLY_TTL_MS,
        dispatch: message.dispatch.clone(),
    };
    let (to, bytes) = (new.to_text.clone(), body.len());
    let sent = send_message(change, new)?;
    Ok(Some((sent.id, to, bytes)))
}

/// What became of a message at its recipients together: the least that any of them did.
fn state_of_sent(
    tables: &impl sdl_memory::store::Tables,
    message: &Message,
    now_ms: u64,
) -> Result<DeliveryState, Trouble> {
    let mut states = Vec::new();
    for address in &message.recipients {
        let found: Option<Delivery> = find_delivery(tables, &message.id, address)?;
        states.extend(found.map(|delivery| delivery.state(now_ms)));
    }
    let order =
        [DeliveryState::Waiting, DeliveryState::Expired, DeliveryState::Delivered, DeliveryState::Acked];
    Ok(order.into_iter().find(|state| states.contains(state)).unwrap_or(DeliveryState::Expired))
}

impl Render for Response {
    fn text(&self) -> String {
        let plural = if self.messages.len() == 1 { "" } else { "s" };
        let mut text = format!("{} message{plural}, {} waiting", self.messages.len(), self.waiting);
        for message in &self.messages {
            begin_line(&mut text, format_args!(""));
            message_line(&mut text, message);
            if let Some(state) = message.state.as_deref().filter(|state| *state != "delivered") {
                crate::call::answers::append_text(&mut text, format_args!(" ({state})"));
            }
        }
        text
    }
}
