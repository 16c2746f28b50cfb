//! Parts of answers that several actions share.

use std::fmt::Write as _;

use schemars::JsonSchema;
use sdl_retrieve::plain;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{Explained, ToolError};

/// An object whose fields another crate defines.
pub(crate) type Object = Map<String, Value>;

/// What did not fit, and how to get it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Truncation {
    /// Always true.
    pub(crate) truncated: bool,
    /// Cards or results that did not fit.
    pub(crate) dropped_cards: u64,
    /// Edges between symbols that are given and symbols that did not fit.
    pub(crate) dropped_edges: u64,
    /// Give it to `slice.spillover.get` for the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) spillover_handle: Option<String>,
    /// What to call for the rest.
    pub(crate) how_to_resume: String,
}

impl Truncation {
    /// Formats it as one line for the text form.
    pub(crate) fn line(&self) -> String {
        format!("\n… {} more: {}", self.dropped_cards, self.how_to_resume)
    }
}

/// How long a handle holds, and for which versions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LeaseOut {
    /// When the handle expires unless it is used before, in Unix milliseconds.
    pub(crate) expires_at: u64,
    /// The oldest `knownVersion` that can still be refreshed from.
    pub(crate) min_version: String,
    /// The newest version that the handle was refreshed to.
    pub(crate) max_version: String,
}

/// Serializes a part of an answer that another crate defines.
pub(crate) fn serialize_object(value: &impl Serialize) -> Result<Object, ToolError> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(ToolError::internal("writing the answer", "a part of it is not an object")),
        Err(e) => Err(ToolError::internal("writing the answer", e)),
    }
}

/// Begins a line of an answer's text. Foreign text can't end the line: see [`plain`].
pub(crate) fn begin_line(text: &mut String, args: std::fmt::Arguments<'_>) {
    if !text.is_empty() {
        text.push('\n');
    }
    append_text(text, args);
}

/// Appends to the last line of an answer's text. Foreign text can't end the line: see [`plain`].
pub(crate) fn append_text(text: &mut String, args: std::fmt::Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = plain::Line(text).write_fmt(args);
}

/// Begins a line and appends text of several lines as it is: source, output, or lines made by [`begin_line`].
pub(crate) fn append_block(text: &mut String, lines: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(lines);
}
