//! A scripted daemon with everything that the suite expects of a server. All code between it and the suite is the
//! product's: content of each kind, errors, progress and announcements go the way that the product's own do.
//!
//! Features that the shim doesn't support, because the product never uses them, are omitted: log messages, asking the
//! client for anything, subscriptions to single resources.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use sdl_client::proto::{BUILD, Request, WireError};
use sdl_client::testing::{FakeDaemon, Reply};
use serde_json::{Value, json};

/// One red pixel.
const IMAGE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// No sound at all.
const AUDIO: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/// Listens on `socket` until it is dropped.
pub(crate) fn daemon(socket: &Path) -> io::Result<Arc<OnceLock<FakeDaemon>>> {
    // A tool that changes a list has the daemon announce it.
    let this: Arc<OnceLock<FakeDaemon>> = Arc::default();
    let itself = Arc::downgrade(&this);
    let daemon = FakeDaemon::start(socket, BUILD, move |request| {
        reply(request, |list| {
            if let Some(daemon) = itself.upgrade()
                && let Some(daemon) = daemon.get()
            {
                daemon.notify(&format!("{list}/list_changed"), b"");
            }
        })
    })?;
    this.get_or_init(|| daemon);
    Ok(this)
}

fn reply(request: &Request, announce: impl Fn(&str)) -> Reply {
    let params: Value = serde_json::from_slice(&request.params).unwrap_or_default();
    let result = match request.method.as_str() {
        "tools/list" => Ok(json!({"tools": tools()})),
        "tools/call" => {
            let name = params["name"].as_str().unwrap_or_default();
            match name {
                "test_trigger_tool_change" => announce("tools"),
                "test_trigger_prompt_change" => announce("prompts"),
                _ => {}
            }
            let result = call(name);
            if name == "test_tool_with_progress" && request.want_progress {
                let steps = [0, 50, 100].map(|at| json!({"progress": at, "total": 100}).to_string().into());
                return Reply::Progress(steps.into(), Box::new(made(result)));
            }
            result
        }
        "resources/list" => Ok(json!({"resources": [
            {"uri": "test://static-text", "name": "static-text", "description": "Text", "mimeType": "text/plain"},
            {"uri": "test://static-binary", "name": "static-binary", "description": "An image", "mimeType": "image/png"},
        ]})),
        "resources/templates/list" => Ok(json!({"resourceTemplates": [{
            "uriTemplate": "test://template/{id}/data", "name": "template", "description": "Data of an id",
            "mimeType": "application/json",
        }]})),
        "resources/read" => resource(params["uri"].as_str().unwrap_or_default()),
        "prompts/list" => Ok(json!({"prompts": prompts()})),
        "prompts/get" => prompt(params["name"].as_str().unwrap_or_default(), &params["arguments"]),
        "completion/complete" => Ok(json!({"completion": {"values": [], "total": 0, "hasMore": false}})),
        other => Err(WireError::new("unknownMethod", format!("no method `{other}`"))),
    };
    made(result)
}

fn made(result: Result<Value, WireError>) -> Reply {
    Reply::Answer(result.map(|result| result.to_string().into_bytes()))
}

fn tools() -> Vec<Value> {
    const NAMES: [&str; 11] = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
        "test_tool_with_progress",
        "test_streaming_elicitation",
        "test_logging_tool",
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
    ];
    let plain =
        |name| json!({"name": name, "description": "For the suite", "inputSchema": {"type": "object"}});
    let mut tools: Vec<Value> = NAMES.into_iter().map(plain).collect();
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

fn call(name: &str) -> Result<Value, WireError> {
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
            return Err(WireError::new("failed", "This tool intentionally returns an error for testing"));
        }
        "test_tool_with_progress"
        | "test_streaming_elicitation"
        | "test_logging_tool"
        | "test_trigger_tool_change"
        | "test_trigger_prompt_change"
        | "json_schema_2020_12_tool" => json!([text("done")]),
        _ => return Err(WireError::new("unknownTool", format!("no tool `{name}`"))),
    };
    Ok(json!({"content": content}))
}

fn embedded(uri: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": "text/plain", "text": text}})
}

fn resource(uri: &str) -> Result<Value, WireError> {
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
        _ => {
            let detail = json!({"uri": uri}).to_string();
            return Err(
                WireError::new("resourceNotFound", format!("no resource `{uri}`")).with_detail(detail)
            );
        }
    };
    Ok(json!({"contents": [contents]}))
}

fn prompts() -> Value {
    let argument = |name: &str| json!({"name": name, "required": true});
    json!([
        {"name": "test_simple_prompt", "description": "Without arguments"},
        {
            "name": "test_prompt_with_arguments", "description": "With two arguments",
            "arguments": [argument("arg1"), argument("arg2")],
        },
        {
            "name": "test_prompt_with_embedded_resource", "description": "With a resource",
            "arguments": [argument("resourceUri")],
        },
        {"name": "test_prompt_with_image", "description": "With an image"},
    ])
}

fn prompt(name: &str, arguments: &Value) -> Result<Value, WireError> {
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
        _ => return Err(WireError::new("promptNotFound", format!("no prompt `{name}`"))),
    };
    Ok(json!({"messages": messages}))
}
