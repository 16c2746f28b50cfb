//! Blocks of entries, as documentation of servers shows them and people paste them.

use serde_json::{Map, Value};

use crate::error::SettingsError;
use crate::located::{Fault, read_located};

/// Reads the entries of a pasted block: a whole file, an object of entries, or its members without the braces. Comments
/// and commas before an end are accepted, because clients accept them.
pub fn read_block(text: &str) -> Result<Vec<(String, Value)>, SettingsError> {
    let at_start = |message: &str| SettingsError::at(text, 0, "", message);
    if text.len() > crate::MAX_BYTES {
        return Err(at_start("the block is larger than a whole file may be"));
    }
    let plain = without_comments(text);
    let is_bare = plain.trim_start().starts_with('"');
    let read = if is_bare { format!("{{{plain}}}") } else { plain };
    let located = read_located(&read).map_err(|fault| {
        let at = if is_bare { fault.at.saturating_sub(1) } else { fault.at };
        SettingsError::of_fault(text, Fault { at, ..fault })
    })?;
    let Value::Object(root) = located.to_value() else {
        return Err(at_start("a block is an object, such as {\"mcpServers\": {…}}"));
    };
    let entries = find_entries(root).ok_or_else(|| {
        at_start("no entries are here; a block looks like {\"mcpServers\": {\"NAME\": {\"command\": …}}}")
    })?;
    Ok(entries.into_iter().collect())
}

/// The object of entries in a file of some client.
pub(crate) fn find_entries(mut root: Map<String, Value>) -> Option<Map<String, Value>> {
    for place in ["mcpServers", "servers"] {
        if let Some(Value::Object(entries)) = root.shift_remove(place) {
            return Some(entries);
        }
    }
    if let Some(Value::Object(inner)) = root.get_mut("mcp")
        && let Some(Value::Object(entries)) = inner.shift_remove("servers")
    {
        return Some(entries);
    }
    let is_entry = |value: &Value| value.get("command").or(value.get("url")).is_some();
    (!root.is_empty() && root.values().all(is_entry)).then_some(root)
}

/// The text with spaces in place of comments and of commas before an end. Each byte keeps its place.
pub fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    let mut comma = None;
    while let Some(byte) = bytes.get(at).copied() {
        let rest = bytes.get(at..).unwrap_or_default();
        let end = match byte {
            b'"' => {
                comma = None;
                at = end_of_string(&bytes, at);
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
            }
            b'/' if rest.starts_with(b"/*") => {
                let inside = rest.get(2..).unwrap_or_default();
                at + inside.windows(2).position(|two| two == b"*/").map_or(rest.len(), |end| end + 4)
            }
            b',' => {
                comma = Some(at);
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            other => {
                if let Some(place) = comma.take().filter(|_| matches!(other, b'}' | b']'))
                    && let Some(byte) = bytes.get_mut(place)
                {
                    *byte = b' ';
                }
                at += 1;
                continue;
            }
        };
        let comment = bytes.get_mut(at..end).unwrap_or_default();
        comment.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end;
    }
    // Comments end at line ends and at ASCII marks, so what remains is whole characters.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}
