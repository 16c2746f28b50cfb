//! What the suite expects of a server: its tools, resources and prompts, as far as they ask nothing.

use serde_json::{Value, json};

use crate::asks::Fault;

/// One red pixel.
const IMAGE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// No sound at all.
const AUDIO: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/// Tools that ask their client something.
const ASKING: [&str; 14] = [
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_streaming_elicitation",
    "test_missing_capability",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

/// Answers a method that is about lists, resources or completions. `tools` and `prompts` are how often these lists have changed.
pub(crate) fn list(method: &str, params: &Value, tools: u64, prompts: u64) -> Result<Value, Fault> {
    Ok(match method {
        "tools/list" => json!({"tools": all_tools(tools)}),
        "resources/list" => json!({"resources": [
            {"uri": "test://static-text", "name": "static-text", "description": "Text", "mimeType": "text/plain"},
            {"uri": "test://static-binary", "name": "static-binary", "description": "An image", "mimeType": "image/png"},
        ]}),
        "resources/templates/list" => json!({"resourceTemplates": [{
            "uriTemplate": "test://template/{id}/data", "name": "template", "description": "Data of an id",
            "mimeType": "application/json",
        }]}),
        "resources/read" => return resource(params["uri"].as_str().unwrap_or_default()),
        "prompts/list" => json!({"prompts": all_prompts(prompts)}),
        "completion/complete" => {
            json!({"completion": {"values": ["paris", "park"], "total": 2, "hasMore": false}})
        }
        other => {
            let message = format!("no method {other}");
            return Err(Fault { code: -32601, message, data: Value::Null });
        }
    })
}

/// Answers a call of a tool, or a request for a prompt.
pub(crate) fn call(name: &str, args: &Value) -> Result<Value, Fault> {
    prompt(name, args).map_or_else(|| result_of(name), Ok)
}

/// The result of a tool that failed.
pub(crate) fn failed(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": true})
}

fn all_tools(changes: u64) -> Vec<Value> {
    const NAMES: [&str; 10] = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
        "test_tool_with_progress",
        "test_logging_tool",
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
    ];
    let plain =
        |name| json!({"name": name, "description": "For the suite", "inputSchema": {"type": "object"}});
    let mut tools: Vec<Value> = NAMES.into_iter().chain(ASKING).map(plain).collect();
    if changes % 2 == 1 {
        tools.push(plain("test_changed_tool"));
    }
    tools.push(json!({
        "name": "json_schema_2020_12_tool",
        "description": "Has a schema with much of the vocabulary",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }},
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false,
        },
    }));
    tools
}

fn result_of(name: &str) -> Result<Value, Fault> {
    let text = |text: &str| json!({"type": "text", "text": text});
    let image = || json!({"type": "image", "data": IMAGE, "mimeType": "image/png"});
    let content = match name {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image()]),
        "test_audio_content" => json!([{"type": "audio", "data": AUDIO, "mimeType": "audio/wav"}]),
        "test_embedded_resource" => {
            json!([embedded("test://embedded-resource", "This is an embedded resource content.")])
        }
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            image(),
            embedded("test://mixed-content-resource", r#"{"test":"data","value":123}"#),
        ]),
        "test_error_handling" => {
            return Ok(failed("This tool intentionally returns an error for testing"));
        }
        "test_tool_with_progress"
        | "test_logging_tool"
        | "test_changed_tool"
        | "test_input_required_result_capabilities"
        | "test_trigger_tool_change"
        | "test_trigger_prompt_change"
        | "json_schema_2020_12_tool" => json!([text("done")]),
        _ => return Err(Fault::invalid("no tool or prompt has this name")),
    };
    Ok(json!({"content": content}))
}

fn embedded(uri: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": "text/plain", "text": text}})
}

fn resource(uri: &str) -> Result<Value, Fault> {
    let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    let contents = match (uri, id) {
        ("test://static-text", _) => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."})
        }
        ("test://static-binary", _) => json!({"uri": uri, "mimeType": "image/png", "blob": IMAGE}),
        (_, Some(id)) => {
            let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": text.to_string()})
        }
        _ => return Err(Fault::invalid("no such resource")),
    };
    Ok(json!({"contents": [contents]}))
}

fn all_prompts(changes: u64) -> Vec<Value> {
    let argument = |name: &str| json!({"name": name, "required": true});
    let mut prompts = vec![
        json!({"name": "test_simple_prompt", "description": "Without arguments"}),
        json!({
            "name": "test_prompt_with_arguments", "description": "With two arguments",
            "arguments": [argument("arg1"), argument("arg2")],
        }),
        json!({
            "name": "test_prompt_with_embedded_resource", "description": "With a resource",
            "arguments": [argument("resourceUri")],
        }),
        json!({"name": "test_prompt_with_image", "description": "With an image"}),
        json!({"name": "test_input_required_result_prompt", "description": "Asks for its context"}),
    ];
    if changes % 2 == 1 {
        prompts.push(json!({"name": "test_changed_prompt", "description": "Comes and goes"}));
    }
    prompts
}

fn prompt(name: &str, arguments: &Value) -> Option<Value> {
    let argument = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
    let text = |text: &str| json!({"role": "user", "content": {"type": "text", "text": text}});
    let messages = match name {
        "test_simple_prompt" => json!([text("This is a simple prompt for testing.")]),
        "test_prompt_with_arguments" => json!([text(&format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument("arg1"),
            argument("arg2")
        ))]),
        "test_prompt_with_embedded_resource" => json!([
            {"role": "user", "content": embedded(&argument("resourceUri"), "Embedded resource content for testing.")},
            text("Please process the embedded resource above."),
        ]),
        "test_prompt_with_image" => json!([
            {"role": "user", "content": {"type": "image", "data": IMAGE, "mimeType": "image/png"}},
            text("Please analyze the image above."),
        ]),
        "test_changed_prompt" => json!([text("It is here now.")]),
        _ => return None,
    };
    Some(json!({"messages": messages}))
}
