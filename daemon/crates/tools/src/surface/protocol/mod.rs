//! The parts of MCP beside tools: resources, prompts, completions. All of them are made of actions.

mod complete;
mod prompts;
mod resources;

use sdl_proto::code;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::call::pipeline::{self, Caller};
use crate::call::services::Services;
use crate::{Cancel, Code, NoProgress, Session, ToolError};
use sdl_redact::{self as redact, Level};

const METHODS: [&str; 6] = [
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// Whether [`crate::Tools::protocol`] answers this method.
pub fn is_protocol_method(method: &str) -> bool {
    METHODS.contains(&method)
}

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
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Map::new() }
    }

    /// Masks the secrets in the caller's own arguments.
    fn masked(self) -> Self {
        let Self { code, message, details } = self;
        let message = redact::mask_text(&message, Level::Likely).unwrap_or(message);
        let mut details = Value::Object(details);
        redact::mask_value(&mut details, Level::Likely);
        Self { code, message, details: details.as_object().cloned().unwrap_or_default() }
    }
}

/// One request.
struct Request<'a> {
    services: &'a Services,
    session: &'a Session,
    cancel: &'a Cancel,
}

pub(crate) fn answer_method(
    services: &Services,
    session: &Session,
    method: &str,
    params: &[u8],
    cancel: &Cancel,
) -> Result<Vec<u8>, ProtocolError> {
    let request = Request { services, session, cancel };
    match request.answer(method, params) {
        Ok(result) => Ok(result.to_string().into_bytes()),
        Err(error) => Err(error.masked()),
    }
}

impl Request<'_> {
    fn answer(&self, method: &str, params: &[u8]) -> Result<Value, ProtocolError> {
        match method {
            "resources/list" => Ok(resources::list_resources(self)),
            "resources/templates/list" => Ok(resources::resource_templates()),
            "resources/read" => resources::read_resource(self, &read_params(params)?),
            "prompts/list" => Ok(prompts::list_prompts()),
            "prompts/get" => prompts::get_prompt(read_params(params)?),
            "completion/complete" => complete::run_complete(self, &read_params(params)?),
            other => Err(refused_error(format!("no method is called {other:?}"))),
        }
    }

    /// Returns the structured answer of an action.
    fn call(&self, action: &str, args: &Value) -> Result<Map<String, Value>, ToolError> {
        let bytes = args.to_string().into_bytes();
        let served = std::cell::RefCell::default();
        let caller = Caller { session: self.session, progress: &NoProgress, cancel: self.cancel };
        pipeline::answer_call(self.services, caller, action, &bytes, &served).map(|answer| answer.structured)
    }
}

fn read_params<T: DeserializeOwned>(params: &[u8]) -> Result<T, ProtocolError> {
    let params = if params.iter().all(u8::is_ascii_whitespace) { b"{}" } else { params };
    serde_json::from_slice(params).map_err(|error| refused_error(format!("bad parameters: {error}")))
}

fn refused_error(message: String) -> ProtocolError {
    ProtocolError::new(code::INVALID_PARAMS, message)
}

/// Converts an action's error for a caller who asked for a resource.
fn not_found(uri: &str, error: &ToolError) -> ProtocolError {
    let code = match error.code {
        Code::UnknownRepo | Code::UnknownSymbol | Code::UnknownHandle | Code::HandleExpired => {
            code::RESOURCE_NOT_FOUND
        }
        Code::Internal => code::INTERNAL,
        _ => code::INVALID_PARAMS,
    };
    let mut not_found = ProtocolError::new(code, error.message.clone());
    not_found.details.insert("uri".to_owned(), uri.into());
    if let Value::Object(said) = error.to_value() {
        // `field` names an argument of the action, which the caller has not used.
        let rest = said.into_iter().filter(|(key, _)| !["code", "message", "field"].contains(&key.as_str()));
        not_found.details.extend(rest);
    }
    not_found
}
