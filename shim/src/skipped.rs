//! A message that is too long to be accepted. Only its id is needed, so that the error answer can carry it.

/// How many bytes are looked at, from either end. Most clients write the id before or after everything else.
const LOOKED_AT: usize = 1024;

/// The beginning and the end of the bytes that were skipped.
#[derive(Default)]
pub(crate) struct Skipped {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Skipped {
    /// Skips more of the message.
    pub(crate) fn skip(&mut self, bytes: &[u8]) {
        let room = LOOKED_AT - self.head.len();
        self.head.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        let end = bytes.get(bytes.len().saturating_sub(LOOKED_AT)..).unwrap_or_default();
        self.tail.extend_from_slice(end);
        let excess = self.tail.len().saturating_sub(LOOKED_AT);
        self.tail.drain(..excess);
    }

    /// The message's id, as it was written, if it is near an end.
    pub(crate) fn id(&self) -> Option<&str> {
        id_in_head(&self.head).or_else(|| id_in_tail(&self.tail))
    }
}

/// The value of `id` among the outermost members that begin in the first bytes.
fn id_in_head(bytes: &[u8]) -> Option<&str> {
    let mut at = 0;
    let mut depth = 0_u32;
    let mut is_key = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = end_of_string(bytes, at)?;
                let text = bytes.get(at..end)?;
                let value = after_colon(bytes, end);
                if depth == 1 && is_key && text == b"\"id\"" {
                    let value = bytes.get(value?..)?;
                    // A value that reaches the end of the bytes may be cut.
                    return leading_scalar(value).filter(|id| id.len() < value.len());
                }
                at = end;
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                is_key = *byte == b'{';
            }
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b',' => is_key = true,
            b':' => is_key = false,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The value of `id` if it is the last of the outermost members.
fn id_in_tail(bytes: &[u8]) -> Option<&str> {
    let bytes = bytes.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end();
    let key = b"\"id\"";
    let at = bytes.windows(key.len()).rposition(|window| window == key)?;
    let before = bytes.get(..at)?.trim_ascii_end().last()?;
    let value = bytes.get(after_colon(bytes, at + key.len())?..)?;
    let id = leading_scalar(value)?;
    // Nothing may follow it: another closing brace would make it a member of something else.
    (matches!(before, b',' | b'{') && id.len() == value.len()).then_some(id)
}

fn after_colon(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let colon = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
    if rest.get(colon) != Some(&b':') {
        return None;
    }
    let value = rest.get(colon + 1..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
    Some(from + colon + 1 + value)
}

/// The offset after the string that begins at `at`.
fn end_of_string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut escaped = false;
    let rest = bytes.get(at + 1..)?;
    let end = rest.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    })?;
    Some(at + 1 + end + 1)
}

/// The whole number or the string that the bytes begin with.
fn leading_scalar(bytes: &[u8]) -> Option<&str> {
    let end = match bytes.first()? {
        b'"' => end_of_string(bytes, 0)?,
        b'-' | b'0'..=b'9' => {
            bytes.iter().position(|byte| !matches!(byte, b'-' | b'0'..=b'9')).unwrap_or(bytes.len())
        }
        _ => return None,
    };
    let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
    serde_json::from_str::<serde_json::Value>(text).ok().map(|_| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<String> {
        let mut skipped = Skipped::default();
        for piece in text.as_bytes().chunks(700) {
            skipped.skip(piece);
        }
        skipped.id().map(str::to_owned)
    }

    #[test]
    fn the_id_is_found_at_either_end() {
        let long = "x".repeat(5000);
        for (before, behind, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":""#, r#""}}"#, Some("7")),
            (r#"{ "id" : "a\"b" ,"params":{"a":""#, r#""}}"#, Some(r#""a\"b""#)),
            (r#"{"method":"m","params":{"id":1,"a":""#, r#""},"jsonrpc":"2.0","id":12}"#, Some("12")),
            (r#"{"method":"m","params":{"a":""#, r#""} , "id" : "z" } "#, Some(r#""z""#)),
            (r#"{"method":"m","params":{"a":""#, r#"","id":1}}"#, None),
            (r#"{"method":"m","params":{"a":""#, r#"\"id\":1}"}}"#, None),
            (r#"{"method":"id","params":{"id":3,"a":""#, r#""}}"#, None),
            (r#"{"method":"m","params":["id",3,""#, r#""]}"#, None),
            (r#"{"id":{"x":1},"params":{"a":""#, r#""}}"#, None),
            (r#"{"id":null,"params":{"a":""#, r#""}}"#, None),
            ("", "", None),
        ] {
            let text = format!("{before}{long}{behind}");
            assert_eq!(id(&text).as_deref(), expected, "{before}…{behind}");
        }
        let deep = format!(r#"{{"id":{}"#, "1".repeat(2000));
        assert_eq!(id(&deep), None, "a number that is cut off is no id");
    }
}
