//! Why a call or a start went wrong, in the form in which the daemon hears it.

use std::time::Duration;

use sdl_proto::{WireError, code};
use serde_json::{Map, Value};

use crate::mask::Masks;

/// An error with the fields of its detail.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    detail: Map<String, Value>,
}

impl Trouble {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), detail: Map::new() }
    }

    /// The upstream does not run.
    pub(crate) fn down(message: impl Into<String>) -> Self {
        Self::new(code::UPSTREAM_DOWN, message)
    }

    /// The program of the upstream can't be run.
    #[cfg(unix)]
    pub(crate) fn not_started(program: &std::path::Path, error: &str) -> Self {
        Self::down(format!("{} cannot be started: {error}", program.display()))
    }

    /// The upstream broke the protocol.
    pub(crate) fn protocol(message: impl Into<String>) -> Self {
        Self::new(code::UPSTREAM_PROTOCOL, message)
    }

    /// The caller wants no answer any more.
    pub(crate) fn cancelled() -> Self {
        Self::new(code::CANCELLED, "the call was cancelled")
    }

    /// The same reason, as the error of later calls.
    #[must_use]
    pub(crate) fn into_down(self) -> Self {
        Self { code: code::UPSTREAM_DOWN, ..self }
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.detail.insert(name.to_owned(), value.into());
        self
    }

    /// How long the upstream asked to be left alone.
    pub(crate) fn asked_wait(&self) -> Option<Duration> {
        self.detail.get("retryAfterMs").and_then(Value::as_u64).map(Duration::from_millis)
    }

    /// The error as it is sent, masked.
    pub(crate) fn into_wire(mut self, upstream: &str, masks: &Masks) -> WireError {
        self.detail.insert("upstream".to_owned(), upstream.into());
        let detail = serde_json::to_string(&self.detail).unwrap_or_default();
        WireError::new(self.code, masks.mask(&self.message).into_owned())
            .with_detail(masks.mask_owned(detail).into_bytes())
    }
}
