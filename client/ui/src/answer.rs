//! Answers, as HTTP responses.

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Response, StatusCode};
use sdl_client::ClientError;
use sdl_proto::code;
use serde_json::{Map, Value, json};

/// A page of another origin can't take an answer as a resource of its own.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// Nor hold a window of this one.
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Adds the headers that every answer has.
pub(crate) fn harden(mut response: Response<Body>) -> Response<Body> {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// JSON.
pub(crate) fn json_response(status: StatusCode, json: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(json.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// `{"error": {"code", "message"}}`.
pub(crate) fn refusal(status: StatusCode, code: &str, message: impl Into<String>) -> Response<Body> {
    let error = json!({ "error": { "code": code, "message": message.into() } });
    json_response(status, error.to_string())
}

/// `{"result": …}` of JSON that the daemon made.
pub(crate) fn result_response(result: &str) -> Response<Body> {
    json_response(StatusCode::OK, format!("{{\"result\":{result}}}"))
}

/// An error of the daemon, or that there is none.
pub(crate) fn failure_response(error: ClientError) -> Response<Body> {
    let answered = matches!(error, ClientError::Answer(_));
    let error = error.into_wire();
    let mut told = match serde_json::from_slice(&error.detail) {
        Ok(Value::Object(details)) => details,
        _ => Map::new(),
    };
    told.insert("code".to_owned(), error.code.clone().into());
    told.insert("message".to_owned(), error.message.into());
    let is_away = !answered && error.code != code::DEADLINE && error.code != code::TOO_LARGE;
    let status = if is_away || error.code == code::STOPPING {
        StatusCode::SERVICE_UNAVAILABLE
    } else {
        StatusCode::OK
    };
    json_response(status, json!({ "error": told }).to_string())
}
