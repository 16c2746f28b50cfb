//! The scratch cache: notes that end by themselves.
//!
//! The law: there is one entry for each (scope, agent, kind, key), the one that was written last, until its time is over. One that is
//! over is never returned, removed or not.

mod row;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use sdl_contract::{Code, Explained as _, Refusal};
use serde_json::{Map, Value};

pub use row::Scratch;

use crate::limits::{SCRATCH as MOST, SCRATCH_VALUE};
use crate::store::ends::{Ending, ended_rows};
use crate::store::{Change, Head, Tables, scoped_key};
use crate::words::{Lane, count_lanes};
use crate::{Anchors, Result, encode_number};

/// An entry to be written.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Whose it is.
    pub scope: String,
    /// The agent whose entry it is; empty for everyone's.
    pub agent: String,
    /// Its kind, as on the wire.
    pub kind: String,
    /// Its name.
    pub key: String,
    /// The fields of its kind.
    pub fields: Map<String, Value>,
    /// The code that it is about.
    pub anchors: Anchors,
    /// When it ends, in Unix milliseconds.
    pub expires_ms: u64,
}

/// Which entries.
#[derive(Clone, Debug, Default)]
pub struct Which<'a> {
    /// Of these scopes; none for all.
    pub scopes: Option<&'a [String]>,
    /// Of this kind.
    pub kind: Option<&'a str>,
    /// Of this name.
    pub key: Option<&'a str>,
    /// Of this agent.
    pub agent: Option<&'a str>,
}

/// The id of the entry of (scope, agent, kind, key).
fn scratch_id(draft: &Draft) -> String {
    let parts = [&draft.scope, &draft.agent, &draft.kind, &draft.key];
    let mut text = Vec::new();
    for part in parts {
        text.extend_from_slice(part.as_bytes());
        text.push(0);
    }
    format!("c_{}", encode_number(sdl_model::ids::stable_hash(&[&text])))
}

/// Writes an entry over the one of the same name. Returns it, and whether there was one.
pub fn write_scratch(change: &mut Change<'_, '_>, draft: &Draft) -> Result<(Scratch, bool)> {
    let size = serde_json::to_vec(&draft.fields)?.len();
    if size > SCRATCH_VALUE {
        let message = format!(
            "the entry takes {size} bytes as JSON, at most {SCRATCH_VALUE} may be; store the rest in a file and give its path"
        );
        return Change::refuse(Refusal::new(Code::InvalidArgument, message).at("value"));
    }
    let now = change.now_ms();
    let id = scratch_id(draft);
    let key = scoped_key(&draft.scope, &id);
    let before = change.tables().row::<Scratch>(&key)?;
    if before.is_none() {
        make_room(change, &draft.scope)?;
    }
    let mut row = Scratch {
        id,
        scope: draft.scope.clone(),
        agent: draft.agent.clone(),
        kind: draft.kind.clone(),
        key: draft.key.clone(),
        fields: draft.fields.clone(),
        anchors: draft.anchors.clone(),
        expires_ms: draft.expires_ms,
        head: Head::default(),
    };
    change.put(&mut row)?;
    Ok((row, before.is_some_and(|before| !before.is_over(now))))
}

/// Makes room for a new entry: where there is none, those that are over go.
fn make_room(change: &mut Change<'_, '_>, scope: &str) -> Result<()> {
    let is_full = |change: &Change<'_, '_>| -> Result<bool> {
        Ok(count_lanes(change.tables(), scope, &[Lane::Scratch])? >= MOST as u64)
    };
    if !is_full(change)? {
        return Ok(());
    }
    let ended = ended_rows(change.tables(), change.now_ms(), usize::MAX)?;
    for end in ended.iter().filter(|end| end.what == Ending::Scratch) {
        change.remove::<Scratch>(&end.key)?;
    }
    if !is_full(change)? {
        return Ok(());
    }
    let message =
        format!("the scratch cache has {MOST} entries, which is the limit; clear some with scratch.clear");
    Change::refuse(Refusal::new(Code::Conflict, message))
}

/// Returns the entries that are not over, the latest first.
pub fn read_scratch(tables: &impl Tables, which: &Which<'_>, now_ms: u64) -> Result<Vec<Scratch>> {
    let mut found: Vec<Scratch> = Vec::new();
    let prefixes: Vec<Vec<u8>> = match which.scopes {
        Some(scopes) => scopes.iter().map(|scope| scoped_key(scope, "")).collect(),
        None => vec![Vec::new()],
    };
    for prefix in prefixes {
        tables.scan_rows::<Scratch>(&prefix, &mut |row| {
            if !row.is_over(now_ms) && which.has(&row) {
                found.push(row);
            }
            ControlFlow::Continue(())
        })?;
    }
    found.sort_by(|a, b| b.head.updated_ms.cmp(&a.head.updated_ms).then_with(|| a.id.cmp(&b.id)));
    Ok(found)
}

/// Removes entries. Returns how many there were.
pub fn clear_scratch(change: &mut Change<'_, '_>, which: &Which<'_>) -> Result<usize> {
    let now = change.now_ms();
    let rows = read_scratch(change.tables(), which, now)?;
    for row in &rows {
        change.remove::<Scratch>(&scoped_key(&row.scope, &row.id))?;
    }
    Ok(rows.len())
}

impl Which<'_> {
    fn has(&self, row: &Scratch) -> bool {
        self.kind.is_none_or(|kind| kind == row.kind)
            && self.key.is_none_or(|key| key == row.key)
            && self.agent.is_none_or(|agent| agent == row.agent)
    }
}
