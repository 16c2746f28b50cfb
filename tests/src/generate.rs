//! Calls of an action, generated from its entry in the registry: its examples, each of its fields in turn with a value
//! that fits, and each of its fields in turn with values that do not.

use serde_json::{Map, Value, json};

/// One generated call.
#[derive(Clone, Debug)]
pub struct Call {
    /// How the example was changed, for messages.
    pub what: String,
    /// The arguments, as text: a number may be larger than any type.
    pub text: String,
    /// The expected result.
    pub must: Must,
}

/// The expected result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Must {
    /// It is answered, because it is one of the action's own examples.
    Answer,
    /// At least one of the calls with this field is answered.
    Take(String),
    /// It is refused.
    Refuse,
}

/// A field of a schema, at any depth.
#[derive(Clone, Debug)]
pub struct Field {
    /// From the root; an item of a list is [`Step::Item`].
    pub path: Vec<Step>,
    /// Its schema.
    pub schema: Value,
    /// Whether it is required wherever its parent is present.
    pub required: bool,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A key of an object.
    Key(String),
    /// An item of a list.
    Item,
}

impl Field {
    /// `budget.maxCards`, `symbolRefs[].name`.
    pub fn name(&self) -> String {
        path_name(&self.path)
    }
}

/// A path as text.
pub fn path_name(path: &[Step]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            Step::Item => out.push_str("[]"),
            Step::Key(key) if out.is_empty() => out.push_str(key),
            Step::Key(key) => {
                out.push('.');
                out.push_str(key);
            }
        }
    }
    out
}

/// Every field that a schema declares, parents before their parts.
pub fn schema_fields(schema: &Value) -> Vec<Field> {
    let mut out = Vec::new();
    collect_fields(schema, &mut Vec::new(), &mut out);
    out
}

fn collect_fields(schema: &Value, at: &mut Vec<Step>, out: &mut Vec<Field>) {
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let required = schema["required"].as_array().is_some_and(|all| all.contains(&key.as_str().into()));
        at.push(Step::Key(key.clone()));
        out.push(Field { path: at.clone(), schema: property.clone(), required });
        collect_fields(property, at, out);
        at.pop();
    }
    if let Some(items) = schema.get("items") {
        at.push(Step::Item);
        collect_fields(items, at, out);
        at.pop();
    }
}

/// A value that fits `schema`. `text` gives the text for a field's name, and the keys of maps for `field.key`. A text
/// that looks like a number becomes a number.
pub fn fitting_value(schema: &Value, field: &str, text: &dyn Fn(&str) -> String) -> Value {
    if let Some(choices) = schema["enum"].as_array() {
        let known = choices.iter().find(|choice| **choice == text(field).as_str());
        return known.or(choices.last()).cloned().unwrap_or_default();
    }
    match schema["type"].as_str().unwrap_or_default() {
        "object" => {
            let mut out = Map::new();
            for (key, property) in schema["properties"].as_object().into_iter().flatten() {
                if schema["required"].as_array().is_some_and(|all| all.contains(&key.as_str().into())) {
                    out.insert(key.clone(), fitting_value(property, key, text));
                }
            }
            if schema["additionalProperties"].is_object() {
                out.insert(
                    text(&format!("{field}.key")),
                    fitting_value(&schema["additionalProperties"], field, text),
                );
            }
            Value::Object(out)
        }
        "array" => json!([fitting_value(&schema["items"], field, text)]),
        "string" => text(field).into(),
        "integer" => {
            if let Ok(known) = text(field).parse::<i64>() {
                return known.into();
            }
            let (min, max) = (schema["minimum"].as_i64().unwrap_or(0), schema["maximum"].as_i64());
            max.map_or(min.max(1_500), |max| min.max(1) + (max - min.max(1)) / 3).into()
        }
        "number" => json!(0.25),
        _ => true.into(),
    }
}

/// Every call generated from `schema` and these `examples`, which fit it.
pub fn generate_calls(schema: &Value, examples: &[Value], text: &dyn Fn(&str) -> String) -> Vec<Call> {
    let mut out = Vec::new();
    for example in examples {
        out.push(Call { what: "an example".into(), text: example.to_string(), must: Must::Answer });
    }
    for field in schema_fields(schema) {
        let name = field.name();
        let key = field.path.iter().rev().find_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Item => None,
        });
        let key = key.unwrap_or_default();
        for example in examples {
            let mut args = example.clone();
            put_value(&mut args, schema, &field.path, fitting_value(&field.schema, key, text), text);
            let what = format!("an example with {name}");
            out.push(Call { what, text: args.to_string(), must: Must::Take(name.clone()) });
        }
        let Some(example) = examples.first() else { continue };
        for (why, bad) in misfit_values(&field) {
            let mut args = example.clone();
            put_value(&mut args, schema, &field.path, Value::from(MARK), text);
            let text = args.to_string().replace(&format!("\"{MARK}\""), &bad);
            out.push(Call { what: format!("{name} {why}"), text, must: Must::Refuse });
        }
        out.extend(misspelled_calls(schema, example, &field, text));
    }
    out
}

/// A placeholder for a value that no `Value` can express.
const MARK: &str = "@@";

/// Values that do not fit a field, as JSON text, each with its fault.
fn misfit_values(field: &Field) -> Vec<(&'static str, String)> {
    let schema = &field.schema;
    let mut out: Vec<(&'static str, String)> = Vec::new();
    let kind = schema["type"].as_str().unwrap_or_default();
    out.push((
        "of another type",
        match kind {
            "string" => "[true]",
            "array" => "{\"a\":1}",
            "object" => "[1]",
            "boolean" => "3",
            _ => "\"many\"",
        }
        .to_owned(),
    ));
    if kind != "string" {
        out.push(("as text that is no JSON", "\"{\"".to_owned()));
        out.push(("as text within text", json!(json!("1").to_string()).to_string()));
    }
    if field.required {
        out.push(("null", "null".to_owned()));
    }
    if !schema["enum"].is_null() {
        out.push(("that is no choice", "\"nothing\"".to_owned()));
    }
    if let Some(min) = schema["minimum"].as_i64() {
        out.push(("too small", (min - 1).to_string()));
    }
    if let Some(max) = schema["maximum"].as_i64() {
        out.push(("too large", (max + 1).to_string()));
    }
    if kind == "integer" {
        out.push(("broken", "1.5".to_owned()));
    }
    if kind == "integer" || kind == "number" {
        out.push(("huge", "1e400".to_owned()));
    }
    if schema["minLength"].as_u64().is_some_and(|min| min > 0) {
        out.push(("empty", "\"\"".to_owned()));
    }
    if let Some(most) = schema["maxLength"].as_u64().filter(|most| *most <= 3_000) {
        out.push(("too long", json!("x".repeat(most as usize + 1)).to_string()));
    }
    if schema["minItems"].as_u64().is_some_and(|min| min > 0) {
        out.push(("with too few items", "[]".to_owned()));
    }
    if let Some(most) = schema["maxItems"].as_u64().filter(|most| *most <= 200) {
        let item = fitting_value(&schema["items"], "", &|_| "x".to_owned());
        out.push(("with too many items", Value::from(vec![item; most as usize + 1]).to_string()));
    }
    out
}

/// Calls with a field's name spelled wrong, twice, or left out.
fn misspelled_calls(
    schema: &Value,
    example: &Value,
    field: &Field,
    text: &dyn Fn(&str) -> String,
) -> Vec<Call> {
    let Some((Step::Key(key), parent)) = field.path.split_last() else { return Vec::new() };
    let name = field.name();
    let refused = |what: String, args: &Value| Call { what, text: args.to_string(), must: Must::Refuse };
    let mut out = Vec::new();
    let value = fitting_value(&field.schema, key, text);
    let mut args = example.clone();
    put_value(&mut args, schema, &field.path, value.clone(), text);
    let Some(Value::Object(beside)) = value_at(&mut args, parent) else { return out };
    let whole = beside.clone();
    beside.insert(format!("{key}x"), value.clone());
    out.push(refused(format!("{name}x, which is no field"), &args));
    let snake = snake_case(key);
    if snake != *key
        && let Some(Value::Object(beside)) = value_at(&mut args, parent)
    {
        beside.clone_from(&whole);
        beside.insert(snake, value);
        out.push(refused(format!("{name} in both spellings"), &args));
    }
    if field.required
        && let Some(Value::Object(beside)) = value_at(&mut args, parent)
    {
        beside.clone_from(&whole);
        beside.shift_remove(key);
        out.push(refused(format!("without {name}"), &args));
    }
    out
}

/// Puts a value at a path, and creates the parents that are missing.
pub fn put_value(
    args: &mut Value,
    schema: &Value,
    path: &[Step],
    value: Value,
    text: &dyn Fn(&str) -> String,
) {
    let Some((step, rest)) = path.split_first() else {
        *args = value;
        return;
    };
    let (inner, schema) = match step {
        Step::Key(key) => {
            let schema = &schema["properties"][key];
            if !args.is_object() {
                *args = json!({});
            }
            let Value::Object(map) = args else { return };
            (map.entry(key.clone()).or_insert_with(|| fitting_value(schema, key, text)), schema)
        }
        Step::Item => {
            let Value::Array(items) = args else { return };
            if items.is_empty() {
                items.push(fitting_value(&schema["items"], "", text));
            }
            let Some(first) = items.first_mut() else { return };
            (first, &schema["items"])
        }
    };
    put_value(inner, schema, rest, value, text);
}

/// The value at a path; in a list, that of the first item.
fn value_at<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Item => value.get_mut(0),
    })
}

/// `knownCardEtags` as `known_card_etags`.
pub fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The same arguments with the declared names of all fields in snake case.
pub fn in_snake_case(schema: &Value, value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| match schema["properties"].get(key) {
                Some(property) => (snake_case(key), in_snake_case(property, value)),
                None => (key.clone(), value.clone()),
            })
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(|item| in_snake_case(&schema["items"], item)).collect(),
        value => value.clone(),
    }
}

/// The same arguments with every value that is not a text turned into a text, at every depth that a schema knows.
pub fn stringify_values(schema: &Value, value: &Value) -> Value {
    let Value::Object(map) = value else { return value.clone() };
    let inside = |key: &str, value: &Value| {
        let schema = &schema["properties"][key];
        match value {
            Value::String(_) => value.clone(),
            Value::Object(_) => stringify_values(schema, value).to_string().into(),
            value => value.to_string().into(),
        }
    };
    map.iter().map(|(key, value)| (key.clone(), inside(key, value))).collect::<Map<_, _>>().into()
}

/// The same arguments as a chain's step, in which a dollar sign would begin a reference.
pub fn as_step(value: &Value) -> Value {
    match value {
        Value::String(text) if text.starts_with('$') => Value::from(format!("${text}")),
        Value::Array(items) => items.iter().map(as_step).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), as_step(value))).collect(),
        value => value.clone(),
    }
}

/// Fields in which the answers to two equal calls may differ, each with its reason.
pub const VOLATILE: &[(&str, &str)] = &[
    ("sliceHandle", "a handle is drawn for each call"),
    ("handle", "the handle in a slice's etag"),
    ("spilloverHandle", "drawn for each call"),
    ("artifactHandle", "drawn for each call"),
    ("feedbackId", "says when it was given"),
    ("messageId", "each call sends a message of its own"),
    ("dispatchId", "each call starts a dispatch of its own"),
    ("activityId", "each call logs an entry of its own"),
    ("lastCallMs", "goes on"),
    ("leaseUntil", "counted from the call"),
    ("expiresAt", "counted from the call"),
    ("lastEventMs", "counted from the call"),
    ("durationMs", "takes the time it takes"),
    ("uptimeMs", "goes on"),
    ("surfaceVersion", "each client is listed tools of its own"),
    ("ageMs", "goes on"),
    ("lagMs", "goes on"),
    ("memory", "the process lives"),
    ("operationId", "names one piece of work"),
    ("auditHash", "each decision is a row of its own"),
    ("revision", "each change has its own"),
    ("replayed", "the same request came before"),
    ("cleared", "counts those of the moment"),
    ("replaced", "something of that name was there before"),
    ("storeRevision", "counts the changes"),
    ("createdAt", "the clock"),
    ("updatedAt", "the clock"),
    ("created", "the first call makes what the second finds"),
    ("deduplicated", "the first call makes what the second finds"),
    ("indexing", "goes on"),
    ("parsed", "a full index of the first call is there for the second"),
    ("reused", "a full index of the first call is there for the second"),
    ("warnings", "the first call closes the buffer that the second does not find"),
    ("checkpointed", "the first call drops what the second does not find"),
    ("overlayVersion", "the first call changes what lies over the tree"),
    ("overlay", "the first call changes what lies over the tree"),
    // Calls count calls.
    ("calls", "counts calls"),
    ("failedCalls", "counts calls"),
    ("tokensServed", "counts answers"),
    ("saved", "counts answers"),
    ("byAction", "counts answers"),
    ("byRung", "counts answers"),
    ("filesRead", "counts answers"),
    ("tokensOfFilesRead", "counts answers"),
];

/// A structured answer or error without the [`VOLATILE`] fields, and without the counts of tokens that include them.
///
/// A count is dropped only from an object that holds something volatile: the time that a process is up takes
/// a token more once it has a digit more.
pub fn mask_volatile(mut value: Value) -> Value {
    /// Whether anything volatile was in it.
    fn scrub(value: &mut Value) -> bool {
        match value {
            Value::Object(map) => {
                let before = map.len();
                map.retain(|key, value| {
                    // A memory's own text or an object of memories is not the process's memory.
                    !VOLATILE.iter().any(|(name, _)| name == key) || (key == "memory" && !value.is_object())
                });
                let mut found = map.len() < before;
                for inside in map.values_mut() {
                    found |= scrub(inside);
                }
                if found {
                    match map.get_mut("tokens") {
                        Some(Value::Number(_)) => drop(map.remove("tokens")),
                        Some(Value::Object(counts)) => counts.retain(|key, _| key == "budget"),
                        _ => {}
                    }
                }
                found
            }
            Value::Array(items) => {
                // Each item is scrubbed, also those after the first one that held a volatile field.
                items.iter_mut().fold(false, |found, item| scrub(item) | found)
            }
            _ => false,
        }
    }
    scrub(&mut value);
    value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::mask_volatile;

    #[test]
    fn a_count_goes_only_with_what_it_counted() {
        let answer = |up: u64, tokens: u64| {
            json!({
                "steps": [
                    {"tokens": tokens, "result": {"uptimeMs": up, "state": "live"}},
                    {"tokens": 7, "result": {"state": "live"}},
                ],
                "tokens": {"made": tokens + 7, "given": tokens + 7, "budget": 4000},
            })
        };
        assert_eq!(mask_volatile(answer(999, 20)), mask_volatile(answer(1_000, 21)));
        let kept = mask_volatile(answer(999, 20));
        assert_eq!(kept["steps"][1]["tokens"], 7);
        assert_eq!(kept["tokens"], json!({"budget": 4000}));
    }
}
