//! The log of every decision on source: append-only, each row with the hash of the one before. Rows are never changed; the
//! oldest are dropped when there are too many, and the anchor row then says what the first kept one follows.
//!
//! Secrets are masked before a row is written, whatever the policy: what is once in here can't be taken out again.

mod decisions;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use sdl_ledger::{AgentStore, AgentWriter};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use decisions::Decisions;

use crate::owned::AUDIT;
use crate::redact::{self, Level};

/// The layout of a row.
const LAYOUT: u8 = 1;
/// Rows that are kept.
const KEPT: u64 = 200_000;
/// Where the anchor is; decisions count from 1.
const ANCHOR: u64 = 0;
/// What the first row follows.
const START: &str = "start";

/// One decision.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its number, from 1 on.
    pub seq: u64,
    /// When, in Unix milliseconds.
    pub at_ms: u64,
    /// The repository.
    pub repo_id: String,
    /// The connection.
    pub session: u64,
    /// The client, as it introduced itself.
    pub client: String,
    /// The action.
    pub action: String,
    /// What was decided: `approved`, `downgraded`, `denied`, `set`.
    pub decision: String,
    /// Whether the glass was broken for it.
    pub break_glass: bool,
    /// The version answered from.
    pub version: String,
    /// Why.
    pub why: Vec<String>,
    /// What was asked for and what was served: symbol, file, lines, reason, identifiers; or what was set.
    pub details: Value,
    /// The hash of the row before.
    pub prev: String,
}

/// The ends of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Anchor {
    /// The last dropped row; 0 for none.
    dropped: u64,
    /// And its hash.
    dropped_hash: String,
    /// The newest row.
    head: u64,
    /// And its hash.
    head_hash: String,
}

impl Default for Anchor {
    fn default() -> Self {
        Self { dropped: 0, dropped_hash: START.to_owned(), head: 0, head_hash: START.to_owned() }
    }
}

/// What a check of the log found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    /// Whether the chain is whole.
    pub ok: bool,
    /// Rows checked.
    pub rows: u64,
    /// Rows that were dropped since they were too many.
    pub dropped: u64,
    /// The newest row's hash: note it elsewhere to prove later that nothing was rewritten.
    pub head: String,
    /// What is wrong, if anything: the first few faults.
    pub faults: Vec<String>,
}

/// Appends rows; their numbers and hashes are filled in. Durable when this returns.
pub(crate) fn append(store: &AgentStore, rows: &[Row]) -> sdl_ledger::Result<()> {
    append_keeping(store, rows, KEPT)
}

fn append_keeping(store: &AgentStore, rows: &[Row], kept: u64) -> sdl_ledger::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    store.write(|writer| {
        let mut anchor = match writer.get(AUDIT, &key(ANCHOR))?.and_then(decoded::<Anchor>) {
            Some((_, anchor)) => anchor,
            // Without an anchor the log goes on behind its last row, if there is one.
            None => recovered(writer)?,
        };
        for row in rows {
            let row = Row { seq: anchor.head + 1, prev: anchor.head_hash.clone(), ..masked(row) };
            let (hash, bytes) = encoded(&row);
            writer.put(AUDIT, &key(row.seq), &bytes)?;
            anchor.head = row.seq;
            anchor.head_hash = hash;
        }
        while anchor.head - anchor.dropped > kept {
            let oldest = anchor.dropped + 1;
            if let Some((hash, _)) = writer.get(AUDIT, &key(oldest))?.and_then(decoded::<Row>) {
                anchor.dropped_hash = hash;
            }
            writer.delete(AUDIT, &key(oldest))?;
            anchor.dropped = oldest;
        }
        writer.put(AUDIT, &key(ANCHOR), &encoded(&anchor).1)
    })
}

fn masked(row: &Row) -> Row {
    let mut row = row.clone();
    redact::value(&mut row.details, Level::Likely);
    for text in row.why.iter_mut().chain([&mut row.client]) {
        if let Some(shown) = redact::text(text, Level::Likely) {
            *text = shown;
        }
    }
    row
}

fn recovered(writer: &AgentWriter<'_>) -> sdl_ledger::Result<Anchor> {
    let last = writer.last(AUDIT)?.and_then(|(_, bytes)| decoded::<Row>(bytes));
    Ok(last.map_or_else(Anchor::default, |(hash, row)| Anchor {
        head: row.seq,
        head_hash: hash,
        ..Anchor::default()
    }))
}

/// The newest rows, oldest first: at most `limit`, of one repository if that is given, each with its hash.
pub fn show(store: &AgentStore, repo: Option<&str>, limit: usize) -> sdl_ledger::Result<Vec<(Row, String)>> {
    let mut rows = std::collections::VecDeque::new();
    store.read(|reader| {
        reader.scan(AUDIT, &key(ANCHOR + 1), &mut |_, bytes| {
            if let Some((hash, row)) = decoded::<Row>(bytes)
                && repo.is_none_or(|repo| row.repo_id == repo)
            {
                rows.push_back((row, hash));
                if rows.len() > limit {
                    rows.pop_front();
                }
            }
            ControlFlow::Continue(())
        })
    })?;
    Ok(rows.into())
}

/// How many rows were ever written.
pub fn count(store: &AgentStore) -> sdl_ledger::Result<u64> {
    store.read(|reader| {
        Ok(reader.get(AUDIT, &key(ANCHOR))?.and_then(decoded::<Anchor>).map_or(0, |(_, anchor)| anchor.head))
    })
}

/// Checks that every row is as it was written, follows the one before, and that none is missing.
pub fn verify(store: &AgentStore) -> sdl_ledger::Result<Verified> {
    let mut faults = Vec::new();
    let mut rows = 0;
    let anchor = store.read(|reader| {
        let anchor = match reader.get(AUDIT, &key(ANCHOR))? {
            Some(bytes) => decoded::<Anchor>(bytes).map(|(_, anchor)| anchor),
            None => Some(Anchor::default()),
        };
        let anchor = anchor.unwrap_or_else(|| {
            faults.push("the anchor is damaged".to_owned());
            Anchor::default()
        });
        let (mut seq, mut prev) = (anchor.dropped, anchor.dropped_hash.clone());
        reader.scan(AUDIT, &key(ANCHOR + 1), &mut |at, bytes| {
            rows += 1;
            let at = <[u8; 8]>::try_from(at).map_or(0, u64::from_be_bytes);
            if at != seq + 1 {
                faults.push(format!("row {} is missing", seq + 1));
            }
            seq = at;
            match decoded::<Row>(bytes) {
                None => faults.push(format!("row {at} is not what was written")),
                Some((hash, row)) => {
                    if row.seq != at || row.prev != prev {
                        faults.push(format!("row {at} does not follow the one before"));
                    }
                    prev = hash;
                }
            }
            if faults.len() < 20 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        if faults.is_empty() && (seq != anchor.head || prev != anchor.head_hash) {
            faults.push(format!("the log ends with row {seq}; row {} was written", anchor.head));
        }
        Ok(anchor)
    })?;
    Ok(Verified { ok: faults.is_empty(), rows, dropped: anchor.dropped, head: anchor.head_hash, faults })
}

fn key(seq: u64) -> [u8; 8] {
    seq.to_be_bytes()
}

/// The hash and the stored form: the layout, the hash, the JSON that it is of.
fn encoded(value: &impl Serialize) -> (String, Vec<u8>) {
    // Plain types into memory cannot fail; an empty row is found by `verify`.
    let json = serde_json::to_vec(value).unwrap_or_default();
    let hash = blake3::hash(&json);
    let mut bytes = vec![LAYOUT];
    bytes.extend_from_slice(hash.as_bytes());
    bytes.extend_from_slice(&json);
    (hash.to_hex().to_string(), bytes)
}

/// A stored form with its hash; none if it is not what was written.
fn decoded<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Option<(String, T)> {
    let (&layout, rest) = bytes.split_first()?;
    let (hash, json) = rest.split_at_checked(blake3::OUT_LEN)?;
    let made = blake3::hash(json);
    if layout != LAYOUT || made.as_bytes() != hash {
        return None;
    }
    Some((made.to_hex().to_string(), serde_json::from_slice(json).ok()?))
}
