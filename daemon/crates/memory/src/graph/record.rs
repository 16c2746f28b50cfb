//! The records of a row after it was asserted, each with its time.

use sdl_contract::{Code, Explained as _, Refusal};
use serde::{Deserialize, Serialize};

use super::index::write_fact;
use super::triple::{Retraction, Triple};
use crate::Result;
use crate::store::{Change, Tables as _};
use crate::tables::MEMORY_META;
use crate::times::write_time;

/// The latest time at which something was recorded in the graph.
const CLOCK: &[u8] = b"kg-clock";

/// A fact that holds for a shorter time than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cut {
    /// The row.
    pub triple_id: String,
    /// Its end; none for a fact that was retracted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<i64>,
}

/// Returns the time to record with: now, or the latest recorded time if the clock went back since.
pub(super) fn recording_time(change: &mut Change<'_, '_>) -> Result<i64> {
    let last = change.tables().get_bytes(MEMORY_META, CLOCK)?;
    let last = last.and_then(|bytes| bytes.try_into().ok()).map_or(i64::MIN, i64::from_le_bytes);
    let now = change.now_ms() as i64;
    if now > last {
        change.put_bytes(MEMORY_META, CLOCK, &now.to_le_bytes())?;
    }
    Ok(now.max(last))
}

/// Retracts a row, and returns it as it is then.
pub(super) fn retract_one(
    change: &mut Change<'_, '_>,
    before: Triple,
    reason: Option<&str>,
) -> Result<Triple> {
    let now = recording_time(change)?;
    if let Some(retracted) = &before.retracted {
        let message = format!("{} was retracted at {}", before.id, write_time(retracted.at));
        return Err(Refusal::new(Code::Conflict, message + "; add the fact again if it holds").into());
    }
    let mut row = before.clone();
    row.retracted = Some(Retraction {
        at: now,
        by: change.by().clone(),
        reason: reason.map(str::to_owned),
        corrected_by: None,
    });
    write_fact(change, Some(&before), &mut row)?;
    Ok(row)
}
