//! `POST /api/call` and `POST /api/ask`: an action, or a method of the daemon.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use serde_json::value::RawValue;

use crate::App;
use crate::allow;
use crate::answer::{failure_response, json_response, refusal, result_response};

/// The largest body.
const MAX_BODY: usize = 1 << 20;

/// How long a body may take.
const BODY_TIME: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    action: String,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    method: String,
    #[serde(default)]
    params: Option<Box<RawValue>>,
}

/// The parts of a tool's result that matter.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult {
    #[serde(default)]
    structured_content: Option<Box<RawValue>>,
    #[serde(default)]
    is_error: bool,
}

/// Answers `POST /api/call`.
pub(crate) async fn answer_call(State(app): State<Arc<App>>, body: Body) -> Response<Body> {
    let call: Call = match read_json(body).await {
        Ok(call) => call,
        Err(refused) => return *refused,
    };
    if !allow::ACTIONS.contains(&call.action.as_str()) {
        return not_allowed("action", &call.action);
    }
    let arguments = call.arguments.as_deref().map_or("{}", RawValue::get);
    // The arguments as they came: the daemon must see a field that occurs twice.
    let params = format!(r#"{{"name":{},"arguments":{arguments}}}"#, json!(call.action));
    let answer = match app.daemon.call("tools/call", &params).await {
        Ok(answer) => answer,
        Err(error) => return failure_response(error),
    };
    let Ok(result) = serde_json::from_slice::<ToolResult>(&answer) else { return not_json() };
    let structured = result.structured_content.as_deref().map_or("null", RawValue::get);
    if result.is_error {
        return json_response(StatusCode::OK, format!("{{\"error\":{structured}}}"));
    }
    result_response(structured)
}

/// Answers `POST /api/ask`.
pub(crate) async fn answer_ask(State(app): State<Arc<App>>, body: Body) -> Response<Body> {
    let ask: Ask = match read_json(body).await {
        Ok(ask) => ask,
        Err(refused) => return *refused,
    };
    if !allow::METHODS.contains(&ask.method.as_str()) {
        return not_allowed("method", &ask.method);
    }
    let params = ask.params.as_deref().map_or("{}", RawValue::get);
    match app.daemon.call(&ask.method, params).await {
        Ok(answer) => match String::from_utf8(answer) {
            Ok(answer) => result_response(&answer),
            Err(_) => not_json(),
        },
        Err(error) => failure_response(error),
    }
}

fn not_allowed(what: &str, name: &str) -> Response<Body> {
    let shown: String = name.chars().take(80).collect();
    let message = format!("the page may not use the {what} {shown:?}; use sdlctl for it");
    refusal(StatusCode::FORBIDDEN, "denied", message)
}

fn not_json() -> Response<Body> {
    refusal(
        StatusCode::BAD_GATEWAY,
        "internal",
        "the daemon's answer is not what it should be; see: sdlctl logs",
    )
}

/// Reads a body, which is bounded in size and time.
async fn read_json<T: DeserializeOwned>(body: Body) -> Result<T, Box<Response<Body>>> {
    let bytes = match tokio::time::timeout(BODY_TIME, Limited::new(body, MAX_BODY).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = "a request may have 1 MiB";
            return Err(Box::new(refusal(StatusCode::PAYLOAD_TOO_LARGE, "tooLarge", message)));
        }
        Ok(Err(_)) => {
            return Err(Box::new(refusal(StatusCode::BAD_REQUEST, "protocol", "the body broke off")));
        }
        Err(_) => {
            let message = "the body took too long";
            return Err(Box::new(refusal(StatusCode::REQUEST_TIMEOUT, "deadlineExceeded", message)));
        }
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        let message = format!("the body is not what it should be: {error}");
        Box::new(refusal(StatusCode::BAD_REQUEST, "malformedJson", message))
    })
}
