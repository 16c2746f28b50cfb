//! The parts of MCP beside tools: resources, prompts, completions. Ours are made of actions, and those of upstreams follow them.

mod complete;
mod errors;
mod pages;
mod params;
mod prompts;
mod request;
mod resources;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::call::origin::{Origin, Shown};
use crate::call::pipeline::Caller;
use crate::call::services::Services;
use crate::host::{Client, NoClient};
use crate::{Cancel, Progress, Session};
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

/// A request of one of these methods as a client sent it.
#[derive(Clone, Copy)]
pub struct MethodRequest<'a> {
    /// The method.
    pub method: &'a str,
    /// Its parameters, JSON text.
    pub params: &'a [u8],
    /// The way to the client.
    pub client: &'a dyn Client,
    /// What the client is listed.
    pub shown: Shown,
}

impl<'a> MethodRequest<'a> {
    /// A request of a client that can't be asked.
    pub fn new(method: &'a str, params: &'a [u8]) -> Self {
        Self { method, params, client: &NoClient, shown: Shown::default() }
    }
}

/// The members that the parameters of any request may have.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Beside<'a> {
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input_responses: Option<&'a RawValue>,
    #[serde(default)]
    request_state: Option<String>,
}

/// Answers a request. The answer is the bytes of the method's result.
pub(crate) fn answer_method(
    services: &Services,
    session: &Session,
    request: &MethodRequest<'_>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Vec<u8>, ProtocolError> {
    // The method reads them again, and names their faults.
    let beside: Beside<'_> = serde_json::from_slice(request.params).unwrap_or_default();
    let origin = Origin {
        meta: beside.meta.map(RawValue::get),
        input_responses: beside.input_responses.map(RawValue::get),
        request_state: beside.request_state.as_deref(),
        client: request.client,
        shown: services.shown_to(session, request.shown),
    };
    let caller = Caller { session, progress, cancel, origin };
    let answered = Request { services, session, caller }.answer(request.method, request.params);
    answered.map_err(ProtocolError::masked)
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
