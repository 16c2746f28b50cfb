//! Checks texts that schemas can't check.

use crate::{Explained, ToolError};

/// Maximum number of characters of a tag.
const TAG: usize = 50;

/// Checks that a text is more than white space. Returns it without that at its ends.
pub(crate) fn check_text(field: &str, text: &str) -> Result<String, ToolError> {
    match text.trim() {
        "" => Err(ToolError::invalid(field, format!("{field} must not be empty"))),
        text => Ok(text.to_owned()),
    }
}

/// Checks tags.
pub(crate) fn check_tags(tags: &[String]) -> Result<Vec<String>, ToolError> {
    for (i, tag) in tags.iter().enumerate() {
        if tag.trim().is_empty() || tag.chars().count() > TAG {
            let message = format!("a tag has 1 to {TAG} characters");
            return Err(ToolError::invalid(format!("tags[{i}]"), message));
        }
    }
    Ok(tags.iter().map(|tag| tag.trim().to_owned()).collect())
}
