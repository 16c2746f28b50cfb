//! Compares an answer with its schema: the fields that either has and the other lacks.

use std::collections::BTreeSet;

use serde_json::Value;

/// Every path that a schema declares: `freshness`, `freshness.version`, `items[].name`.
pub fn declared_paths(schema: &Value) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    walk_schema(schema, "", &mut out);
    out
}

fn walk_schema(schema: &Value, place: &str, out: &mut BTreeSet<String>) {
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let place = join_path(place, key);
        walk_schema(property, &place, out);
        out.insert(place);
    }
    if let Some(items) = schema.get("items") {
        walk_schema(items, &format!("{place}[]"), out);
    }
}

/// Every path that a value has.
pub fn value_paths(value: &Value) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    walk_value(value, "", &mut out);
    out
}

fn walk_value(value: &Value, place: &str, out: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let place = join_path(place, key);
                walk_value(value, &place, out);
                out.insert(place);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk_value(item, &format!("{place}[]"), out)),
        _ => {}
    }
}

/// The paths of a value that its schema does not declare. An object that the schema says nothing more of may hold
/// anything.
pub fn undeclared_paths(schema: &Value, value: &Value) -> Vec<String> {
    let mut out = Vec::new();
    compare_value(schema, value, "", &mut out);
    out
}

fn compare_value(schema: &Value, value: &Value, place: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            let Some(properties) = schema["properties"].as_object() else {
                let rest = &schema["additionalProperties"];
                for value in map.values().filter(|_| rest.is_object()) {
                    compare_value(rest, value, &format!("{place}.*"), out);
                }
                return;
            };
            for (key, value) in map {
                let place = join_path(place, key);
                match properties.get(key) {
                    Some(property) => compare_value(property, value, &place, out),
                    None => out.push(place),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                compare_value(&schema["items"], item, &format!("{place}[]"), out);
            }
        }
        _ => {}
    }
}

fn join_path(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_declared_is_named() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}},
            "open": {"type": "object"},
        }});
        assert!(undeclared_paths(&schema, &json!({"a": [{"b": "x"}], "open": {"z": 1}})).is_empty());
        assert_eq!(undeclared_paths(&schema, &json!({"a": [{"c": 1}], "d": 1})), ["a[].c", "d"]);
        assert_eq!(declared_paths(&schema), ["a", "a[].b", "open"].map(str::to_owned).into());
        assert_eq!(value_paths(&json!({"a": [{"b": 1}, {"c": {"d": 2}}]})).len(), 4);
    }
}
