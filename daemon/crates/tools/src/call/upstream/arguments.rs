//! The arguments of an upstream's tool: passed on as they were given, but for values that a client turned into text.

use serde_json::{Map, Value};

/// Turns texts back into the values that the tool's schema asks for. Some clients send `"[1, 2]"` for a list or `"3"` for a
/// number. A text stays where the schema takes texts, and where it is no such value.
pub(crate) fn unwrap_texts(args: &mut Map<String, Value>, schema: &Value) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, value) in args {
        let Value::String(text) = value else { continue };
        let Some(wanted) = properties.get(name).and_then(wanted_types) else { continue };
        if wanted.contains(&"string") {
            continue;
        }
        let Ok(read) = sdl_json::parse(text.as_bytes()) else { continue };
        if wanted.iter().any(|kind| is_of_type(&read, kind)) {
            *value = read;
        }
    }
}

/// The types that a schema names at its top; none if it takes anything.
fn wanted_types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(one) => Some(vec![one]),
        Value::Array(several) => Some(several.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

fn is_of_type(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_texts_that_the_schema_does_not_take_are_read() {
        let schema = json!({"properties": {
            "list": {"type": "array"}, "count": {"type": "integer"}, "on": {"type": ["boolean", "null"]},
            "text": {"type": "string"}, "either": {"type": ["string", "number"]}, "any": {}
        }});
        let mut args = json!({
            "list": "[1, 1.50]", "count": "3", "on": "true", "text": "[1]", "either": "3", "any": "3", "other": "3"
        });
        unwrap_texts(args.as_object_mut().unwrap(), &schema);
        let expected =
            r#"{"list":[1,1.50],"count":3,"on":true,"text":"[1]","either":"3","any":"3","other":"3"}"#;
        assert_eq!(args.to_string(), expected);
        let mut kept = json!({"list": "1, 2", "count": "3.5", "on": "yes"});
        let before = kept.clone();
        unwrap_texts(kept.as_object_mut().unwrap(), &schema);
        assert_eq!(kept, before);
    }
}
