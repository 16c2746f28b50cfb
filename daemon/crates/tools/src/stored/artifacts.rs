//! The output of commands, kept under handles.

use sdl_ledger::AgentStore;
use sdl_model::ids::stable_hash;
use sdl_runtime::Artifact;

use crate::stored::tables::ARTIFACTS;
use crate::{ToolError, stored};

const LAYOUT: u8 = 1;
/// Maximum number of outputs kept of one repository; the oldest is dropped.
const MOST: usize = 20;

/// Keeps an output and returns its handle.
pub(crate) fn keep(store: &AgentStore, repo: &str, artifact: &Artifact) -> Result<String, ToolError> {
    let bytes = stored::to_bytes(LAYOUT, artifact)?;
    Ok(store.write(|writer| {
        let keys = stored::row_keys(writer, ARTIFACTS, repo)?;
        for oldest in keys.iter().take((keys.len() + 1).saturating_sub(MOST)) {
            writer.delete(ARTIFACTS, oldest)?;
        }
        // Ids sort by time and include the repository, so that a handle is unique among all repositories.
        let mut number = artifact.at_ms << 16 | stable_hash(&[repo.as_bytes()]) & 0xffff;
        let handle = loop {
            let handle = format!("art_{}", stored::encode_number(number));
            if writer.get(ARTIFACTS, &stored::row_key(repo, &handle))?.is_none() {
                break handle;
            }
            number += 1 << 16;
        };
        writer.put(ARTIFACTS, &stored::row_key(repo, &handle), &bytes)?;
        Ok(handle)
    })?)
}

/// Returns the output of a handle.
pub(crate) fn find(store: &AgentStore, repo: &str, handle: &str) -> Result<Option<Artifact>, ToolError> {
    let key = stored::row_key(repo, handle);
    if key.len() > AgentStore::MAX_KEY {
        return Ok(None);
    }
    Ok(store.read(|reader| {
        Ok(reader.get(ARTIFACTS, &key)?.and_then(|bytes| stored::from_bytes(LAYOUT, bytes)))
    })?)
}
