//! Times in requests.

use crate::ToolError;

/// Reads a time, in Unix milliseconds. One before 1970 counts as 1970.
pub(crate) fn read_ms(field: &str, text: Option<&str>) -> Result<Option<u64>, ToolError> {
    let Some(text) = text else { return Ok(None) };
    let ms = sdl_memory::times::parse_time(field, text)?;
    Ok(Some(u64::try_from(ms).unwrap_or_default()))
}
