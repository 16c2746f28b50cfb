//! JSON as people write it: two spaces, and short lists on one line.

use serde_json::{Map, Value};

/// Longer lists have a line for each item.
const MAX_COLUMNS: usize = 100;

/// Prints the whole document.
pub(super) fn print_root(root: &Map<String, Value>) -> String {
    let mut out = String::new();
    print_object(root, 0, &mut out);
    out.push('\n');
    out
}

fn print_value(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(members) => print_object(members, depth, out),
        Value::Array(items) => print_list(items, depth, out),
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn print_object(members: &Map<String, Value>, depth: usize, out: &mut String) {
    if members.is_empty() {
        return out.push_str("{}");
    }
    out.push('{');
    for (number, (key, value)) in members.iter().enumerate() {
        out.push_str(if number == 0 { "\n" } else { ",\n" });
        indent_line(depth + 1, out);
        out.push_str(&Value::from(key.as_str()).to_string());
        out.push_str(": ");
        print_value(value, depth + 1, out);
    }
    out.push('\n');
    indent_line(depth, out);
    out.push('}');
}

fn print_list(items: &[Value], depth: usize, out: &mut String) {
    let is_flat = !items.iter().any(|item| item.is_object() || item.is_array());
    if is_flat {
        let flat = items.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
        let used = out.len() - out.rfind('\n').map_or(0, |newline| newline + 1);
        if used + flat.len() + 2 <= MAX_COLUMNS {
            out.push_str(&format!("[{flat}]"));
            return;
        }
    }
    out.push('[');
    for (number, item) in items.iter().enumerate() {
        out.push_str(if number == 0 { "\n" } else { ",\n" });
        indent_line(depth + 1, out);
        print_value(item, depth + 1, out);
    }
    out.push('\n');
    indent_line(depth, out);
    out.push(']');
}

fn indent_line(depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}
