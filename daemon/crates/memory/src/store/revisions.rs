//! What rows were before they changed.

use std::ops::ControlFlow;

use sdl_ledger::AgentWriter;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::change::Change;
use super::row::{Row, Tables};
use crate::limits::REVISIONS as MOST;
use crate::tables::REVISIONS;
use crate::{Author, Result};

/// A former state of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Former {
    /// The row's id.
    pub id: String,
    /// The revision in which this state was written; it is restored by this number.
    pub revision: u64,
    /// The revision that ended it.
    pub until: u64,
    /// When it ended, in Unix milliseconds.
    pub at_ms: u64,
    /// Who ended it.
    pub by: Author,
    /// Whether the row was removed then.
    pub removed: bool,
    /// The table.
    pub table: String,
    /// The row, as it was stored.
    pub row: Value,
}

fn former_key(id: &str, until: u64) -> Vec<u8> {
    [id.as_bytes(), &[0], &until.to_be_bytes()].concat()
}

/// Keeps the state of a row that is about to change, and removes the oldest ones above the limit.
pub(super) fn keep_former<R: Row>(
    writer: &mut AgentWriter<'_>,
    row: &R,
    (until, at_ms): (u64, u64),
    by: &Author,
    removed: bool,
) -> Result<()> {
    let former = Former {
        id: row.id().to_owned(),
        revision: row.head().revision,
        until,
        at_ms,
        by: by.clone(),
        removed,
        table: R::TABLE.to_owned(),
        row: serde_json::to_value(row)?,
    };
    writer.put(REVISIONS, &former_key(row.id(), until), &serde_json::to_vec(&former)?)?;
    let keys = keys_of(writer, row.id())?;
    for key in keys.iter().take(keys.len().saturating_sub(MOST)) {
        writer.delete(REVISIONS, key)?;
    }
    Ok(())
}

fn keys_of(tables: &impl Tables, id: &str) -> Result<Vec<Vec<u8>>> {
    let prefix = [id.as_bytes(), &[0]].concat();
    let mut keys = Vec::new();
    tables.scan_bytes(REVISIONS, &prefix, &mut |key, _| {
        if !key.starts_with(&prefix) {
            return ControlFlow::Break(());
        }
        keys.push(key.to_vec());
        ControlFlow::Continue(())
    })?;
    Ok(keys)
}

/// Returns the former states of a row, the oldest first.
pub fn former_states(tables: &impl Tables, id: &str) -> Result<Vec<Former>> {
    let prefix = [id.as_bytes(), &[0]].concat();
    let mut found = Vec::new();
    tables.scan_bytes(REVISIONS, &prefix, &mut |key, bytes| {
        if !key.starts_with(&prefix) {
            return ControlFlow::Break(());
        }
        found.extend(serde_json::from_slice::<Former>(bytes));
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Removes the former states of a row.
pub(crate) fn forget_former(change: &mut Change<'_, '_>, id: &str) -> Result<()> {
    for key in keys_of(change.tables(), id)? {
        change.delete_bytes(REVISIONS, &key)?;
    }
    Ok(())
}

/// Looks at the former states of all rows of a table, those of one row the oldest first.
pub fn scan_former(tables: &impl Tables, table: &str, each: &mut dyn FnMut(Former)) -> Result<()> {
    tables.scan_bytes(REVISIONS, &[], &mut |_, bytes| {
        if let Ok(former) = serde_json::from_slice::<Former>(bytes)
            && former.table == table
        {
            each(former);
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}
