//! The parts of MCP beside tools: resources, prompts, completions. Ours are made of actions, and those of upstreams follow them.

mod complete;
mod errors;
mod pages;
mod params;
mod prompts;
mod request;
mod resources;

use crate::call::services::Services;
use crate::{Cancel, Session};
use errors::refused_error;
use request::Request;

pub use errors::ProtocolError;
pub(crate) use errors::call_error;
pub(crate) use pages::page_of_tools;

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
        Ok(result) => Ok(result),
        Err(error) => Err(error.masked()),
    }
}

impl Request<'_> {
    fn answer(&self, method: &str, params: &[u8]) -> Result<Vec<u8>, ProtocolError> {
        match method {
            "resources/list" => resources::list_resources(self, params),
            "resources/templates/list" => resources::list_templates(self, params),
            "resources/read" => resources::read_resource(self, params),
            "prompts/list" => prompts::list_prompts(self, params),
            "prompts/get" => prompts::get_prompt(self, params),
            "completion/complete" => complete::run_complete(self, params),
            other => Err(refused_error(format!("no method is called {other:?}"))),
        }
    }
}
