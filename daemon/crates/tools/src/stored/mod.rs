//! The stored form of the data that agents own: keys that begin with the repository's id and a zero byte, JSON values
//! after a layout number; and the outputs of commands and of upstreams, which several floors keep.

pub(crate) mod artifacts;
pub(crate) mod tables;

use std::ops::ControlFlow;

use sdl_ledger::{AgentStore, AgentWriter};
pub(crate) use sdl_memory::encode_number;
use sdl_redact::Level;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Explained, ToolError};

/// Returns the key of a row that belongs to a repository.
pub(crate) fn row_key(repo: &str, row: &str) -> Vec<u8> {
    [repo.as_bytes(), &[0], row.as_bytes()].concat()
}

/// One row to write or to delete.
#[derive(Clone, Debug)]
pub(crate) struct RowChange {
    pub(crate) table: &'static str,
    pub(crate) key: Vec<u8>,
    /// Its value; none to delete it.
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Writes rows in the transaction of `writer`, in order.
pub(crate) fn write_changes(writer: &mut AgentWriter<'_>, changes: &[RowChange]) -> sdl_ledger::Result<()> {
    for change in changes {
        match &change.bytes {
            Some(bytes) => writer.put(change.table, &change.key, bytes)?,
            None => drop(writer.delete(change.table, &change.key)?),
        }
    }
    Ok(())
}

/// Returns the keys of a repository's rows in a table, in order.
pub(crate) fn row_keys(
    writer: &AgentWriter<'_>,
    table: &str,
    repo: &str,
) -> sdl_ledger::Result<Vec<Vec<u8>>> {
    let prefix = row_key(repo, "");
    let mut keys = Vec::new();
    writer.scan(table, &prefix, &mut |key, _| {
        if key.starts_with(&prefix) {
            keys.push(key.to_vec());
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    Ok(keys)
}

/// Returns a text without known secrets, as it may be stored.
pub(crate) fn masked_text(text: &str) -> String {
    sdl_redact::mask_text(text, Level::Known).unwrap_or_else(|| text.to_owned())
}

/// Returns a value in its stored form.
pub(crate) fn to_bytes(layout: u8, value: &impl Serialize) -> Result<Vec<u8>, ToolError> {
    let mut bytes = vec![layout];
    serde_json::to_writer(&mut bytes, value).map_err(|e| ToolError::internal("storing a row", e))?;
    Ok(bytes)
}

/// Returns the value of a stored form; none if it is damaged or has a layout that this build doesn't know.
pub(crate) fn from_bytes<T: DeserializeOwned>(layout: u8, bytes: &[u8]) -> Option<T> {
    let (&found, rest) = bytes.split_first()?;
    (found == layout).then(|| serde_json::from_slice(rest).ok()).flatten()
}

/// Returns every row of a repository that this build can read, sorted by key.
pub(crate) fn read_rows<T: DeserializeOwned>(
    store: &AgentStore,
    table: &str,
    repo: &str,
    layout: u8,
) -> Result<Vec<T>, ToolError> {
    let prefix = row_key(repo, "");
    let mut found = Vec::new();
    store.read(|reader| {
        reader.scan(table, &prefix, &mut |key, value| {
            if !key.starts_with(&prefix) {
                return ControlFlow::Break(());
            }
            found.extend(from_bytes::<T>(layout, value));
            ControlFlow::Continue(())
        })
    })?;
    Ok(found)
}

/// Returns how many rows a repository has, without reading them.
pub(crate) fn count_rows(store: &AgentStore, table: &str, repo: &str) -> Result<usize, ToolError> {
    let prefix = row_key(repo, "");
    let mut count = 0;
    store.read(|reader| {
        reader.scan(table, &prefix, &mut |key, _| {
            if !key.starts_with(&prefix) {
                return ControlFlow::Break(());
            }
            count += 1;
            ControlFlow::Continue(())
        })
    })?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_known_layout_is_read() {
        let bytes = to_bytes(3, &vec![1, 2]).unwrap();
        assert_eq!(from_bytes::<Vec<u8>>(3, &bytes), Some(vec![1, 2]));
        assert_eq!(from_bytes::<Vec<u8>>(2, &bytes), None);
        assert_eq!(from_bytes::<Vec<u8>>(3, &bytes[..2]), None);
        assert_eq!(from_bytes::<Vec<u8>>(3, b""), None);
    }

    #[test]
    fn digits_tell_numbers_apart() {
        assert_eq!(encode_number(0), "0000000000000");
        assert_eq!(encode_number(33), "0000000000011");
        assert_ne!(encode_number(u64::MAX), encode_number(u64::MAX - 1));
    }
}
