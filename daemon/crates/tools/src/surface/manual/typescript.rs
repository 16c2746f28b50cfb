//! Actions as TypeScript declarations.

use serde_json::Value;

use super::{Depth, bounds, choices, properties, put};
use crate::call::names;
use crate::call::registry::Entry;
use crate::surface::outline;

pub(super) fn write(entry: &Entry, depth: Depth) -> String {
    let def = &entry.def;
    let tool = names::underscored(def.name);
    let mut text = format!("/** {} */\ndeclare function {tool}(args", comment(def.description));
    if depth == Depth::Compact {
        put(&mut text, format_args!(" /* {} */): object;", comment(def.needs)));
        return text;
    }
    let full = depth == Depth::Full;
    text.push_str(": ");
    object(&entry.request, full, 0, &mut text);
    text.push_str("): ");
    if full {
        object(&entry.response, true, 0, &mut text);
    } else {
        object(&outline(&entry.response), false, 0, &mut text);
    }
    text.push(';');
    text
}

fn object(schema: &Value, full: bool, depth: usize, text: &mut String) {
    let mut any = false;
    for (name, property, must) in properties(schema) {
        text.push_str(if any { "" } else { "{" });
        any = true;
        let indent = "  ".repeat(depth + 1);
        let about = property.get("description").and_then(Value::as_str).filter(|_| full);
        if let Some(about) = about {
            let bounds = bounds(property).map(|bounds| format!(" ({bounds})")).unwrap_or_default();
            put(text, format_args!("\n{indent}/** {}{bounds} */", comment(about)));
        }
        put(text, format_args!("\n{indent}{name}{}: ", if must { "" } else { "?" }));
        kind(property, full, depth + 1, text);
        text.push(';');
    }
    match (any, schema.get("additionalProperties")) {
        (true, _) => put(text, format_args!("\n{}}}", "  ".repeat(depth))),
        (false, Some(Value::Bool(false))) => text.push_str("{}"),
        (false, Some(each)) if each.is_object() => {
            text.push_str("Record<string, ");
            kind(each, full, depth, text);
            text.push('>');
        }
        (false, _) => text.push_str("Record<string, unknown>"),
    }
}

fn kind(schema: &Value, full: bool, depth: usize, text: &mut String) {
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => object(schema, full, depth, text),
        Some("array") => {
            text.push_str("Array<");
            kind(schema.get("items").unwrap_or(&Value::Null), full, depth, text);
            text.push('>');
        }
        Some("string") => match choices(schema) {
            Some(choices) => {
                let choices: Vec<String> = choices.iter().map(|choice| format!("\"{choice}\"")).collect();
                text.push_str(&choices.join(" | "));
            }
            None => text.push_str("string"),
        },
        Some("integer" | "number") => text.push_str("number"),
        Some("boolean") => text.push_str("boolean"),
        _ => text.push_str("unknown"),
    }
}

fn comment(text: &str) -> String {
    text.replace("*/", "* /")
}
