//! Questions of the daemon, passed to the client and answered by it.

use std::sync::Arc;

use rmcp::model::{ClientResult, CustomRequest, CustomResult, ServerRequest};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RoleServer, ServiceError};
use sdl_client::Asked;
use sdl_client::proto::{ClientIdentity, Payload, WireError, code};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{Semaphore, mpsc};

/// Questions that belong to no call, and wait for the client at once.
const MOST_OPEN: usize = 16;

/// Questions that wait to be passed on. More are declined.
pub(crate) const QUEUE: usize = 16;

/// The parameters of `initialize` that say what the client can be asked.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Introduction {
    protocol_version: String,
    #[serde(default)]
    capabilities: Option<Box<RawValue>>,
}

/// Reads what a client says of itself in the parameters of `initialize`.
pub(crate) fn read_identity(params: &str) -> Option<ClientIdentity> {
    let Introduction { protocol_version, capabilities } = serde_json::from_str(params).ok()?;
    let capabilities = capabilities.map_or_else(|| "{}".to_owned(), |raw| raw.get().to_owned());
    Some(ClientIdentity { era: protocol_version, capabilities: Payload(capabilities.into_bytes()) })
}

/// Passes on the questions that belong to no call, for as long as the client lives. Never returns.
pub(crate) async fn pass_on(mut questions: mpsc::Receiver<Asked>, client: Peer<RoleServer>) {
    let room = Arc::new(Semaphore::new(MOST_OPEN));
    while let Some(asked) = questions.recv().await {
        // Without room the question is dropped, which declines it.
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else { continue };
        let client = client.clone();
        tokio::spawn(async move {
            ask_client(asked, &client).await;
            drop(permit);
        });
    }
    std::future::pending().await
}

/// Asks the client, and answers the daemon. Ends early if the daemon wants no answer any more.
pub(crate) async fn ask_client(asked: Asked, client: &Peer<RoleServer>) {
    let params: Value = match serde_json::from_slice(&asked.params) {
        Ok(params) => params,
        Err(error) => return asked.answer(Err(unanswered(&error.to_string()))),
    };
    let request = ServerRequest::CustomRequest(CustomRequest::new(asked.method.clone(), Some(params)));
    let sent = client.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
    let mut open = match sent {
        Ok(handle) => Open(Some(handle)),
        Err(error) => return asked.answer(Err(unanswered(&error.to_string()))),
    };
    let answer = tokio::select! {
        answer = open.answer() => answer,
        () = asked.withdrawn() => return,
    };
    asked.answer(match answer {
        Ok(Ok(result)) => answer_text(&result).map(String::into_bytes),
        Ok(Err(ServiceError::McpError(error))) => Err(unanswered(&error.message)),
        Ok(Err(error)) => Err(unanswered(&error.to_string())),
        Err(_) => Err(unanswered("the client has gone")),
    });
}

/// A question that the client has not answered. Dropped before that, the client hears that it need not.
struct Open(Option<RequestHandle<RoleServer>>);

impl Open {
    async fn answer(&mut self) -> Result<Result<ClientResult, ServiceError>, RecvError> {
        let Some(handle) = &mut self.0 else { return std::future::pending().await };
        let answer = (&mut handle.rx).await;
        self.0 = None;
        answer
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take() {
            tokio::spawn(handle.cancel(Some("the question needs no answer any more".to_owned())));
        }
    }
}

/// The text of the client's result: as it wrote it where the transport kept that.
fn answer_text(result: &ClientResult) -> Result<String, WireError> {
    if let ClientResult::CustomResult(CustomResult(Value::String(text))) = result {
        return Ok(text.clone());
    }
    serde_json::to_string(result).map_err(|error| unanswered(&error.to_string()))
}

fn unanswered(why: &str) -> WireError {
    WireError::new(code::DENIED, format!("the client did not answer the question: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_introduction_keeps_capabilities_that_nobody_here_knows() {
        let text =
            r#"{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"x":1e400}},"clientInfo":{}}"#;
        let identity = read_identity(text).unwrap();
        assert_eq!(identity.era, "2025-11-25");
        assert_eq!(identity.capabilities.0, br#"{"elicitation":{"x":1e400}}"#);
        assert_eq!(read_identity(r#"{"protocolVersion":"x"}"#).unwrap().capabilities.0, b"{}");
        assert!(read_identity("{}").is_none());
    }
}
