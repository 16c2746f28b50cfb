//! The parts of a schema that descriptions show.

use serde_json::Value;

/// Returns the properties of an object's schema, with whether each is required.
pub(super) fn schema_properties(schema: &Value) -> impl Iterator<Item = (&str, &Value, bool)> {
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.map(move |(name, property)| {
        let must = required.is_some_and(|all| all.iter().any(|one| one == name));
        (name.as_str(), property, must)
    })
}

/// Returns the bounds of a number or of a list, if both are stated. Counts in answers only state that they are not
/// negative.
pub(super) fn value_bounds(schema: &Value) -> Option<String> {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    match (number("minimum"), number("maximum"), number("minItems"), number("maxItems")) {
        (Some(least), Some(most), ..) => Some(format!("{least} to {most}")),
        (_, _, Some(least), Some(most)) => Some(format!("{least} to {most} items")),
        (_, _, None, Some(most)) => Some(format!("at most {most} items")),
        _ => None,
    }
}

pub(super) fn enum_choices(schema: &Value) -> Option<Vec<&str>> {
    let choices = schema.get("enum")?.as_array()?;
    Some(choices.iter().filter_map(Value::as_str).collect())
}
