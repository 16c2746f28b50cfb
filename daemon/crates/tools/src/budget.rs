//! How much an answer may take, in exact tokens of its serialized form.

use serde::Serialize;

use crate::ToolError;

/// Answers without a budget of their own stay below this.
pub(crate) const DEFAULT_TOKENS: usize = 8_000;
/// No answer is above this.
pub(crate) const MOST_TOKENS: usize = 20_000;

/// The tokens of `value` as JSON.
pub(crate) fn of(value: &impl Serialize) -> Result<usize, ToolError> {
    let text =
        serde_json::to_string(value).map_err(|e| ToolError::internal("writing an answer as JSON", e))?;
    Ok(count(&text))
}

/// The tokens of `text`.
pub(crate) fn count(text: &str) -> usize {
    sdl_tokens::count(text)
}

/// Whether `text` has more than `limit` tokens; looks no further than that.
pub(crate) fn is_above(text: &str, limit: usize) -> bool {
    // No token is shorter than a byte: a text with fewer bytes than that needs no counting.
    text.len() > limit && sdl_tokens::count_at_most(text, limit).is_none()
}

/// How many of `items` stay when so many are dropped from the end that at least `excess` tokens go.
pub(crate) fn keeping<T: Serialize>(items: &[T], excess: usize) -> Result<usize, ToolError> {
    let mut gone = 0;
    let mut kept = items.len();
    // A dropped item's own tokens may be one more than what the whole shrinks by, where it joined its neighbours.
    while gone < excess && kept > 0 {
        kept -= 1;
        gone += items.get(kept).map(of).transpose()?.unwrap_or(0).saturating_sub(1);
    }
    Ok(kept)
}
