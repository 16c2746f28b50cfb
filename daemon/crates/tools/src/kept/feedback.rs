//! The feedback of agents on the contexts that they got.

use std::ops::ControlFlow;

use sdl_ledger::AgentStore;
use sdl_memory::SymbolAnchor;
use sdl_memory::notes::TaskOutcome;
use sdl_memory::store::{Change, Tables};
use serde::{Deserialize, Serialize};

use crate::stored::tables::FEEDBACK;
use crate::{ToolError, stored};

const LAYOUT: u8 = 1;
/// Pieces of feedback that are kept of one repository; the oldest make room.
pub(crate) const MOST: usize = 5_000;

/// One piece of feedback, as it is stored.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Feedback {
    pub(crate) id: String,
    pub(crate) at_ms: u64,
    /// The version in which its symbols were there.
    pub(crate) version: u64,
    pub(crate) assembly_id: Option<String>,
    pub(crate) slice_handle: Option<String>,
    pub(crate) useful: Vec<SymbolAnchor>,
    pub(crate) missing: Vec<SymbolAnchor>,
    pub(crate) rating: Option<u8>,
    pub(crate) task_text: Option<String>,
    /// The sources that were used, of a context.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) used: Vec<String>,
    /// What was missing, in words or ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) wanted: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<TaskOutcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

/// Stores a piece of feedback under an id that says when: in order of time. Returns the id.
pub(crate) fn store_feedback(
    store: &AgentStore,
    repo: &str,
    feedback: &Feedback,
) -> Result<String, ToolError> {
    store.write(|writer| {
        let keys = stored::row_keys(writer, FEEDBACK, repo)?;
        let mut number = feedback.at_ms << 12;
        let mut feedback = feedback.clone();
        loop {
            feedback.id = format!("f_{}", stored::encode_number(number));
            if writer.get(FEEDBACK, &stored::row_key(repo, &feedback.id))?.is_none() {
                break;
            }
            number += 1;
        }
        for oldest in keys.iter().take((keys.len() + 1).saturating_sub(MOST)) {
            writer.delete(FEEDBACK, oldest)?;
        }
        match stored::to_bytes(LAYOUT, &feedback) {
            Ok(bytes) => writer.put(FEEDBACK, &stored::row_key(repo, &feedback.id), &bytes)?,
            Err(error) => return Ok(Err(error)),
        }
        Ok(Ok(feedback.id))
    })?
}

/// Stores a piece of feedback as part of a change. Returns its id.
pub(crate) fn put_feedback(
    change: &mut Change<'_, '_>,
    scope: &str,
    mut feedback: Feedback,
) -> sdl_memory::Result<String> {
    let prefix = stored::row_key(scope, "");
    let mut keys: Vec<Vec<u8>> = Vec::new();
    change.tables().scan_bytes(FEEDBACK, &prefix, &mut |key, _| {
        if !key.starts_with(&prefix) {
            return ControlFlow::Break(());
        }
        keys.push(key.to_vec());
        ControlFlow::Continue(())
    })?;
    for oldest in keys.iter().take((keys.len() + 1).saturating_sub(MOST)) {
        change.delete_bytes(FEEDBACK, oldest)?;
    }
    feedback.id = change.new_id("f_");
    let bytes = [&[LAYOUT][..], &serde_json::to_vec(&feedback)?].concat();
    change.put_bytes(FEEDBACK, &stored::row_key(scope, &feedback.id), &bytes)?;
    Ok(feedback.id)
}

/// Every piece of feedback on a repository, the latest first.
pub(crate) fn all_feedback(store: &AgentStore, repo: &str) -> Result<Vec<Feedback>, ToolError> {
    let mut rows: Vec<Feedback> = stored::read_rows(store, FEEDBACK, repo, LAYOUT)?;
    rows.reverse();
    Ok(rows)
}
