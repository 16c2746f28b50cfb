//! The result of an upstream's tool on its way to the caller: its bytes are changed only where something has to be masked or
//! is too long.

use std::sync::Arc;

use sdl_redact::{Level, MASK, mask_text};
use sdl_settings::Redact;
use serde_json::{Map, Value};

use super::json_text::rewrite_strings;
use crate::{Code, Explained, ToolError};

/// How long a result may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    /// The upstream.
    pub(crate) key: Arc<str>,
    /// The most tokens of its texts.
    pub(crate) tokens: usize,
    /// Whether the client was listed the shape of the structured content, and so relies on it.
    pub(crate) keeps_structure: bool,
}

/// A result that goes to the caller as it is.
#[derive(Debug)]
pub(crate) struct Forwarded {
    /// The text of an MCP `CallToolResult`.
    pub(crate) text: String,
    /// The same as a value.
    pub(crate) object: Map<String, Value>,
    /// Whether something in it was masked.
    pub(crate) masked: bool,
    /// How long it may be where it leaves the daemon.
    pub(crate) limit: Option<Limit>,
}

impl Forwarded {
    /// Reads the result of a call: an object, whatever is in it.
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Self, ToolError> {
        let no_object = |why: &str| {
            let message = format!("its result is no JSON object ({why}); nothing of it can be passed on");
            ToolError::new(Code::UpstreamProtocol, message)
        };
        let text = String::from_utf8(bytes).map_err(|_| no_object("it is not in UTF-8"))?;
        match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Ok(Self { text, object, masked: false, limit: None }),
            Ok(_) => Err(no_object("it is another kind of value")),
            Err(error) => Err(no_object(&error.to_string())),
        }
    }

    /// Masks secrets in it: the given ones always, others as far as the entry says.
    pub(crate) fn mask(&mut self, secrets: &[String], redact: Redact) {
        let level = match redact {
            Redact::Off => None,
            Redact::Known => Some(Level::Known),
            Redact::Likely => Some(Level::Likely),
        };
        let masked = rewrite_strings(&self.text, &mut |text| mask_string(text, secrets, level));
        let Some(masked) = masked else { return };
        if let Ok(Value::Object(object)) = serde_json::from_str(&masked) {
            (self.text, self.object, self.masked) = (masked, object, true);
        }
    }

    /// Whether it asks the client something, in place of a result.
    pub(crate) fn asks(&self) -> bool {
        self.object.get("resultType").and_then(Value::as_str) == Some("input_required")
    }

    /// Whether the tool says that it failed.
    pub(crate) fn is_error(&self) -> bool {
        self.object.get("isError").and_then(Value::as_bool).unwrap_or(false)
    }
}

/// A text of a client with everything masked that may be a secret.
pub(crate) fn mask_likely(text: &str) -> String {
    mask_string(text, &[], Some(Level::Likely)).unwrap_or_else(|| text.to_owned())
}

/// Masks secrets in a text; none if it has none.
pub(crate) fn mask_string(text: &str, secrets: &[String], level: Option<Level>) -> Option<String> {
    let mut masked: Option<String> = None;
    for secret in secrets {
        let now = masked.as_deref().unwrap_or(text);
        if now.contains(secret.as_str()) {
            masked = Some(now.replace(secret.as_str(), MASK));
        }
    }
    let known = level.and_then(|level| mask_text(masked.as_deref().unwrap_or(text), level));
    known.or(masked)
}
