//! Definitions as a person reads and compares them.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::definition::write_sorted;
use super::hidden::show_hidden;

/// Longer texts are cut.
const MOST_CHARS: usize = 100_000;

/// Returns a definition line by line: keys in order, prose as it is, hidden characters written out.
pub(crate) fn readable_text(object: &Map<String, Value>) -> String {
    let mut out = String::new();
    let mut names: Vec<&String> = object.keys().filter(|name| *name != "icons").collect();
    names.sort_unstable();
    for name in names {
        let value = object.get(name).unwrap_or(&Value::Null);
        write_value(name, value, 0, &mut out);
    }
    let shown = show_hidden(&out);
    if shown.chars().nth(MOST_CHARS).is_none() {
        return shown;
    }
    shown.chars().take(MOST_CHARS).chain("\n… (cut)\n".chars()).collect()
}

fn write_value(name: &str, value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    // A line end in a key must not look like another key.
    let _ = write!(out, "{indent}{}:", name.replace('\n', "\\n"));
    match value {
        Value::Object(object) if !object.is_empty() => {
            out.push('\n');
            let mut names: Vec<&String> = object.keys().collect();
            names.sort_unstable();
            for name in names {
                write_value(name, object.get(name).unwrap_or(&Value::Null), depth + 1, out);
            }
        }
        Value::String(text) if text.contains('\n') => {
            out.push('\n');
            for line in text.split('\n') {
                let _ = writeln!(out, "{indent}  | {line}");
            }
        }
        Value::String(text) => {
            let _ = writeln!(out, " {text}");
        }
        other => {
            let _ = writeln!(out, " {other}");
        }
    }
}

/// Returns the names of the fields in which two definitions differ, in order.
pub(crate) fn differing_fields(one: &Map<String, Value>, other: &Map<String, Value>) -> Vec<String> {
    let text = |object: &Map<String, Value>, name: &str| {
        let mut text = String::new();
        if let Some(value) = object.get(name) {
            write_sorted(value, &mut text);
        }
        text
    };
    let mut names: Vec<&String> = one.keys().chain(other.keys()).filter(|name| *name != "icons").collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| text(one, name) != text(other, name));
    names.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn a_definition_is_read_line_by_line() {
        let one = object(&json!({
            "name": "read", "description": "Reads.\nA\u{202e} lot.", "icons": [1],
            "inputSchema": {"type": "object", "properties": {}, "required": ["b", "a"]}
        }));
        let text = "description:\n  | Reads.\n  | A\\u{202e} lot.\ninputSchema:\n  properties: {}\n  required: \
                    [\"b\",\"a\"]\n  type: object\nname: read\n";
        assert_eq!(readable_text(&one), text);
    }

    #[test]
    fn fields_that_differ_are_named() {
        let one =
            object(&json!({"name": "a", "description": "x", "icons": [1], "inputSchema": {"a": 1, "b": 2}}));
        let same = object(&json!({"inputSchema": {"b": 2, "a": 1}, "name": "a", "description": "x"}));
        let other = object(&json!({"name": "a", "title": "t", "inputSchema": {"a": 1, "b": 3}}));
        assert!(differing_fields(&one, &same).is_empty());
        assert_eq!(differing_fields(&one, &other), ["description", "inputSchema", "title"]);
    }
}
