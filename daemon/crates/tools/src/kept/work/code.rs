//! The code that a dispatch is about, as answers show it.

use schemars::JsonSchema;
use sdl_memory::Anchors;
use serde::Serialize;

use crate::ToolError;
use crate::call::owned::OwnedCx;
use crate::kept::anchors::{anchor_states, follow_anchors};

/// A symbol or a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodeOut {
    /// The symbol; missing for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol_id: Option<String>,
    /// The symbol's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Path of the file.
    pub(crate) file: String,
    /// Its state.
    pub(crate) state: &'static str,
}

/// Returns the code of anchors of a row of `scope`, followed to where it is now, with its states.
pub(crate) fn show_code(
    cx: &OwnedCx<'_>,
    scope: &str,
    mut anchors: Anchors,
) -> Result<Vec<CodeOut>, ToolError> {
    let family = cx.family();
    if let Some(read) = cx.read {
        follow_anchors(read, &family, &mut [(scope, &mut anchors)])?;
    }
    let states = anchor_states(cx.read, &family, scope, &anchors)?;
    let symbols = anchors.symbols.into_iter().zip(&states.symbols).map(|(anchor, state)| CodeOut {
        symbol_id: Some(anchor.id.to_string()),
        name: Some(anchor.name),
        file: anchor.file,
        state: state.name(),
    });
    let files = anchors.files.into_iter().zip(&states.files).map(|(anchor, state)| CodeOut {
        symbol_id: None,
        name: None,
        file: anchor.path,
        state: state.name(),
    });
    Ok(symbols.chain(files).collect())
}
