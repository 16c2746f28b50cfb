//! The parameters of requests.

use serde::de::DeserializeOwned;

use super::errors::{ProtocolError, refused_error};

/// Reads parameters. None at all are those without members.
pub(super) fn read_params<T: DeserializeOwned>(params: &[u8]) -> Result<T, ProtocolError> {
    let params = if params.iter().all(u8::is_ascii_whitespace) { b"{}" } else { params };
    serde_json::from_slice(params).map_err(|error| refused_error(format!("bad parameters: {error}")))
}
