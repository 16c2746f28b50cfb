//! Published schemas: derived from the types, converted to the subset that every client accepts, and checked against
//! it.

mod echoes;
mod lint;
mod normal;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

pub use echoes::without_echoes;
pub use lint::lint_schema;

/// Returns the schema of the values that a request type accepts. Closed: other fields are refused.
pub fn of_request<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(|s| s.inline_subschemas = true);
    normal::normalize_schema(settings.into_generator().into_root_schema_for::<T>().to_value())
}

/// Returns the schema of the values that a response type writes. Open: responses may grow.
pub fn of_response<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|s| s.inline_subschemas = true);
    let mut schema =
        normal::normalize_schema(settings.into_generator().into_root_schema_for::<T>().to_value());
    open_schema(&mut schema);
    schema
}

fn open_schema(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.get("additionalProperties") == Some(&Value::Bool(false)) {
                map.shift_remove("additionalProperties");
            }
            // An integer loses its maximum, because the width of a number is of no use to a reader.
            if map.get("type").and_then(Value::as_str) == Some("integer") {
                map.shift_remove("maximum");
            }
            map.values_mut().for_each(open_schema);
        }
        Value::Array(items) => items.iter_mut().for_each(open_schema),
        _ => {}
    }
}

/// Appends the properties of `more` to those of `schema`. Where both have one, `schema`'s stays.
pub fn extend_schema(schema: &mut Value, more: &Value) {
    let (Some(schema), Some(more)) = (schema.as_object_mut(), more.as_object()) else { return };
    if let Some(from) = more.get("properties").and_then(Value::as_object) {
        let to = schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        for (name, property) in from {
            if let Some(to) = to.as_object_mut() {
                to.entry(name.clone()).or_insert_with(|| property.clone());
            }
        }
    }
    if let Some(from) = more.get("required").and_then(Value::as_array) {
        let to = schema.entry("required").or_insert_with(|| Value::Array(Vec::new()));
        if let Some(to) = to.as_array_mut() {
            to.extend(from.iter().filter(|name| !to.contains(name)).cloned().collect::<Vec<_>>());
        }
    }
}

/// `tools/list` omits longer lists of choices.
const LISTED_CHOICES: usize = 8;

/// From this depth on, nested objects are shown without their fields.
const LISTED_DEPTH: usize = 2;

/// Returns the schema as `tools/list` shows it: names, types, the first sentence of each description, short choices and
/// required fields. The rest of the full schema (further sentences, limits, long choices, deeply nested fields) is
/// checked all the same and shown in every refusal.
pub fn terse_schema(schema: &Value) -> Value {
    terse_at(schema, 0)
}

fn terse_at(schema: &Value, depth: usize) -> Value {
    let Some(map) = schema.as_object() else { return schema.clone() };
    let mut out = Map::new();
    for (key, value) in map {
        match key.as_str() {
            "description" => {
                // Backticks cost tokens and add nothing here.
                let short = first_sentence(value.as_str().unwrap_or_default()).replace('`', "");
                out.insert(key.clone(), short.into());
            }
            "enum" if value.as_array().is_some_and(|choices| choices.len() > LISTED_CHOICES) => {}
            "type" | "enum" | "required" => {
                out.insert(key.clone(), value.clone());
            }
            "properties" if depth < LISTED_DEPTH => {
                let properties = value.as_object().into_iter().flatten();
                let properties = properties.map(|(name, schema)| (name.clone(), terse_at(schema, depth + 1)));
                out.insert(key.clone(), Value::Object(properties.collect()));
            }
            "items" => {
                let mut items = terse_at(value, depth);
                // The array has its own description.
                if let Some(items) = items.as_object_mut() {
                    items.shift_remove("description");
                }
                out.insert(key.clone(), items);
            }
            _ => {}
        }
    }
    Value::Object(out)
}

/// Returns the first sentence of a description, without its full stop.
pub fn first_sentence(text: &str) -> &str {
    let end = text.match_indices(". ").map(|(at, _)| at).next().unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    enum Detail {
        /// Least.
        Minimal,
        /// All.
        Full,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Inner {
        /// How many.
        #[schemars(range(min = 1, max = 9))]
        max_cards: Option<u32>,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Request {
        /// What to find.
        #[schemars(length(min = 1))]
        query: String,
        /// How much.
        detail: Option<Detail>,
        /// Limits.
        budget: Option<Inner>,
        #[serde(default)]
        ids: Vec<String>,
        rest: Option<Map<String, Value>>,
    }

    #[test]
    fn types_become_the_common_subset() {
        let schema = of_request::<Request>();
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "What to find.", "minLength": 1},
                    "detail": {"type": "string", "description": "How much.", "enum": ["minimal", "full"]},
                    "budget": {
                        "type": "object",
                        "description": "Limits.",
                        "properties": {
                            "maxCards": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 9}
                        },
                        "additionalProperties": false
                    },
                    "ids": {"type": "array", "items": {"type": "string"}},
                    "rest": {"type": "object"}
                },
                "required": ["query"],
                "additionalProperties": false
            })
        );
        assert_eq!(lint_schema(&schema), Vec::<String>::new());
        assert_eq!(lint_schema(&of_response::<Request>()), Vec::<String>::new());
        assert_eq!(
            terse_schema(&schema)["properties"]["budget"],
            json!({
                "type": "object",
                "description": "Limits",
                "properties": {"maxCards": {"type": "integer", "description": "How many"}}
            })
        );
    }
}
