//! Checks of messages on the wire, independent of the code that made them.

use serde_json::Value;

/// Returns where `value` does not fit `schema`, and its parts that `schema` does not declare.
pub(crate) fn breaches(schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let validator = jsonschema::draft202012::new(schema).expect("a schema");
    let misfits =
        validator.iter_errors(value).map(|error| format!("{place}{}: {error}", error.instance_path()));
    // An action that declares nothing of its own passes on the answer of another.
    let own =
        schema["properties"].as_object().map_or(0, |all| all.keys().filter(|key| *key != "notes").count());
    if own == 0 {
        return misfits.collect();
    }
    let undeclared = sdl_tests::schema::undeclared_paths(schema, value).into_iter();
    misfits.chain(undeclared.map(|path| format!("{place} has {path}, which is not declared"))).collect()
}

/// Checks the parts that all our `CallToolResult`s have in common.
pub(crate) fn assert_call_tool_result(result: &Value) {
    let content = result["content"].as_array().expect("content");
    assert_eq!(content.len(), 1, "{result}");
    assert_eq!(content[0]["type"], "text");
    let text = content[0]["text"].as_str().expect("text");
    assert!(result["isError"].is_boolean());
    assert!(result["structuredContent"].is_object(), "{result}");
    let json = result["structuredContent"].to_string();
    assert!(sdl_tokens::count_tokens(text) <= sdl_tokens::count_tokens(&json), "the text costs more: {text}");
    assert!(sdl_tokens::count_tokens(&json) <= 20_000);
    if result["isError"] == true {
        assert!(result["structuredContent"]["code"].is_string(), "{result}");
        assert!(!result["structuredContent"]["message"].as_str().unwrap().is_empty(), "{result}");
    }
}
