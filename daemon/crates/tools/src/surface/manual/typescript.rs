//! Actions as TypeScript declarations.

use serde_json::Value;

use super::schemas::{enum_choices, schema_properties, value_bounds};
use super::writing::{Depth, append_raw};
use crate::call::names;
use crate::call::registry::Entry;
use crate::surface::response_outline;

pub(super) fn write_action(entry: &Entry, depth: Depth) -> String {
    let def = &entry.def;
    let tool = names::underscored_name(def.name);
    let mut text = format!("/** {} */\ndeclare function {tool}(args", escape_comment(def.description));
    if depth == Depth::Compact {
        append_raw(&mut text, format_args!(" /* {} */): object;", escape_comment(def.needs)));
        return text;
    }
    let full = depth == Depth::Full;
    text.push_str(": ");
    write_object(&entry.request, full, 0, &mut text);
    text.push_str("): ");
    if full {
        write_object(&entry.response, true, 0, &mut text);
    } else {
        write_object(&response_outline(&entry.response), false, 0, &mut text);
    }
    text.push(';');
    text
}

fn write_object(schema: &Value, full: bool, depth: usize, text: &mut String) {
    let mut any = false;
    for (name, property, must) in schema_properties(schema) {
        text.push_str(if any { "" } else { "{" });
        any = true;
        let indent = "  ".repeat(depth + 1);
        let about = property.get("description").and_then(Value::as_str).filter(|_| full);
        if let Some(about) = about {
            let bounds = value_bounds(property).map(|bounds| format!(" ({bounds})")).unwrap_or_default();
            append_raw(text, format_args!("\n{indent}/** {}{bounds} */", escape_comment(about)));
        }
        append_raw(text, format_args!("\n{indent}{name}{}: ", if must { "" } else { "?" }));
        write_type(property, full, depth + 1, text);
        text.push(';');
    }
    match (any, schema.get("additionalProperties")) {
        (true, _) => append_raw(text, format_args!("\n{}}}", "  ".repeat(depth))),
        (false, Some(Value::Bool(false))) => text.push_str("{}"),
        (false, Some(each)) if each.is_object() => {
            text.push_str("Record<string, ");
            write_type(each, full, depth, text);
            text.push('>');
        }
        (false, _) => text.push_str("Record<string, unknown>"),
    }
}

fn write_type(schema: &Value, full: bool, depth: usize, text: &mut String) {
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => write_object(schema, full, depth, text),
        Some("array") => {
            text.push_str("Array<");
            write_type(schema.get("items").unwrap_or(&Value::Null), full, depth, text);
            text.push('>');
        }
        Some("string") => match enum_choices(schema) {
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

fn escape_comment(text: &str) -> String {
    text.replace("*/", "* /")
}
