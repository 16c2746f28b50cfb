//! The log of every decision on source: append-only, each row with the hash of the one before. Rows are never changed; the
//! oldest are dropped when there are too many, and the anchor row then says what the first kept one follows.
//!
//! The log proves:
//!
//! * Rows are sealed under a key of this installation ([`seal`]), so that nobody who has not read the key can change, add or
//!   rewrite one.
//! * The end of the log, its number and its hash, is kept a second time outside of the store ([`log::Audit`]), so that rows can't
//!   be cut off and the store can't be replaced unnoticed.
//! * A log that was cut goes on with a row that says so. Damage is reported ([`verify`]) until a person acknowledges it, and that
//!   is a row as well.
//!
//! A program that can read the key and write both places can still forge a log: the log guards against accidents and
//! against programs that reach only one of them. Note the head elsewhere to be sure of more.
//!
//! Secrets are masked before a row is written, whatever the policy, because a row can't be changed later.

mod decisions;
mod log;
mod seal;
#[cfg(test)]
mod tests;
mod verify;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use decisions::Decisions;
pub use log::{Audit, Shown};
pub use verify::Verified;

/// Where the anchor is; decisions count from 1.
const ANCHOR: u64 = 0;
/// The hash that the first row links to.
const START: &str = "start";
/// The decision of a row that says that the log was cut before it.
const CUT: &str = "cut";
/// The decision of a row with which a person acknowledges damage.
const ACKNOWLEDGED: &str = "acknowledged";

/// One decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// Whose calls the connection makes, if not those of the user at the socket: `token:NAME` or `oauth:SUBJECT`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub principal: String,
    /// The action.
    pub action: String,
    /// The decision. On source: `approved`, `downgraded`, `denied`, or `served` by a rung that needs no approval. Else
    /// `set` (a policy), `ceiling`, `ran` (a command), `approve`, `review` and `escalate` (a change), `cut` and
    /// `acknowledged` (the log), `sent` (a message), `changed`, `held` and `approved` (the definition of an upstream's tool).
    pub decision: String,
    /// Whether the glass was broken for it.
    pub break_glass: bool,
    /// The version answered from.
    pub version: String,
    /// Why.
    pub why: Vec<String>,
    /// The request and what was served: symbol, file, lines, reason, identifiers; or the values that were set.
    pub details: Value,
    /// The hash of the row before.
    pub prev: String,
}

/// The ends of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Anchor {
    /// The last dropped row; 0 for none.
    dropped: u64,
    /// The hash of the last dropped row.
    dropped_hash: String,
    /// The newest row.
    head: u64,
    /// The hash of the newest row.
    head_hash: String,
    /// The first row that is sealed under the key. Earlier rows were written before there was one.
    #[serde(default)]
    keyed_from: u64,
    /// Cuts that nobody has acknowledged.
    #[serde(default)]
    cuts: Vec<Cut>,
}

/// A place where the log was cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Cut {
    /// The row that records the cut.
    seq: u64,
    /// The reason in that row.
    why: String,
}

impl Default for Anchor {
    fn default() -> Self {
        Self {
            dropped: 0,
            dropped_hash: START.to_owned(),
            head: 0,
            head_hash: START.to_owned(),
            keyed_from: 1,
            cuts: Vec::new(),
        }
    }
}

/// Returns the key of a row in its table.
fn key(seq: u64) -> [u8; 8] {
    seq.to_be_bytes()
}

/// Returns the number of a row from its key in the table.
fn number(key: &[u8]) -> u64 {
    <[u8; 8]>::try_from(key).map_or(0, u64::from_be_bytes)
}
