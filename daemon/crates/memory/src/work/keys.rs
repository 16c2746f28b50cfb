//! Keys by which rows are found without reading all of them, and reading from the newest row on.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::store::{Change, Row, Tables, from_bytes};
use crate::tables::WORK_KEYS;
use crate::{Result, encode_number};

/// What an index is by. The first byte of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum By {
    /// Dispatches that have not ended.
    Live = b'l',
    /// Dispatches by their plan.
    Plan = b'p',
    /// Dispatches by an agent that they are for, or that claimed them.
    Agent = b'a',
    /// Dispatches by their domain.
    Domain = b'd',
    /// Ended dispatches by the time of their end.
    Ended = b'e',
    /// Activity by its session.
    Activity = b's',
    /// Messages by the session that sent them.
    Sent = b'o',
    /// Sessions that have not ended.
    Open = b'r',
    /// How often an agent ended work of a domain, and how. The value of the key is the count.
    Affinity = b'f',
}

/// The value of keys that have none.
pub(super) const NOTHING: &[u8] = &[1];

/// Returns a name as it is compared: without spaces around it, in small letters.
pub fn fold_name(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Returns a text in 16 bytes: for keys, because names may be longer than a key of the store.
pub(super) fn short_hash(text: &str) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    short
}

fn index_prefix(by: By, value: &str) -> Vec<u8> {
    [&[by as u8][..], &short_hash(value)].concat()
}

pub(super) fn index_key(by: By, value: &str, id: &str) -> Vec<u8> {
    [&index_prefix(by, value), id.as_bytes()].concat()
}

/// Puts a row into an index. Names are folded by the caller.
pub(super) fn add_key(change: &mut Change<'_, '_>, by: By, value: &str, id: &str) -> Result<()> {
    change.put_bytes(WORK_KEYS, &index_key(by, value, id), NOTHING)
}

/// Takes a row out of an index.
pub(super) fn drop_key(change: &mut Change<'_, '_>, by: By, value: &str, id: &str) -> Result<()> {
    change.delete_bytes(WORK_KEYS, &index_key(by, value, id)).map(drop)
}

/// Returns the ids in an index, in their order, as many as `most`.
pub(super) fn ids_by(tables: &impl Tables, by: By, value: &str, most: usize) -> Result<Vec<String>> {
    let prefix = index_prefix(by, value);
    let mut ids = Vec::new();
    tables.scan_bytes(WORK_KEYS, &prefix, &mut |key, _| match key.strip_prefix(&*prefix) {
        Some(id) if ids.len() < most => {
            ids.push(String::from_utf8_lossy(id).into_owned());
            ControlFlow::Continue(())
        }
        _ => ControlFlow::Break(()),
    })?;
    Ok(ids)
}

/// Returns the value of a key that counts something.
pub(super) fn counted<T: serde::de::DeserializeOwned + Default>(
    tables: &impl Tables,
    by: By,
    value: &str,
) -> Result<T> {
    let bytes = tables.get_bytes(WORK_KEYS, &index_prefix(by, value))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default())
}

/// Sets the value of a key that counts something.
pub(super) fn set_counted(
    change: &mut Change<'_, '_>,
    by: By,
    value: &str,
    count: &impl serde::Serialize,
) -> Result<()> {
    change.put_bytes(WORK_KEYS, &index_prefix(by, value), &serde_json::to_vec(count)?)
}

/// Returns everything that is counted in an index.
pub(super) fn all_counted<T: serde::de::DeserializeOwned>(tables: &impl Tables, by: By) -> Result<Vec<T>> {
    let mut all = Vec::new();
    tables.scan_bytes(WORK_KEYS, &[by as u8], &mut |key, value| {
        if key.first() != Some(&(by as u8)) {
            return ControlFlow::Break(());
        }
        all.extend(serde_json::from_slice::<T>(value));
        ControlFlow::Continue(())
    })?;
    Ok(all)
}

/// The smallest id with this prefix that something made at `at_ms` can have.
pub(super) fn first_id(prefix: &str, at_ms: u64) -> String {
    format!("{prefix}{}", encode_number(at_ms.min(u64::MAX >> 22) << 22))
}

/// The milliseconds that are read at first; each further stretch of time is four times as long.
const FIRST_STRETCH_MS: u64 = 600_000;

/// Where to read rows from, back in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Back<'a> {
    /// The prefix of the ids, which are the keys too.
    pub(super) prefix: &'a str,
    /// Unix milliseconds.
    pub(super) now_ms: u64,
    /// Reads rows before this one.
    pub(super) before: Option<&'a str>,
    /// Reads no rows that were made before this time, in Unix milliseconds.
    pub(super) since_ms: u64,
    /// Maximum number of rows.
    pub(super) most: usize,
}

/// Returns the newest rows that `keep` wants, the newest first. The store reads forward only, so that time is read in stretches, of which
/// each is as long as all later ones together, or longer.
pub(super) fn newest_rows<R: Row>(
    tables: &impl Tables,
    back: Back<'_>,
    mut keep: impl FnMut(&R) -> bool,
) -> Result<Vec<R>> {
    let Back { prefix, now_ms, before, since_ms, most } = back;
    let mut found = Vec::new();
    let mut end = before.map(|id| id.as_bytes().to_vec());
    let mut stretch = FIRST_STRETCH_MS;
    loop {
        let begins_ms = now_ms.saturating_sub(stretch).max(since_ms);
        let begin = first_id(prefix, begins_ms).into_bytes();
        let mut rows: VecDeque<R> = VecDeque::new();
        let room = most - found.len();
        tables.scan_bytes(R::TABLE, &begin, &mut |key, value| {
            if !key.starts_with(prefix.as_bytes()) || end.as_ref().is_some_and(|end| key >= end.as_slice()) {
                return ControlFlow::Break(());
            }
            if let Some(row) = from_bytes::<R>(value).filter(|row| keep(row)) {
                rows.push_back(row);
                if rows.len() > room {
                    rows.pop_front();
                }
            }
            ControlFlow::Continue(())
        })?;
        found.extend(rows.into_iter().rev());
        if found.len() >= most || begins_ms == since_ms {
            return Ok(found);
        }
        if end.as_ref().is_none_or(|end| begin < *end) {
            end = Some(begin);
        }
        stretch = stretch.saturating_mul(4);
    }
}
