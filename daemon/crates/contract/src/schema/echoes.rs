//! What in a foreign schema says nothing to its reader.

use serde_json::{Map, Value};

/// Properties of properties are read down to this depth.
const MOST_DEPTH: usize = 8;

/// Returns a schema without the name of its dialect, and without titles of properties that only repeat the property's name, as some
/// generators write them: `time_zone` with the title `Time Zone`.
pub fn without_echoes(mut schema: Map<String, Value>) -> Map<String, Value> {
    schema.shift_remove("$schema");
    drop_titles(&mut schema, 0);
    schema
}

fn drop_titles(schema: &mut Map<String, Value>, depth: usize) {
    if depth > MOST_DEPTH {
        return;
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties {
            let Value::Object(property) = property else { continue };
            if property.get("title").and_then(Value::as_str).is_some_and(|title| is_echo(title, name)) {
                property.shift_remove("title");
            }
            drop_titles(property, depth + 1);
        }
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        drop_titles(items, depth + 1);
    }
}

/// Whether two texts have the same letters and digits.
fn is_echo(title: &str, name: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    plain(title) == plain(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn without(schema: &Value) -> Value {
        Value::Object(without_echoes(schema.as_object().cloned().unwrap()))
    }

    #[test]
    fn titles_that_repeat_a_name_are_left_out() {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "Whole", "type": "object", "required": ["time_zone"],
            "properties": {
                "time_zone": {"title": "Time Zone", "type": "string"},
                "rows": {"title": "Lines", "items": {"properties": {"cell": {"title": "Cell"}}}},
            },
        });
        let expected = json!({
            "title": "Whole", "type": "object", "required": ["time_zone"],
            "properties": {
                "time_zone": {"type": "string"},
                "rows": {"title": "Lines", "items": {"properties": {"cell": {}}}},
            },
        });
        assert_eq!(without(&schema), expected);
        assert_eq!(without(&expected), expected, "nothing is left to leave out");
    }

    #[test]
    fn a_property_called_title_stays() {
        let schema =
            json!({"properties": {"title": {"type": "string"}, "a": {"properties": {"title": true}}}});
        assert_eq!(without(&schema), schema);
        let odd = json!({"properties": {"a": true, "b": {"title": 7}}, "items": [1]});
        assert_eq!(without(&odd), odd);
        let deep = (0..500).fold(json!({"title": "a"}), |inner, _| json!({"properties": {"a": inner}}));
        assert!(without(&deep).is_object());
    }
}
