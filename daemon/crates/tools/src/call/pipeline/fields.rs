//! The fields that every answer has.

use serde_json::Value;

use crate::call::answers::begin_line;
use crate::call::freshness::Freshness;
use crate::call::registry::Answer;
use crate::{Explained, ToolError};

/// Adds the freshness of the answer in both forms, because a reader of only the text must not mistake stale for
/// fresh.
pub(super) fn stamp_freshness(answer: &mut Answer, freshness: &Freshness) -> Result<(), ToolError> {
    add_field(answer, "freshness", freshness)?;
    answer.text.push_str(&freshness.line());
    Ok(())
}

/// Adds notes, in both forms.
pub(super) fn add_notes(answer: &mut Answer, notes: &[String]) -> Result<(), ToolError> {
    for note in notes {
        begin_line(&mut answer.text, format_args!("note: {note}"));
    }
    if notes.is_empty() { Ok(()) } else { add_field(answer, "notes", &notes) }
}

/// The note of an answer whose handle holds in memory only.
pub(super) fn unstored_note(error: &ToolError) -> String {
    format!("the handle is lost when the daemon restarts, because it could not be stored: {error}")
}

fn add_field(answer: &mut Answer, key: &str, value: &impl serde::Serialize) -> Result<(), ToolError> {
    let value = serde_json::to_value(value).map_err(|e| ToolError::internal("writing the answer", e))?;
    match (answer.structured.get_mut(key), value) {
        // A handler's own notes come first.
        (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
        (_, value) => {
            answer.structured.insert(key.to_owned(), value);
        }
    }
    Ok(())
}
