//! Rewrites the schemas of schemars into the subset that every client accepts.

use serde_json::{Map, Value};

/// Keys that survive, in the order in which they are written.
const KEPT: [&str; 13] = [
    "type",
    "description",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
];

/// Returns the schema in the common subset: nullable as plain, a choice of constants as an enum, no titles, formats or
/// defaults. Constructs without a form in the subset are kept, for the lint to find.
pub(super) fn normalize_schema(schema: Value) -> Value {
    let Value::Object(mut map) = schema else { return schema };
    collapse_nullable(&mut map);
    collapse_choices(&mut map);
    if let Some(single) = map.shift_remove("const") {
        map.insert("enum".into(), Value::Array(vec![single]));
    }
    if map.get("additionalProperties") == Some(&Value::Bool(true)) {
        map.shift_remove("additionalProperties");
    }
    if let Some(text) = map.get("description").and_then(Value::as_str) {
        // Unwraps lines and removes links, because both come from doc comments and have no meaning in a schema.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        map.insert("description".into(), text.replace("[`", "`").replace("`]", "`").into());
    }
    for dropped in ["$schema", "title", "format", "default", "examples"] {
        map.shift_remove(dropped);
    }
    let mut out = Map::new();
    for key in KEPT {
        if let Some(value) = map.shift_remove(key) {
            out.insert(key.to_owned(), normalize_within(key, value));
        }
    }
    out.extend(map);
    Value::Object(out)
}

fn normalize_within(key: &str, value: Value) -> Value {
    match (key, value) {
        ("properties", Value::Object(properties)) => Value::Object(
            properties.into_iter().map(|(name, schema)| (name, normalize_schema(schema))).collect(),
        ),
        ("items" | "additionalProperties", schema) => normalize_schema(schema),
        // `minimum: 0` is kept although it only says "unsigned", because it tells a model that -1 is not allowed.
        (_, value) => value,
    }
}

/// `type: [t, null]` and `anyOf: [t, null]` become `t`: null is absence everywhere.
fn collapse_nullable(map: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = map.get("type") {
        let others: Vec<&Value> = types.iter().filter(|t| t.as_str() != Some("null")).collect();
        if let [only] = others[..] {
            let only = only.clone();
            map.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(variants)) = map.get("anyOf") {
        let is_null = |schema: &&Value| schema.get("type").and_then(Value::as_str) != Some("null");
        let others: Vec<&Value> = variants.iter().filter(is_null).collect();
        if let [Value::Object(only)] = others[..] {
            let only = only.clone();
            map.shift_remove("anyOf");
            for (key, value) in only {
                // The field's own description is closer to the reader than its type's.
                map.entry(key).or_insert(value);
            }
        }
    }
    if let Some(Value::Array(choices)) = map.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
}

/// `oneOf` of string constants becomes one enum, for example `["stop", "continue"]`. schemars writes an enum with
/// documented variants in that form.
fn collapse_choices(map: &mut Map<String, Value>) {
    let Some(Value::Array(variants)) = map.get("oneOf") else { return };
    let mut choices = Vec::new();
    for variant in variants {
        match (variant.get("const"), variant.get("enum").and_then(Value::as_array)) {
            (Some(single @ Value::String(_)), _) => choices.push(single.clone()),
            (None, Some(several)) => choices.extend(several.iter().cloned()),
            _ => return,
        }
    }
    map.shift_remove("oneOf");
    map.insert("type".into(), "string".into());
    map.insert("enum".into(), Value::Array(choices));
}
