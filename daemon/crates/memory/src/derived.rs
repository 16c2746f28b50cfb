//! Entries of indexes that follow from single rows: which rows end, which code they are about, and by which fields notes are
//! chosen.

use std::ops::ControlFlow;

use sdl_ledger::{AgentWriter, Result};

use crate::graph::Triple;
use crate::notes::{Memory, head_entry};
use crate::scratch::Scratch;
use crate::store::{Tables, anchored, ends};
use crate::tables::{ANCHORED, ENDS, NOTE_HEADS};

/// A table, a key in it, and the value.
type Entry = (&'static str, Vec<u8>, Vec<u8>);

/// Returns the entries that the rows ought to have.
fn expected_entries(tables: &impl Tables) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    tables.scan_rows::<Memory>(&[], &mut |row| {
        let (key, value) = head_entry(&row);
        entries.push((NOTE_HEADS, key, value));
        ControlFlow::Continue(())
    })?;
    let linked = [
        anchored::entries_of::<Memory>(tables)?,
        anchored::entries_of::<Triple>(tables)?,
        anchored::entries_of::<Scratch>(tables)?,
    ];
    entries.extend(linked.into_iter().flatten().map(|(key, value)| (ANCHORED, key, value)));
    let ending = [
        ends::entries_of::<Memory>(tables)?,
        ends::entries_of::<Scratch>(tables)?,
        ends::entries_of_removed(tables)?,
    ];
    entries.extend(ending.into_iter().flatten().map(|key| (ENDS, key, ends::VALUE.to_vec())));
    Ok(entries)
}

/// Compares the indexes with the rows. Returns faults, each in a sentence.
pub(crate) fn verify_entries(tables: &impl Tables) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let (mut linked, mut heads) = (0, 0);
    for (table, key, value) in expected_entries(tables)? {
        linked += u64::from(table == ANCHORED);
        heads += u64::from(table == NOTE_HEADS);
        if tables.get_bytes(table, &key)? != Some(&value) {
            faults.push(format!("{table}: missing or different: {}", key.escape_ascii()));
        }
    }
    // An end that is too much does no harm, because a row is looked at before it goes.
    for (table, wanted) in [(ANCHORED, linked), (NOTE_HEADS, heads)] {
        let stored = tables.count_rows(table)?;
        if stored != wanted {
            faults.push(format!("{table}: {wanted} entries follow from the rows, {stored} are there"));
        }
    }
    Ok(faults)
}

/// Makes the entries of a store that has none.
pub(crate) fn build_entries(writer: &mut AgentWriter<'_>) -> Result<()> {
    for (table, key, value) in expected_entries(writer)? {
        writer.put(table, &key, &value)?;
    }
    Ok(())
}
