//! Rejects constructs in published schemas that some clients can't handle, such as `$ref` or a `oneOf` at the root.

use serde_json::{Map, Value};

const LONGEST_DESCRIPTION: usize = 1_500;
const FORBIDDEN: [&str; 11] = [
    "$ref",
    "$defs",
    "definitions",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "if",
    "patternProperties",
    "const",
    "$schema",
];
const TYPES: [&str; 6] = ["object", "array", "string", "integer", "number", "boolean"];

/// Every breach, each with its place. Empty for a schema that is fit to publish.
pub fn lint_schema(schema: &Value) -> Vec<String> {
    let mut breaches = Vec::new();
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        breaches.push("the root is not an object".to_owned());
    }
    walk_schema(schema, "", &mut breaches);
    breaches
}

fn walk_schema(schema: &Value, place: &str, breaches: &mut Vec<String>) {
    let Some(map) = schema.as_object() else {
        breaches.push(format!("{place}: not an object but {schema}"));
        return;
    };
    let mut say = |what: String| breaches.push(format!("{place}: {what}"));
    for key in FORBIDDEN {
        if map.contains_key(key) {
            say(format!("uses {key}"));
        }
    }
    let kind = map.get("type").and_then(Value::as_str);
    match kind {
        Some(kind) if TYPES.contains(&kind) => {}
        _ => say(format!("no concrete type but {:?}", map.get("type"))),
    }
    if kind == Some("array") && !map.contains_key("items") {
        say("an array without items".to_owned());
    }
    if let Some(format) = map.get("format") {
        say(format!("format {format}"));
    }
    let description = map.get("description").and_then(Value::as_str).unwrap_or_default();
    if description.chars().count() > LONGEST_DESCRIPTION {
        say("a description that clients cut".to_owned());
    }
    check_required(map, &mut say);
    for (name, property) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let place = format!("{place}.{name}");
        if name == "arguments" {
            breaches.push(format!("{place}: a property named arguments"));
        }
        let is_id = name.ends_with("Id") || name.ends_with("Handle");
        if is_id && property.get("type").and_then(Value::as_str) != Some("string") {
            breaches.push(format!("{place}: an id that is not a string"));
        }
        walk_schema(property, &place, breaches);
    }
    if let Some(items) = map.get("items") {
        walk_schema(items, &format!("{place}[]"), breaches);
    }
    if let Some(rest) = map.get("additionalProperties").filter(|rest| !rest.is_boolean()) {
        walk_schema(rest, &format!("{place}.*"), breaches);
    }
}

fn check_required(map: &Map<String, Value>, say: &mut impl FnMut(String)) {
    let properties = map.get("properties").and_then(Value::as_object);
    for name in map.get("required").and_then(Value::as_array).into_iter().flatten() {
        let known = name.as_str().is_some_and(|name| properties.is_some_and(|all| all.contains_key(name)));
        if !known {
            say(format!("requires {name}, which is no property"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn finds_each_breach() {
        for (schema, says) in [
            (json!({"type": "string"}), "root is not an object"),
            (json!({"type": "object", "properties": {"a": {"$ref": "#/x"}}}), "uses $ref"),
            (json!({"type": "object", "properties": {"a": true}}), "not an object but true"),
            (
                json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}),
                "no concrete type",
            ),
            (json!({"type": "object", "properties": {"a": {"type": "array"}}}), "without items"),
            (
                json!({"type": "object", "properties": {"a": {"type": "integer", "format": "uint8"}}}),
                "format",
            ),
            (json!({"type": "object", "properties": {"arguments": {"type": "object"}}}), "named arguments"),
            (
                json!({"type": "object", "properties": {"repoId": {"type": "integer"}}}),
                "id that is not a string",
            ),
            (json!({"type": "object", "required": ["x"]}), "requires \"x\""),
            (json!({"type": "object", "oneOf": []}), "uses oneOf"),
            (json!({"type": "object", "description": "x".repeat(1_501)}), "clients cut"),
        ] {
            let breaches = lint_schema(&schema).join("; ");
            assert!(breaches.contains(says), "{schema}: {breaches}");
        }
        assert!(lint_schema(&json!({"type": "object", "additionalProperties": true})).is_empty());
    }
}
