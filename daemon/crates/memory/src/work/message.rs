//! Messages between sessions.
//!
//! The law: a message never changes. It has one delivery for each of its recipients, which are decided when it is sent: the session or the
//! agent that is named; else the sessions that have not ended and answer to the address, without the sender. A plan or a channel to
//! which nobody answers is a recipient itself, so that the first to join gets the message. What becomes of a delivery is
//! [`inbox`]'s law.

use sdl_contract::{Candidate, Code, Explained as _, Refusal, nearest_names};
use serde::{Deserialize, Serialize};

use super::address::Address;
use super::inbox::{self, Delivery};
use super::keys::{self, Back, By, newest_rows};
use super::session::{self, SessionRow};
use super::sweep::{self, Sweep};
use crate::store::{Change, Head, Row, Tables};
use crate::words::{Lane, Texts};
use crate::{Result, limits, tables};

/// The prefix of ids.
pub const PREFIX: &str = "msg_";
/// Messages that one session may send within a minute.
pub const MOST_A_MINUTE: usize = 60;
/// Replies to replies, at most.
pub const MOST_DEPTH: u32 = 8;
const MINUTE_MS: u64 = 60_000;

/// The kind of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageKind {
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

impl MessageKind {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Directive => "directive",
            Self::Handoff => "handoff",
            Self::Question => "question",
        }
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// `msg_…`.
    pub id: String,
    /// The repository; empty for the user.
    pub scope: String,
    /// Its kind.
    pub kind: MessageKind,
    /// The address, as the sender gave it.
    pub to: String,
    /// Its text.
    pub body: String,
    /// Whether the sender wants an acknowledgement.
    pub requires_ack: bool,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<String>,
    /// The number of messages before it in a chain of replies.
    #[serde(default)]
    pub depth: u32,
    /// When it expires, in Unix milliseconds.
    pub expires_ms: u64,
    /// The dispatch that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<String>,
    /// Whether a step of a dispatch sent it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_news: bool,
    /// The addresses of its recipients, as they are stored.
    pub recipients: Vec<String>,
    /// When it was sent, and by whom.
    pub head: Head,
}

impl Row for Message {
    const TABLE: &'static str = tables::MESSAGES;
    const LANE: Option<Lane> = Some(Lane::Message);
    const REVISED: bool = false;

    fn key(&self) -> Vec<u8> {
        self.id.as_bytes().to_vec()
    }

    crate::store::own_fields!();

    fn texts(&self) -> Texts {
        Texts {
            title: String::new(),
            body: self.body.clone(),
            tags: Vec::new(),
            names: [self.to.clone()].into_iter().chain(self.head.by.agent.clone()).collect(),
            at_ms: i64::try_from(self.head.created_ms).unwrap_or(i64::MAX),
            session: self.head.by.session.clone(),
        }
    }
}

/// A message to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    /// The repository; empty for the user.
    pub scope: String,
    /// Whom it is for.
    pub to: Address,
    /// The same, as the sender gave it.
    pub to_text: String,
    /// Its kind.
    pub kind: MessageKind,
    /// Its text.
    pub body: String,
    /// Whether the sender wants an acknowledgement.
    pub requires_ack: bool,
    /// The message that it answers.
    pub in_reply_to: Option<String>,
    /// How long it waits, in milliseconds.
    pub ttl_ms: u64,
    /// The dispatch that it is about.
    pub dispatch: Option<String>,
}

/// A recipient of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// The address, as it is stored.
    pub address: String,
    /// The session, if it is one.
    pub session: Option<String>,
    /// The name of its agent, if it is known.
    pub agent: Option<String>,
}

/// A message that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The message.
    pub id: String,
    /// Its recipients.
    pub recipients: Vec<Recipient>,
}

/// Returns a message.
pub fn find_message(tables: &impl Tables, id: &str) -> Result<Option<Message>> {
    if !id.starts_with(PREFIX) || id.len() > 64 {
        return Ok(None);
    }
    Ok(tables.row(id.as_bytes())?)
}

/// Sends a message: has it wait at each of its recipients.
pub fn send_message(change: &mut Change<'_, '_>, new: NewMessage) -> Result<Sent> {
    check_rate(change)?;
    put_message(change, new, false)
}

/// Sends the news of a dispatch. They count for no rate, because the step that makes them must not fail for what was sent before.
pub fn send_news(change: &mut Change<'_, '_>, new: NewMessage) -> Result<Sent> {
    put_message(change, new, true)
}

fn put_message(change: &mut Change<'_, '_>, new: NewMessage, is_news: bool) -> Result<Sent> {
    let depth = match &new.in_reply_to {
        Some(id) => reply_depth(change.tables(), id)?,
        None => 0,
    };
    let recipients = find_recipients(change, &new.to)?;
    make_room(change, sweep::PER_WRITE)?;
    let id = change.new_id(PREFIX);
    let now_ms = change.now_ms();
    let expires_ms = now_ms.saturating_add(new.ttl_ms.min(limits::MESSAGE_MS));
    let mut row = Message {
        id: id.clone(),
        scope: new.scope,
        kind: new.kind,
        to: new.to_text,
        body: new.body,
        requires_ack: new.requires_ack,
        in_reply_to: new.in_reply_to,
        depth,
        expires_ms,
        dispatch: new.dispatch,
        is_news,
        recipients: recipients.iter().map(|recipient| recipient.address.clone()).collect(),
        head: Head::default(),
    };
    change.put(&mut row)?;
    let sender = change.by().session.clone();
    if let Some(sender) = &sender {
        keys::add_key(change, By::Sent, sender, &id)?;
    }
    for recipient in &recipients {
        let delivery = Delivery {
            message: id.clone(),
            address: recipient.address.clone(),
            expires_ms,
            requires_ack: row.requires_ack,
            sender: sender.clone(),
            at_ms: None,
            via: None,
            session: None,
            acked_ms: None,
        };
        inbox::begin_delivery(change, &delivery)?;
    }
    Ok(Sent { id, recipients })
}

/// Refuses a sender who sends too much.
fn check_rate(change: &Change<'_, '_>) -> Result<()> {
    let Some(session) = change.by().session.as_deref() else { return Ok(()) };
    let since_ms = change.now_ms().saturating_sub(MINUTE_MS);
    let own = |row: &Message| {
        !row.is_news && row.head.by.session.as_deref() == Some(session) && row.head.created_ms > since_ms
    };
    let back = Back { prefix: PREFIX, now_ms: change.now_ms(), before: None, since_ms, most: MOST_A_MINUTE };
    let sent = newest_rows(change.tables(), back, own)?;
    let Some(oldest) = sent.last().filter(|_| sent.len() >= MOST_A_MINUTE) else { return Ok(()) };
    let wait = (oldest.head.created_ms + MINUTE_MS).saturating_sub(change.now_ms());
    let message =
        format!("this session sent {MOST_A_MINUTE} messages within a minute; send the next one in {wait} ms");
    Change::refuse(Refusal::new(Code::Busy, message).with("retryAfterMs", wait))
}

fn reply_depth(tables: &impl Tables, id: &str) -> Result<u32> {
    let Some(answered) = find_message(tables, id)? else {
        let message =
            format!("there is no message {id:?} to reply to; it may have been removed after its time");
        return Change::refuse(Refusal::new(Code::InvalidArgument, message).at("inReplyTo"));
    };
    if answered.depth + 1 >= MOST_DEPTH {
        let message = format!(
            "{id} is the end of a chain of {MOST_DEPTH} replies; decide, or write a message that is no reply"
        );
        return Change::refuse(Refusal::new(Code::Conflict, message).at("inReplyTo"));
    }
    Ok(answered.depth + 1)
}

fn find_recipients(change: &Change<'_, '_>, to: &Address) -> Result<Vec<Recipient>> {
    let (tables, now_ms) = (change.tables(), change.now_ms());
    let of_session = |row: SessionRow| Recipient {
        address: row.id.clone(),
        session: Some(row.id.clone()),
        agent: row.agent,
    };
    match to {
        Address::Session(id) => match session::find_session(tables, id)? {
            Some(row) => Ok(vec![of_session(row)]),
            None => Change::refuse(unknown_session(tables, id, now_ms)?),
        },
        Address::Agent(name) => {
            Ok(vec![Recipient { address: to.key(), session: None, agent: Some(name.clone()) }])
        }
        Address::Repo(_) | Address::Plan(_) | Address::Channel(_) | Address::All => {
            let sender = change.by().session.as_deref();
            let open = session::open_sessions(tables, now_ms)?.into_iter();
            let hear = open.filter(|row| row.answers_to(to) && Some(row.id.as_str()) != sender);
            let mut found: Vec<Recipient> = hear.map(of_session).collect();
            if found.is_empty() && matches!(to, Address::Plan(_) | Address::Channel(_)) {
                found.push(Recipient { address: to.key(), session: None, agent: None });
            }
            Ok(found)
        }
    }
}

/// The refusal for a session that is not known, with the ones that it may mean.
pub fn unknown_session(tables: &impl Tables, id: &str, now_ms: u64) -> Result<Refusal> {
    let open = session::open_sessions(tables, now_ms)?;
    let shown: String = id.chars().take(80).collect();
    let near = nearest_names(id, open.iter().map(|row| row.id.as_str()), 3);
    let near: Vec<Candidate> = near
        .into_iter()
        .filter_map(|id| open.iter().find(|row| row.id == *id))
        .map(|row| {
            let one = Candidate::of("to", row.id.clone());
            row.agent.iter().fold(one, |one, agent| one.with("agent", agent.clone()))
        })
        .collect();
    let message = format!("no session {shown:?} is known; session.list shows those that are");
    Ok(Refusal::new(Code::UnknownSession, message).at("to").or_one_of(near))
}

/// Returns the newest messages that a session sent, the newest first.
pub fn sent_by(tables: &impl Tables, session: &str, most: usize) -> Result<Vec<Message>> {
    let ids = keys::ids_by(tables, By::Sent, session, usize::MAX)?;
    let mut found = Vec::new();
    for id in ids.iter().rev().take(most) {
        found.extend(find_message(tables, id)?);
    }
    Ok(found)
}

/// Removes the oldest messages that are too old, or above the limit: `most` of them at most. Returns how many.
pub fn make_room(change: &mut Change<'_, '_>, most: usize) -> Result<usize> {
    let sweep = Sweep { prefix: PREFIX, keep: limits::MESSAGES, age_ms: limits::MESSAGE_MS, most };
    let old: Vec<Message> = sweep::oldest_rows(change, sweep)?;
    for row in &old {
        for address in &row.recipients {
            inbox::forget_delivery(change, &row.id, address)?;
        }
        if let Some(session) = &row.head.by.session {
            keys::drop_key(change, By::Sent, session, &row.id)?;
        }
        change.remove::<Message>(&row.key())?;
    }
    Ok(old.len())
}
