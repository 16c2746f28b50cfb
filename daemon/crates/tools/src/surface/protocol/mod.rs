//! The parts of MCP beside tools: resources, prompts, completions. All of them are made of actions.

mod complete;
mod errors;
mod prompts;
mod request;
mod resources;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::call::services::Services;
use crate::{Cancel, Session};
use errors::refused_error;
use request::Request;

pub use errors::ProtocolError;

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
}

fn read_params<T: DeserializeOwned>(params: &[u8]) -> Result<T, ProtocolError> {
    let params = if params.iter().all(u8::is_ascii_whitespace) { b"{}" } else { params };
    serde_json::from_slice(params).map_err(|error| refused_error(format!("bad parameters: {error}")))
}
