//! The answers to requests with a key, for when they are sent again.

use std::ops::ControlFlow;

use sdl_contract::{Code, Explained as _, Refusal};
use sdl_ledger::AgentWriter;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::row::Tables;
use crate::limits::REPLY_MS;
use crate::tables::REPLIES;
use crate::{Author, Result};

/// Answers that are removed, at most, while another one is kept.
const SWEPT: usize = 20;

/// The key of a request that is carried out once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Once<'a> {
    /// The key, as the caller gave it.
    pub key: &'a str,
    /// The hash of the action and its arguments, without the key.
    pub request: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    request: u64,
    at_ms: u64,
    value: Value,
}

/// Keys are hashed: they may be longer than a key of the store.
fn reply_key(by: &Author, key: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(by.principal.as_deref().unwrap_or_default().as_bytes());
    hasher.update(&[0]);
    hasher.update(key.as_bytes());
    hasher.finalize().into()
}

/// Returns the answer to the same request before. A conflict if the key was used for another one.
pub(super) fn find_reply<T: DeserializeOwned>(
    tables: &impl Tables,
    by: &Author,
    once: &Once<'_>,
    now_ms: u64,
) -> Result<Option<T>> {
    let Some(bytes) = tables.get_bytes(REPLIES, &reply_key(by, once.key))? else { return Ok(None) };
    let Ok(reply) = serde_json::from_slice::<Reply>(bytes) else { return Ok(None) };
    if now_ms.saturating_sub(reply.at_ms) > REPLY_MS {
        return Ok(None);
    }
    if reply.request != once.request {
        let message = "this idempotencyKey was used for a request with other arguments in the last 24 hours; \
                       give a new key";
        return Err(Refusal::new(Code::Conflict, message).at("idempotencyKey").into());
    }
    // An answer of another build, with other fields, counts as none.
    Ok(serde_json::from_value(reply.value).ok())
}

/// Keeps the answer to a request, and removes some that are out of date.
pub(super) fn keep_reply(
    writer: &mut AgentWriter<'_>,
    by: &Author,
    once: &Once<'_>,
    now_ms: u64,
    value: &impl Serialize,
) -> Result<()> {
    let reply = Reply { request: once.request, at_ms: now_ms, value: serde_json::to_value(value)? };
    let key = reply_key(by, once.key);
    writer.put(REPLIES, &key, &serde_json::to_vec(&reply)?)?;
    // Hashes are in no order, so that those after any key are a sample of all.
    let (mut old, mut seen) = (Vec::new(), 0);
    writer.scan(REPLIES, &key, &mut |key, bytes| {
        seen += 1;
        let reply = serde_json::from_slice::<Reply>(bytes);
        if reply.map_or(true, |reply| now_ms.saturating_sub(reply.at_ms) > REPLY_MS) {
            old.push(key.to_vec());
        }
        if seen < SWEPT { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    for key in old {
        writer.delete(REPLIES, &key)?;
    }
    Ok(())
}
