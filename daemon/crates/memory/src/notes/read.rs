//! Finds notes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::Memory;
use crate::store::{Head, Row, Tables, scoped_key};
use crate::tables::MEMORIES;
use crate::{Result, store};
use sdl_contract::{Candidate, Code, Explained as _, Refusal};
use serde_json::Value;

/// Longest key that the store takes.
const LONGEST_KEY: usize = sdl_ledger::AgentStore::MAX_KEY;

/// Returns the scopes that have rows in a table whose keys begin with one, in order. As many steps as there are scopes.
pub fn scopes_with(tables: &impl Tables, table: &str) -> sdl_ledger::Result<Vec<String>> {
    let mut scopes = Vec::new();
    let mut from: Vec<u8> = Vec::new();
    loop {
        let mut next = None;
        tables.scan_bytes(table, &from, &mut |key, _| {
            next = key.iter().position(|byte| *byte == 0).map(|end| key[..end].to_vec());
            ControlFlow::Break(())
        })?;
        let Some(scope) = next else { return Ok(scopes) };
        from.clone_from(&scope);
        from.push(1);
        scopes.push(String::from_utf8_lossy(&scope).into_owned());
    }
}

/// Returns the notes of some scopes, or of all.
pub fn memories_of(tables: &impl Tables, scopes: Option<&[String]>) -> sdl_ledger::Result<Vec<Memory>> {
    let mut found = Vec::new();
    let prefixes = match scopes {
        Some(scopes) => scopes.iter().map(|scope| scoped_key(scope, "")).collect(),
        None => vec![Vec::new()],
    };
    for prefix in prefixes {
        tables.scan_rows::<Memory>(&prefix, &mut |memory| {
            found.push(memory);
            ControlFlow::Continue(())
        })?;
    }
    Ok(found)
}

/// Returns the note with this id in one of the scopes, or in any.
pub fn find_memory(
    tables: &impl Tables,
    scopes: Option<&[String]>,
    id: &str,
) -> sdl_ledger::Result<Option<Memory>> {
    let every;
    let scopes = match scopes {
        Some(scopes) => scopes,
        None => {
            every = scopes_with(tables, MEMORIES)?;
            &every
        }
    };
    for scope in scopes {
        let key = scoped_key(scope, id);
        if key.len() <= LONGEST_KEY
            && let Some(memory) = tables.row::<Memory>(&key)?
        {
            return Ok(Some(memory));
        }
    }
    Ok(None)
}

/// Returns the notes of some scopes, or of all, as they were in a revision of the store. Former states are kept for a while only: a
/// note that changed more often since is as it was in the oldest state that is kept.
pub fn memories_at(tables: &impl Tables, scopes: Option<&[String]>, revision: u64) -> Result<Vec<Memory>> {
    let mut at: BTreeMap<String, Memory> = BTreeMap::new();
    for memory in memories_of(tables, scopes)? {
        at.insert(memory.id.clone(), memory);
    }
    // The state in a revision is the one that ended soonest after it.
    store::scan_former(tables, MEMORIES, &mut |former| {
        if former.until <= revision {
            return;
        }
        let Ok(memory) = serde_json::from_value::<Memory>(former.row) else { return };
        if scopes.is_some_and(|scopes| !scopes.contains(&memory.scope)) {
            return;
        }
        let known = at.get(&memory.id).map(|known| known.head.revision);
        if known.is_none_or(|known| memory.head.revision < known && known > revision) {
            at.insert(memory.id.clone(), memory);
        }
    })?;
    at.retain(|_, memory| memory.head.revision <= revision);
    Ok(at.into_values().collect())
}

/// Returns the error for a note that is not there.
pub fn unknown_memory(scope: &str, id: &str) -> Refusal {
    let shown: String = id.chars().take(40).collect();
    let whose = if scope.is_empty() { "you have" } else { scope };
    let has = if scope.is_empty() { "" } else { " has" };
    let message =
        format!("{whose}{has} no memory {shown:?}: it was removed, or belongs to another repository");
    Refusal::new(Code::UnknownMemory, message).at("memoryId")
}

/// A row as its readers know it: its texts and fields, without links and numbers of the store.
fn current_state<R: Row>(row: &R) -> Result<Value> {
    let mut state = serde_json::to_value(row)?;
    if let Some(fields) = state.as_object_mut() {
        fields.remove("anchors");
        fields.remove("head");
        fields.insert("revision".to_owned(), row.head().revision.into());
        fields.insert("updatedAt".to_owned(), row.head().updated_ms.into());
    }
    Ok(state)
}

/// Checks that a row is still in the revision that its writer read. The error has the row as it is.
pub fn check_revision<R: Row>(row: &R, asked: Option<u64>) -> Result<()> {
    let Head { revision, by, .. } = row.head();
    let Some(asked) = asked.filter(|asked| *asked != revision) else { return Ok(()) };
    let message = format!(
        "{} is in revision {revision}, not {asked}: {} changed it since; read it again, and give ifRevision {revision}",
        row.id(),
        by.name()
    );
    let refusal = Refusal::new(Code::Conflict, message)
        .at("ifRevision")
        .with("current", current_state(row)?)
        .or_one_of([Candidate::of("ifRevision", revision.to_string())]);
    Err(refusal.into())
}
