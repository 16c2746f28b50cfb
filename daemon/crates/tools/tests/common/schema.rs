//! Checks of what goes over the wire, by other means than those that made it.

use serde_json::Value;

/// Whether `value` fits `schema`: types, required properties, items, enums.
pub(crate) fn breaches(schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let mut out = Vec::new();
    let kind = schema["type"].as_str().unwrap_or_default();
    let fits = match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => false,
    };
    if !fits {
        out.push(format!("{place}: {kind} wanted, got {value}"));
        return out;
    }
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        match value.get(key) {
            Some(value) => out.extend(breaches(property, value, &format!("{place}.{key}"))),
            None if schema["required"].as_array().is_some_and(|all| all.contains(&key.as_str().into())) => {
                out.push(format!("{place}.{key}: missing"));
            }
            None => {}
        }
    }
    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
        out.extend(breaches(&schema["items"], item, &format!("{place}[{i}]")));
    }
    if let Some(choices) = schema["enum"].as_array()
        && !choices.contains(value)
    {
        out.push(format!("{place}: {value} is none of {choices:?}"));
    }
    out
}

/// What every `CallToolResult` of ours is.
pub(crate) fn assert_call_tool_result(result: &Value) {
    let content = result["content"].as_array().expect("content");
    assert_eq!(content.len(), 1, "{result}");
    assert_eq!(content[0]["type"], "text");
    let text = content[0]["text"].as_str().expect("text");
    assert!(result["isError"].is_boolean());
    assert!(result["structuredContent"].is_object(), "{result}");
    let json = result["structuredContent"].to_string();
    assert!(sdl_tokens::count(text) <= sdl_tokens::count(&json), "the text costs more: {text}");
    assert!(sdl_tokens::count(&json) <= 20_000);
    if result["isError"] == true {
        assert!(result["structuredContent"]["code"].is_string(), "{result}");
        assert!(!result["structuredContent"]["message"].as_str().unwrap().is_empty(), "{result}");
    }
}
