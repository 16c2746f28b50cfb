//! Instants in arguments.

use sdl_memory::times::parse_time;

use crate::{Explained, ToolError};

/// Reads when something ends, in Unix milliseconds. An error for an instant that is over.
pub(crate) fn end_of(field: &str, text: Option<&str>, now_ms: u64) -> Result<Option<u64>, ToolError> {
    let Some(text) = text else { return Ok(None) };
    let end = u64::try_from(parse_time(field, text)?).unwrap_or(0);
    if end <= now_ms {
        return Err(ToolError::invalid(field, format!("{field} is over already; give a time to come")));
    }
    Ok(Some(end))
}

/// Reads since when something is asked for, in Unix milliseconds.
pub(crate) fn since_of(field: &str, text: Option<&str>) -> Result<Option<u64>, ToolError> {
    let Some(text) = text else { return Ok(None) };
    Ok(Some(u64::try_from(parse_time(field, text)?).unwrap_or(0)))
}
