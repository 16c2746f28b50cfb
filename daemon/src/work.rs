//! `work/ask`, `work/sessions`, `work/slices` and `work/channel`: the work of agents, for the command line.

use sdl_proto::{ClientKind, WireError, code};
use sdl_tools::{ToolError, Tools};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::upstream::Clients;

/// The start of the methods.
pub(crate) const METHODS: &str = "work/";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Channelled {
    /// How long to wait for a message, in milliseconds.
    wait_ms: u64,
}

/// Answers `work/channel`: waits for messages to the session itself.
pub(crate) fn wait_channel(
    tools: &Tools,
    session: &sdl_contract::Session,
    params: &[u8],
    cancel: &sdl_contract::Cancel,
) -> Result<Vec<u8>, WireError> {
    let Channelled { wait_ms } = crate::router::parse_params(params)?;
    let wait = std::time::Duration::from_millis(wait_ms.min(600_000));
    let messages = tools.wait_for_messages(session, wait, cancel).map_err(|error| wire_error(&error))?;
    Ok(json!({ "messages": messages }).to_string().into_bytes())
}

/// Answers a method.
pub(crate) fn answer_work(
    tools: &Tools,
    clients: &Clients,
    (method, params): (&str, &[u8]),
) -> Result<Vec<u8>, WireError> {
    let answer = match method {
        "work/ask" => tools.answer_person(params).map_err(|error| wire_error(&error))?,
        "work/sessions" => {
            let shims = clients.all().into_iter().filter(|peer| peer.hello().kind == ClientKind::Shim);
            let one = |peer: std::sync::Arc<crate::server::Peer>| json!({"connection": peer.id(), "pid": peer.hello().pid});
            json!({ "sessions": shims.map(one).collect::<Vec<Value>>() })
        }
        "work/slices" => tools.held_slices().map_err(|error| wire_error(&error))?,
        _ => {
            let message = format!("this daemon knows no method {method:?}; it may be older than its client");
            return Err(WireError::new(code::UNKNOWN_METHOD, message));
        }
    };
    Ok(answer.to_string().into_bytes())
}

pub(crate) fn wire_error(error: &ToolError) -> WireError {
    let detail = error.to_value().to_string().into_bytes();
    WireError { code: error.refusal.code.name().into(), message: error.refusal.message.clone(), detail }
}
