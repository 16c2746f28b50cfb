//! Questions of an upstream on their way to the client: which kinds may pass, and the mark that says who asks.

use serde_json::{Map, Value, json};

use super::rules::{Rules, Target};
use crate::call::origin::Way;
use sdl_settings::{Asks, Effect};

/// The method and the kind of each question that the protocol knows. The kind is the name of the client's capability.
const KINDS: &[(&str, &str)] =
    &[("elicitation/create", "elicitation"), ("sampling/createMessage", "sampling"), ("roots/list", "roots")];

/// The kind of a question, by its method.
pub(crate) fn kind_of(method: &str) -> Option<&'static str> {
    KINDS.iter().find(|(known, _)| *known == method).map(|(_, kind)| *kind)
}

/// Whether a capability is the name of a kind of questions.
pub(crate) fn is_kind(capability: &str) -> bool {
    KINDS.iter().any(|(_, kind)| *kind == capability)
}

/// How the client can be asked by an upstream: for what the entry allows, the client can answer, and no rule denies.
pub(crate) fn allowed_way(way: Way, allowed: Asks, rules: &Rules<'_>, key: &str) -> Way {
    way.retain(|kind| {
        let is_allowed = match kind {
            "elicitation" => allowed.elicitation,
            "sampling" => allowed.sampling,
            "roots" => allowed.roots,
            _ => false,
        };
        is_allowed && {
            let name = format!("ask:{kind}");
            rules.decide(Target::other(key, &name), &Map::new()).effect != Effect::Deny
        }
    })
}

/// Puts `[key]` in front of the text that the person sees, so that the question is not taken for one of another server.
/// Returns the parameters as JSON text.
pub(crate) fn mark_question(key: &str, method: &str, params: &[u8]) -> Vec<u8> {
    let Ok(mut params) = serde_json::from_slice::<Value>(params) else { return b"{}".to_vec() };
    mark_params(key, method, &mut params);
    params.to_string().into_bytes()
}

/// Does the same with each request of an `input_required`.
pub(crate) fn mark_requests(key: &str, requests: &mut Map<String, Value>) {
    for request in requests.values_mut() {
        let method = request.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(params) = request.get_mut("params") {
            mark_params(key, &method, params);
        }
    }
}

fn mark_params(key: &str, method: &str, params: &mut Value) {
    let text = match kind_of(method) {
        Some("elicitation") => params.get_mut("message"),
        Some("sampling") => params.pointer_mut("/messages/0/content").and_then(first_text),
        _ => None,
    };
    if let Some(Value::String(text)) = text {
        *text = format!("[{key}] {text}");
    }
}

/// The text of a message, which holds one block or a list of them.
fn first_text(content: &mut Value) -> Option<&mut Value> {
    match content {
        Value::Array(blocks) => blocks.iter_mut().find_map(|block| block.get_mut("text")),
        block => block.get_mut("text"),
    }
}

/// The question whether a call may be made that a rule leaves to the person: the parameters of `elicitation/create`.
pub(crate) fn confirm_question(tool: &str, args: &Map<String, Value>, why: Option<&str>) -> Value {
    /// Characters of the arguments that the person sees.
    const SHOWN: usize = 1_000;
    let args = Value::Object(args.clone()).to_string();
    let mut shown: String = args.chars().take(SHOWN).collect();
    if shown.len() < args.len() {
        shown.push('…');
    }
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    let with = if shown == "{}" { String::new() } else { format!(" with {shown}") };
    json!({
        "message": format!("[sdl] Allow {tool}{with}?{why}"),
        "requestedSchema": {
            "type": "object",
            "properties": { "allow": { "type": "boolean", "title": "Allow this call", "default": false } },
            "required": ["allow"],
        },
    })
}

/// Whether the answer to [`confirm_question`] is a yes.
pub(crate) fn is_confirmed(answer: &Value) -> bool {
    answer.get("action").and_then(Value::as_str) == Some("accept")
        && answer.pointer("/content/allow").and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_person_sees_who_asks() {
        let marked = |method: &str, params: &Value| {
            let bytes = mark_question("db", method, params.to_string().as_bytes());
            serde_json::from_slice::<Value>(&bytes).unwrap()
        };
        assert_eq!(marked("elicitation/create", &json!({"message": "Drop it?"}))["message"], "[db] Drop it?");
        let one = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "Sum up"}}]});
        assert_eq!(marked("sampling/createMessage", &one)["messages"][0]["content"]["text"], "[db] Sum up");
        let list = json!({"messages": [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "See"}]}]});
        assert_eq!(marked("sampling/createMessage", &list)["messages"][0]["content"][1]["text"], "[db] See");
        assert_eq!(marked("roots/list", &json!({})), json!({}));
    }

    #[test]
    fn only_a_plain_yes_confirms() {
        assert!(is_confirmed(&json!({"action": "accept", "content": {"allow": true}})));
        for no in [
            json!({"action": "accept", "content": {"allow": false}}),
            json!({"action": "accept"}),
            json!({"action": "decline", "content": {"allow": true}}),
            json!({"action": "accept", "content": {"allow": "true"}}),
            json!("accept"),
        ] {
            assert!(!is_confirmed(&no), "{no}");
        }
    }
}
