//! Counts in the store: one row for each repository, hour and action.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use sdl_ledger::AgentStore;

use super::{Count, Key};
use crate::stored::tables::USAGE;
use crate::{ToolError, stored};

const LAYOUT: u8 = 1;
/// Hours that are kept.
const KEPT: u64 = 90 * 24;

fn to_key(key: &Key) -> Vec<u8> {
    stored::row_key(&key.repo, &format!("{:08x}\0{}", key.hour, key.action))
}

fn from_key(bytes: &[u8]) -> Option<Key> {
    let mut parts = std::str::from_utf8(bytes).ok()?.splitn(3, '\0');
    let (repo, hour, action) = (parts.next()?, parts.next()?, parts.next()?);
    let hour = u64::from_str_radix(hour, 16).ok()?;
    Some(Key { repo: repo.to_owned(), hour, action: action.to_owned() })
}

/// Adds counts to the stored ones, and forgets those of the same repositories that are too old.
pub(super) fn add_counts(store: &AgentStore, counts: &BTreeMap<Key, Count>) -> Result<(), ToolError> {
    if counts.is_empty() {
        return Ok(());
    }
    store.write(|writer| {
        for (key, count) in counts {
            let bytes = to_key(key);
            let mut sum = *count;
            if let Some(known) =
                writer.get(USAGE, &bytes)?.and_then(|known| stored::from_bytes(LAYOUT, known))
            {
                sum.add(&known);
            }
            if let Ok(value) = stored::to_bytes(LAYOUT, &sum) {
                writer.put(USAGE, &bytes, &value)?;
            }
            let mut old = Vec::new();
            writer.scan(USAGE, &stored::row_key(&key.repo, ""), &mut |bytes, _| match from_key(bytes) {
                Some(row) if row.repo == key.repo && row.hour + KEPT < key.hour => {
                    old.push(bytes.to_vec());
                    ControlFlow::Continue(())
                }
                _ => ControlFlow::Break(()),
            })?;
            for bytes in old {
                writer.delete(USAGE, &bytes)?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// The counts of a repository, or of all.
pub(super) fn read_counts(store: &AgentStore, repo: Option<&str>) -> Result<BTreeMap<Key, Count>, ToolError> {
    let prefix = repo.map(|repo| stored::row_key(repo, "")).unwrap_or_default();
    let mut found = BTreeMap::new();
    store.read(|reader| {
        reader.scan(USAGE, &prefix, &mut |bytes, value| {
            if !bytes.starts_with(&prefix) {
                return ControlFlow::Break(());
            }
            if let (Some(key), Some(count)) = (from_key(bytes), stored::from_bytes(LAYOUT, value)) {
                found.insert(key, count);
            }
            ControlFlow::Continue(())
        })
    })?;
    Ok(found)
}
