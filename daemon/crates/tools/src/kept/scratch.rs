//! Entries of the scratch cache in the form of answers.

use schemars::JsonSchema;
use sdl_memory::scratch::Scratch;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::ToolError;
use crate::call::family::Family;
use crate::call::owned::OwnedCx;
use crate::kept::anchors::{anchor_states, follow_anchors};

/// An entry of the scratch cache.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScratchOut {
    /// `c_…`. Its id.
    pub(crate) scratch_id: String,
    /// Its kind.
    pub(crate) context_type: String,
    /// Its name.
    pub(crate) key: String,
    /// The agent whose entry it is; missing if it is everyone's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// The fields of its kind.
    pub(crate) fields: Map<String, Value>,
    /// The symbols and files that it is about, each with its state: `same`, `changed`, `renamed`, `gone`, `unchecked`, `unknown`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<AnchorOut>>")]
    pub(crate) anchors: Vec<AnchorOut>,
    /// `stale` if any of these changed or is gone, else `fresh`.
    pub(crate) state: &'static str,
    /// How long ago it was written, in milliseconds.
    pub(crate) age_ms: u64,
    /// When it ends, in Unix milliseconds.
    pub(crate) expires_at: u64,
    /// Who wrote it: the agent or the client.
    pub(crate) by: String,
}

/// The code that an entry is about.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnchorOut {
    /// The symbol; missing for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_id: Option<String>,
    /// The symbol's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Path of the file.
    file: String,
    /// Its state.
    state: &'static str,
}

/// Returns entries in the form of answers, with the state of their code. Their anchors are followed for this answer only: entries end soon.
pub(crate) fn show_scratch(
    cx: &OwnedCx<'_>,
    family: &Family,
    mut rows: Vec<Scratch>,
) -> Result<Vec<ScratchOut>, ToolError> {
    if let Some(read) = cx.read {
        let mut held: Vec<_> = rows.iter_mut().map(|row| (row.scope.as_str(), &mut row.anchors)).collect();
        follow_anchors(read, family, &mut held)?;
    }
    let now = cx.now_ms();
    let mut shown = Vec::with_capacity(rows.len());
    for row in rows {
        let states = anchor_states(cx.read, family, &row.scope, &row.anchors)?;
        let stale = states.is_stale();
        let symbols = row.anchors.symbols.into_iter().zip(&states.symbols).map(|(anchor, state)| AnchorOut {
            symbol_id: Some(anchor.id.to_string()),
            name: Some(anchor.name),
            file: anchor.file,
            state: state.name(),
        });
        let files = row.anchors.files.into_iter().zip(&states.files).map(|(anchor, state)| AnchorOut {
            symbol_id: None,
            name: None,
            file: anchor.path,
            state: state.name(),
        });
        shown.push(ScratchOut {
            scratch_id: row.id,
            context_type: row.kind,
            key: row.key,
            agent: Some(row.agent).filter(|agent| !agent.is_empty()),
            fields: row.fields,
            anchors: symbols.chain(files).collect(),
            state: if stale { "stale" } else { "fresh" },
            age_ms: now.saturating_sub(row.head.updated_ms),
            expires_at: row.expires_ms,
            by: row.head.by.name().to_owned(),
        });
    }
    Ok(shown)
}
