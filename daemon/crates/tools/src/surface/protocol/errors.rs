//! Why there is no answer.

use sdl_proto::code;
use sdl_redact::{self as redact, Level};
use serde_json::{Map, Value};

use crate::{Code, ToolError};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolError {
    /// One of [`sdl_proto::code`].
    pub code: &'static str,
    /// The message, for readers.
    pub message: String,
    /// Further details: the `uri` of a missing resource, likely meanings.
    pub details: Map<String, Value>,
}

impl ProtocolError {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Map::new() }
    }

    /// Masks the secrets in the caller's own arguments.
    pub(super) fn masked(self) -> Self {
        let Self { code, message, details } = self;
        let message = redact::mask_text(&message, Level::Likely).unwrap_or(message);
        let mut details = Value::Object(details);
        redact::mask_value(&mut details, Level::Likely);
        Self { code, message, details: details.as_object().cloned().unwrap_or_default() }
    }
}

pub(super) fn refused_error(message: String) -> ProtocolError {
    ProtocolError::new(code::INVALID_PARAMS, message)
}

/// Converts an action's error for a caller who asked for a resource.
pub(super) fn not_found(uri: &str, error: &ToolError) -> ProtocolError {
    let code = match error.refusal.code {
        Code::UnknownRepo | Code::UnknownSymbol | Code::UnknownHandle | Code::HandleExpired => {
            code::RESOURCE_NOT_FOUND
        }
        Code::Internal => code::INTERNAL,
        _ => code::INVALID_PARAMS,
    };
    let mut not_found = ProtocolError::new(code, error.refusal.message.clone());
    not_found.details.insert("uri".to_owned(), uri.into());
    if let Value::Object(said) = error.to_value() {
        // `field` names an argument of the action, which the caller has not used.
        let rest = said.into_iter().filter(|(key, _)| !["code", "message", "field"].contains(&key.as_str()));
        not_found.details.extend(rest);
    }
    not_found
}

/// Converts the error of a request that went to an upstream. The protocol's own errors keep their kind.
pub(super) fn forwarded_error(error: &ToolError) -> ProtocolError {
    let details = &error.refusal.about.details;
    let number = details.get("error").and_then(|error| error.get("code")?.as_i64());
    let code = match number {
        Some(-32_002) => code::RESOURCE_NOT_FOUND,
        Some(-32_602) => code::INVALID_PARAMS,
        None if error.refusal.code == Code::InvalidArgument => code::INVALID_PARAMS,
        _ => error.refusal.code.name(),
    };
    let mut made = ProtocolError::new(code, error.refusal.message.clone());
    if let Value::Object(said) = error.to_value() {
        made.details.extend(said.into_iter().filter(|(key, _)| !["code", "message"].contains(&key.as_str())));
    }
    made
}

/// Returns the error of a call of a tool that the protocol has a number for, and so no result of the tool: a `requestState`
/// that is none of ours, or a client that can't do what the tool needs.
pub(crate) fn call_error(error: &ToolError) -> Option<ProtocolError> {
    let code = match (error.refusal.code, error.refusal.about.field.as_deref()) {
        (Code::InvalidArgument, Some("requestState")) => code::INVALID_PARAMS,
        (Code::MissingCapability, _) => code::MISSING_CAPABILITY,
        _ => return None,
    };
    Some(ProtocolError { code, ..forwarded_error(error) }.masked())
}

/// The error for something that several upstreams have. `member` is the parameter that has to name one of them.
pub(super) fn ambiguous_error(what: &str, member: &str, named: Vec<String>) -> ProtocolError {
    let message = format!("{} upstreams have {what}; name one of them: {}", named.len(), named.join(", "));
    let mut ambiguous = ProtocolError::new(code::INVALID_PARAMS, message);
    let candidates =
        named.into_iter().map(|name| Value::Object(Map::from_iter([(member.to_owned(), name.into())])));
    ambiguous.details.insert("candidates".to_owned(), candidates.collect());
    ambiguous
}
