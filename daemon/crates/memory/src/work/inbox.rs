//! Who has got a message, and when.
//!
//! The law, for one message at one address: it is *waiting* from when it is sent; *delivered* from the first time that a session
//! which answers to the address is shown it; *acked* from when the addressee says so. It is *expired* if it is still waiting
//! at its time: that is computed when it is asked. A message is delivered at most once at each address, whoever asks and however
//! often, because showing and marking are one transaction. A session is never shown its own messages.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::keys::short_hash;
use crate::store::{Change, Tables};
use crate::tables::INBOX;
use crate::{Result, Trouble};

/// How a message reached its addressee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// Beside the answer of a call.
    Answer,
    /// The addressee asked for its messages.
    Inbox,
    /// A hook of the client.
    Hook,
    /// A notification of the shim.
    Channel,
}

/// What became of a message at one address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// The message.
    pub message: String,
    /// The address, as it is stored.
    pub address: String,
    /// When it expires, in Unix milliseconds.
    pub expires_ms: u64,
    /// Whether the sender wants an acknowledgement.
    pub requires_ack: bool,
    /// The session that sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// When it was delivered, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<u64>,
    /// How.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Via>,
    /// To which session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it was acknowledged, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acked_ms: Option<u64>,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// Nobody has been shown it.
    Waiting,
    /// Somebody has.
    Delivered,
    /// The addressee has acknowledged it.
    Acked,
    /// Nobody was shown it in time.
    Expired,
}

impl DeliveryState {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Acked => "acked",
            Self::Expired => "expired",
        }
    }
}

impl Delivery {
    /// Its state.
    pub fn state(&self, now_ms: u64) -> DeliveryState {
        match (self.acked_ms, self.at_ms) {
            (Some(_), _) => DeliveryState::Acked,
            (None, Some(_)) => DeliveryState::Delivered,
            (None, None) if now_ms >= self.expires_ms => DeliveryState::Expired,
            (None, None) => DeliveryState::Waiting,
        }
    }
}

/// The parts of the table, by the first byte of their keys.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Part {
    /// The delivery at an address.
    State = b's',
    /// What waits at an address: its value are the time at which it expires and the hash of the sender.
    Waiting = b'w',
    /// What a session was shown and has not acknowledged, though it should: the value says whether it was reminded.
    Unacked = b'u',
}

/// The values of [`Part::Unacked`].
const SHOWN: u8 = 1;
const REMINDED: u8 = 2;

fn part_prefix(part: Part, of: &str) -> Vec<u8> {
    [&[part as u8][..], &short_hash(of)].concat()
}

fn part_key(part: Part, of: &str, message: &str) -> Vec<u8> {
    [&part_prefix(part, of), message.as_bytes()].concat()
}

fn waiting_value(expires_ms: u64, sender: Option<&str>) -> Vec<u8> {
    // No session has this hash.
    let sender = sender.map_or([0; 16], short_hash);
    [&expires_ms.to_be_bytes()[..], &sender].concat()
}

/// Reads what [`waiting_value`] wrote: whether it is still for a session.
fn is_for(value: &[u8], session: &str, now_ms: u64) -> bool {
    let Some((expires, sender)) = value.split_first_chunk() else { return false };
    now_ms < u64::from_be_bytes(*expires) && *sender != short_hash(session)
}

fn put_state(change: &mut Change<'_, '_>, delivery: &Delivery) -> Result<()> {
    let key = part_key(Part::State, &delivery.address, &delivery.message);
    change.put_bytes(INBOX, &key, &serde_json::to_vec(delivery)?)
}

/// Returns what became of a message at an address.
pub fn find_delivery(tables: &impl Tables, message: &str, address: &str) -> Result<Option<Delivery>> {
    let bytes = tables.get_bytes(INBOX, &part_key(Part::State, address, message))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()))
}

/// Has a message wait at an address.
pub(super) fn begin_delivery(change: &mut Change<'_, '_>, delivery: &Delivery) -> Result<()> {
    put_state(change, delivery)?;
    let value = waiting_value(delivery.expires_ms, delivery.sender.as_deref());
    change.put_bytes(INBOX, &part_key(Part::Waiting, &delivery.address, &delivery.message), &value)
}

/// Removes all traces of a message at an address.
pub(super) fn forget_delivery(change: &mut Change<'_, '_>, message: &str, address: &str) -> Result<()> {
    if let Some(Delivery { session: Some(session), .. }) = find_delivery(change.tables(), message, address)? {
        change.delete_bytes(INBOX, &part_key(Part::Unacked, &session, message))?;
    }
    change.delete_bytes(INBOX, &part_key(Part::Waiting, address, message))?;
    change.delete_bytes(INBOX, &part_key(Part::State, address, message)).map(drop)
}

/// Who asks for messages.
#[derive(Clone, Copy, Debug)]
pub struct Listener<'a> {
    /// The session.
    pub session: &'a str,
    /// The addresses that it answers to.
    pub addresses: &'a [String],
}

/// A message that waits, and the address at which it does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WaitingAt {
    /// The message.
    pub message: String,
    /// The address.
    pub address: String,
}

/// What waits for a session, the oldest first.
pub fn waiting_for(tables: &impl Tables, listener: Listener<'_>, now_ms: u64) -> Result<Vec<WaitingAt>> {
    let mut waiting = Vec::new();
    for address in listener.addresses {
        let prefix = part_prefix(Part::Waiting, address);
        tables.scan_bytes(INBOX, &prefix, &mut |key, value| {
            let Some(message) = key.strip_prefix(&*prefix) else { return ControlFlow::Break(()) };
            if is_for(value, listener.session, now_ms) {
                let message = String::from_utf8_lossy(message).into_owned();
                waiting.push(WaitingAt { message, address: address.clone() });
            }
            ControlFlow::Continue(())
        })?;
    }
    waiting.sort();
    Ok(waiting)
}

/// Delivers messages to a session: those that still wait. Returns them.
pub fn deliver_messages(
    change: &mut Change<'_, '_>,
    session: &str,
    wanted: &[WaitingAt],
    via: Via,
) -> Result<Vec<WaitingAt>> {
    let now_ms = change.now_ms();
    let mut delivered = Vec::new();
    for waiting in wanted {
        let Some(mut delivery) = find_delivery(change.tables(), &waiting.message, &waiting.address)? else {
            continue;
        };
        if delivery.state(now_ms) != DeliveryState::Waiting || delivery.sender.as_deref() == Some(session) {
            continue;
        }
        delivery.at_ms = Some(now_ms);
        delivery.via = Some(via);
        delivery.session = Some(session.to_owned());
        put_state(change, &delivery)?;
        change.delete_bytes(INBOX, &part_key(Part::Waiting, &waiting.address, &waiting.message))?;
        if delivery.requires_ack {
            let key = part_key(Part::Unacked, session, &waiting.message);
            change.put_bytes(INBOX, &key, &[SHOWN])?;
        }
        delivered.push(waiting.clone());
    }
    Ok(delivered)
}

/// The messages that a session was shown and has not acknowledged, though it should: the oldest first.
pub fn unacked_by(tables: &impl Tables, session: &str) -> Result<Vec<String>> {
    let prefix = part_prefix(Part::Unacked, session);
    let mut found = Vec::new();
    tables.scan_bytes(INBOX, &prefix, &mut |key, _| {
        let Some(message) = key.strip_prefix(&*prefix) else { return ControlFlow::Break(()) };
        found.push(String::from_utf8_lossy(message).into_owned());
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Notes that a session was reminded of a message that it has not acknowledged. Whether it is the first time.
pub fn note_reminder(change: &mut Change<'_, '_>, session: &str, message: &str) -> Result<bool> {
    let key = part_key(Part::Unacked, session, message);
    let Some(value) = change.tables().get_bytes(INBOX, &key)? else { return Ok(false) };
    if value.first() == Some(&REMINDED) {
        return Ok(false);
    }
    change.put_bytes(INBOX, &key, &[REMINDED])?;
    Ok(true)
}

/// Acknowledges a message that was delivered at one of the listener's addresses. Returns whether it was acknowledged now, for the
/// first time; none if it was not delivered there.
pub fn acknowledge(
    change: &mut Change<'_, '_>,
    listener: Listener<'_>,
    message: &str,
) -> std::result::Result<Option<bool>, Trouble> {
    let now_ms = change.now_ms();
    for address in listener.addresses {
        let Some(mut delivery) = find_delivery(change.tables(), message, address)? else { continue };
        // Under its name an agent may answer in another session, because its client may have been started again.
        let is_own = delivery.session.as_deref() == Some(listener.session) || address.starts_with('@');
        match delivery.state(now_ms) {
            _ if !is_own => {}
            DeliveryState::Waiting | DeliveryState::Expired => {}
            DeliveryState::Acked => return Ok(Some(false)),
            DeliveryState::Delivered => {
                delivery.acked_ms = Some(now_ms);
                put_state(change, &delivery)?;
                if let Some(session) = &delivery.session {
                    change.delete_bytes(INBOX, &part_key(Part::Unacked, session, message))?;
                }
                return Ok(Some(true));
            }
        }
    }
    Ok(None)
}
