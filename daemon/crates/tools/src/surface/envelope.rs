//! The bytes of an MCP `CallToolResult`.

use serde_json::Value;

use crate::ToolError;
use crate::call::answers::begin_line;
use crate::call::budget;
use crate::call::registry::Answer;

/// Returns the result of an answered call, and the tokens of its structured content.
pub(crate) fn answer_result(answer: Answer) -> (Vec<u8>, usize) {
    let structured = Value::Object(answer.structured).to_string();
    let tokens = match budget::check_tokens(&structured) {
        Ok(tokens) => tokens,
        Err(error) => return error_result(&error),
    };
    (write_result(&structured, tokens, &answer.text, false), tokens)
}

/// Returns the result of a refused or failed call, and the tokens of its structured content.
pub(crate) fn error_result(error: &ToolError) -> (Vec<u8>, usize) {
    let structured = error.to_value().to_string();
    let tokens = budget::text_tokens(&structured);
    (write_result(&structured, tokens, &text_of(error), true), tokens)
}

fn write_result(structured: &str, tokens: usize, text: &str, is_error: bool) -> Vec<u8> {
    // The text is for readers without structured content. Where it would cost more than the JSON, the JSON is used.
    let text = if budget::is_above(text, tokens) { structured } else { text };
    let mut out = Vec::with_capacity(structured.len() + text.len() + 128);
    out.extend_from_slice(br#"{"content":[{"type":"text","text":"#);
    out.extend_from_slice(Value::from(text).to_string().as_bytes());
    out.extend_from_slice(br#"}],"structuredContent":"#);
    out.extend_from_slice(structured.as_bytes());
    out.extend_from_slice(if is_error { br#","isError":true}"# } else { br#","isError":false}"# });
    out
}

fn text_of(error: &ToolError) -> String {
    let code = serde_json::to_value(error.refusal.code).unwrap_or_default();
    let mut text = String::new();
    begin_line(&mut text, format_args!("{}: {}", code.as_str().unwrap_or("internal"), error.refusal.message));
    if !error.refusal.about.candidates.is_empty() {
        text.push_str("\nCandidates:");
        for candidate in &error.refusal.about.candidates {
            let parts: Vec<String> = candidate
                .0
                .values()
                .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                .collect();
            begin_line(&mut text, format_args!("- {}", parts.join(" ")));
        }
    }
    if let Some(next) = &error.next_best_action {
        begin_line(&mut text, format_args!("Next: {} {}", next.tool, next.args));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Candidate, Code, Explained};

    #[test]
    fn text_never_costs_more_than_the_json() {
        let structured = json!({"a": 1}).as_object().cloned().unwrap();
        let long = Answer { structured: structured.clone(), text: "word ".repeat(50) };
        let result: Value = serde_json::from_slice(&answer_result(long).0).unwrap();
        assert_eq!(result["content"][0]["text"], r#"{"a":1}"#);
        let short = Answer { structured, text: "a".into() };
        let result: Value = serde_json::from_slice(&answer_result(short).0).unwrap();
        assert_eq!(result["content"][0]["text"], "a");
        assert_eq!(result["structuredContent"], json!({"a": 1}));
        assert_eq!(result["isError"], json!(false));
    }

    #[test]
    fn errors_are_results() {
        let error = ToolError::new(Code::UnknownSymbol, "no symbol \"x\"\n")
            .at("symbolId")
            .or_one_of([Candidate::of("symbolId", "s_1").with("name", "y")])
            .next("sdl_symbol_search", json!({"query": "x"}), "look it up");
        let result: Value = serde_json::from_slice(&error_result(&error).0).unwrap();
        assert_eq!(result["isError"], json!(true));
        let body = &result["structuredContent"];
        assert_eq!(body["code"], "unknownSymbol");
        assert_eq!(body["candidates"], json!([{"symbolId": "s_1", "name": "y"}]));
        assert_eq!(body["nextBestAction"]["args"], json!({"query": "x"}));
        assert!(result["content"][0]["text"].as_str().unwrap().contains("- s_1 y"));
    }
}
