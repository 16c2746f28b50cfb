//! The id of an answer that can't be read, because it is too long or broken: its caller must not wait for it.

/// Bytes at either end in which the id is looked for.
pub(crate) const LOOKED_AT: usize = 1_024;

/// The number in the member `id` of the outermost object, if it is near one of the ends. Ids of our requests are numbers.
pub(crate) fn find_id(head: &[u8], tail: &[u8]) -> Option<i64> {
    id_in_head(head.get(..LOOKED_AT).unwrap_or(head)).or_else(|| id_in_tail(tail))
}

fn id_in_head(bytes: &[u8]) -> Option<i64> {
    let (mut at, mut depth) = (0, 0_u32);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = end_of_string(bytes, at)?;
                if depth == 1
                    && bytes.get(at..end) == Some(b"\"id\"")
                    && let Some(id) = number_after(bytes, end)
                {
                    return Some(id);
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The id, if it is the last member.
fn id_in_tail(bytes: &[u8]) -> Option<i64> {
    let bytes = bytes.get(bytes.len().saturating_sub(LOOKED_AT)..).unwrap_or(bytes).trim_ascii_end();
    let key = b"\"id\"";
    let at = bytes.windows(key.len()).rposition(|window| window == key)?;
    let is_key = matches!(bytes.get(..at)?.trim_ascii_end().last()?, b',' | b'{');
    let rest = bytes.get(at + key.len()..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii();
    let digits = rest.strip_suffix(b"}")?.trim_ascii();
    is_key.then(|| std::str::from_utf8(digits).ok()?.parse().ok()).flatten()
}

/// The whole number after a colon. One that reaches the end of the bytes may be cut, so it is none.
fn number_after(bytes: &[u8], from: usize) -> Option<i64> {
    let rest = bytes.get(from..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let end = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(rest.get(..end)?).ok()?.parse().ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_at_either_end() {
        let long = "x".repeat(5_000);
        for (before, after, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"a":""#, r#""}}"#, Some(7)),
            (r#"{ "id" : 12 ,"result":{"a":""#, r#""}}"#, Some(12)),
            (r#"{"result":{"id":1,"a":""#, r#""},"jsonrpc":"2.0","id":12}"#, Some(12)),
            (r#"{"result":{"a":""#, r#""},  "id" : 9 } "#, Some(9)),
            (r#"{"result":{"a":""#, r#"","id":1}}"#, None),
            (r#"{"result":{"a":""#, r#"\"id\":1}"}}"#, None),
            (r#"{"id":null,"result":{"a":""#, r#""}}"#, None),
            ("", "", None),
        ] {
            let text = format!("{before}{long}{after}");
            assert_eq!(find_id(text.as_bytes(), text.as_bytes()), expected, "{before}…{after}");
        }
        assert_eq!(find_id(br#"{"id":12"#, b""), None, "a number that is cut off is no id");
    }
}
