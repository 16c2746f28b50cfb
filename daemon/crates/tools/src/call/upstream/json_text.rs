//! Edits the strings of a JSON text and leaves every other byte as it is: numbers such as `1e400` and `1.50`, the order of
//! keys, white space.

/// Hands each string of a JSON text, keys included, to `rewrite`, and puts the texts that it returns in their places. None
/// if nothing changes. A string that no reader understands, such as half of a surrogate pair, stays.
pub(crate) fn rewrite_strings(text: &str, rewrite: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    let mut out: Option<String> = None;
    // Up to here `text` is in `out`.
    let (mut copied, mut at) = (0, 0);
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('"')).map(|found| at + found) {
        let Some(end) = end_of_string(text, start) else { break };
        at = end;
        let Some(literal) = text.get(start..end) else { break };
        let inner = literal.get(1..literal.len() - 1).unwrap_or_default();
        let changed = if inner.contains('\\') {
            serde_json::from_str::<String>(literal).ok().and_then(|inner| rewrite(&inner))
        } else {
            rewrite(inner)
        };
        if let Some(changed) = changed {
            let out = out.get_or_insert_default();
            out.push_str(text.get(copied..start).unwrap_or_default());
            out.push_str(&serde_json::Value::from(changed).to_string());
            copied = end;
        }
    }
    out.map(|mut out| {
        out.push_str(text.get(copied..).unwrap_or_default());
        out
    })
}

/// Returns the offset after the string that begins at `start`.
fn end_of_string(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_strings_that_change_are_written_again() {
        let text = r#"{ "a" : [1.50, 1e400, "x\u00e9\"secret\"" , "\ud800"],"b\/":"keep\/this" }"#;
        assert_eq!(rewrite_strings(text, &mut |_| None), None);
        let mask = &mut |inner: &str| inner.contains("secret").then(|| inner.replace("secret", "***"));
        let masked = rewrite_strings(text, mask).unwrap();
        assert_eq!(masked, r#"{ "a" : [1.50, 1e400, "xé\"***\"" , "\ud800"],"b\/":"keep\/this" }"#);
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in ".*") {
            rewrite_strings(&text, &mut |_| Some(String::new()));
        }

        #[test]
        fn every_string_of_a_value_is_seen(strings in proptest::collection::vec(".*", 0..8)) {
            let text = serde_json::json!({"all": strings}).to_string();
            let mut seen = Vec::new();
            rewrite_strings(&text, &mut |inner| { seen.push(inner.to_owned()); None });
            prop_assert_eq!(&seen[1..], &strings[..]);
        }
    }
}
