//! The keys of work, made again from the rows.
//!
//! The law: [`WORK_KEYS`] is a function of the rows, but for how agents did ([`By::Affinity`]), which outlives the dispatches that it counts.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::activity::Activity;
use super::dispatch::{Dispatch, keys_of_dispatch};
use super::keys::{By, NOTHING, index_key};
use super::message::Message;
use super::session::SessionRow;
use crate::Result;
use crate::store::{Change, Row, Tables};
use crate::tables::WORK_KEYS;

/// Whether a key of the table is a row of its own: no other row says it.
pub(crate) fn is_own_row(key: &[u8]) -> bool {
    key.first() == Some(&(By::Affinity as u8))
}

/// Returns the keys that follow from the rows.
fn expected_keys(tables: &impl Tables) -> Result<BTreeSet<Vec<u8>>> {
    let mut keys = BTreeSet::new();
    each_row::<SessionRow>(tables, &mut |row| {
        if row.ended_ms.is_none() {
            keys.insert(index_key(By::Open, "", &row.id));
        }
    })?;
    each_row::<Message>(tables, &mut |row| {
        keys.extend(row.head.by.session.as_ref().map(|session| index_key(By::Sent, session, &row.id)));
    })?;
    each_row::<Activity>(tables, &mut |row| {
        keys.extend(row.head.by.session.as_ref().map(|session| index_key(By::Activity, session, &row.id)));
    })?;
    let mut dispatches = Vec::new();
    each_row::<Dispatch>(tables, &mut |row| dispatches.push(row))?;
    for dispatch in dispatches {
        keys.extend(keys_of_dispatch(tables, &dispatch)?);
    }
    Ok(keys)
}

fn each_row<R: Row>(tables: &impl Tables, each: &mut dyn FnMut(R)) -> Result<()> {
    tables.scan_rows::<R>(&[], &mut |row| {
        each(row);
        ControlFlow::Continue(())
    })?;
    Ok(())
}

fn stored_keys(tables: &impl Tables) -> Result<BTreeSet<Vec<u8>>> {
    let mut keys = BTreeSet::new();
    tables.scan_bytes(WORK_KEYS, &[0], &mut |key, _| {
        if !is_own_row(key) {
            keys.insert(key.to_vec());
        }
        ControlFlow::Continue(())
    })?;
    Ok(keys)
}

/// Compares the keys with the rows. Returns faults, each in a sentence.
pub(crate) fn verify_keys(tables: &impl Tables) -> Result<Vec<String>> {
    let (wanted, stored) = (expected_keys(tables)?, stored_keys(tables)?);
    let shown = |key: &[u8]| key.escape_ascii().to_string();
    let missing = wanted.difference(&stored).map(|key| format!("{WORK_KEYS}: missing: {}", shown(key)));
    let left_over = stored.difference(&wanted).map(|key| format!("{WORK_KEYS}: left over: {}", shown(key)));
    Ok(missing.chain(left_over).collect())
}

/// Makes the keys again from the rows.
pub(crate) fn rebuild_keys(change: &mut Change<'_, '_>) -> Result<()> {
    let (wanted, stored) = (expected_keys(change.tables())?, stored_keys(change.tables())?);
    for key in stored.difference(&wanted) {
        change.delete_bytes(WORK_KEYS, key)?;
    }
    for key in wanted.difference(&stored) {
        change.put_bytes(WORK_KEYS, key, NOTHING)?;
    }
    Ok(())
}
